package iterate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// step returns η of iteration j: a cosine from FirstStep to LastStep, or 1 for the rectified flow,
// which always integrates to τ = 1.
func (c Config) step(j int) float64 {
	if c.Kind == klflow.RF {
		return 1
	}
	if c.Iterations == 1 {
		return c.FirstStep
	}
	phase := float64(j-1) / float64(c.Iterations-1)
	return c.LastStep + (c.FirstStep-c.LastStep)*(1+math.Cos(math.Pi*phase))/2
}

// moved is the result of a move.
type moved struct {
	z    *mat.Dense // the moved signals
	maps Chain      // from the signals before the move to z
	step float64    // η, limited by MaxMove
}

// move returns z moved by step times the estimated move, which is first projected to the demixing
// family.
func (c Config) move(z *mat.Dense, step float64, estimate Estimate) (moved, error) {
	velocity := estimate.Move
	var linear *mapping.Affine
	if c.Family == klflow.Linear {
		var err error
		if velocity, linear, err = projectLinear(velocity, z); err != nil {
			return moved{}, err
		}
	}
	size := step * mat.Norm(velocity, 2) / math.Sqrt(float64(len(velocity.RawMatrix().Data)))
	if c.Kind != klflow.RF && c.MaxMove > 0 && size > c.MaxMove {
		step *= c.MaxMove / size
	}
	next := new(mat.Dense)
	next.Scale(step, velocity)
	next.Add(next, z)
	if err := signal.Check("z", next); err != nil {
		return moved{}, err
	}
	if linear != nil {
		linear = linear.AsStep(step)
	}
	if !c.Standardise {
		if linear != nil {
			return moved{next, Chain{{Fixed: linear}}, step}, nil
		}
		return moved{next, Chain{estimate.Learned.Stage(step)}, step}, nil
	}
	standard, err := mapping.Standardised(next)
	if err != nil {
		return moved{}, err
	}
	if linear != nil {
		return moved{standard, Chain{{Fixed: linear.Then(mapping.Standardisation(next))}}, step}, nil
	}
	maps := Chain{estimate.Learned.Stage(step), {Fixed: mapping.Standardisation(next)}}
	return moved{standard, maps, step}, nil
}

// projectLinear returns the affine map of the signals z nearest to move in least squares over the
// positions, move ≈ B·(z−mean) + mean(move), as its values at z and as a map. move and z are d×T.
func projectLinear(move, z *mat.Dense) (*mat.Dense, *mapping.Affine, error) {
	d, t := z.Dims()
	centredZ, centreZ := signal.Centred(z)
	centredMove, mean := signal.Centred(move)

	var cov mat.SymDense
	cov.SymOuterK(1, centredZ) // Σ z zᵀ
	var cross mat.Dense
	cross.Mul(centredMove, centredZ.T()) // Σ move zᵀ
	var chol mat.Cholesky
	if !chol.Factorize(&cov) {
		return nil, nil, errors.New("the signals became linearly dependent")
	}
	var bT mat.Dense
	if err := chol.SolveTo(&bT, cross.T()); err != nil {
		return nil, nil, errors.New("the signals became linearly dependent")
	}
	fit := mat.NewDense(d, t, nil)
	fit.Mul(bT.T(), centredZ)
	for i := range d {
		row := fit.RawRowView(i)
		for k := range row {
			row[k] += mean[i]
		}
	}
	matrix := mat.DenseCopyOf(bT.T()).RawMatrix().Data
	return fit, &mapping.Affine{Centre: centreZ, Matrix: matrix, Offset: mean}, nil
}

// checkFinite returns an error that names the first number of an estimate that isn't finite.
func (c Config) checkFinite(e Estimate) error {
	switch {
	case !signal.Finite(e.Loss):
		return fmt.Errorf("the loss is %g", e.Loss)
	case c.Folds > 0 && !signal.Finite(e.Divergence):
		return fmt.Errorf("the held-out divergence is %g", e.Divergence)
	case !signal.Finite(mat.Sum(e.Move)) && signal.CheckFinite(e.Move) != nil:
		return errors.New("the velocity isn't finite")
	}
	return nil
}
