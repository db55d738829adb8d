// Package pcl separates signals that depend on their own past, by learning to distinguish
// neighbouring positions from others: permutation-contrastive learning.
//
// The names to know are Default, Paper and Config, which is an ica.Method:
//
//	cfg := pcl.Default()
//	cfg.Backend = b // of backend.Open
//	model, err := ica.Separate(ctx, cfg, x)
//
// Logistic regression distinguishes the pair (x_t, x_{t−1}) from (x_t, x_{t*}), where t* is any
// position. The log-odds that y₂ is the neighbour of y₁ are −r with
//
//	r(y₁, y₂) = Σᵢ [ |a₁ᵢ·hᵢ(y₁) + a₂ᵢ·hᵢ(y₂) + bᵢ| − (āᵢ·hᵢ(y₁) + b̄ᵢ)² ] + c,
//
// which is log p(s_t) − log p(s_t | s_{t−1}) for signals with Laplace innovations and,
// approximately, Gaussian marginals. With the opposite sign the method doesn't separate. The
// recovered signals are the features h: a network of the whitened signals, trained with the
// regression. If the sources depend on the past unlike a Gaussian process, h are the sources up to
// order and a function of each. For an image the neighbour is the previous pixel in row-major
// order, as in the SICA paper: for the first pixel of a row, the last pixel of the row before.
//
// A public program for the method, which the SICA paper follows, deviates in two ways: it doesn't
// whiten the signals, and it replaces −r by a network of both features, [h(y₁), h(y₂)]. Such a
// network can use any mixture of the features, so nothing forces a feature to be a single source.
// The settings Raw and Joint reproduce the deviations.
//
// The hidden layers have SiLU activations, like the networks of SICA, which makes h smooth; the
// article uses maxout.
//
// Reference: A. Hyvärinen and H. Morioka, "Nonlinear ICA of Temporally Dependent Stationary
// Sources", AISTATS 2017. The program is R. Balshaw's,
// github.com/RyanBalshaw/Nonlinear_ICA_implementations.
package pcl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/rival"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/pca"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Config holds the settings of permutation-contrastive learning. It is an ica.Method. Begin with
// Default or Paper, and set Backend unless pure Go will do.
type Config struct {
	// Backend trains the networks; see package backend. Nil is pure Go. JSON omits it.
	Backend compute.Backend `json:"-"`

	// Hidden holds the width of each hidden layer of the feature network, at least 1. Without
	// hidden layers the features are affine.
	Hidden []int

	// LearningRate is the learning rate of Adam at the start, above 0.
	LearningRate float64

	// Decay lets the learning rate fall to 0 by the last step, along half a cosine. Without
	// it the rate is constant.
	Decay bool

	// Batch is the number of positions in a step, each with its neighbour and a random other
	// position: at least 1; all if there are fewer.
	Batch int

	// Epochs is the number of passes through all positions, at least 1.
	Epochs int

	// Raw omits whitening.
	Raw bool `json:",omitempty"`

	// Joint replaces the article's log-odds −r by a network of both features, with one hidden layer
	// of 2·d ReLU units.
	Joint bool `json:",omitempty"`

	// Seed is the seed of the weights and of the order of the positions.
	Seed uint64
}

// Default returns two hidden layers of 32 and 500 epochs in batches of 256, with a learning rate
// that falls from 1e-2 to 0. Backend is nil.
func Default() Config {
	return Config{
		Hidden: []int{32, 32}, LearningRate: 1e-2, Decay: true, Batch: 256, Epochs: 500,
	}
}

// Paper returns the settings of the comparison in SICA's paper: two hidden layers of 256, and 1000
// epochs in batches of 256 with the learning rate 1e-2. Backend is nil.
func Paper() Config {
	return Config{Hidden: []int{256, 256}, LearningRate: 1e-2, Batch: 256, Epochs: 1000}
}

const name = "pcl"

// Name returns "pcl".
func (Config) Name() string { return name }

