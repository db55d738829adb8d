// Package assumptions is the paper's second figure: what SICA assumes of sequences, as
// graphical models, and whether it holds of examples, exactly and as far as samples show.
package assumptions

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/sica/dependence"
)

// An Example says of a sequence of two signals whether SICA's assumption on
// sequences (the paper's equation sica and its second figure)
//
//	p(s_t | S̃₋ₜ) = Π_i p(s_{i,t} | S̃_{i,₋ₜ})
//
// holds: whether a value of a signal, given the rest of that signal, is
// independent of the other signal at all positions.
type Example struct {
	Name string
	// Holds is true if the assumption holds, or nearly so for the paper's heart.
	Holds bool
	// Own and All are the conditional variances of each signal's value in the
	// middle of 40 positions, given the other values of that signal and given
	// those of both signals. They are equal if the assumption holds, and nil for
	// signals that aren't Gaussian.
	Own, All []float64
	// Exact is the larger of the signals' ½·log(Own/All): what the other signal
	// tells of a value beyond the rest of its own, in nats. It is NaN for signals
	// that aren't Gaussian.
	Exact float64

	// Signals are a sample, 2×T with T about 1000.
	Signals *mat.Dense
	// Regression is what Exact is in the sample, by least squares with the ten
	// positions on either side. It is near 0, and may be negative, if the
	// assumption holds, and sees linear dependence only.
	Regression float64
	// Measured is what dependence.Measure finds in the sample. It whitens what
	// the signals don't tell of themselves, and so passes over what they have in
	// common by a linear mixing at one position alone, as the mixed heart.
	Measured dependence.Dependence
}

// Examples checks the assumption on Gaussian sequences, exactly and on samples,
// and on samples of the paper's heart. The samples are drawn from the seed.
func Examples(seed uint64) ([]Example, error) {
	var checked []Example
	for k, example := range gaussianExamples() {
		a := Example{Name: example.name, Holds: example.holds}
		var err error
		if a.Own, a.All, err = example.process.variances(exactPositions); err != nil {
			return nil, fmt.Errorf("assumptions: %s: %w", a.Name, err)
		}
		a.Exact = information(a.Own, a.All)
		a.Signals = example.process.draw(rand.New(rand.NewPCG(seed, uint64(k))), positions)
		checked = append(checked, a)
	}

	sources, mixed, err := experiment.Problem{Data: experiment.Heart,
		Mixing: experiment.MatrixMixing, Seed: seed}.Draw()
	if err != nil {
		return nil, err
	}
	checked = append(checked,
		Example{Name: "the paper's heart", Holds: true, Exact: math.NaN(), Signals: sources},
		Example{Name: "the paper's heart, mixed", Exact: math.NaN(), Signals: mixed.X()})

	for k, a := range checked {
		own, all, err := regressionVariances(a.Signals)
		if err != nil {
			return nil, fmt.Errorf("assumptions: %s: %w", a.Name, err)
		}
		checked[k].Regression = information(own, all)
		if checked[k].Measured, err = dependence.Measure(a.Signals); err != nil {
			return nil, fmt.Errorf("assumptions: %s: %w", a.Name, err)
		}
	}
	return checked, nil
}

// information returns the largest ½·log(own/all), in nats.
func information(own, all []float64) float64 {
	largest := math.Inf(-1)
	for i := range own {
		largest = max(largest, math.Log(own[i]/all[i])/2)
	}
	return largest
}

// positions are those of a sample, as of the paper's AR(7) sequences.
const positions = 1024

// reach is how many positions on either side the regression looks at.
const reach = 10

// regressionVariances returns the variances of what least squares leaves of each
// of the two signals, from its neighbours and from those of both signals and the
// other's value.
func regressionVariances(z *mat.Dense) (own, all []float64, err error) {
	_, n := z.Dims()
	values := mat.NewDense(n-2*reach, 1, nil)
	regressors := mat.NewDense(n-2*reach, 1+2*reach+(1+2*reach), nil) // 1, own, other
	for i := range 2 {
		for t := range n - 2*reach {
			self, other := z.RawRowView(i)[t:t+2*reach+1], z.RawRowView(1 - i)[t:t+2*reach+1]
			values.Set(t, 0, self[reach])
			regressors.SetRow(t, slices.Concat([]float64{1}, self[:reach], self[reach+1:], other))
		}
		ofOwn, err := residualVariance(values, regressors.Slice(0, n-2*reach, 0, 1+2*reach))
		if err != nil {
			return nil, nil, err
		}
		ofAll, err := residualVariance(values, regressors)
		if err != nil {
			return nil, nil, err
		}
		own, all = append(own, ofOwn), append(all, ofAll)
	}
	return own, all, nil
}

// residualVariance returns the variance of a regression's residuals, without the bias of its
// degrees of freedom.
func residualVariance(values *mat.Dense, regressors mat.Matrix) (float64, error) {
	var coefficients, residuals mat.Dense
	if err := coefficients.Solve(regressors, values); err != nil {
		return 0, fmt.Errorf("least squares: %w", err)
	}
	residuals.Mul(regressors, &coefficients)
	residuals.Sub(values, &residuals)
	n, p := regressors.Dims()
	norm := mat.Norm(&residuals, 2)
	return norm * norm / float64(n-p), nil
}

// exactPositions is how many positions an exact conditional variance is given, of
// which more would change none of the examples'.
const exactPositions = 40

