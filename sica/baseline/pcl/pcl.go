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
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

const name = "pcl"

// A Model is a learned nonlinear demixing. It is a baseline.Model, on the host.
type Model struct {
	whitening   *baseline.Whitening
	features    learning.Network
	signals     *mat.Dense
	loss        float64
	convergence baseline.Convergence
}

// Signals returns the features h of the mixed signals that Fit was given, d×T.
// Their scales and offsets mean nothing. It isn't a copy.
func (m *Model) Signals() *mat.Dense { return m.signals }

// Loss is the logistic loss over the last tenth of the steps, in nats. It is
// log 2 ≈ 0.693 where neighbours can't be told from others.
func (m *Model) Loss() float64 { return m.loss }

// Convergence says how the training ended. Its iterations are steps of Adam.
// Training has no rule of its own to end by: it is called converged if over the
// last tenth of the steps the loss was less than 0.01 nats below that over the
// tenth before.
func (m *Model) Convergence() baseline.Convergence { return m.convergence }

// Transform returns h of the mixed signals x, d×n, position by position. The
// order of the positions doesn't matter. It is an error if x isn't d signals at
// one position or more or has a value that isn't finite.
func (m *Model) Transform(x *mat.Dense) (*mat.Dense, error) {
	white, err := m.whitening.Apply(x)
	if err != nil {
		return nil, fmt.Errorf("pcl: transform: %w", err)
	}
	z := m.features.Of(white)
	if err := signal.CheckNew("z", z, len(m.whitening.Mean)); err != nil {
		return nil, fmt.Errorf("pcl: transform: %w", err)
	}
	return z, nil
}

// InverseTransform returns an error that wraps preprocess.ErrNotInvertible: the
// method learns h alone.
func (m *Model) InverseTransform(*mat.Dense) (*mat.Dense, error) {
	return nil, fmt.Errorf("pcl: inverse transform: %w", preprocess.ErrNotInvertible)
}

// Fit separates the mixed signals x, d×T, of which position t−1 is the neighbour
// of position t. They are centred, whitened by principal components as in
// baseline.Whiten, and mapped by the network that the backend trains, in float32.
// The result is the same for the same seed, to the bit on one backend.
//
// It is an error if a setting is out of range, if x can't be whitened, if the
// loss isn't finite, which wraps baseline.ErrNotFinite, or if ctx ends.
func Fit(ctx context.Context, backend compute.Backend, x *mat.Dense, cfg Config) (*Model, error) {
	m, err := fit(ctx, backend, x, cfg)
	if err != nil {
		return nil, fmt.Errorf("pcl: %w", err)
	}
	return m, nil
}

func fit(ctx context.Context, backend compute.Backend, x *mat.Dense, cfg Config) (*Model, error) {
	if backend == nil {
		return nil, errors.New("no backend: open one with backend.Open")
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	white, err := baseline.Whiten(x)
	if err != nil {
		return nil, err
	}
	tr, err := newTraining(backend, white.Signals, cfg, dtypes.Float32)
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
	m := &Model{whitening: white, features: h, signals: h.Of(white.Signals)}
	if err := signal.CheckNew("z", m.signals, len(white.Mean)); err != nil {
		return nil, err
	}
	m.judge(losses, cfg)
	return m, nil
}

// judge sets what Loss and Convergence return.
func (m *Model) judge(losses []float64, cfg Config) {
	const still, chance = 0.01, 0.01 // nats
	var fall float64
	m.loss, fall = learning.LastTenth(losses)
	m.convergence = baseline.Convergence{Iterations: len(losses)}
	switch {
	case fall >= still:
		m.convergence.Warning = fmt.Sprintf("PCL was still learning after %d epochs: allow more", cfg.Epochs)
	case m.loss > math.Ln2-chance:
		m.convergence.Converged = true
		m.convergence.Warning = fmt.Sprintf("PCL can't tell neighbouring positions from others (its loss is %.3f, chance %.3f): "+
			"it separates only signals that depend on the position before", m.loss, math.Ln2)
	default:
		m.convergence.Converged = true
	}
}

// Method is permutation-contrastive learning with its settings as a
// baseline.Method.
type Method struct {
	Config
	// Backend computes; see package backend.
	Backend compute.Backend
}

// Name is "pcl".
func (Method) Name() string { return name }

// Fit is the function Fit with the method's backend and settings.
func (m Method) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	model, err := Fit(ctx, m.Backend, x, m.Config)
	if err != nil {
		return nil, err
	}
	return model, nil
}
