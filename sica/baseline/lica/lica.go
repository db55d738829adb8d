// Package lica separates linearly mixed signals by minimising an estimate of their
// squared-loss mutual information: least-squares independent component analysis. It ignores
// the order of the positions.
//
// The names to know are Default, Paper and Config, which is an ica.Method:
//
//	model, err := ica.Separate(ctx, lica.Default(), x)
//
// The squared-loss mutual information of signals y is
//
//	SMI = ½∫(w(y) − 1)²·Π_m p(y_m) dy,  w(y) = p(y) / Π_m p(y_m),
//
// which is zero if they are independent and positive if not. The density ratio w is modelled as Σ_l
// α_l·φ_l(y), with Gaussian functions φ_l around some of the positions, and fitted by ridge
// regression: (Ĥ+λI)α = ĥ. Ĥ_ll' is the mean of φ_l·φ_l' over all combinations of the signals'
// values, ĥ_l the mean of φ_l over the positions. The method minimises SMI-hat = ½ĥᵀα − ½ over the
// rotations of the whitened signals, by geodesic steepest descent from several starts.
// Cross-validation of the squared loss chooses λ and the width of φ_l.
//
// It is a method for few signals: the φ_l cover fewer positions the more signals there are, and ten
// uniform signals at a thousand positions are not separated. The recovered signals have mean 0 and
// variance 1; their order and signs are arbitrary.
//
// Reference: T. Suzuki and M. Sugiyama, "Least-squares independent component analysis",
// Neural Computation 23(1), 284–301, 2011.
package lica

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/rival"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Config holds the settings of LICA. It is an ica.Method. Begin with Default or Paper.
type Config struct {
	// Sigmas are the candidate widths of the basis functions, in standard deviations of a
	// signal, from 1e-3 to 1e3.
	Sigmas []float64

	// Lambdas are the candidate ridges, positive.
	Lambdas []float64

	// Folds is the number of random parts of the positions in cross-validation, from 2 to n.
	// With one width and one ridge there is no cross-validation.
	Folds int

	// Basis is the number b of basis functions, at least 1. Their centres are drawn from the
	// positions; if there are fewer positions, all are centres.
	Basis int

	// Starts is the number of random rotations from which a descent begins, at least 1.
	Starts int

	// Tolerance ends a descent when, to first order, a rotation of the signals by one radian would
	// change ½ĥᵀα = SMI-hat + ½ by less than this share. With 0 it ends when rounding allows no
	// further decrease.
	Tolerance float64

	// MaxIterations is the maximum number of steps of a descent, at least 1.
	MaxIterations int

	// Seed is the seed of centres, folds and starts.
	Seed uint64
}

// Default chooses from σ in {0.5, 0.7, 1} and λ in {1e-4, 1e-3, 1e-2} by 5-fold
// cross-validation, with 200 basis functions, 5 starts, tolerance 1e-6 and at most 200
// iterations.
//
// Time is quadratic in the number of basis functions, and fewer separate worse. For heavy-tailed
// signals cross-validation would choose wider functions, which hide the dependence of such signals.
func Default() Config {
	return Config{
		Sigmas:        []float64{0.5, 0.7, 1},
		Lambdas:       []float64{1e-4, 1e-3, 1e-2},
		Folds:         5,
		Basis:         200,
		Starts:        5,
		Tolerance:     1e-6,
		MaxIterations: 200,
	}
}

// Paper returns the settings of the comparison in SICA's paper: σ in {0.1, 0.5}, λ in {0.01, 0.1}
// and 50 basis functions. The paper doesn't give the other settings, which are Default's. For five
// signals or more these widths can be too narrow; then the model has a warning.
func Paper() Config {
	cfg := Default()
	cfg.Sigmas = []float64{0.1, 0.5}
	cfg.Lambdas = []float64{0.01, 0.1}
	cfg.Basis = 50
	return cfg
}

// Details are the Details of a model of LICA.
type Details struct {
	// SMI is SMI-hat of the recovered signals. The ridge makes it too small, so it can be negative.
	// It is comparable only for the same mixed signals, Sigma and Lambda.
	SMI float64
	// Sigma is the chosen width of the basis functions, in standard deviations of a signal.
	Sigma float64
	// Lambda is the chosen ridge.
	Lambda float64
}

const name = "lica"

// Name returns "lica".
func (Config) Name() string { return name }

