package experiment

import (
	"context"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/ivae"
	"github.com/seed-47b1e431/gosica/sica/baseline/jade"
	"github.com/seed-47b1e431/gosica/sica/baseline/lica"
	"github.com/seed-47b1e431/gosica/sica/baseline/pcl"
	"github.com/seed-47b1e431/gosica/sica/baseline/picard"
	"github.com/seed-47b1e431/gosica/sica/baseline/sobi"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

type recoverer = func(ctx context.Context, b compute.Backend, in Signals, p Preset, seed uint64) (*Recovery, error)

// imageIterations is the paper's J of SICA-RF for images.
const imageIterations = 20

// separate is SICA.
func (m Method) separate(ctx context.Context, b compute.Backend, in Signals, p Preset, seed uint64) (*Recovery, error) {
	cfg, err := m.Config(p)
	if err != nil {
		return nil, err
	}
	cfg.Shape, cfg.Seed = in.Shape, seed
	if p == PaperPreset {
		cfg.Checkpoint = in.Checkpoint
		if cfg.Flow == sica.RF && len(in.Shape) == 2 {
			cfg.Iterations = imageIterations
		}
	}
	r, err := sica.Fit(ctx, b, in.X, cfg)
	if err != nil {
		return nil, err
	}
	return &Recovery{
		Z:           r.Z,
		Config:      cfg,
		Convergence: (&sica.Model{Result: r}).Convergence(),
		Why:         r.Why,
		Loss:        r.Loss,
		Divergence:  r.Divergence,
		Elapsed:     r.Elapsed,
	}, nil
}

// fit is a baseline with the settings that configure gives.
func fit(configure func(b compute.Backend, in Signals, p Preset, seed uint64) baseline.Method) recoverer {
	return func(ctx context.Context, b compute.Backend, in Signals, p Preset, seed uint64) (*Recovery, error) {
		settings := configure(b, in, p, seed)
		model, err := settings.Fit(ctx, in.X)
		if err != nil {
			return nil, err
		}
		return &Recovery{Z: model.Signals(), Config: settings, Convergence: model.Convergence()}, nil
	}
}

// fitWith is a baseline without settings.
func fitWith(method baseline.Method) recoverer {
	return func(ctx context.Context, _ compute.Backend, in Signals, _ Preset, _ uint64) (*Recovery, error) {
		model, err := method.Fit(ctx, in.X)
		if err != nil {
			return nil, err
		}
		return &Recovery{Z: model.Signals(), Convergence: model.Convergence()}, nil
	}
}

func fastICA(_ compute.Backend, _ Signals, p Preset, seed uint64) baseline.Method {
	cfg := fastica.Default()
	if p == PaperPreset {
		cfg = fastica.Paper()
	}
	cfg.Seed = seed
	return cfg
}

func lICA(_ compute.Backend, _ Signals, p Preset, seed uint64) baseline.Method {
	cfg := lica.Paper()
	switch p {
	case DefaultPreset:
		cfg = lica.Default()
	case SmokePreset:
		cfg.Starts, cfg.MaxIterations = 1, 10
	}
	cfg.Seed = seed
	return cfg
}

func pCL(b compute.Backend, _ Signals, p Preset, seed uint64) baseline.Method {
	cfg := pcl.Paper()
	switch p {
	case DefaultPreset:
		cfg = pcl.Default()
	case SmokePreset:
		cfg.Epochs = 2
	}
	cfg.Backend, cfg.Seed = b, seed
	return cfg
}

func iVAE(b compute.Backend, in Signals, p Preset, seed uint64) baseline.Method {
	cfg := ivae.Paper()
	switch p {
	case DefaultPreset:
		cfg = ivae.Default()
	case SmokePreset:
		cfg.Iterations = 20
	}
	cfg.Backend, cfg.Seed, cfg.Shape = b, seed, in.Shape
	return cfg
}

// sOBI, jADE and picardO take a few steps by default, no more than a smoke test.
func sOBI(compute.Backend, Signals, Preset, uint64) baseline.Method { return sobi.Default() }

func jADE(compute.Backend, Signals, Preset, uint64) baseline.Method { return jade.Default() }

func picardO(_ compute.Backend, _ Signals, _ Preset, seed uint64) baseline.Method {
	cfg := picard.Default()
	cfg.Seed = seed
	return cfg
}

// separateLinear is linear.Separate, which has no settings but the shape.
func separateLinear(ctx context.Context, _ compute.Backend, in Signals, _ Preset, seed uint64) (*Recovery, error) {
	x, err := ica.New(in.X, in.Shape...)
	if err != nil {
		return nil, err
	}
	m, err := linear.Options{Seed: seed}.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return &Recovery{Z: m.Signals, Why: m.Why, Convergence: baseline.Convergence{Converged: true}}, nil
}

// reduced is x, or its principal components if some of its signals determine others.
func reduced(x *mat.Dense) (*mat.Dense, error) {
	r, err := preprocess.Reduce(x, 0)
	if err != nil || r.Components() == r.Channels() {
		return x, nil // each method says itself what is wrong with x
	}
	return r.Apply(x)
}

// mixed leaves the signals as they are: what the paper calls the baseline.
func mixed(ctx context.Context, _ compute.Backend, in Signals, _ Preset, _ uint64) (*Recovery, error) {
	if err := baseline.CheckSignals(in.X); err != nil {
		return nil, err
	}
	return &Recovery{Z: mat.DenseCopyOf(in.X), Convergence: baseline.Convergence{Converged: true}}, ctx.Err()
}
