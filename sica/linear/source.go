package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/localscale"
)

const (
	// maxLags is the largest number of past values that predict a sequence: three times the order
	// of the paper's AR(7) sources. Code length decides how many are used, so more only cost time.
	maxLags = 24
	// maxNeighbours is the largest number of past neighbours that predict a value of an image or
	// video: in an image the complete shells up to a distance of √10 positions.
	maxNeighbours = 18
	// positionsPerLag is the least number of positions for each weight of the prediction of one
	// signal from its own past. positionsPerWeight is that for each weight of the prediction of a
	// signal from the past of all. Both are choices, which matter below 300 positions.
	positionsPerLag, positionsPerWeight = 12, 3
	// windowNats (in all) and windowShare (per position) bound the excess code length in nats, with
	// simple densities, of the windows for which a density is fitted. Densities usually change the
	// order by less. More costs time only. Both are choices.
	windowNats, windowShare = 20, 0.01
)

// A source is the model of one signal y. At each position
//
//	r_t = y_t − prediction from its past      innovation
//	s_t = scale · local scale, if any         scale
//	u_t = r_t/s_t  ~  density
//
// The model is chosen and fitted by its code length in nats per position: the mean of log s_t − log
// p(u_t), plus the code length of the parameters divided by the number of positions.
type source struct {
	weights    []float64 // of the prediction
	window     int       // of the local scale, 0 for a constant one
	scale      float64
	density    density.Density
	codeLength float64   // in nats per position
	cost       float64   // code length of the parameters, in nats
	q          []float64 // [P+1, P+1], second moments of the signal and its P past values
	local      []float64 // [n], the local scale; empty if there is none
	u          []float64 // [n], the innovations over their scale
	row        []float64 // [d], unit row of the demixing for which the model was chosen
}

// A coder fits sources to signals. It allocates its memory once.
type coder struct {
	past      *past.Past
	predictor *ar.Predictor
	r, space  []float64 // [n]
	psi       []float64 // [n], the score of a signal
	sums      []float64 // [n+1], cumulative sums of the absolute values of r, if isSummed
	isSummed  bool
	rotated   []float64     // [T], workspace for a rotated signal
	pair      [2]source     // workspace for the models of a rotated pair
	scores    density.Curve // of the innovations over their local scale
	slopes    density.Curve // of the scores
	measurement
}

// A measurement is the result of measure for the innovations of a signal.
type measurement struct {
	fitter   density.Fitter
	spread   localscale.Spread
	scale    float64 // of a non-Gaussian density
	gaussian bool    // whether a Gaussian density has the shorter code
}

func newCoder(p *past.Past) *coder {
	return &coder{
		past:      p,
		predictor: ar.NewPredictor(p.Distance),
		r:         make([]float64, p.N),
		sums:      make([]float64, p.N+1),
		space:     make([]float64, p.N),
		psi:       make([]float64, p.N),
	}
}

// newCoders returns a coder for each processor that d signals keep busy.
func newCoders(p *past.Past, d int) []*coder {
	coders := make([]*coder, parallel.Workers(d))
	for k := range coders {
		coders[k] = newCoder(p)
	}
	return coders
}

// gaussianEntropy is the entropy of a standard normal variable, in nats.
var gaussianEntropy = math.Log(2*math.Pi*math.E) / 2

// choose sets s to the model with the shortest code for the signal y, [T], among all windows, and
// fits its density to the tolerance: density.Fine for models that are used, density.Rough for
// models that are only compared. s.q must hold the second moments of y.
func (c *coder) choose(s *source, y []float64, tolerance float64) {
	c.fitter.Reset()
	c.measureAmong(s, y, localscale.Windows(c.past.N))
	c.refine(s, tolerance)
	c.normalise(s)
}

// measureAmong sets the order and the window, one of windows or 0, with the shortest code for the
// signal y, [T], and measures the innovations with both.
//
// The first order is the best one for a Gaussian signal. If the innovations are rare jumps, each
// jump spoils as many predictions as the order. So half of the order, a quarter and so on are tried
// as long as the density isn't Gaussian.
func (c *coder) measureAmong(s *source, y []float64, windows []int) {
	s.window = 0
	s.weights = c.predictor.Fit(s.q, c.past.N, -1)
	var weights []float64
	shortest := math.Inf(1)
	for {
		c.predict(y, s.weights)
		c.measure(s, c.standardise(s))
		if s.codeLength < shortest {
			weights, shortest = s.weights, s.codeLength
		}
		if c.gaussian || len(s.weights) < 2 {
			break
		}
		s.weights = c.predictor.Fit(s.q, c.past.N, len(s.weights)/2)
	}
	isLast := len(weights) == len(s.weights) // c still has the measurement of the shortest
	s.weights = weights
	if !isLast {
		c.predict(y, weights)
	}
	switch {
	case len(windows) > 0:
		c.chooseWindow(s, shortest, windows)
	case !isLast:
		c.measure(s, c.standardise(s))
	}
}