// Fit separates the mixed signals, where position t−1 is the neighbour of position t. The signals
// are whitened, unless Raw is set, and mapped by a network that Backend trains in float32. On one
// CPU backend, the same seed gives the same bits.
//
// The model recovers the features h position by position, on the host; their scales and offsets are
// arbitrary. The model has no inverse. Training makes a fixed number of steps. It counts as
// converged if the mean loss over the last tenth of the steps is less than 0.01 nats below the mean
// over the tenth before. Iterations are steps of Adam.
//
// It is an error if a setting is out of range, if x can't be whitened, if the loss isn't finite,
// which wraps ica.ErrNotFinite, or if ctx ends. After ctx ends, a compilation or a call of the
// backend continues in the background.
func (c Config) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	return rival.Fit(ctx, name, c.validate(), x, func() (*ica.Model, error) {
		input, f := x.X(), new(features)
		if !c.Raw {
			var err error
			if f.whitening, err = x.Whitening(); err != nil {
				return nil, err
			}
			input = f.whitening.White
		}
		own := mat.DenseCopyOf(input) // background work may read it later
		c.Hidden = slices.Clone(c.Hidden)
		losses, err := programs.Attend(ctx, func(
			ctx context.Context, _ func(func()),
		) ([]float64, error) {
			return f.train(ctx, own, c)
		})
		if err != nil {
			return nil, err
		}
		return &ica.Model{
			Signals: f.h.Outputs(input), Map: f, Convergence: c.convergence(losses),
		}, nil
	})
}

const (
	// maxFall is the decrease of the loss, in nats, from one tenth of the steps to the next below
	// which the training counts as converged. It is a choice that affects only warnings: the
	// logistic loss falls by about 0.1 nats when sources are recovered.
	maxFall = 0.01

	// minGain is the gain of the loss over guessing, in nats, below which a warning says that
	// nothing was learned. It is a choice that affects only warnings.
	minGain = 0.01
)

// convergence describes the end of a training with the given losses.
func (c Config) convergence(losses []float64) ica.Convergence {
	loss, fall := learning.LastTenth(losses)
	end := ica.Convergence{Converged: fall < maxFall, Iterations: len(losses)}
	switch {
	case !end.Converged:
		end.Warning = fmt.Sprintf("PCL was still learning after %d epochs: allow more", c.Epochs)
	case loss > math.Ln2-minGain:
		end.Warning = fmt.Sprintf("PCL can't distinguish neighbouring positions from others "+
			"(its loss is %.3f nats, that of guessing %.3f): it separates only signals that "+
			"depend on the position before", loss, math.Ln2)
	}
	return end
}

// features is the Map of a model of PCL.
type features struct {
	whitening *pca.Whitening // nil for raw signals
	h         learning.Network
}

// train trains h on the white, or raw, signals, and returns the loss of each step.
func (f *features) train(ctx context.Context, input *mat.Dense, cfg Config) ([]float64, error) {
	tr, err := newTraining(input, cfg, dtypes.Float32)
	if err != nil {
		return nil, err
	}
	defer tr.Close()
	losses, err := tr.run(ctx)
	if err != nil {
		return nil, err
	}
	f.h, err = tr.features()
	return losses, err
}

// Apply returns h of the mixed signals x, d×m, whitened or raw.
func (f *features) Apply(x *mat.Dense) (*mat.Dense, error) {
	if f.whitening == nil {
		return f.h.Outputs(x), nil
	}
	white, err := f.whitening.Apply(x)
	if err != nil {
		return nil, err
	}
	return f.h.Outputs(white), nil
}

// Invert returns an error, as the method learns no inverse of h.
func (f *features) Invert(*mat.Dense) (*mat.Dense, error) {
	return nil, fmt.Errorf("pcl: %w", preprocess.ErrNotInvertible)
}

// validate returns an error for the first setting that is out of range.
func (c Config) validate() error {
	switch {
	case len(c.Hidden) > 0 && slices.Min(c.Hidden) < 1:
		return fmt.Errorf("Hidden: is %v; must be a width of at least 1 for each layer", c.Hidden)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 0):
		return fmt.Errorf("LearningRate: is %g; must be above 0, and finite", c.LearningRate)
	case c.Batch < 1:
		return fmt.Errorf("Batch: is %d; must be at least 1", c.Batch)
	case c.Epochs < 1:
		return fmt.Errorf("Epochs: is %d; must be at least 1", c.Epochs)
	}
	return nil
}

// batch returns the size of a batch from n positions, the first of which has no neighbour.
func (c Config) batch(n int) int { return min(c.Batch, n-1) }

// steps returns the number of training steps for n positions. Positions of an epoch that don't fill
// a batch are dropped.
func (c Config) steps(n int) int { return c.Epochs * ((n - 1) / c.batch(n)) }
