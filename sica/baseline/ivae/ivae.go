// Package ivae separates signals that are independent given an observed variable, by a
// variational autoencoder.
//
// The names to know are Default, Paper and Config, which is an ica.Method:
//
//	cfg := ivae.Default()
//	cfg.Backend = b // of backend.Open
//	model, err := ica.Separate(ctx, cfg, x)
//
// With the mixed signals x and the observed variable u at each position, the model is
//
//	p(z|u) = N(0, prior(u)),  p(x|z) = N(decoder(z), 0.01),
//	q(z|x,u) = N(mean(x,u), variance(x,u)),
//
// where every network is a multi-layer perceptron with leaky ReLU of slope 0.1, and each variance,
// one number per signal, is the exponential of a network. The training maximises E log p(x|z) + log
// p(z|u) − log q(z|x,u), with one sample of z from q for each x. The recovered signals are
// mean(x,u), or with Recover = Sample one sample of q.
//
// The mixed signals are standardised, unless Raw is set, since the variance of 0.01 depends on the
// unit. The authors' program doesn't standardise, and returns the sample.
//
// Sources are recovered if their variances change with u, each in a different way. The default u is
// the position, which distinguishes sources by their strength over time.
//
// Reference: I. Khemakhem, D. Kingma, R. Monti and A. Hyvärinen, "Variational Autoencoders and
// Nonlinear ICA: A Unifying Framework", AISTATS 2020.
package ivae

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/rival"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Config holds the settings of iVAE. It is an ica.Method. Begin with Default or Paper, and set
// Backend unless pure Go will do.
type Config struct {
	// Backend trains the networks; see package backend. Nil is pure Go. JSON omits it.
	Backend compute.Backend `json:"-"`

	// U is the observed variable, k numbers for each position, k×n, such as a one-hot label. Nil
	// means the position itself, from 0 to 1 along each axis of the signals' shape.
	U *mat.Dense

	// Hidden holds the width of each hidden layer of every network, at least 1. Without hidden
	// layers the networks are affine.
	Hidden []int

	// LearningRate is the learning rate of Adam at the start, above 0.
	LearningRate float64

	// Patience is the number of epochs without a decrease of the loss, at least 0, after
	// which the learning rate is divided by ten.
	Patience int

	// Batch is the number of positions in a step, at least 1; all if there are fewer.
	Batch int

	// Iterations is the number of steps, at least 1. They are rounded up to whole epochs.
	Iterations int

	// Raw takes the mixed signals in their own units. Without it they are standardised.
	Raw bool

	// Recover says how the recovered signals follow from the encoder's distribution. Empty means
	// Mean.
	Recover Recovery

	// Seed is the seed of the weights, of the order of the positions and of the samples of
	// the recovered signals.
	Seed uint64
}

// A Recovery says how the recovered signals follow from the encoder's distribution of z.
type Recovery string

const (
	// Mean is mean(x,u).
	Mean Recovery = "mean"
	// Sample is mean(x,u) plus √variance(x,u) times standard normal noise drawn from Config.Seed,
	// so the same x gives the same sample.
	Sample Recovery = "sample"
)

// Default returns two hidden layers of 20, 1e4 steps in batches of 256 with the learning rate 1e-2
// and a patience of 100, on standardised signals. With a patience of 20 the rate falls too early if
// an epoch has few batches. The recovered signals are the encoder's mean. Backend is nil.
func Default() Config {
	cfg := Paper()
	cfg.LearningRate, cfg.Patience, cfg.Iterations = 1e-2, 100, 10000
	cfg.Recover = Mean
	return cfg
}

// Paper returns the settings of the comparison in SICA's paper: two hidden layers of 20, the
// learning rate 1e-3 with a patience of 20, and batches of 256. They are the settings of the
// reference program (github.com/ilkhem/icebeem, models/ivae), with 2e4 steps instead of 7e4. The
// recovered signals are a sample. The paper doesn't give u or the scale of its signals; here
// signals are standardised. Backend is nil.
func Paper() Config {
	return Config{
		Hidden: []int{20, 20}, LearningRate: 1e-3, Patience: 20, Batch: 256, Iterations: 20000,
		Recover: Sample,
	}
}

const name = "ivae"

// Name returns "ivae".
func (Config) Name() string { return name }