// Fit separates the mixed signals. With b basis functions, a step of a descent takes
// O(d·b²·n) operations; the memory is d+1 matrices of b×n.
//
// σ and λ are chosen once, at the first start, since SMI-hat can only be compared for equal ones.
// The recovered signals and the number of iterations are those of the descent that ends with the
// smallest SMI-hat.
//
// It is an error if a setting is out of range, if x can't be whitened, if a ridge is too small
// to solve for α, or if ctx ends. The model is linear, with a *Details.
func (c Config) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	var details Details
	m, err := rival.Demix(ctx, name, c.validate(x.Dims()), x,
		func(ctx context.Context, white *mat.Dense) (*mat.Dense, ica.Convergence, error) {
			best, o, err := c.minimise(ctx, white)
			if err != nil {
				return nil, ica.Convergence{}, err
			}
			details = Details{SMI: best.smi, Sigma: o.sigma, Lambda: o.lambda}
			return best.rotation, ica.Convergence{
				Converged: best.converged, Iterations: best.iterations, Warning: c.warning(o, best),
			}, nil
		})
	if err != nil {
		return nil, err
	}
	m.Details = &details
	return m, nil
}

// minimise returns the descent that ends with the smallest SMI-hat of the white signals.
func (c Config) minimise(ctx context.Context, white *mat.Dense) (descent, *objective, error) {
	d, _ := white.Dims()
	rng := stream.Named(c.Seed, name)
	b := newBasis(shuffle(white, rng), c.Basis)
	starts := make([]*mat.Dense, c.Starts)
	for k := range starts {
		starts[k] = randomRotation(d, rng)
	}
	sigma, lambda, err := crossValidate(ctx, b, starts[0], c)
	if err != nil {
		return descent{}, nil, err
	}
	o := newObjective(b, starts[0], sigma, lambda)
	best, err := o.best(ctx, starts, c)
	return best, o, err
}

// minCover is the minimum mean number of positions that a basis function covers, including its
// centre, without a warning. In mixtures of three to six uniform or Laplace signals most fits below
// minCover failed. A warning changes no result.
const minCover = 5

// warning returns what is wrong with the descent, or "".
func (c Config) warning(o *objective, best descent) string {
	d, n := o.basis.x.Dims()
	cover := floats.Sum(o.mean.RawVector().Data) / float64(o.mean.Len()) * float64(n)
	switch {
	case !best.converged:
		return fmt.Sprintf("LICA did not converge to the tolerance %g in %d iterations: "+
			"allow more or raise the tolerance", c.Tolerance, c.MaxIterations)
	case cover < minCover:
		return fmt.Sprintf("a basis function of width %g covers only %.1f of the %d positions "+
			"on average, too few to separate %d signals: allow larger sigmas",
			o.basis.sigma, cover, n, d)
	case best.iterations == 0 && d > 1:
		return fmt.Sprintf("the estimated mutual information hardly changes with the rotation "+
			"at the width %g and the ridge %g: allow smaller lambdas, or a smaller tolerance",
			o.basis.sigma, o.lambda)
	}
	return ""
}

// shuffle returns x with its columns in random order.
func shuffle(x *mat.Dense, rng *rand.Rand) *mat.Dense {
	d, n := x.Dims()
	shuffled := mat.NewDense(d, n, nil)
	for i, t := range rng.Perm(n) {
		for m := range d {
			shuffled.Set(m, i, x.At(m, t))
		}
	}
	return shuffled
}

// randomRotation returns a d×d rotation from the Haar measure, up to the signs of its rows,
// which don't matter here.
func randomRotation(d int, rng *rand.Rand) *mat.Dense {
	return mat.DenseCopyOf(rotation.Random(rng, d).T())
}

// validate returns an error for the first setting that is out of range for n positions.
func (c Config) validate(_, n int) error {
	isWidth := func(v float64) bool { return v >= 1e-3 && v <= 1e3 }
	isRidge := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	switch {
	case !all(c.Sigmas, isWidth):
		return fmt.Errorf("Sigmas: are %v; must be at least one, each from 1e-3 to 1e3", c.Sigmas)
	case !all(c.Lambdas, isRidge):
		return fmt.Errorf("Lambdas: are %v; must be at least one, each positive", c.Lambdas)
	case c.Folds < 2 || c.Folds > n:
		return fmt.Errorf("Folds: is %d; must be from 2 to the number of positions, %d", c.Folds, n)
	case c.Basis < 1:
		return fmt.Errorf("Basis: is %d; must be at least 1", c.Basis)
	case c.Starts < 1:
		return fmt.Errorf("Starts: is %d; must be at least 1", c.Starts)
	case !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("Tolerance: is %g; must be 0 or more, and finite", c.Tolerance)
	case c.MaxIterations < 1:
		return fmt.Errorf("MaxIterations: is %d; must be at least 1", c.MaxIterations)
	}
	return nil
}

// all reports whether there are values and each is valid.
func all(values []float64, valid func(float64) bool) bool {
	invalid := func(v float64) bool { return !valid(v) }
	return len(values) > 0 && !slices.ContainsFunc(values, invalid)
}
