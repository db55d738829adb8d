package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
)

// A source is the model of one signal y. At each position it has
//
//	r_t = y_t − prediction from its past      innovation
//	s_t = scale, or scale · the local scale   scale
//	u_t = r_t/s_t  ~  density
//
// It is chosen and fitted by its code length in nats per position: the mean of log s_t − log
// p(u_t), plus the code length of its parameters over the number of positions.
type source struct {
	weights    []float64 // of the prediction
	window     int       // of the local scale, 0 for a constant one
	scale      float64
	density    density.Density
	codeLength float64   // in nats per position
	cost       float64   // code length of the parameters, in nats
	q          []float64 // [P+1, P+1], second moments of the signal and its past
	u, s       []float64 // [n]; s is without scale, and empty if it is 1 everywhere
}

// A coder fits sources to signals. Its memory is allocated once.
type coder struct {
	past      *past.Past
	predictor *ar.Predictor
	fitter    density.Fitter
	r, space  []float64 // [n]
	rotated   []float64 // [T], workspace for a rotated signal
	slope     density.Curve
	curvature density.Curve

	// Set by measure and refine: the best density that isn't Gaussian.
	density density.Density
	length  float64 // code length of u over scale, in nats per position
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

// gaussianEntropy is the entropy of a standard normal variable, in nats.
var gaussianEntropy = math.Log(2*math.Pi*math.E) / 2

// choose sets s to the model with the shortest code of the signal y, [T]. s.q must hold the second
// moments of y.
//
// The first order is that of a Gaussian signal. If innovations are rare jumps, each causes as many
// wrong predictions as the order. So half of the order, a quarter and so on are tried as long as
// the density isn't Gaussian.
func (c *coder) choose(s *source, y []float64) {
	c.fitter.Reset()
	s.window = 0
	s.weights = c.predictor.Fit(s.q, c.past.N, -1)
	var weights []float64
	shortest := math.Inf(1)
	for {
		c.past.PredictionError(c.r, y, s.weights)
		c.measure(s, c.standardise(s))
		if s.codeLength < shortest {
			weights, shortest = s.weights, s.codeLength
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
	c.chooseWindow(s, shortest, scaleWindows(c.past.N))
	c.refine(s)
	c.finish(s)
}

// chooseWindow sets the window with which the code of the innovations c.r is shortest, one of the
// given ones or 0, and measures it. shortest is the code length with 0. Densities are only fitted
// with the windows whose code, with the better of a Gaussian and a Laplace density, is nearly the
// shortest.
func (c *coder) chooseWindow(s *source, shortest float64, windows []int) {
	if len(windows) == 0 {
		c.measure(s, c.standardise(s))
		return
	}
	simple := make([]float64, len(windows))
	best := 0
	for k, window := range windows {
		s.window = window
		simple[k] = c.standardise(s).simpleLength(c.past.N)
		if simple[k] < simple[best] {
			best = k
		}
	}
	s.window = 0
	n := float64(c.past.N)
	limit := min(simple[best], c.standardise(s).simpleLength(c.past.N)) + max(windowNats/n, windowShare)
	chosen := 0
	// The best comes last: if it is chosen, as is likely, s needn't be measured again.
	try := func(k int) {
		if s.window = windows[k]; simple[k] > limit {
			return
		}
		c.measure(s, c.standardise(s))
		if s.codeLength < shortest {
			chosen, shortest = windows[k], s.codeLength
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

// fit sets s to the best model of y with the order, window and density family that s has.
func (c *coder) fit(s *source, y []float64) {
	if len(s.weights) > 0 {
		s.weights = c.predictor.Fit(s.q, c.past.N, len(s.weights))
	}
	c.past.PredictionError(c.r, y, s.weights)
	sp := c.standardise(s)
	if s.density.Gaussian() {
		c.setGaussian(s, sp)
	} else {
		before := s.density
		s.scale = sp.scale(c.past.N)
		c.fitter.Begin(s.u, 1/s.scale)
		var length float64
		s.density, length = c.fitter.Refit(&before)
		c.setCodeLength(s, sp, length+math.Log(s.scale))
	}
	c.finish(s)
}

// A spread has moments of the innovations over their local scale.
type spread struct {
	absolute, square float64 // Σ|u| and Σu²
	logScale         float64 // the mean logarithm of the local scale
}

// deviation returns the standard deviation of n innovations.
func (p spread) deviation(n int) float64 { return math.Sqrt(p.square/float64(n)) + 1e-300 }

// scale returns the scale at which the mean absolute value of n innovations is that of a standard
// normal variable.
func (p spread) scale(n int) float64 {
	return p.absolute/float64(n)*math.Sqrt(math.Pi/2) + 1e-300
}

// simpleLength returns the code length in nats per position with the better of a Gaussian and a
// Laplace density, without that of the parameters.
func (p spread) simpleLength(n int) float64 {
	laplace := math.Log(2*math.E*p.absolute/float64(n) + 1e-300)
	return p.logScale + min(math.Log(p.deviation(n))+gaussianEntropy, laplace)
}

// standardise sets s.u to the innovations over their local scale, and s.s to that scale. It returns
// the spread of s.u.
func (c *coder) standardise(s *source) spread {
	n := c.past.N
	s.u = resize(s.u, n)
	s.s = s.s[:0]
	if s.window == 0 {
		copy(s.u, c.r)
		return measureSpread(s.u)
	}
	s.s = resize(s.s, n)
	if len(c.past.Sides) > 1 {
		localScale(s.s, c.r, c.past.Sides, s.window, c.space)
		floats.DivTo(s.u, c.r, s.s)
	} else {
		scaleSequence(s.u, s.s, c.r, s.window)
	}
	sp := measureSpread(s.u)
	sp.logScale = meanLog(s.s)
	return sp
}

// measureSpread returns the spread of u, without the logarithm of the scale.
func measureSpread(u []float64) (sp spread) {
	for _, v := range u {
		sp.absolute += math.Abs(v)
		sp.square += v * v
	}
	return sp
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
			v := (1-overallShare)*(sum-math.Abs(r[t]))/float64(countWithin(t, n, h)-1) + rest
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

// measure sets the density, the scale and the code length, for comparison with others. The density
// is a Gaussian or the one that the fitter chooses, whichever has the shorter code.
func (c *coder) measure(s *source, sp spread) {
	c.scale = sp.scale(c.past.N)
	c.fitter.Begin(s.u, 1/c.scale)
	c.density, c.length = c.fitter.Choose()
	c.spread = sp
	c.chooseDensity(s)
}

// refine fits the density, which measure has chosen, to the fine tolerance.
func (c *coder) refine(s *source) {
	c.density, c.length = c.fitter.Finish()
	c.chooseDensity(s)
}

// chooseDensity sets the density to the fitted one or to a Gaussian, whichever has the shorter
// code.
func (c *coder) chooseDensity(s *source) {
	length := c.length + math.Log(c.scale)
	if math.Log(c.spread.deviation(c.past.N))+gaussianEntropy < length {
		c.setGaussian(s, c.spread)
		return
	}
	s.density, s.scale = c.density, c.scale
	c.setCodeLength(s, c.spread, length)
}

// setGaussian sets a Gaussian density.
func (c *coder) setGaussian(s *source, sp spread) {
	s.density, s.scale = density.Density{}, sp.deviation(c.past.N)
	c.setCodeLength(s, sp, math.Log(s.scale)+gaussianEntropy)
}

// setCodeLength sets the code length and that of the parameters. length is the code length of the
// innovations over their local scale, in nats per position.
func (c *coder) setCodeLength(s *source, sp spread, length float64) {
	n := float64(c.past.N)
	parameters := 1.0 // the scale
	if len(s.s) > 0 {
		parameters++ // the window
	}
	power := ar.ErrorPower(s.q, s.weights, len(c.past.Lags)+1)
	cost := parameters/2*math.Log(n) + c.predictor.Cost(s.q, s.weights, power, c.past.N)
	s.cost = s.density.Cost + cost
	s.codeLength = length + sp.logScale + cost/n
}

// finish divides s.u by the scale.
func (c *coder) finish(s *source) { floats.Scale(1/s.scale, s.u) }

func resize(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// meanLog returns the mean logarithm of positive numbers. It takes logarithms of products, which is
// faster.
func meanLog(s []float64) float64 {
	const low, high = 1e-100, 1e100 // of products, well within float64
	sum, product := 0.0, 1.0
	t := 0
	for ; t+4 <= len(s); t += 4 {
		v := s[t : t+4 : t+4]
		product *= (v[0] * v[1]) * (v[2] * v[3])
		if !(product > low && product < high) {
			sum += math.Log(product)
			product = 1
		}
	}
	for _, v := range s[t:] {
		product *= v
	}
	return (sum + math.Log(product)) / float64(len(s))
}

// scoreMoments are moments of a signal's score ψ. Both are the Fisher information about the
// location of its innovations if the density is the right one.
type scoreMoments struct {
	square float64 // E ψ²
	slope  float64 // E ψ′
}

// score sets psi, [n], to the score ψ = −∂/∂r log p(r/s)/s at each position.
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
			v := -(c.curvature[near] + share*(c.curvature[far]-c.curvature[near])) /
				(s.scale * s.scale)
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

// lengths adds to nats the code lengths of equal parts of the positions, one part for each entry.
// The code length of the parameters is shared out evenly.
func (s *source) lengths(nats []float64) {
	n := len(s.u)
	for b := range nats {
		first, end := b*n/len(nats), (b+1)*n/len(nats)
		sum := float64(end-first) * math.Log(s.scale)
		if len(s.s) > 0 {
			sum += meanLog(s.s[first:end]) * float64(end-first)
		}
		if s.density.Gaussian() {
			u := s.u[first:end]
			sum += floats.Dot(u, u)/2 + float64(end-first)*math.Log(2*math.Pi)/2
		} else {
			for _, u := range s.u[first:end] {
				sum -= s.density.Log.At(u)
			}
		}
		nats[b] += sum + s.cost/float64(len(nats))
	}
}

// scaleWindows returns the windows to try at n scored positions.
func scaleWindows(n int) (all []int) {
	for h := firstWindow; h <= lastWindow && 8*h <= n; h *= windowFactor {
		all = append(all, h)
	}
	return all
}

// localScale sets s, [n], to the local scale of the prediction errors r at each position of an
// index with these sides: the mean of |r| over the window around the position, without the position
// itself. For an image, the window has the same width along every side, such that it holds as many
// positions as that of a sequence. space has room for n values.
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
			others *= countWithin(i, sides[a], h)
		}
		for i := range sides[len(sides)-1] {
			t := first + i
			count := others * countWithin(i, sides[len(sides)-1], h)
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

// countWithin returns the number of positions of a side that are at most h from the i-th.
func countWithin(i, side, h int) int { return min(i+h+1, side) - max(i-h, 0) }

// boxSums replaces the values by their sums over windows along one side. Neighbours along it are
// inner entries of s apart.
func boxSums(s []float64, side, inner, h int, space []float64) {
	line := space[:side]
	for block := 0; block < len(s); block += side * inner {
		for first := block; first < block+inner; first++ {
			sum := 0.0
			for i := range line {
				line[i] = s[first+i*inner]
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
				s[first+i*inner] = sum
			}
		}
	}
}
