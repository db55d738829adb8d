// Package lica separates linearly mixed signals by making them as independent as
// an estimate of their squared-loss mutual information can tell: least-squares
// independent component analysis, T. Suzuki and M. Sugiyama, Neural Computation
// 23(1), 284–301, 2011. It takes no notice of the order of the positions.
//
// The squared-loss mutual information of signals y is
//
//	SMI = ½∫(w(y) − 1)²·Π_m p(y_m) dy,  w(y) = p(y) / Π_m p(y_m),
//
// which is zero if they are independent and positive if not. The density ratio w
// is modelled as Σ_l α_l·φ_l(y) with Gaussian φ_l around some of the positions,
// and fitted in least squares with a ridge: (Ĥ+λI)α = ĥ, where Ĥ_ll' is the mean
// of φ_l·φ_l' over all combinations of the signals' values and ĥ_l that of φ_l
// over the positions. Then SMI-hat = ½ĥᵀα − ½, which the fit minimises over the
// rotations of the whitened signals, by geodesic steepest descent from several of
// them. The width of the φ_l and λ are chosen by cross-validation of the squared
// loss.
//
// It is a method for few signals: the φ_l cover fewer positions the more signals
// there are, and ten uniform ones at a thousand positions are not separated.
//
// The recovered signals have mean 0 and variance 1; their order and signs are
// those that the descent ended with.
package lica

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

const name = "lica"

// A Model is what LICA has learned, and with what.
type Model struct {
	*baseline.LinearModel
	// SMI is SMI-hat of the recovered signals. The ridge makes it too small, so
	// it can be negative; it compares only with one of the same mixed signals
	// with the same Sigma and Lambda.
	SMI float64
	// Sigma and Lambda are the width of the basis functions, in standard
	// deviations of a signal, and the ridge that cross-validation chose.
	Sigma, Lambda float64
}

// Name is "lica".
func (Config) Name() string { return name }

// Fit separates the mixed signals x, d×T, and returns a *Model. They are centred,
// whitened by principal components and rotated by the descent. With b basis
// functions, a step costs O(d·b²·T) and the memory is d+1 matrices of b×T.
//
// σ and λ are chosen once, at the first start, and are the same for all descents,
// as SMI-hat compares only then. The recovered signals are those of the descent
// that ended with the least SMI-hat; the model's Convergence says how, and its
// iterations are that descent's steps.
//
// It is an error if a setting is out of range, if x can't be whitened, if a ridge
// is too small to solve for α, or if ctx ends. A descent that doesn't converge is
// none.
func (c Config) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("lica: %w", err)
	}
	return m, nil
}

func (c Config) fit(ctx context.Context, x *mat.Dense) (*Model, error) {
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	d, n := x.Dims()
	if err := c.validate(n); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	white, err := signal.Whiten(x)
	if err != nil {
		return nil, err
	}

	rng := stream.Named(c.Seed, name)
	b := newBasis(shuffle(white.White, rng), c.Basis)
	starts := make([]*mat.Dense, c.Starts)
	for k := range starts {
		starts[k] = randomRotation(d, rng)
	}
	sigma, lambda, err := choose(ctx, b, starts[0], c)
	if err != nil {
		return nil, err
	}
	o := newObjective(b, starts[0], sigma, lambda)
	best, err := o.leastOf(ctx, starts, c)
	if err != nil {
		return nil, err
	}

	end := baseline.Convergence{Converged: best.converged, Iterations: best.iterations, Warning: c.warning(o, best)}
	return &Model{baseline.Demixed(white, best.rotation, best.rotation.T(), end), best.smi, sigma, lambda}, nil
}

// leastCover is how many positions a basis function must cover on average, its
// centre among them, to tell signals apart: of three to six uniform or Laplace
// signals, those that cover fewer mostly didn't.
const leastCover = 5

func (c Config) warning(o *objective, best descent) string {
	d, n := o.basis.x.Dims()
	cover := floats.Sum(o.mean.RawVector().Data) / float64(o.mean.Len()) * float64(n)
	switch {
	case !best.converged:
		return fmt.Sprintf("LICA did not converge to the tolerance %g in %d iterations: allow more or raise the tolerance", c.Tolerance, c.MaxIterations)
	case cover < leastCover:
		return fmt.Sprintf("a basis function of width %g covers only %.1f of the %d positions on average, too few to tell %d signals apart: allow larger sigmas", o.basis.sigma, cover, n, d)
	case best.iterations == 0 && d > 1:
		return fmt.Sprintf("the estimated mutual information hardly changes with the rotation at the width %g and the ridge %g: allow smaller lambdas, or a smaller tolerance", o.basis.sigma, o.lambda)
	}
	return ""
}

// shuffle returns x with its columns in random order.
func shuffle(x *mat.Dense, rng *rand.Rand) *mat.Dense {
	d, n := x.Dims()
	shuffled := mat.NewDense(d, n, nil)
	for i, from := range rng.Perm(n) {
		for m := range d {
			shuffled.Set(m, i, x.At(m, from))
		}
	}
	return shuffled
}

// randomRotation is a d×d rotation, drawn evenly from all up to the signs of its
// rows, which nothing here depends on.
func randomRotation(d int, rng *rand.Rand) *mat.Dense {
	return mat.DenseCopyOf(rotation.Random(rng, d).T())
}