type gaussianExample struct {
	name    string
	holds   bool
	process process
}

func gaussianExamples() []gaussianExample {
	var (
		slow, fast = []float64{1.6, -0.8}, []float64{-0.5, 0.2}
		ar7        = datasets.PaperAR7().Coefficients
		unmixed    = mat.NewDense(2, 2, []float64{1, 0, 0, 1})
		eighthTurn = mat.NewDense(2, 2, []float64{math.Sqrt2 / 2, -math.Sqrt2 / 2, math.Sqrt2 / 2,
			math.Sqrt2 / 2})
		driven = mat.NewDense(2, 2, []float64{0.7, 0, 0.9, 0.3})
	)
	return []gaussianExample{
		{"independent, of two spectra", true, process{independent(slow, fast), unmixed}},
		{"rotated, of two spectra", false, process{independent(slow, fast),
			eighthTurn}.standardised()},
		{"one drives the other", false, process{[]*mat.Dense{driven}, unmixed}},
		// Why SICA can't tell signals of one spectrum from their rotations.
		{"rotated, of one spectrum", true, process{independent(ar7, ar7),
			eighthTurn}.standardised()},
	}
}

// independent returns the lags of two autoregressive processes of equal order
// that have nothing to do with one another.
func independent(first, second []float64) []*mat.Dense {
	lags := make([]*mat.Dense, len(first))
	for k := range lags {
		lags[k] = mat.NewDense(2, 2, []float64{first[k], 0, 0, second[k]})
	}
	return lags
}

// A process is a stationary Gaussian sequence of two signals,
//
//	x_t = M·s_t,  s_t = Σₖ Aₖ·s_{t−k} + ε_t,  k = 1…p,  ε_t ~ N(0, I)
type process struct {
	lags   []*mat.Dense // A₁ … A_p, 2×2
	mixing *mat.Dense   // M, 2×2
}

// standardised returns the process with s_t brought to variance 1.
func (p process) standardised() process {
	c := process{p.lags, mat.NewDense(2, 2, []float64{1, 0, 0, 1})}.covariance(1)
	scale := mat.NewDiagDense(2, []float64{1 / math.Sqrt(c.At(0, 0)), 1 / math.Sqrt(c.At(1, 1))})
	mixing := new(mat.Dense)
	mixing.Mul(p.mixing, scale)
	return process{p.lags, mixing}
}

// memory is the number of positions after which a process has forgotten all: of
// the slowest here, the AR(7), 1e-14 of a shock is left.
const memory = 2000

// draw draws n positions, 2×n.
func (p process) draw(rng *rand.Rand, n int) *mat.Dense {
	shocks := mat.NewDense(2, memory+n, nil)
	shocks.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, shocks)
	return mat.DenseCopyOf(p.respond(shocks).Slice(0, 2, memory, memory+n))
}

// respond returns x for given ε, both 2×n, from rest.
func (p process) respond(shocks *mat.Dense) *mat.Dense {
	s := mat.DenseCopyOf(shocks)
	_, n := s.Dims()
	for t := range n {
		for k, lag := range p.lags[:min(t, len(p.lags))] {
			for i := range 2 {
				s.Set(i, t, s.At(i, t)+lag.At(i, 0)*s.At(0, t-1-k)+lag.At(i, 1)*s.At(1, t-1-k))
			}
		}
	}
	x := new(mat.Dense)
	x.Mul(p.mixing, s)
	return x
}

// variances returns the conditional variances of each signal's value in the
// middle of n positions, given the rest of that signal and given everything else:
// the inverses of the diagonal of the precision matrices, by Schur's complement.
func (p process) variances(n int) (own, all []float64, err error) {
	covariance := p.covariance(n)
	for i := range 2 {
		for _, given := range []struct {
			covariance mat.Symmetric
			at         int
			variances  *[]float64
		}{
			{covariance.SliceSym(i*n, (i+1)*n), n / 2, &own},
			{covariance, i*n + n/2, &all},
		} {
			var cholesky mat.Cholesky
			var precision mat.SymDense
			if !cholesky.Factorize(given.covariance) {
				return nil, nil, errors.New("the covariance isn't positive definite")
			}
			if err := cholesky.InverseTo(&precision); err != nil {
				return nil, nil, fmt.Errorf("inverting the covariance: %w", err)
			}
			*given.variances = append(*given.variances, 1/precision.At(given.at, given.at))
		}
	}
	return own, all, nil
}

// covariance returns the covariance matrix of n positions, 2n×2n, all of the first
// signal before all of the second: sums over what is left of each shock.
func (p process) covariance(n int) *mat.SymDense {
	var responses []*mat.Dense // 2×memory, to a shock of each signal
	for i := range 2 {
		shock := mat.NewDense(2, memory, nil)
		shock.Set(i, 0, 1)
		responses = append(responses, p.respond(shock))
	}
	// between is the covariance of signal i and, lag positions before, signal j.
	between := func(i, j, lag int) (c float64) {
		for _, r := range responses {
			c += floats.Dot(r.RawRowView(i)[lag:], r.RawRowView(j)[:memory-lag])
		}
		return c
	}
	covariance := mat.NewSymDense(2*n, nil)
	for lag := range n {
		for i := range 2 {
			for j := range 2 {
				c := between(i, j, lag)
				for t := lag; t < n; t++ {
					covariance.SetSym(i*n+t, j*n+t-lag, c)
				}
			}
		}
	}
	return covariance
}
