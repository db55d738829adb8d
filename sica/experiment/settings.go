package experiment

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/ivae"
	"github.com/seed-47b1e431/gosica/sica/baseline/lica"
	"github.com/seed-47b1e431/gosica/sica/baseline/pcl"
	"github.com/seed-47b1e431/gosica/sica/baseline/picard"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// imageIterations is the paper's J of SICA-RF for images.
const imageIterations = 20

// sicaConfig returns SICA's settings of a task.
func (m Method) sicaConfig(t Task) (sica.Config, error) {
	cfg, err := m.Config(t.Preset)
	if err != nil {
		return cfg, err
	}
	cfg.Shape, cfg.Seed = gridShape(t.Signals), t.Seed
	if t.Preset == PaperPreset {
		cfg.Checkpoint = t.checkpoint
		if cfg.Flow != nil && cfg.Flow.Kind == sica.RF && len(cfg.Shape) == 2 {
			cfg.Flow.Iterations = imageIterations
		}
	}
	return cfg, nil
}

// config returns the settings of a task as Fitted.Config has them, nil if the method has none.
func (m Method) config(t Task) (any, error) {
	if err := m.checkPreset(t.Preset); err != nil {
		return nil, err
	}
	switch {
	case m.SICA != nil:
		return m.sicaConfig(t)
	case t.Preset == "":
		return nil, nil
	}
	return m.New(t), nil
}

// fitSICA is SICA.
func (m Method) fitSICA(ctx context.Context, t Task) (*Fitted, error) {
	cfg, err := m.sicaConfig(t)
	if err != nil {
		return nil, err
	}
	if t.iterates {
		return fitIterates(ctx, t, cfg)
	}
	model, err := sica.AsMethod(t.Backend, cfg).Fit(ctx, t.Signals)
	if err != nil {
		return nil, err
	}
	return &Fitted{Model: model, Config: cfg, Elapsed: model.Details.(*sica.Result).Elapsed}, nil
}

// fitIterates is SICA with its start and all iterates, also where these stop being finite.
func fitIterates(ctx context.Context, t Task, cfg sica.Config) (*Fitted, error) {
	var iterates []*mat.Dense
	cfg.Flow.OnIteration = func(_ int, it sica.Iteration) { iterates = append(iterates, it.Z) }
	run := sica.Run{X: t.Signals.X(), Seed: cfg.Seed, Joints: t.Signals.Joints()}
	results, err := sica.FitRuns(ctx, t.Backend, []sica.Run{run}, cfg)
	if err != nil && !errors.Is(err, sica.ErrNotFinite) {
		return nil, err
	}
	r := results[0]
	return &Fitted{
		Model: &ica.Model{
			Signals: r.Z, Convergence: r.Convergence(), Why: r.Why, Details: r,
		},
		Config:   cfg,
		Elapsed:  r.Elapsed,
		iterates: slices.Insert(iterates, 0, r.Initial),
	}, nil
}

// gridShape returns the shape of the positions, nil for a sequence.
func gridShape(x *ica.Signals) []int {
	if shape := x.Shape(); len(shape) > 1 {
		return shape
	}
	return nil
}

// asMixed leaves the signals as they are: what the paper calls the baseline.
type asMixed struct{}

func (asMixed) Name() string { return "mixed" }

func (asMixed) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	end := ica.Convergence{Converged: true}
	return &ica.Model{Signals: mat.DenseCopyOf(x.X()), Convergence: end}, ctx.Err()
}

// fixed returns the method whatever the task: those that need no seed and take a few steps.
func fixed(m ica.Method) func(Task) ica.Method { return func(Task) ica.Method { return m } }

// newLinear returns the linear rule, which has no settings.
func newLinear(t Task) ica.Method { return linear.Options{Seed: t.Seed} }

func newFastICA(t Task) ica.Method {
	cfg := fastica.Default()
	if t.Preset == PaperPreset {
		cfg = fastica.Paper()
	}
	cfg.Seed = t.Seed
	return cfg
}

