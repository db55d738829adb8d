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

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
)

const name = "ivae"

// A Model is what Fit returns: a learned nonlinear demixing and mixing, on the host.
type Model interface {
	baseline.Model

	// TransformWith returns the encoder's mean of the mixed signals x, d×n, with
	// u, k×n, position by position. It is an error if x isn't d signals at one
	// position or more, if u doesn't suit it, or if either has a value that isn't
	// finite.
	TransformWith(x, u *mat.Dense) (*mat.Dense, error)
}

// Name is "ivae".
func (Config) Name() string { return name }

// Fit separates the mixed signals x, d×T, by networks that the backend trains, in
// float32, and returns a Model. The result is the same for the same seed, to the
// bit on one backend.
//
// The model recovers the encoder's mean. Its Transform takes x for a whole
// sequence, of which u is the position over the number of positions; with a Shape
// of several axes, or with U, u is that of the fit, and it is an error if n isn't
// T. Its InverseTransform is the decoder's mean in the units of the mixed signals,
// which undoes Transform as far as the autoencoder has learned to.
//
// Training has no rule of its own to end by: the model's Convergence calls it
// converged if over the last tenth of the epochs −ELBO, the bound on −log p(x|u) of
// a position of the standardised signals, was less than 0.02 nats below that over
// the tenth before. Its iterations are steps of Adam.
//
// It is an error if baseline.CheckSignals finds one in x, if a setting is out of
// range, if the loss isn't finite, which wraps baseline.ErrNotFinite, or if ctx ends.
func (c Config) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("ivae: %w", err)
	}
	return m, nil
}

func (c Config) fit(ctx context.Context, x *mat.Dense) (*fitted, error) {
	if c.Backend == nil {
		return nil, errors.New("no backend: set Backend to one that backend.Open returns")
	}
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	_, n := x.Dims()
	if err := c.validate(n); err != nil {
		return nil, err
	}
	m := &fitted{sequence: c.U == nil && len(c.Shape) <= 1}
	if c.U != nil {
		m.u = mat.DenseCopyOf(c.U)
	} else {
		m.u = positions(c.Shape, n)
	}
	var err error
	if m.scale, err = newScale(x); err != nil {
		return nil, err
	}
	if err := m.train(ctx, x, c); err != nil {
		return nil, err
	}
	m.signals, err = m.encode(x, m.u)
	return m, err
}

// fitted is the Model.
type fitted struct {
	scale       scale
	u           *mat.Dense       // of the fit
	sequence    bool             // u is the position on one axis
	mean        learning.Network // of the encoder
	decoder     learning.Network
	signals     *mat.Dense
	loss        float64 // −ELBO in nats
	convergence baseline.Convergence
}

func (m *fitted) train(ctx context.Context, x *mat.Dense, cfg Config) error {
	tr, err := newTraining(m.scale.standardise(x), m.u, cfg, dtypes.Float32)
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
	m.judge(losses, len(losses)*cfg.epoch(tr.t))
	return nil
}

// judge sets the loss over the last tenth of the epochs and the convergence.
func (m *fitted) judge(losses []float64, steps int) {
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

func (m *fitted) Signals() *mat.Dense { return m.signals }

func (m *fitted) Convergence() baseline.Convergence { return m.convergence }

func (m *fitted) Transform(x *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("x", x, len(m.scale.mean)); err != nil {
		return nil, fmt.Errorf("ivae: transform: %w", err)
	}
	u := m.u
	_, n := x.Dims()
	if _, fitted := u.Dims(); n != fitted {
		if !m.sequence {
			return nil, fmt.Errorf("ivae: transform: %d positions: want %d, those of the u of the fit, or TransformWith another u", n, fitted)
		}
		u = positions(nil, n)
	}
	return m.TransformWith(x, u)
}

func (m *fitted) TransformWith(x, u *mat.Dense) (*mat.Dense, error) {
	z, err := m.encode(x, u)
	if err != nil {
		return nil, fmt.Errorf("ivae: transform: %w", err)
	}
	return z, nil
}

func (m *fitted) encode(x, u *mat.Dense) (*mat.Dense, error) {
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

func (m *fitted) InverseTransform(z *mat.Dense) (*mat.Dense, error) {
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