// chooseWindow sets the window with which the code of the innovations c.r is shortest, and measures
// them with it. The candidates are the given windows, of which there must be one, and 0, whose code
// length is the argument shortest. Densities are fitted only for windows whose code with a simple
// density is nearly the shortest.
func (c *coder) chooseWindow(s *source, shortest float64, windows []int) {
	simple := make([]float64, len(windows)) // code lengths with a Gaussian or Laplace density
	best := 0
	for k, window := range windows {
		s.window = window
		simple[k] = simpleLength(c.standardise(s), c.past.N)
		if simple[k] < simple[best] {
			best = k
		}
	}
	s.window = 0
	constant := simpleLength(c.standardise(s), c.past.N)
	limit := min(simple[best], constant) + max(windowNats/float64(c.past.N), windowShare)
	chosen, measured := 0, -1
	// The best comes last: if it is chosen, as is likely, s needn't be measured again.
	order := append(slices.Delete(grid.Range(len(windows)), best, best+1), best)
	for _, k := range order {
		if simple[k] > limit {
			continue
		}
		s.window, measured = windows[k], windows[k]
		c.measure(s, c.standardise(s))
		if s.codeLength < shortest {
			chosen, shortest = windows[k], s.codeLength
		}
	}
	if chosen != measured {
		s.window = chosen
		c.measure(s, c.standardise(s))
	}
}

// fit fits the model s to y, and keeps its order, window and density family.
func (c *coder) fit(s *source, y []float64) {
	if len(s.weights) > 0 {
		s.weights = c.predictor.Fit(s.q, c.past.N, len(s.weights))
	}
	c.predict(y, s.weights)
	sp := c.standardise(s)
	if s.density.Gaussian() {
		c.setGaussian(s, sp)
	} else {
		before := s.density
		s.scale = sp.Scale(c.past.N)
		c.fitter.Begin(s.u, 1/s.scale)
		var length float64
		s.density, length = c.fitter.Refit(&before)
		c.setCodeLength(s, sp, length+math.Log(s.scale))
	}
	c.normalise(s)
}

// simpleLength returns the code length in nats per position of n innovations with a Gaussian or a
// Laplace density, whichever is shorter, without the parameters.
func simpleLength(p localscale.Spread, n int) float64 {
	laplace := math.Log(2*math.E*p.Absolute/float64(n) + 1e-300)
	return p.LogScale + min(math.Log(p.Deviation(n))+gaussianEntropy, laplace)
}

// predict sets c.r to the innovations of y under the prediction weights.
func (c *coder) predict(y, weights []float64) {
	c.past.PredictionError(c.r, y, weights)
	c.isSummed = false
}

// standardise sets s.local to the local scale of the innovations c.r for the window of s, and s.u
// to the innovations divided by the local scale. It returns the spread of s.u.
func (c *coder) standardise(s *source) localscale.Spread {
	n := c.past.N
	s.u = resize(s.u, n)
	s.local = s.local[:0]
	if s.window == 0 {
		copy(s.u, c.r)
		return localscale.MeasureSpread(s.u)
	}
	s.local = resize(s.local, n)
	if len(c.past.Sides) > 1 {
		localscale.Grid(s.local, c.r, c.past.Sides, s.window, c.space)
		floats.DivTo(s.u, c.r, s.local)
		sp := localscale.MeasureSpread(s.u)
		sp.LogScale = localscale.MeanLog(s.local)
		return sp
	}
	if !c.isSummed {
		c.sums[0] = 0
		for t, v := range c.r {
			c.sums[t+1] = c.sums[t] + math.Abs(v)
		}
		c.isSummed = true
	}
	return localscale.Sequence(s.u, s.local, c.r, c.sums, s.window)
}

// measure sets the code length of s, for comparison: with a Gaussian density or the density that
// the fitter chooses, whichever is shorter. It stores the measurement in c.
func (c *coder) measure(s *source, sp localscale.Spread) {
	c.spread, c.scale = sp, sp.Scale(c.past.N)
	c.fitter.Begin(s.u, 1/c.scale)
	length := c.fitter.Choose() + math.Log(c.scale)
	gaussian := math.Log(sp.Deviation(c.past.N)) + gaussianEntropy
	c.gaussian = gaussian < length
	c.setCodeLength(s, sp, min(length, gaussian))
}

// refine fits the density that measure chose to the tolerance. It sets the density of s to the
// fitted or to a Gaussian density, whichever has the shorter code.
func (c *coder) refine(s *source, tolerance float64) {
	d, length := c.fitter.Finish(tolerance)
	length += math.Log(c.scale)
	if math.Log(c.spread.Deviation(c.past.N))+gaussianEntropy < length {
		c.setGaussian(s, c.spread)
		return
	}
	s.density, s.scale = d, c.scale
	c.setCodeLength(s, c.spread, length)
}

