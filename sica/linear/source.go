package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
)

// A source is the model of one signal y, with what it makes of the positions:
//
//	r_t = y_t − prediction from its past      innovation
//	s_t = scale, or scale · the local scale   scale
//	u_t = r_t/s_t  ~  density
//
// It is chosen and fitted by its description length, in nats a position: the mean
// of log s_t − log p(u_t), and the cost of its parameters over the positions.
type source struct {
	weights []float64 // of the prediction
	window  int       // of the local scale, 0 for a constant one
	scale   float64
	density density.Density
	nats    float64   // description length, a position
	cost    float64   // nats in all of the parameters
	q       []float64 // [P+1, P+1], second moments of the signal and its past
	u, s    []float64 // [n]; s is without scale, and empty if it is 1 everywhere
}

// A coder fits sources to signals. What it allocates, it allocates once.
type coder struct {
	past      *past.Past
	predictor *ar.Predictor
	fitter    density.Fitter
	r, space  []float64 // [n]
	rotated   []float64 // [T], for a signal that is tried
	slope     density.Curve
	curvature density.Curve

	// What measure found, if the density isn't Gaussian.
	density density.Density
	length  float64 // of u over scale
	scale   float64
	spread  spread
}

func newCoder(p *past.Past) *coder {
	return &coder{
		past:      p,
		predictor: ar.NewPredictor(p.Distance),
		r:         make([]float64, p.N),
		space:     make([]float64, p.N),
	}
}

// gaussianEntropy is that of a standard normal value, in nats.
var gaussianEntropy = math.Log(2*math.Pi*math.E) / 2

// choose sets s to the model with the least description length of the signal y,
// [T], whose second moments lie in s.q already.
//
// The order is first that of a Gaussian signal. Where the innovations are rare
// jumps, each leaves as many wrong predictions as the order: shorter pasts are tried
// as long as the density isn't Gaussian.
func (c *coder) choose(s *source, y []float64) {
	c.fitter.Reset()
	s.window = 0
	s.weights = c.predictor.Fit(s.q, c.past.N, -1)
	var weights []float64
	least := math.Inf(1)
	for {
		c.past.PredictionError(c.r, y, s.weights)
		c.measure(s, c.standardise(s))
		if s.nats < least {
			weights, least = s.weights, s.nats
		}
		if s.density.Gaussian() || len(s.weights) < 2 {
			break
		}
		s.weights = c.predictor.Fit(s.q, c.past.N, len(s.weights)/2)
	}
	if len(weights) != len(s.weights) {
		c.past.PredictionError(c.r, y, weights)
	}
	s.weights = weights
	c.chooseWindow(s, least, scaleWindows(c.past.N))
	c.refine(s)
	c.finish(s)
}

// chooseWindow sets the window, one of those given or 0, with which the code of the innovations
// c.r is shortest, and measures it; with 0 it takes so many nats. Densities are fitted only with
// the windows that are best with the shorter of a Gaussian and a Laplace density, and with
// others whose codes are nearly as short.
func (c *coder) chooseWindow(s *source, least float64, windows []int) {
	if len(windows) == 0 {
		c.measure(s, c.standardise(s))
		return
	}
	simple := make([]float64, len(windows))
	best := 0
	for k, window := range windows {
		s.window = window
		simple[k] = c.standardise(s).simple(c.past.N)
		if simple[k] < simple[best] {
			best = k
		}
	}
	s.window = 0
	n := float64(c.past.N)
	limit := min(simple[best], c.standardise(s).simple(c.past.N)) + max(windowNats/n, windowShare)
	chosen := 0
	// The best comes last, as it is likely to be chosen: then all is in its place.
	try := func(k int) {
		if s.window = windows[k]; simple[k] > limit {
			return
		}
		c.measure(s, c.standardise(s))
		if s.nats < least {
			chosen, least = windows[k], s.nats
		}
	}
	for k := range windows {
		if k != best {
			try(k)
		}
	}
	try(best)
	if s.window != chosen || simple[best] > limit {
		s.window = chosen
		c.measure(s, c.standardise(s))
	}
}

// fit sets s to the best model of y with the choices that s has made.
func (c *coder) fit(s *source, y []float64) {
	if len(s.weights) > 0 {
		s.weights = c.predictor.Fit(s.q, c.past.N, len(s.weights))
	}
	c.past.PredictionError(c.r, y, s.weights)
	of := c.standardise(s)
	if s.density.Gaussian() {
		c.gaussian(s, of)
	} else {
		before := s.density
		s.scale = of.mean(c.past.N)
		c.fitter.Begin(s.u, 1/s.scale)
		var length float64
		s.density, length = c.fitter.Refit(&before)
		c.account(s, of, length+math.Log(s.scale))
	}
	c.finish(s)
}

// spread is of the innovations over their local scale.
type spread struct {
	absolute, square float64 // Σ|u| and Σu²
	logScale         float64 // the mean logarithm of the local scale
}