// Fit separates the mixed signals by networks that Backend trains in float32. On one CPU backend,
// the same seed gives the same bits.
//
// The model recovers signals on the host, according to Recover. Its map takes a whole sequence,
// with u the position divided by the number of positions. For signals of several axes, or with U,
// it uses u of the fit, and a different number of positions is an error. The inverse is the
// decoder's mean in the units of the mixed signals, which undoes the map approximately.
//
// Training makes a fixed number of steps. It counts as converged if the mean −ELBO of a position
// over the last tenth of the epochs is less than 0.02 nats below its mean over the tenth before.
// Iterations are steps of Adam.
//
// It is an error if a setting is out of range, if the loss isn't finite, which wraps
// ica.ErrNotFinite, or if ctx ends. After ctx ends, a compilation or a call of the backend
// continues in the background.
func (c Config) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	_, n := x.Dims()
	return rival.Fit(ctx, name, c.validate(n), x, func() (*ica.Model, error) {
		s, err := c.scale(x.X())
		if err != nil {
			return nil, err
		}
		a := &autoencoder{
			scale: s, sequence: c.U == nil && len(x.Shape()) == 1,
			sample: c.Recover == Sample, seed: c.Seed,
		}
		if c.U == nil {
			a.u = positions(x.Shape())
		} else {
			a.u = mat.DenseCopyOf(c.U) // background work may read it later
		}
		c.Hidden = slices.Clone(c.Hidden)
		standard := s.standardise(x.X())
		losses, err := programs.Attend(ctx, func(
			ctx context.Context, _ func(func()),
		) ([]float64, error) {
			return a.train(ctx, standard, c)
		})
		if err != nil {
			return nil, err
		}
		return &ica.Model{
			Signals: a.encode(standard, a.u), Map: a, Convergence: c.convergence(losses, n),
		}, nil
	})
}

// maxFall is the decrease of −ELBO, in nats, from one tenth of the epochs to the next, below which
// training counts as converged. It is a choice that affects only warnings.
const maxFall = 0.02

// convergence describes the end of a training with the given losses of the epochs.
func (c Config) convergence(losses []float64, n int) ica.Convergence {
	_, fall := learning.LastTenth(losses)
	end := ica.Convergence{Converged: fall < maxFall, Iterations: len(losses) * c.epoch(n)}
	if !end.Converged {
		end.Warning = fmt.Sprintf("iVAE was still learning after %d steps: allow more",
			end.Iterations)
	}
	return end
}

// An autoencoder is the Map of a model of iVAE.
type autoencoder struct {
	scale    scale            // of the mixed signals
	u        *mat.Dense       // of the fit
	sequence bool             // whether u is the position on one axis
	sample   bool             // whether to recover a sample instead of the mean
	seed     uint64           // of the sample
	mean     learning.Network // of the encoder
	variance learning.Network // of the encoder, as its logarithm
	decoder  learning.Network
}

// train trains the networks on the standardised signals and returns the mean loss of each
// epoch.
func (a *autoencoder) train(
	ctx context.Context, standard *mat.Dense, cfg Config,
) ([]float64, error) {
	tr, err := newTraining(standard, a.u, cfg, dtypes.Float32)
	if err != nil {
		return nil, err
	}
	defer tr.Close()
	losses, err := tr.run(ctx)
	if err != nil {
		return nil, err
	}
	if a.mean, err = tr.network(encoderMean); err != nil {
		return nil, err
	}
	if a.variance, err = tr.network(encoderVariance); err != nil {
		return nil, err
	}
	a.decoder, err = tr.network(decoder)
	return losses, err
}

// encode returns the encoder's mean, or its sample, of the standardised signals, d×m, with u,
// k×m. The noise of a position doesn't depend on the number of positions.
func (a *autoencoder) encode(standard, u *mat.Dense) *mat.Dense {
	var xu mat.Dense
	xu.Stack(standard, u)
	z := a.mean.Outputs(&xu)
	if !a.sample {
		return z
	}
	logVariance := a.variance.Outputs(&xu)
	rng := stream.Named(a.seed, sampleName)
	d, m := z.Dims()
	for t := range m {
		for i := range d {
			z.Set(i, t, z.At(i, t)+math.Exp(logVariance.At(i, t)/2)*rng.NormFloat64())
		}
	}
	return z
}

// sampleName names the random stream of the recovered sample.
const sampleName = name + " sample"