func newLICA(t Task) ica.Method {
	cfg := lica.Paper()
	switch t.Preset {
	case DefaultPreset:
		cfg = lica.Default()
	case SmokePreset:
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

// newPCL returns PCL, with a change of its settings unless that is nil.
func newPCL(name string, presets []Preset, change func(c *pcl.Config)) Method {
	return Method{name, plot.PCL, presets, func(t Task) ica.Method {
		cfg := pcl.Paper()
		switch t.Preset {
		case DefaultPreset:
			cfg = pcl.Default()
		case SmokePreset:
			cfg.Epochs = 2
		}
		cfg.Backend, cfg.Seed = t.Backend, t.Seed
		if change != nil {
			change(&cfg)
		}
		return cfg
	}, nil}
}

// newIVAE returns iVAE, with a change of its settings for n positions unless that is nil.
func newIVAE(name string, presets []Preset, change func(c *ivae.Config, n int)) Method {
	return Method{name, plot.IVAE, presets, func(t Task) ica.Method {
		cfg := ivae.Paper()
		switch t.Preset {
		case DefaultPreset:
			cfg = ivae.Default()
		case SmokePreset:
			cfg.Iterations = 20
		}
		cfg.Backend, cfg.Seed = t.Backend, t.Seed
		if change != nil {
			_, n := t.Signals.Dims()
			change(&cfg, n)
		}
		return cfg
	}, nil}
}

// changed returns settings with a change.
func changed(preset func() sica.Config, change func(*sica.Config)) func() sica.Config {
	return func() sica.Config {
		cfg := preset()
		change(&cfg)
		return cfg
	}
}

// standardise standardises the signals after each iteration, which the paper doesn't say. Without
// it those of SICA-RF shrink: an iteration aims at the marginals of its own start, and what the
// network has learned in it takes the signals' sum towards them but hardly lets their difference
// grow.
func standardise(c *sica.Config) { c.Flow.Standardise = true }

// ivaeSegments is the number of segments that a variant of iVAE distinguishes, a choice: 32
// positions of 1024 are in each.
const ivaeSegments = 32

// variants are methods of tables alone: the paper's with one change of their settings each,
// by which other interpretations of it are compared, and parts of sica.Default.
func variants() []Method {
	paper, chosen := []Preset{PaperPreset}, []Preset{DefaultPreset}
	wgf := func(name string, change func(*sica.Config)) Method {
		return Method{name, plot.SICAWGF, paper, nil, changed(sica.PaperWGF, change)}
	}
	rf := func(name string, change func(*sica.Config)) Method {
		return Method{name, plot.SICARF, paper, nil, changed(sica.PaperRF, change)}
	}
	step := func(c *sica.Config, eta float64) { c.Flow.FirstStep, c.Flow.LastStep = eta, eta }
	return []Method{
		wgf("sica-wgf-raw", func(c *sica.Config) { c.Transforms = nil }),
		wgf("sica-wgf-summed", func(c *sica.Config) { c.Flow.SumOutputs = true }),
		wgf("sica-wgf-standardised", standardise),
		wgf("sica-wgf-warm", func(c *sica.Config) { c.Flow.WarmStart = true }),
		wgf("sica-wgf-fresh", func(c *sica.Config) { c.Flow.FreshProduct = true }),
		wgf("sica-wgf-slow", func(c *sica.Config) { step(c, 0.1) }),
		wgf("sica-wgf-fast", func(c *sica.Config) { step(c, 10) }),
		wgf("sica-wgf-raw-200", func(c *sica.Config) { c.Transforms = nil; step(c, 200) }),
		wgf("sica-wgf-rate", func(c *sica.Config) { c.Flow.LearningRate = 1e-3 }),
		wgf("sica-wgf-zca", func(c *sica.Config) {
			c.Transforms = []preprocess.Transform{preprocess.ZCA}
		}),
		rf("sica-rf-raw", func(c *sica.Config) { c.Transforms = nil }),
		rf("sica-rf-warm", func(c *sica.Config) { c.Flow.WarmStart = true }),
		rf("sica-rf-fresh", func(c *sica.Config) { c.Flow.FreshProduct = true }),
		// The number of waves is a choice: the paper has none.
		rf("sica-rf-waves", func(c *sica.Config) { c.Flow.TimeWaves = 4 }),
		{"sica-rule-linear", plot.SICALinear, chosen, nil, changed(sica.Default,
			func(c *sica.Config) { c.Method = sica.LinearOnly })},
		{"sica-whitening", plot.SICAFast, chosen, nil, changed(sica.FastWGF,
			func(c *sica.Config) { c.Flow = nil })},
		newPCL("pcl-falling", paper, func(c *pcl.Config) { c.Decay = true }),
		// As the public program has it that the paper was inspired by.
		newPCL("pcl-joint", paper, func(c *pcl.Config) { c.Raw, c.Joint = true, true }),
		newIVAE("ivae-raw", paper, func(c *ivae.Config, _ int) { c.Raw = true }),
		newIVAE("ivae-mean", paper, func(c *ivae.Config, _ int) { c.Recover = ivae.Mean }),
		newIVAE("ivae-mean-segments", paper, func(c *ivae.Config, n int) {
			c.Recover = ivae.Mean
			c.U = segments(n)
		}),
		newIVAE("ivae-mean-long", paper, func(c *ivae.Config, _ int) {
			c.Recover = ivae.Mean
			c.Iterations = longIVAE
		}),
		{"lica-one", plot.LICA, paper, func(t Task) ica.Method {
			cfg := lica.Paper()
			cfg.Seed, cfg.Starts = t.Seed, 1
			return cfg
		}, nil},
	}
}

// longIVAE is the number of steps of iVAE's authors, of which the paper made 2e4.
const longIVAE = 70_000

// segments says of each of n positions, by a one, in which of ivaeSegments it lies.
func segments(n int) *mat.Dense {
	u := mat.NewDense(ivaeSegments, n, nil)
	for t := range n {
		u.Set(t*ivaeSegments/n, t, 1)
	}
	return u
}
