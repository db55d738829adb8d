package linear

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/lbfgs"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/curve"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

const (
	// The linear rule and curveSteps steps of the curves alternate straightenings times. More
	// rounds hardly shorten the code.
	straightenings, curveSteps = 3, 20
	// promiseSteps is the number of steps from straight lines that show the gain which curves
	// promise.
	promiseSteps = 5
	// smoothness is the weight in nats of half the squared difference of log slopes at neighbouring
	// knots of a curve. With less, few large values determine the slopes at the ends; more flattens
	// the curves.
	smoothness = 4
	// maxLogSlope bounds the logarithms of slopes: far beyond those of sensors, and within float64.
	maxLogSlope = 100
)

// Straighten finds the curves g_i that undo the sensors' nonlinearities f_i in a post-nonlinear
// mixture
//
//	x_i = f_i((A·s)_i),
//
// such as saturation or companding (A. Taleb, C. Jutten, IEEE Transactions on Signal Processing
// 47(10), 1999). The map is g: its Apply returns the straightened channels g(x), a linear mixture
// for Separate. Each g_i is strictly increasing and piecewise linear, and continues beyond the
// values of x with the slopes at its ends. The curves and the demixing B minimise
//
//	Σ_j L_j(B·g(x)) − log|det B| − Σ_i E log g_i′(x_i),
//
// the code length of x with the source models of the linear rule. Straighten begins with the curves
// that make each channel Gaussian (A. Ziehe, M. Kawanabe, S. Harmeling, K.-R. Müller, Journal of
// Machine Learning Research 4, 2003), which sums of many sources nearly are.
//
// demixing is the demixing of x by the linear rule. The result is nil if curves promise, with this
// demixing, to shorten the code by less than the code length of their slopes, or if they shorten it
// by less than that plus minGain, in nats per position. x must have two channels or more, each with
// many different values. Curves alone don't show that the mixture is post-nonlinear: compare the
// code lengths. The errors are those of Separate.
func Straighten(
	ctx context.Context, x *ica.Signals, demixing *mat.Dense, minGain float64, cfg Config,
) (preprocess.Map, error) {
	if err := checkStraighten(x, demixing); err != nil {
		return nil, fmt.Errorf("linear: straighten: %w", err)
	}
	s := newStraightening(x)
	n := float64(s.past.N)
	ofSlopes := float64(len(s.logSlopes)) / 2 * math.Log(n) / n // code length
	straight, promised, err := s.promise(ctx, demixing)
	if err != nil {
		return nil, fmt.Errorf("linear: straighten: %w", err)
	}
	if straight-promised < ofSlopes {
		return nil, nil
	}
	for range straightenings {
		if err := s.demix(ctx, cfg); err != nil {
			return nil, fmt.Errorf("linear: straighten: %w", err)
		}
		_, length, err := s.descend(ctx, curveSteps)
		if err != nil {
			return nil, fmt.Errorf("linear: straighten: %w", err)
		}
		if straight-length < minGain+ofSlopes {
			return nil, nil
		}
	}
	s.set(s.logSlopes)
	m := &mapping.Curves{}
	for _, c := range s.curves {
		values, straight := c.Points()
		m.Values, m.Straight = append(m.Values, values), append(m.Straight, straight)
	}
	return m, nil
}

// checkStraighten returns an error unless the arguments of Straighten are valid.
func checkStraighten(x *ica.Signals, demixing *mat.Dense) error {
	if err := x.Validate(); err != nil {
		return err
	}
	d, _ := x.Dims()
	if demixing == nil || demixing.IsEmpty() {
		return fmt.Errorf("demixing: is nil or empty; must be %d×%[1]d, the Demixing of Separate",
			d)
	}
	if rows, columns := demixing.Dims(); rows != d || columns != d {
		return fmt.Errorf("demixing: is %d×%d; must be %d×%[3]d, the Demixing of Separate",
			rows, columns, d)
	}
	return nil
}

// A straightening is the state of Straighten. Its loss is the code length at fixed B, as a function
// of the logarithms of the curves' slopes at their knots.
type straightening struct {
	x         *ica.Signals
	past      *past.Past
	curves    []*curve.Curve
	first     []int      // index of each curve's first entry in logSlopes
	logSlopes []float64  // at the knots of all curves
	straight  *mat.Dense // g(x), d×n, each row of mean 0
	demixing  *mat.Dense // B
	logDet    float64    // log|det B|
	coders    []*coder   // one for each processor
	sources   []source   // of y
	y         *mat.Dense // B·g(x)
	adjoint   *mat.Dense // derivative of the code length in nats with respect to y
	slope     *mat.Dense // derivative of the loss with respect to straight
}

func newStraightening(x *ica.Signals) *straightening {
	d, n := x.Dims()
	p := newPast(x.Shape(), d)
	s := &straightening{
		x: x, past: p, coders: newCoders(p, d), sources: make([]source, d),
		straight: mat.NewDense(d, n, nil), y: mat.NewDense(d, n, nil),
		adjoint: mat.NewDense(d, n, nil), slope: mat.NewDense(d, n, nil),
	}
	for i := range d {
		c, logSlopes := curve.New(x.X().RawRowView(i))
		s.curves, s.first = append(s.curves, c), append(s.first, len(s.logSlopes))
		s.logSlopes = append(s.logSlopes, logSlopes...)
	}
	return s
}

