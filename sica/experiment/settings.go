package experiment

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/ivae"
	"github.com/seed-47b1e431/gosica/sica/baseline/jade"
	"github.com/seed-47b1e431/gosica/sica/baseline/lica"
	"github.com/seed-47b1e431/gosica/sica/baseline/pcl"
	"github.com/seed-47b1e431/gosica/sica/baseline/picard"
	"github.com/seed-47b1e431/gosica/sica/baseline/sobi"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// imageIterations is the paper's J of SICA-RF for images.
const imageIterations = 20

// fitSICA is SICA.
func (m Method) fitSICA(ctx context.Context, t task) (*Fitted, error) {
	cfg, err := m.Config(t.preset)
	if err != nil {
		return nil, err
	}
	cfg.Shape, cfg.Seed = gridShape(t.x), t.seed
	if t.preset == PaperPreset {
		cfg.Checkpoint = t.checkpoint
		if cfg.Flow != nil && cfg.Flow.Kind == sica.RF && len(cfg.Shape) == 2 {
			cfg.Flow.Iterations = imageIterations
		}
	}
	if t.iterates {
		return fitIterates(ctx, t, cfg)
	}
	model, err := sica.AsMethod(t.backend, cfg).Fit(ctx, t.x)
	if err != nil {
		return nil, err
	}
	return &Fitted{Model: model, Config: cfg, Elapsed: model.Details.(*sica.Result).Elapsed}, nil
}

