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
	some := func() (density.Density, float64) { return c.fitter.Choose(density.Widths[1:2]) }
	var weights []float64
	window, least := 0, math.Inf(1)
	try := func() {
		c.standardise(s)
		c.encode(s, some, true)
		if s.nats < least {
			weights, window, least = s.weights, s.window, s.nats
		}
	}
	s.window = 0
	s.weights = c.predictor.Fit(s.q, c.past.N, -1)
	for {
		c.past.PredictionError(c.r, y, s.weights)
		try()
		if s.density.Gaussian() || len(s.weights) < 2 {
			break
		}
		s.weights = c.predictor.Fit(s.q, c.past.N, len(s.weights)/2)
	}
	s.weights = weights
	c.past.PredictionError(c.r, y, s.weights)
	for _, s.window = range scaleWindows(c.past.N) {
		try()
	}
	s.window = window
	c.standardise(s)
	c.encode(s, func() (density.Density, float64) { return c.fitter.Choose(density.Widths) }, true)
}

// fit sets s to the best model of y with the choices that s has made.
func (c *coder) fit(s *source, y []float64) {
	if len(s.weights) > 0 {
		s.weights = c.predictor.Fit(s.q, c.past.N, len(s.weights))
	}
	c.past.PredictionError(c.r, y, s.weights)
	c.standardise(s)
	if s.density.Gaussian() {
		c.encode(s, nil, true)
		return
	}
	before := s.density
	c.encode(s, func() (density.Density, float64) { return c.fitter.Refit(&before) }, false)
}

// standardise sets s.u and s.s to the innovations over their local scale, and that.
func (c *coder) standardise(s *source) {
	s.u = resize(s.u, c.past.N)
	copy(s.u, c.r)
	s.s = s.s[:0]
	if s.window > 0 {
		s.s = resize(s.s, c.past.N)
		localScale(s.s, c.r, c.past.Sides, s.window, c.space)
		floats.Div(s.u, s.s)
	}
}

// encode scales u and sets the density: that of the family by fit, which may be
// nil, or, if that is allowed, Gaussian where that is shorter.
func (c *coder) encode(s *source, fit func() (density.Density, float64), gaussian bool) {
	n := float64(c.past.N)
	var absolute, square float64
	for _, v := range s.u {
		absolute += math.Abs(v)
		square += v * v
	}
	deviation := math.Sqrt(square/n) + 1e-300
	logScale := 0.0
	parameters := 1.0 // the scale
	if len(s.s) > 0 {
		logScale = meanLog(s.s)
		parameters++ // the window
	}
	cost := parameters/2*math.Log(n) + c.predictor.Cost(s.q, s.weights, ar.ErrorPower(s.q, s.weights, len(c.past.Lags)+1), c.past.N)
	length := math.Inf(1)
	if fit != nil {
		s.scale = absolute/n*math.Sqrt(math.Pi/2) + 1e-300
		floats.Scale(1/s.scale, s.u)
		c.fitter.Begin(s.u)
		s.density, length = fit()
		length += math.Log(s.scale)
	}
	if l := math.Log(deviation) + gaussianEntropy; gaussian && l < length {
		if fit == nil {
			s.scale = 1
		}
		floats.Scale(s.scale/deviation, s.u)
		s.scale, length = deviation, l
		s.density = density.Density{}
	}
	s.cost = s.density.Cost + cost
	s.nats = length + logScale + cost/n
}

func resize(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// meanLog is the mean logarithm, taken of products of eight.
func meanLog(s []float64) float64 {
	sum := 0.0
	t := 0
	for ; t+8 <= len(s); t += 8 {
		v := s[t : t+8]
		sum += math.Log((v[0] * v[1] * v[2] * v[3]) * (v[4] * v[5] * v[6] * v[7]))
	}
	for _, v := range s[t:] {
		sum += math.Log(v)
	}
	return sum / float64(len(s))
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
