package methods

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/ivae"
	"github.com/seed-47b1e431/gosica/sica/baseline/lica"
	"github.com/seed-47b1e431/gosica/sica/baseline/pcl"
	"github.com/seed-47b1e431/gosica/sica/baseline/picard"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// imageIterations is the paper's J of SICA-RF for images.
const imageIterations = 20

// Config returns SICA's settings of a task, whose signals can be nil: then the shape is that of a
// sequence. It is an error if the method isn't SICA, or has no such preset; it names those that
// it has.
func (m Entry) Config(t Task) (sica.Config, error) {
	if m.has(t.Preset) {
		if s, ok := m.New(t).(sicaMethod); ok {
			return s.cfg, nil
		}
	}
	return sica.Config{}, fmt.Errorf("methods: preset: %s has no %q of SICA's; "+
		"must be one of %q", m.Name, t.Preset, m.Presets)
}

// SICA returns the New of an Entry that is package sica with these settings, those of Smoke being
// their Smoke.
func SICA(settings func() sica.Config) func(Task) ica.Method {
	return func(t Task) ica.Method {
		cfg := settings()
		if t.Preset == Smoke {
			cfg = cfg.Smoke()
		}
		cfg.Seed = t.Seed
		if t.Signals != nil {
			cfg.Shape = grid.ImageShape(t.Signals.Shape())
		}
		if t.Preset == Paper {
			cfg.Checkpoint = t.Checkpoint
			if cfg.Flow != nil && cfg.Flow.Kind == klflow.RF && len(cfg.Shape) == 2 {
				cfg.Flow.Iterations = imageIterations
			}
		}
		return sicaMethod{cfg, t.Backend}
	}
}

// sicaMethod is package sica as a method.
type sicaMethod struct {
	cfg     sica.Config // without the backend
	backend compute.Backend
}

func (s sicaMethod) Name() string { return "sica" }

func (s sicaMethod) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	return sica.AsMethod(s.cfg.On(s.backend)).Fit(ctx, x)
}

// Settings returns the settings of a task as Fitted.Config has them, nil if the method has none.
func (m Entry) Settings(t Task) (any, error) {
	if err := m.CheckPreset(t.Preset); err != nil {
		return nil, err
	}
	if t.Preset == "" {
		return nil, nil
	}
	switch method := m.New(t).(type) {
	case sicaMethod:
		return method.cfg, nil
	default:
		return method, nil
	}
}

// asMixed leaves the signals as they are: what the paper calls the baseline.
type asMixed struct{}

func (asMixed) Name() string { return "mixed" }

func (asMixed) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	if err := x.Validate(); err != nil {
		return nil, fmt.Errorf("mixed: %w", err)
	}
	end := ica.Convergence{Converged: true}
	return &ica.Model{Signals: mat.DenseCopyOf(x.X()), Convergence: end}, ctx.Err()
}

// fixed returns the method whatever the task: those that need no seed and take a few steps.
func fixed(m ica.Method) func(Task) ica.Method { return func(Task) ica.Method { return m } }

// standardisedRF is PaperRF, its signals standardised after each iteration, which the paper
// doesn't say. Without it they shrink: an iteration aims at the marginals of its own start, and
// what the network has learned in it takes the signals' sum towards them but hardly lets their
// difference grow.
func standardisedRF() sica.Config {
	cfg := sica.PaperRF()
	cfg.Flow.Standardise = true
	return cfg
}

// newLinear returns the linear rule, which has no settings.
func newLinear(t Task) ica.Method { return linear.Config{Seed: t.Seed} }

func newFastICA(t Task) ica.Method {
	cfg := fastica.Default()
	if t.Preset == Paper {
		cfg = fastica.Paper()
	}
	cfg.Seed = t.Seed
	return cfg
}

func newLICA(t Task) ica.Method {
	cfg := lica.Paper()
	switch t.Preset {
	case Default:
		cfg = lica.Default()
	case Smoke:
		cfg.Starts, cfg.MaxIterations = 1, 10
	}
	cfg.Seed = t.Seed
	return cfg
}

func newPicard(t Task) ica.Method {
	cfg := picard.Default()
	cfg.Seed = t.Seed
	return cfg
}

func newPCL(t Task) ica.Method {
	cfg := pcl.Paper()
	switch t.Preset {
	case Default:
		cfg = pcl.Default()
	case Smoke:
		cfg.Epochs = 2
	}
	cfg.Backend, cfg.Seed = t.Backend, t.Seed
	return cfg
}

func newIVAE(t Task) ica.Method {
	cfg := ivae.Paper()
	switch t.Preset {
	case Default:
		cfg = ivae.Default()
	case Smoke:
		cfg.Iterations = 20
	}
	cfg.Backend, cfg.Seed = t.Backend, t.Seed
	return cfg
}