// deviation is the standard deviation of n innovations.
func (p spread) deviation(n int) float64 { return math.Sqrt(p.square/float64(n)) + 1e-300 }

// mean is the scale at which the mean absolute value is that of a standard normal variable.
func (p spread) mean(n int) float64 {
	return p.absolute/float64(n)*math.Sqrt(math.Pi/2) + 1e-300
}

// simple is the code length with the better of a Gaussian and a Laplace density, without
// parameters.
func (p spread) simple(n int) float64 {
	laplace := math.Log(2*math.E*p.absolute/float64(n) + 1e-300)
	return p.logScale + min(math.Log(p.deviation(n))+gaussianEntropy, laplace)
}

// standardise sets s.u and s.s to the innovations over their local scale, and that.
func (c *coder) standardise(s *source) spread {
	n := c.past.N
	s.u = resize(s.u, n)
	s.s = s.s[:0]
	if s.window == 0 {
		copy(s.u, c.r)
		return spreadOf(s.u)
	}
	s.s = resize(s.s, n)
	if len(c.past.Sides) > 1 {
		localScale(s.s, c.r, c.past.Sides, s.window, c.space)
		floats.DivTo(s.u, c.r, s.s)
	} else {
		scaleSequence(s.u, s.s, c.r, s.window)
	}
	of := spreadOf(s.u)
	of.logScale = meanLog(s.s)
	return of
}

// spreadOf returns the sums over u.
func spreadOf(u []float64) (of spread) {
	for _, v := range u {
		of.absolute += math.Abs(v)
		of.square += v * v
	}
	return of
}

// scaleSequence sets s to the local scale of the prediction errors r of a sequence, as
// localScale does, and u to r over it.
func scaleSequence(u, s, r []float64, h int) {
	n := len(r)
	total := floats.Norm(r, 1)
	rest := overallShare * total / float64(n)
	sum := floats.Norm(r[:min(h, n)], 1) // of the window, [t−h, t+h]
	edge := func(first, end int) {
		for t := first; t < end; t++ {
			if t+h < n {
				sum += math.Abs(r[t+h])
			}
			if t > h {
				sum -= math.Abs(r[t-h-1])
			}
			v := (1-overallShare)*(sum-math.Abs(r[t]))/float64(within(t, n, h)-1) + rest
			s[t], u[t] = v, r[t]/v
		}
	}
	first, end := min(h+1, n), max(n-h, min(h+1, n)) // where the window is whole
	edge(0, first)
	share := (1 - overallShare) / float64(2*h)
	if first < end {
		before, after := r[first-h-1:end-h-1], r[first+h:end+h]
		middle, scales, ratios := r[first:end], s[first:end], u[first:end]
		for t, v := range middle {
			sum += math.Abs(after[t]) - math.Abs(before[t])
			scale := share*(sum-math.Abs(v)) + rest
			scales[t], ratios[t] = scale, v/scale
		}
	}
	edge(end, n)
}

// measure sets the density, the scale and the description length, for comparison. The density is
// the nearest of the family or, where that is shorter, Gaussian.
func (c *coder) measure(s *source, of spread) {
	c.scale = of.mean(c.past.N)
	c.fitter.Begin(s.u, 1/c.scale)
	c.density, c.length = c.fitter.Choose()
	c.spread = of
	c.shorter(s)
}

// refine fits the density to the end, after measure.
func (c *coder) refine(s *source) {
	c.density, c.length = c.fitter.Finish()
	c.shorter(s)
}

// shorter sets the density to the one that was fitted or a Gaussian one.
func (c *coder) shorter(s *source) {
	length := c.length + math.Log(c.scale)
	if math.Log(c.spread.deviation(c.past.N))+gaussianEntropy < length {
		c.gaussian(s, c.spread)
		return
	}
	s.density, s.scale = c.density, c.scale
	c.account(s, c.spread, length)
}

// gaussian sets a Gaussian density.
func (c *coder) gaussian(s *source, of spread) {
	s.density, s.scale = density.Density{}, of.deviation(c.past.N)
	c.account(s, of, math.Log(s.scale)+gaussianEntropy)
}

// account sets the description length, that of the innovations over their local scale being
// length.
func (c *coder) account(s *source, of spread, length float64) {
	n := float64(c.past.N)
	parameters := 1.0 // the scale
	if len(s.s) > 0 {
		parameters++ // the window
	}
	power := ar.ErrorPower(s.q, s.weights, len(c.past.Lags)+1)
	cost := parameters/2*math.Log(n) + c.predictor.Cost(s.q, s.weights, power, c.past.N)
	s.cost = s.density.Cost + cost
	s.nats = length + of.logScale + cost/n
}

// finish brings s.u to its scale.
func (c *coder) finish(s *source) { floats.Scale(1/s.scale, s.u) }