// accept sets the density of s to the one that measure used for comparison.
func (c *coder) accept(s *source) {
	if c.gaussian {
		c.setGaussian(s, c.spread)
		return
	}
	d, length := c.fitter.Compared()
	s.density, s.scale = d, c.scale
	c.setCodeLength(s, c.spread, length+math.Log(c.scale))
}

// setGaussian gives s a Gaussian density, and sets its scale and code length.
func (c *coder) setGaussian(s *source, sp localscale.Spread) {
	s.density, s.scale = density.Density{}, sp.Deviation(c.past.N)
	c.setCodeLength(s, sp, math.Log(s.scale)+gaussianEntropy)
}

// setCodeLength sets the code length of s and the code length of its parameters. length is that of
// s.u, in nats per position.
func (c *coder) setCodeLength(s *source, sp localscale.Spread, length float64) {
	scales := 1
	if len(s.local) > 0 {
		scales++ // the window
	}
	_, cost := c.power(s.q, s.weights, scales)
	s.cost = s.density.Cost + cost
	s.codeLength = length + sp.LogScale + cost/float64(c.past.N)
}

// power returns the power of the innovations of a signal with the second moments q, and the code
// length in nats of the weights and of the given number of scale parameters.
func (c *coder) power(q, weights []float64, scales int) (power, cost float64) {
	power = ar.ErrorPower(q, weights, len(c.past.Lags)+1)
	cost = float64(scales) / 2 * math.Log(float64(c.past.N))
	return power, cost + c.predictor.Cost(q, weights, power, c.past.N)
}

// gaussianLength returns the code length in nats per position of a signal with the second moments q
// under a Gaussian model with a constant scale.
func (c *coder) gaussianLength(q []float64) float64 {
	power, cost := c.power(q, c.predictor.Fit(q, c.past.N, -1), 1)
	return math.Log(power)/2 + gaussianEntropy + cost/float64(c.past.N)
}

// normalise divides s.u by s.scale.
func (c *coder) normalise(s *source) { floats.Scale(1/s.scale, s.u) }

func resize(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// scoreMoments are moments of a signal's score ψ. Both equal the Fisher information about the
// location of the innovations if the density is correct.
type scoreMoments struct {
	square float64 // E ψ²
	slope  float64 // E ψ′
}

// score sets psi, [n], to the score ψ = −∂/∂r log p(r/s)/s at each position, and returns its
// moments.
func (c *coder) score(s *source, psi []float64) scoreMoments {
	var p scoreMoments
	if s.density.Gaussian() {
		for t, u := range s.u {
			psi[t] = u / s.scale
		}
	} else {
		s.density.Log.Slope(&c.scores) // the score and its derivative as functions of u
		floats.Scale(-1/s.scale, c.scores[:])
		c.scores.Slope(&c.slopes)
		floats.Scale(1/s.scale, c.slopes[:])
		for t, u := range s.u {
			near, far, share := density.Place(u)
			psi[t] = c.scores[near] + share*(c.scores[far]-c.scores[near])
			v := c.slopes[near] + share*(c.slopes[far]-c.slopes[near])
			if len(s.local) > 0 {
				v /= s.local[t] * s.local[t]
			}
			p.slope += v
		}
	}
	if len(s.local) > 0 {
		floats.Div(psi, s.local)
	}
	p.square = floats.Dot(psi, psi) / float64(len(psi))
	p.slope /= float64(len(psi))
	if s.density.Gaussian() {
		p.slope = p.square
	}
	return p
}

// lengths adds to nats the code lengths of len(nats) equal parts of the positions. The code length
// of the parameters is divided evenly among them.
func (s *source) lengths(nats []float64) {
	for b := range nats {
		part := equalPart(s.u, b, len(nats))
		count := float64(len(part))
		sum := count * math.Log(s.scale)
		if len(s.local) > 0 {
			sum += localscale.MeanLog(equalPart(s.local, b, len(nats))) * count
		}
		if s.density.Gaussian() {
			sum += floats.Dot(part, part)/2 + count*math.Log(2*math.Pi)/2
		} else {
			for _, u := range part {
				sum -= s.density.Log.At(u)
			}
		}
		nats[b] += sum + s.cost/float64(len(nats))
	}
}

// equalPart returns the k-th of number equal parts of the values.
func equalPart(values []float64, k, number int) []float64 {
	n := len(values)
	return values[k*n/number : (k+1)*n/number]
}

// newPast returns the past of d signals with positions of the given shape.
func newPast(shape []int, d int) *past.Past {
	n := grid.Product(shape)
	limit := maxLags
	if len(shape) > 1 {
		limit = maxNeighbours
	}
	limit = min(limit, n/positionsPerLag, n/(positionsPerWeight*d))
	return past.New(shape, past.Nearest(shape, limit))
}
