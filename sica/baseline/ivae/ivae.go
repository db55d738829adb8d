// Package ivae separates signals that are independent given something observed,
// by a variational autoencoder: iVAE, I. Khemakhem, D. Kingma, R. Monti and A.
// Hyvärinen, "Variational Autoencoders and Nonlinear ICA: A Unifying Framework",
// AISTATS 2020.
//
// With x the mixed signals and u what is observed, at each position, the model is
//
//	p(z|u) = N(0, prior(u)),  p(x|z) = N(decoder(z), 0.01),  q(z|x,u) = N(mean(x,u), variance(x,u)),
//
// where every network is a multi-layer perceptron with leaky ReLU of slope 0.1
// and each variance is the exponential of one, a number for each signal. Training
// maximises E log p(x|z) + log p(z|u) − log q(z|x,u), with one sample of z from q
// for each x. The recovered signals are mean(x,u).
//
// The mixed signals are standardised one by one, as a variance of 0.01 means
// something else for every unit; the authors' program takes them as they are and
// returns the sample of z.
//
// Sources can be recovered as far as their variances change with u, each in a way
// of its own. With the position for u, the default, that is how loud a signal is
// along the sequence.
package ivae

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
)

const name = "ivae"

// A Model is a learned nonlinear demixing and mixing. It is a baseline.Model, on
// the host.
type Model struct {
	scale       scale
	u           *mat.Dense // of Fit
	cfg         Config
	mean        learning.Network // of the encoder
	decoder     learning.Network
	signals     *mat.Dense
	loss        float64
	convergence baseline.Convergence
}

// Signals returns the encoder's mean of the mixed signals that Fit was given, d×T.
// It isn't a copy.
func (m *Model) Signals() *mat.Dense { return m.signals }

// Loss is −ELBO, the bound on −log p(x|u) of a position in nats, over the last
// tenth of the epochs. It is that of the standardised signals.
func (m *Model) Loss() float64 { return m.loss }

// Convergence says how the training ended. Its iterations are steps of Adam.
// Training has no rule of its own to end by: it is called converged if over the
// last tenth of the epochs the loss was less than 0.02 nats below that over the
// tenth before.
func (m *Model) Convergence() baseline.Convergence { return m.convergence }

// Transform is TransformWith for the u that a fit without Config.U has, the
// position over the number of positions, n: x is taken for a whole sequence. With
// a Shape of several axes, or with Config.U, u is that of Fit, and it is an error
// if n isn't T.
func (m *Model) Transform(x *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("x", x, len(m.scale.mean)); err != nil {
		return nil, fmt.Errorf("ivae: transform: %w", err)
	}
	u := m.u
	_, n := x.Dims()
	if _, fitted := u.Dims(); n != fitted {
		if m.cfg.U != nil || len(m.cfg.Shape) > 1 {
			return nil, fmt.Errorf("ivae: transform: %d positions: want %d, those of the u of the fit, or TransformWith another u", n, fitted)
		}
		u = positions(nil, n)
	}
	return m.TransformWith(x, u)
}

// TransformWith returns the encoder's mean of the mixed signals x, d×n, with u,
// k×n, position by position. It is an error if x isn't d signals at one position
// or more, if u doesn't suit it, or if either has a value that isn't finite.
func (m *Model) TransformWith(x, u *mat.Dense) (*mat.Dense, error) {
	z, err := m.encode(x, u)
	if err != nil {
		return nil, fmt.Errorf("ivae: transform: %w", err)
	}
	return z, nil
}

func (m *Model) encode(x, u *mat.Dense) (*mat.Dense, error) {
	d := len(m.scale.mean)
	if err := signal.CheckNew("x", x, d); err != nil {
		return nil, err
	}
	_, n := x.Dims()
	if err := checkU(u, n); err != nil {
		return nil, err
	}
	rows, _ := u.Dims()
	if k, _ := m.u.Dims(); rows != k {
		return nil, fmt.Errorf("u has %d rows: want %d, as in the fit", rows, k)
	}
	var xu mat.Dense
	xu.Stack(m.scale.standardise(x), u)
	z := m.mean.Of(&xu)
	return z, signal.CheckNew("z", z, d)
}

// InverseTransform returns the decoder's mean of the recovered signals z, d×n,
// in the units of the mixed ones. It undoes Transform as far as the autoencoder
// has learned to. It is an error if z isn't d signals at one position or more or
// has a value that isn't finite.
func (m *Model) InverseTransform(z *mat.Dense) (*mat.Dense, error) {
	d := len(m.scale.mean)
	if err := signal.CheckNew("z", z, d); err != nil {
		return nil, fmt.Errorf("ivae: inverse transform: %w", err)
	}
	x := m.scale.restore(m.decoder.Of(z))
	if err := signal.CheckNew("x", x, d); err != nil {
		return nil, fmt.Errorf("ivae: inverse transform: %w", err)
	}
	return x, nil
}

// Fit separates the mixed signals x, d×T, by networks that the backend trains, in
// float32. The result is the same for the same seed, to the bit on one backend.
//
// It is an error if baseline.CheckSignals finds one in x, if a setting is out of
// range, if the loss isn't finite, which wraps baseline.ErrNotFinite, or if ctx ends.
func Fit(ctx context.Context, backend compute.Backend, x *mat.Dense, cfg Config) (*Model, error) {
	m, err := fit(ctx, backend, x, cfg)
	if err != nil {
		return nil, fmt.Errorf("ivae: %w", err)
	}
	return m, nil
}

func fit(ctx context.Context, backend compute.Backend, x *mat.Dense, cfg Config) (*Model, error) {
	if backend == nil {
		return nil, errors.New("no backend: open one with backend.Open")
	}
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	_, n := x.Dims()
	if err := cfg.validate(n); err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg}
	if cfg.U != nil {
		m.u = mat.DenseCopyOf(cfg.U)
	} else {
		m.u = positions(cfg.Shape, n)
	}
	var err error
	if m.scale, err = newScale(x); err != nil {
		return nil, err
	}
	if err := m.train(ctx, backend, x); err != nil {
		return nil, err
	}
	m.signals, err = m.encode(x, m.u)
	return m, err
}

func (m *Model) train(ctx context.Context, backend compute.Backend, x *mat.Dense) error {
	tr, err := newTraining(backend, m.scale.standardise(x), m.u, m.cfg, dtypes.Float32)
	if err != nil {
		return err
	}
	defer tr.Close()
	losses, err := tr.run(ctx)
	if err != nil {
		return err
	}
	if m.mean, err = tr.network(encoderMean); err != nil {
		return err
	}
	if m.decoder, err = tr.network(decoder); err != nil {
		return err
	}
	m.judge(losses, len(losses)*m.cfg.epoch(tr.t))
	return nil
}

// judge sets what Loss and Convergence return.
func (m *Model) judge(losses []float64, steps int) {
	const still = 0.02 // nats
	var fall float64
	m.loss, fall = learning.LastTenth(losses)
	m.convergence = baseline.Convergence{Iterations: steps}
	if fall < still {
		m.convergence.Converged = true
		return
	}
	m.convergence.Warning = fmt.Sprintf("iVAE was still learning after %d steps: allow more", steps)
}

// Method is iVAE with its settings as a baseline.Method.
type Method struct {
	Config
	// Backend computes; see package backend.
	Backend compute.Backend
}

// Name is "ivae".
func (Method) Name() string { return name }

// Fit is the function Fit with the method's backend and settings.
func (m Method) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	model, err := Fit(ctx, m.Backend, x, m.Config)
	if err != nil {
		return nil, err
	}
	return model, nil
}
