// Package pcl separates signals that depend on their own past by learning to
// tell neighbours from others: permutation-contrastive learning, A. Hyvärinen
// and H. Morioka, "Nonlinear ICA of Temporally Dependent Stationary Sources",
// AISTATS 2017.
//
// Logistic regression tells the pair (x_t, x_{t−1}) from (x_t, x_{t*}), where t*
// is any position. The log-odds that y₂ is the neighbour of y₁ are −r with
//
//	r(y₁, y₂) = Σᵢ [ |a₁ᵢ·hᵢ(y₁) + a₂ᵢ·hᵢ(y₂) + bᵢ| − (āᵢ·hᵢ(y₁) + b̄ᵢ)² ] + c,
//
// that is log p(s_t) − log p(s_t | s_{t−1}) of signals with Laplace innovations
// whose own distribution is taken for Gaussian; with the sign of r turned the
// method doesn't separate. The recovered signals are the
// features h, a network of the whitened mixed signals that the regression is
// trained with. If the sources depend on the past in another way than a Gaussian
// process, h are the sources up to their order and a function of each.
//
// The hidden layers have SiLU activations, as the networks of SICA, where the
// article has maxout; h is smooth.
//
// For an image the neighbour is the previous pixel in row-major order, as in
// SICA's paper, so that the first of a row has the last of the row before.
package pcl

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

const name = "pcl"

// Name is "pcl".
func (Config) Name() string { return name }

// Fit separates the mixed signals x, d×T, of which position t−1 is the neighbour
// of position t. They are centred, whitened by principal components, and mapped by
// the network that the backend trains, in float32. The result is the same for the
// same seed, to the bit on one backend.
//
// The model, which is on the host, recovers the features h, whose scales and
// offsets mean nothing, position by position. It has no InverseTransform, as the
// method learns h alone. Training has no rule of its own to end by: the model's
// Convergence calls it converged if over the last tenth of the steps the loss was
// less than 0.01 nats below that over the tenth before. Its iterations are steps
// of Adam.
//
// It is an error if a setting is out of range, if x can't be whitened, if the
// loss isn't finite, which wraps baseline.ErrNotFinite, or if ctx ends.
func (c Config) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("pcl: %w", err)
	}
	return m, nil
}

func (c Config) fit(ctx context.Context, x *mat.Dense) (*fitted, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	components, err := signal.Whiten(x)
	if err != nil {
		return nil, err
	}
	tr, err := newTraining(components.White, c, dtypes.Float32)
	if err != nil {
		return nil, err
	}
	defer tr.Close()
	losses, err := tr.run(ctx)
	if err != nil {
		return nil, err
	}
	h, err := tr.features()
	if err != nil {
		return nil, err
	}
	m := &fitted{components: components, features: h, signals: h.Of(components.White)}
	if err := signal.CheckNew("z", m.signals, len(components.Mean)); err != nil {
		return nil, err
	}
	m.loss, m.convergence = c.judge(losses)
	return m, nil
}

// judge returns the loss over the last tenth of the steps and how they ended.
func (c Config) judge(losses []float64) (loss float64, end baseline.Convergence) {
	const still, chance = 0.01, 0.01 // nats
	loss, fall := learning.LastTenth(losses)
	end.Iterations = len(losses)
	switch {
	case fall >= still:
		end.Warning = fmt.Sprintf("PCL was still learning after %d epochs: allow more", c.Epochs)
	case loss > math.Ln2-chance:
		end.Converged = true
		end.Warning = fmt.Sprintf("PCL can't tell neighbouring positions from others (its loss is %.3f, chance %.3f): "+
			"it separates only signals that depend on the position before", loss, math.Ln2)
	default:
		end.Converged = true
	}
	return loss, end
}

// fitted is the baseline.Model, a learned nonlinear demixing.
type fitted struct {
	components  *signal.Whitening
	features    learning.Network
	signals     *mat.Dense
	loss        float64 // logistic, in nats; log 2 ≈ 0.693 is chance
	convergence baseline.Convergence
}

func (m *fitted) Signals() *mat.Dense { return m.signals }

func (m *fitted) Convergence() baseline.Convergence { return m.convergence }

func (m *fitted) Transform(x *mat.Dense) (*mat.Dense, error) {
	white, err := m.components.Apply(x)
	if err != nil {
		return nil, fmt.Errorf("pcl: transform: %w", err)
	}
	z := m.features.Of(white)
	if err := signal.CheckNew("z", z, len(m.components.Mean)); err != nil {
		return nil, fmt.Errorf("pcl: transform: %w", err)
	}
	return z, nil
}

func (m *fitted) InverseTransform(*mat.Dense) (*mat.Dense, error) {
	return nil, fmt.Errorf("pcl: inverse transform: %w", preprocess.ErrNotInvertible)
}
