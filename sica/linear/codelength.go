package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Models are those of sources, fitted to recovered signals however these were
// made. By them, demixings that aren't linear compete in the same currency: with
// z = g(x), the description length of x is that of z less the mean of
// log|det ∂g/∂x| over the positions.
type Models struct {
	// CodeLength is the description length of the signals in nats a position, the
	// sum over them, with the cost of the models' parameters.
	CodeLength float64
	// Sources are the models.
	Sources []Source

	seed     uint64
	mean, sd []float64 // of each signal
	models   []source
	lags     int // that the models chose from
}

// FitSources chooses and fits a model for each of the signals z, d×T, each by itself. A
// signal's resolution is .03 of its standard deviation.
//
// It is an error if z isn't at least one signal at two positions, if a value isn't
// finite, if a signal is constant, if the shape doesn't fit, or if ctx ends.
func FitSources(ctx context.Context, z *mat.Dense, opt Options) (*Models, error) {
	m, err := fitModels(ctx, z, opt)
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	return m, nil
}

func fitModels(ctx context.Context, z *mat.Dense, opt Options) (*Models, error) {
	shape, err := checkModels(z, opt)
	if err != nil {
		return nil, err
	}
	d, _ := z.Dims()
	m := &Models{seed: opt.Seed, mean: make([]float64, d), sd: make([]float64, d), models: make([]source, d)}
	p := newPast(shape, d)
	m.lags = len(p.lags)
	c := newCoder(&p)
	for i := range d {
		m.mean[i], m.sd[i] = stat.PopMeanStdDev(z.RawRowView(i), nil)
		if !(m.sd[i] > 0) {
			return nil, fmt.Errorf("signal %d is constant", i+1)
		}
		y := m.standard(z, i)
		s := &m.models[i]
		if s.q, err = ownMoments(ctx, &p, y); err != nil {
			return nil, err
		}
		c.choose(s, y)
		m.CodeLength += s.nats + math.Log(m.sd[i])
		m.Sources = append(m.Sources, s.public(1))
		s.u, s.s = nil, nil
	}
	return m, nil
}

// Score returns the description length that the models give to other signals z of
// the same sources, d×T, in nats a position: of positions held out. The parameters
// are those of the fit, and their cost isn't in it. The positions are of the given
// shape; nil is a sequence.
//
// It is an error if z isn't d signals at more positions than their past needs, if a
// value isn't finite, if the shape doesn't fit, or if ctx ends.
func (m *Models) Score(ctx context.Context, z *mat.Dense, shape []int) (float64, error) {
	shape, err := checkModels(z, Options{Shape: shape})
	if err != nil {
		return 0, fmt.Errorf("linear: %w", err)
	}
	d, _ := z.Dims()
	if d != len(m.models) {
		return 0, fmt.Errorf("linear: z has %d signals and the models are of %d", d, len(m.models))
	}
	p := pastOf(shape, m.lags)
	if len(p.lags) < m.lags || p.n < 2 {
		return 0, fmt.Errorf("linear: shape %v has too few positions with a past of the %d values that the models chose from", shape, m.lags)
	}
	c := newCoder(&p)
	total := 0.0
	for i := range m.models {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("linear: %w", err)
		}
		s := m.models[i]
		c.past.predictionError(c.r, m.standard(z, i), s.weights)
		c.standardise(&s)
		for t := range s.u {
			s.u[t] /= s.scale
		}
		s.cost = 0
		nats := []float64{0}
		s.lengths(nats)
		total += nats[0]/float64(p.n) + math.Log(m.sd[i])
	}
	return total, nil
}

// standard is the i-th signal by the mean and standard deviation of the fit, with
// the noise of the resolution.
func (m *Models) standard(z *mat.Dense, i int) []float64 {
	rng := rand.New(rand.NewPCG(m.seed, uint64(i)))
	y := mat.Row(nil, i, z)
	for t, v := range y {
		y[t] = (v-m.mean[i])/m.sd[i] + resolution*rng.NormFloat64()
	}
	return y
}

// ownMoments are those of one signal and its past.
func ownMoments(ctx context.Context, p *past, y []float64) ([]float64, error) {
	m, err := newMoments(ctx, p, mat.NewDense(1, len(y), y))
	if err != nil {
		return nil, err
	}
	q := make([]float64, (len(p.lags)+1)*(len(p.lags)+1))
	m.of(q, []float64{1}, y)
	return q, nil
}

func checkModels(z *mat.Dense, opt Options) ([]int, error) {
	if z == nil || z.IsEmpty() {
		return nil, errors.New("no signals: z is nil or empty")
	}
	d, positions := z.Dims()
	if positions < 2 {
		return nil, errors.New("z has one position: want two or more")
	}
	for i := range d {
		for t, v := range z.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("z has the value %g in row %d, column %d: every value must be finite", v, i+1, t+1)
			}
		}
	}
	return opt.shape(positions)
}