// fitIterates is SICA with its start and all iterates, also where these stop being finite.
func fitIterates(ctx context.Context, t task, cfg sica.Config) (*Fitted, error) {
	var iterates []*mat.Dense
	cfg.Flow.OnIteration = func(_ int, it sica.Iteration) { iterates = append(iterates, it.Z) }
	r, err := sica.Fit(ctx, t.backend, t.x.X(), cfg)
	if err != nil && !errors.Is(err, sica.ErrNotFinite) {
		return nil, err
	}
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

// fitLinear returns the linear rule, which has no settings.
func fitLinear(ctx context.Context, t task) (*Fitted, error) {
	model, err := linear.Options{Seed: t.seed}.Fit(ctx, t.x)
	if err != nil {
		return nil, err
	}
	return &Fitted{Model: model}, nil
}

// fitMixed leaves the signals as they are: what the paper calls the baseline.
func fitMixed(ctx context.Context, t task) (*Fitted, error) {
	end := ica.Convergence{Converged: true}
	model := &ica.Model{Signals: mat.DenseCopyOf(t.x.X()), Convergence: end}
	return &Fitted{Model: model}, ctx.Err()
}

// fitWith fits a rival with the settings that configure gives for a task.
func fitWith(configure func(t task) ica.Method) fitter {
	return func(ctx context.Context, t task) (*Fitted, error) {
		settings := configure(t)
		model, err := settings.Fit(ctx, t.x)
		if err != nil {
			return nil, err
		}
		f := &Fitted{Model: model}
		if t.preset != "" {
			f.Config = settings
		}
		return f, nil
	}
}

func configureFastICA(t task) ica.Method {
	cfg := fastica.Default()
	if t.preset == PaperPreset {
		cfg = fastica.Paper()
	}
	cfg.Seed = t.seed
	return cfg
}

func configureLICA(t task) ica.Method {
	cfg := lica.Paper()
	switch t.preset {
	case DefaultPreset:
		cfg = lica.Default()
	case SmokePreset:
		cfg.Starts, cfg.MaxIterations = 1, 10
	}
	cfg.Seed = t.seed
	return cfg
}

func configurePCL(t task) ica.Method {
	cfg := pcl.Paper()
	switch t.preset {
	case DefaultPreset:
		cfg = pcl.Default()
	case SmokePreset:
		cfg.Epochs = 2
	}
	cfg.Backend, cfg.Seed = t.backend, t.seed
	return cfg
}

func configureIVAE(t task) ica.Method {
	cfg := ivae.Paper()
	switch t.preset {
	case DefaultPreset:
		cfg = ivae.Default()
	case SmokePreset:
		cfg.Iterations = 20
	}
	cfg.Backend, cfg.Seed = t.backend, t.seed
	return cfg
}

// SOBI, JADE and Picard take a few steps by default, no more than a smoke test.
func configureSOBI(task) ica.Method { return sobi.Default() }

func configureJADE(task) ica.Method { return jade.Default() }

func configurePicard(t task) ica.Method {
	cfg := picard.Default()
	cfg.Seed = t.seed
	return cfg
}

func configureZCA(task) ica.Method { return zca.Whitening{} }

func configureGaussianisedZCA(task) ica.Method { return zca.Gaussianised{} }

// standardisedRF returns SICA-RF with the signals standardised after each iteration, which
// the paper doesn't say. Without it they shrink: an iteration aims at the marginals of
// its own start, and what the network has learned in it takes the signals' sum
// towards them but hardly lets their difference grow.
func standardisedRF() sica.Config {
	cfg := sica.PaperRF()
	cfg.Flow.Standardise = true
	return cfg
}

// ivaeSegments is the number of segments that a variant of iVAE distinguishes, a choice: 32
// positions of 1024 are in each.
const ivaeSegments = 32

// variants are methods of tables alone: the paper's with one change of their settings each,
// by which other interpretations of it are compared, and parts of sica.Default.
func variants() []Method {
	paper, chosen := []Preset{PaperPreset}, []Preset{DefaultPreset}
	changed := func(
		name, label string, preset func() sica.Config, change func(*sica.Config),
	) Method {
		return Method{name, label, paper, nil, func() sica.Config {
			cfg := preset()
			change(&cfg)
			return cfg
		}}
	}
	wgf := func(name string, change func(*sica.Config)) Method {
		return changed(name, plot.SICAWGF, sica.PaperWGF, change)
	}
	rf := func(name string, change func(*sica.Config)) Method {
		return changed(name, plot.SICARF, sica.PaperRF, change)
	}
	step := func(c *sica.Config, eta float64) { c.Flow.FirstStep, c.Flow.LastStep = eta, eta }
	return []Method{
		wgf("sica-wgf-raw", func(c *sica.Config) { c.Transforms = nil }),
		wgf("sica-wgf-summed", func(c *sica.Config) { c.Flow.SumOutputs = true }),
		wgf("sica-wgf-standardised", func(c *sica.Config) { c.Flow.Standardise = true }),
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
		{"sica-rule-linear", plot.SICALinear, chosen, nil, func() sica.Config {
			cfg := sica.Default()
			cfg.Method = sica.LinearOnly
			return cfg
		}},
		{"sica-whitening", plot.SICAFast, chosen, nil, func() sica.Config {
			cfg := sica.FastWGF()
			cfg.Flow = nil
			return cfg
		}},
		rivalPCL("pcl-falling", func(c *pcl.Config) { c.Decay = true }),
		// As the public program has it that the paper was inspired by.
		rivalPCL("pcl-joint", func(c *pcl.Config) { c.Raw, c.Joint = true, true }),
		rivalIVAE("ivae-raw", func(c *ivae.Config, _ int) { c.Raw = true }),
		rivalIVAE("ivae-mean", func(c *ivae.Config, _ int) { c.Recover = ivae.Mean }),
		rivalIVAE("ivae-mean-segments", func(c *ivae.Config, n int) {
			c.Recover = ivae.Mean
			c.U = segments(n)
		}),
		rivalIVAE("ivae-mean-long", func(c *ivae.Config, _ int) {
			c.Recover = ivae.Mean
			c.Iterations = longIVAE
		}),
		{"lica-one", plot.LICA, paper, fitWith(func(t task) ica.Method {
			cfg := lica.Paper()
			cfg.Seed, cfg.Starts = t.seed, 1
			return cfg
		}), nil},
	}
}

// longIVAE is the number of steps of iVAE's authors, of which the paper made 2e4.
const longIVAE = 70_000

// rivalPCL returns the paper's PCL with a change of its settings.
func rivalPCL(name string, change func(c *pcl.Config)) Method {
	return Method{name, plot.PCL, []Preset{PaperPreset}, fitWith(func(t task) ica.Method {
		cfg := pcl.Paper()
		cfg.Backend, cfg.Seed = t.backend, t.seed
		change(&cfg)
		return cfg
	}), nil}
}

// rivalIVAE returns the paper's iVAE with a change of its settings for n positions.
func rivalIVAE(name string, change func(c *ivae.Config, n int)) Method {
	return Method{name, plot.IVAE, []Preset{PaperPreset}, fitWith(func(t task) ica.Method {
		_, n := t.x.Dims()
		cfg := ivae.Paper()
		cfg.Backend, cfg.Seed = t.backend, t.seed
		change(&cfg, n)
		return cfg
	}), nil}
}

// segments says of each of n positions, by a one, in which of ivaeSegments it lies.
func segments(n int) *mat.Dense {
	u := mat.NewDense(ivaeSegments, n, nil)
	for t := range n {
		u.Set(t*ivaeSegments/n, t, 1)
	}
	return u
}