// knots returns the entries of all, which is indexed like logSlopes, at the knots of the i-th
// curve.
func (s *straightening) knots(i int, all []float64) []float64 {
	return all[s.first[i]:][:s.curves[i].Knots]
}

// set straightens the channels by curves with the given log slopes, and returns Σ_i E log
// g_i′(x_i).
func (s *straightening) set(logSlopes []float64) (sum float64) {
	for i, c := range s.curves {
		sum += c.Set(s.knots(i, logSlopes), s.straight.RawRowView(i))
	}
	return sum
}

// promise returns the code lengths per position under the demixing with straight lines, and after
// promiseSteps from these.
func (s *straightening) promise(
	ctx context.Context, demixing *mat.Dense,
) (straight, after float64, err error) {
	lines := *s // shares its memory with s
	lines.logSlopes = make([]float64, len(s.logSlopes))
	lines.setDemixing(demixing)
	return lines.descend(ctx, promiseSteps)
}

// descend changes the slopes by at most the given number of steps, and returns the code lengths in
// nats per position before and after.
func (s *straightening) descend(ctx context.Context, steps int) (before, after float64, err error) {
	if err := s.choose(ctx); err != nil {
		return 0, 0, err
	}
	loss := func(logSlopes, gradient []float64) float64 { return s.loss(ctx, logSlopes, gradient) }
	before = loss(s.logSlopes, nil)
	s.logSlopes = lbfgs.Minimise(loss, s.logSlopes, steps, matchTolerance/float64(s.past.N))
	return before, loss(s.logSlopes, nil), ctx.Err()
}

func (s *straightening) setDemixing(b *mat.Dense) {
	s.demixing = b
	s.logDet, _ = mat.LogDet(b)
}

// demix sets B to the linear rule's demixing of the channels straightened by the slopes.
func (s *straightening) demix(ctx context.Context, cfg Config) error {
	s.set(s.logSlopes)
	x, err := s.x.WithX(s.straight)
	if err != nil {
		return err
	}
	white, err := x.Whitening()
	if err != nil {
		return err
	}
	solution, err := (&mixture{white: white, unit: 1, shape: x.Shape(), cfg: cfg}).withoutNoise(ctx)
	if err != nil {
		return err
	}
	s.setDemixing(solution.Demixing)
	return nil
}

// choose chooses the models of the signals y under the current slopes.
func (s *straightening) choose(ctx context.Context) error {
	s.set(s.logSlopes)
	return s.fit(ctx, func(c *coder, i int, y []float64) { c.choose(&s.sources[i], y, density.Fine) })
}

// fit demixes the straightened channels, and calls do for each i, to set the model of the i-th
// signal, y.
func (s *straightening) fit(ctx context.Context, do func(c *coder, i int, y []float64)) error {
	signal.Mix(s.y, s.demixing, s.straight)
	return parallel.Do(ctx, len(s.coders), len(s.sources), func(worker, i int) {
		y := s.y.RawRowView(i)
		var err error
		if s.sources[i].q, err = past.SelfMoments(ctx, s.past, y); err != nil {
			return // ctx has ended, which Do reports
		}
		do(s.coders[worker], i, y)
	})
}

// loss returns the code length in nats per position for the given log slopes, smoothness included,
// with the chosen models refitted. It is +Inf if ctx has ended or a slope exceeds maxLogSlope. loss
// sets gradient unless it is nil.
func (s *straightening) loss(ctx context.Context, logSlopes, gradient []float64) float64 {
	if floats.Norm(logSlopes, math.Inf(1)) > maxLogSlope {
		return math.Inf(1)
	}
	length := -s.logDet - s.set(logSlopes)
	err := s.fit(ctx, func(c *coder, i int, y []float64) {
		c.fit(&s.sources[i], y)
		if gradient != nil {
			c.score(&s.sources[i], c.psi)
			s.past.Adjoint(s.adjoint.RawRowView(i), c.psi, s.sources[i].weights)
		}
	})
	if err != nil {
		return math.Inf(1)
	}
	for i := range s.sources {
		length += s.sources[i].codeLength
	}
	n := float64(s.past.N)
	for i := range s.curves {
		h := s.knots(i, logSlopes)
		for k := range len(h) - 1 {
			d := h[k+1] - h[k]
			length += smoothness / n * d * d / 2
		}
	}
	if gradient == nil {
		return length
	}
	var adjoint mat.Dense // of the demixing, per position
	adjoint.Scale(1/n, s.demixing.T())
	signal.Mix(s.slope, &adjoint, s.adjoint)
	for i, c := range s.curves {
		row := s.slope.RawRowView(i)
		floats.AddConst(-stat.Mean(row, nil), row) // the straightened channels have mean 0
		g, h := s.knots(i, gradient), s.knots(i, logSlopes)
		c.Differentiate(g, row)
		for k := range len(h) - 1 {
			d := smoothness / n * (h[k+1] - h[k])
			g[k] -= d
			g[k+1] += d
		}
	}
	return length
}