// Apply returns the recovered signals of the mixed signals x, d×m. It is an error if u isn't known
// for x.
func (a *autoencoder) Apply(x *mat.Dense) (*mat.Dense, error) {
	u := a.u
	_, m := x.Dims()
	if _, n := u.Dims(); m != n {
		if !a.sequence {
			return nil, fmt.Errorf("ivae: x: has %d positions; must have the %d of the fit, "+
				"where u is known", m, n)
		}
		u = positions([]int{m})
	}
	return a.encode(a.scale.standardise(x), u), nil
}

// Invert returns the decoder's mean of the recovered signals z, d×m.
func (a *autoencoder) Invert(z *mat.Dense) (*mat.Dense, error) {
	return a.scale.restore(a.decoder.Outputs(z)), nil
}

// A scale holds the mean and the standard deviation of each mixed signal.
type scale struct{ mean, sd []float64 }

// scale returns the scale of the mixed signals x; mean 0 and deviation 1 if c.Raw.
func (c Config) scale(x *mat.Dense) (scale, error) {
	d, _ := x.Dims()
	s := scale{make([]float64, d), make([]float64, d)}
	for i := range d {
		if c.Raw {
			s.sd[i] = 1
			continue
		}
		s.mean[i], s.sd[i] = stat.PopMeanStdDev(x.RawRowView(i), nil)
		if !signal.Positive(s.sd[i]) {
			return scale{}, fmt.Errorf("x: signal %d has the standard deviation %g in float64; "+
				"must be positive: rescale the signal", i+1, s.sd[i])
		}
	}
	return s, nil
}

// standardise returns x with mean 0 and variance 1.
func (s scale) standardise(x *mat.Dense) *mat.Dense {
	var y mat.Dense
	y.Apply(func(i, _ int, v float64) float64 { return (v - s.mean[i]) / s.sd[i] }, x)
	return &y
}

// restore undoes standardise.
func (s scale) restore(y *mat.Dense) *mat.Dense {
	var x mat.Dense
	x.Apply(func(i, _ int, v float64) float64 { return v*s.sd[i] + s.mean[i] }, y)
	return &x
}

// positions returns the default u for signals of the given shape, with a row for each axis: the
// position along the axis divided by its length.
func positions(shape []int) *mat.Dense {
	n := grid.Product(shape)
	u := mat.NewDense(len(shape), n, nil)
	stride := n
	for i, size := range shape {
		stride /= size
		for t := range n {
			u.Set(i, t, float64(t/stride%size)/float64(size))
		}
	}
	return u
}

// validate returns an error for the first setting that is out of range for n positions.
func (c Config) validate(n int) error {
	switch {
	case len(c.Hidden) > 0 && slices.Min(c.Hidden) < 1:
		return fmt.Errorf("Hidden: is %v; must be a width of at least 1 for each layer", c.Hidden)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 0):
		return fmt.Errorf("LearningRate: is %g; must be above 0, and finite", c.LearningRate)
	case c.Patience < 0:
		return fmt.Errorf("Patience: is %d; must be at least 0", c.Patience)
	case c.Batch < 1:
		return fmt.Errorf("Batch: is %d; must be at least 1", c.Batch)
	case c.Iterations < 1:
		return fmt.Errorf("Iterations: is %d; must be at least 1", c.Iterations)
	case c.Recover != "" && c.Recover != Mean && c.Recover != Sample:
		return fmt.Errorf("Recover: is %q; must be %q or %q", c.Recover, Mean, Sample)
	case c.U != nil:
		return checkU(c.U, n)
	}
	return nil
}

// checkU returns an error unless u has n positions and values that are finite in float32.
func checkU(u *mat.Dense, n int) error {
	k, columns := u.Dims()
	if k < 1 || columns != n {
		return fmt.Errorf("U: is %d×%d; must have a column for each of %d positions",
			k, columns, n)
	}
	for i := range k {
		for t, v := range u.RawRowView(i) {
			if !(math.Abs(v) <= math.MaxFloat32) {
				return fmt.Errorf("U: the value in row %d, column %d is %g; "+
					"must be finite in float32", i+1, t+1, v)
			}
		}
	}
	return nil
}

// batch returns the size of a batch from n positions.
func (c Config) batch(n int) int { return min(c.Batch, n) }

// epoch returns the number of steps of an epoch. Positions that don't fill a batch are dropped.
func (c Config) epoch(n int) int { return n / c.batch(n) }

// epochs returns the number of epochs.
func (c Config) epochs(n int) int { return (c.Iterations + c.epoch(n) - 1) / c.epoch(n) }