func resize(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// meanLog is the mean logarithm of positive numbers, taken of products that float64 holds.
func meanLog(s []float64) float64 {
	const least, most = 1e-100, 1e100
	sum, product := 0.0, 1.0
	t := 0
	for ; t+4 <= len(s); t += 4 {
		v := s[t : t+4 : t+4]
		product *= (v[0] * v[1]) * (v[2] * v[3])
		if !(product > least && product < most) {
			sum += math.Log(product)
			product = 1
		}
	}
	for _, v := range s[t:] {
		product *= v
	}
	return (sum + math.Log(product)) / float64(len(s))
}

// scoreMoments are those of a signal's score ψ. Both are Fisher's information about
// its innovations' location if the density is the right one.
type scoreMoments struct {
	square float64 // E ψ²
	slope  float64 // E ψ′
}

// score sets psi, [n], to ψ = −∂/∂r log p(r/s)/s of each position.
func (c *coder) score(s *source, psi []float64) scoreMoments {
	var p scoreMoments
	if s.density.Gaussian() {
		for t, u := range s.u {
			psi[t] = u / s.scale
		}
	} else {
		s.density.Log.Slope(&c.slope)
		c.slope.Slope(&c.curvature)
		for t, u := range s.u {
			near, far, share := density.Place(u)
			psi[t] = -(c.slope[near] + share*(c.slope[far]-c.slope[near])) / s.scale
			v := -(c.curvature[near] + share*(c.curvature[far]-c.curvature[near])) / (s.scale * s.scale)
			if len(s.s) > 0 {
				v /= s.s[t] * s.s[t]
			}
			p.slope += v
		}
	}
	if len(s.s) > 0 {
		floats.Div(psi, s.s)
	}
	p.square = floats.Dot(psi, psi) / float64(len(psi))
	p.slope /= float64(len(psi))
	if s.density.Gaussian() {
		p.slope = p.square
	}
	return p
}

// lengths adds to nats, whose values stand for equal parts of the positions, the
// description lengths of these, the parameters' cost shared out evenly.
func (s *source) lengths(nats []float64) {
	n := len(s.u)
	for b := range nats {
		first, end := b*n/len(nats), (b+1)*n/len(nats)
		sum := float64(end-first) * math.Log(s.scale)
		if len(s.s) > 0 {
			sum += meanLog(s.s[first:end]) * float64(end-first)
		}
		if s.density.Gaussian() {
			sum += floats.Dot(s.u[first:end], s.u[first:end])/2 + float64(end-first)*math.Log(2*math.Pi)/2
		} else {
			for _, u := range s.u[first:end] {
				sum -= s.density.Log.At(u)
			}
		}
		nats[b] += sum + s.cost/float64(len(nats))
	}
}

// scaleWindows are those worth trying where n positions are scored.
func scaleWindows(n int) (all []int) {
	for h := firstWindow; h <= lastWindow && 8*h <= n; h *= windowFactor {
		all = append(all, h)
	}
	return all
}

// localScale sets s, [n], to the scale of the prediction errors r around each position of an
// index with these sides: the mean of |r| over the window, the position itself left out.
// Along every side of an image the window has the width that makes it hold as many
// positions. space has room for n values.
func localScale(s, r []float64, sides []int, window int, space []float64) {
	total := 0.0
	for t, v := range r {
		s[t] = math.Abs(v)
		total += s[t]
	}
	mean := total / float64(len(r))
	h := window
	if len(sides) > 1 {
		h = max(1, int(math.Round((math.Pow(float64(2*window+1), 1/float64(len(sides)))-1)/2)))
	}
	inner := 1
	for a := len(sides) - 1; a >= 0; a-- {
		boxSums(s, sides[a], inner, h, space)
		inner *= sides[a]
	}
	// The number of positions in a window is the product of those along each side.
	index := make([]int, len(sides))
	for first := 0; first < len(s); first += sides[len(sides)-1] {
		others := 1
		for a, i := range index[:len(sides)-1] {
			others *= within(i, sides[a], h)
		}
		for i := range sides[len(sides)-1] {
			t := first + i
			count := others * within(i, sides[len(sides)-1], h)
			s[t] = (1-overallShare)*(s[t]-math.Abs(r[t]))/float64(count-1) + overallShare*mean
		}
		for a := len(sides) - 2; a >= 0; a-- {
			if index[a]++; index[a] < sides[a] {
				break
			}
			index[a] = 0
		}
	}
}

// within is how many positions of a side are at most h from the i-th.
func within(i, side, h int) int { return min(i+h+1, side) - max(i-h, 0) }

// boxSums replaces the values by their sums over windows along one side, whose
// neighbours are inner apart.
func boxSums(s []float64, side, inner, h int, space []float64) {
	line := space[:side]
	for block := 0; block < len(s); block += side * inner {
		for at := block; at < block+inner; at++ {
			sum := 0.0
			for i := range line {
				line[i] = s[at+i*inner]
			}
			for _, v := range line[:min(h, side)] {
				sum += v
			}
			for i := range line {
				if i+h < side {
					sum += line[i+h]
				}
				if i > h {
					sum -= line[i-h-1]
				}
				s[at+i*inner] = sum
			}
		}
	}
}
