package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/ivae"
	"github.com/seed-47b1e431/gosica/sica/baseline/lica"
	"github.com/seed-47b1e431/gosica/sica/baseline/pcl"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// PrintedPreset is a figure's, not a method's: methods.Paper after mixing steps as the paper
// prints them; see Figure.Trials.
const PrintedPreset methods.Preset = "printed"

// Presets returns those of a figure.
func Presets() []methods.Preset {
	return []methods.Preset{methods.Paper, PrintedPreset, methods.Default, methods.Smoke}
}

// methodNamed is methods.Named, and also knows the variants, which tables alone use.
func methodNamed(name string) (methods.Entry, error) {
	for _, m := range variants() {
		if m.Name == name {
			return m, nil
		}
	}
	m, err := methods.Named(name)
	if err != nil {
		return m, fmt.Errorf("experiment: %w", err)
	}
	return m, nil
}

// byName returns what has that name. The error lists the names.
func byName[T any](what, name string, all []T, nameOf func(T) string) (T, error) {
	var names []string
	for _, v := range all {
		if nameOf(v) == name {
			return v, nil
		}
		names = append(names, nameOf(v))
	}
	var none T
	return none, fmt.Errorf("experiment: %s: unknown name (%q); must be one of %s",
		what, name, strings.Join(names, ", "))
}

// A fitted is what a method has made, with the start and all iterates of SICA's flow where the
// measure asks for them.
type fitted struct {
	*methods.Fitted
	iterates []*mat.Dense
}

// fitIterates fits SICA and keeps its start and all iterates, also where these stop being finite.
func fitIterates(ctx context.Context, m methods.Entry, t methods.Task) (*fitted, error) {
	cfg, err := m.Config(t)
	if err != nil {
		return nil, err
	}
	var iterates []*mat.Dense
	cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) { iterates = append(iterates, it.Z) }
	run := sica.Run{X: t.Signals.X(), Seed: cfg.Seed, Joints: t.Signals.Joints()}
	results, err := sica.FitRuns(ctx, []sica.Run{run}, cfg.On(t.Backend))
	if err != nil && !errors.Is(err, sica.ErrNotFinite) {
		return nil, err
	}
	r := results[0]
	model := &ica.Model{Signals: r.Z, Convergence: r.Convergence(), Why: r.Why, Details: r}
	return &fitted{
		&methods.Fitted{Model: model, Config: cfg, Elapsed: r.Elapsed},
		slices.Insert(iterates, 0, r.Initial),
	}, nil
}

// ivaeSegments is the number of segments that a variant of iVAE distinguishes, a choice: 32
// positions of 1024 are in each.
const ivaeSegments = 32

// longIVAE is the number of steps of iVAE's authors, of which the paper made 2e4.
const longIVAE = 70_000

// variants are methods of tables alone: the paper's with one change of their settings each,
// by which other interpretations of it are compared, and parts of sica.Default.
func variants() []methods.Entry {
	paper := []methods.Preset{methods.Paper}
	wgf := func(name string, change func(*sica.Config)) methods.Entry {
		return methods.Entry{Name: name, Label: plot.SICAWGF, Presets: paper,
			New: methods.SICA(changed(sica.PaperWGF, change))}
	}
	rf := func(name string, change func(*sica.Config)) methods.Entry {
		return methods.Entry{Name: name, Label: plot.SICARF, Presets: paper,
			New: methods.SICA(changed(sica.PaperRF, change))}
	}
	step := func(c *sica.Config, eta float64) { c.Flow.FirstStep, c.Flow.LastStep = eta, eta }
	return []methods.Entry{
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
		{Name: "sica-whitening", Label: plot.SICAFast, Presets: []methods.Preset{methods.Default},
			New: methods.SICA(changed(sica.FastWGF, func(c *sica.Config) { c.Flow = nil }))},
		changedPCL("pcl-falling", func(c *pcl.Config) { c.Decay = true }),
		// As the public program has it that the paper was inspired by.
		changedPCL("pcl-joint", func(c *pcl.Config) { c.Raw, c.Joint = true, true }),
		changedIVAE("ivae-raw", func(c *ivae.Config, _ int) { c.Raw = true }),
		changedIVAE("ivae-mean", func(c *ivae.Config, _ int) { c.Recover = ivae.Mean }),
		changedIVAE("ivae-mean-segments", func(c *ivae.Config, n int) {
			c.Recover = ivae.Mean
			c.U = segments(n)
		}),
		changedIVAE("ivae-mean-long", func(c *ivae.Config, _ int) {
			c.Recover = ivae.Mean
			c.Iterations = longIVAE
		}),
		{Name: "lica-one", Label: plot.LICA, Presets: paper, New: func(t methods.Task) ica.Method {
			cfg := lica.Paper()
			cfg.Seed, cfg.Starts = t.Seed, 1
			return cfg
		}},
	}
}

// changed returns settings with a change.
func changed(preset func() sica.Config, change func(*sica.Config)) func() sica.Config {
	return func() sica.Config {
		cfg := preset()
		change(&cfg)
		return cfg
	}
}

// changedPCL returns the paper's PCL with a change of its settings.
func changedPCL(name string, change func(c *pcl.Config)) methods.Entry {
	return methods.Entry{Name: name, Label: plot.PCL, Presets: []methods.Preset{methods.Paper},
		New: func(t methods.Task) ica.Method {
			cfg := pcl.Paper()
			cfg.Backend, cfg.Seed = t.Backend, t.Seed
			change(&cfg)
			return cfg
		}}
}

// changedIVAE returns the paper's iVAE with a change of its settings for n positions.
func changedIVAE(name string, change func(c *ivae.Config, n int)) methods.Entry {
	return methods.Entry{Name: name, Label: plot.IVAE, Presets: []methods.Preset{methods.Paper},
		New: func(t methods.Task) ica.Method {
			cfg := ivae.Paper()
			cfg.Backend, cfg.Seed = t.Backend, t.Seed
			_, n := t.Signals.Dims()
			change(&cfg, n)
			return cfg
		}}
}

// segments says of each of n positions, by a one, in which of ivaeSegments it lies.
func segments(n int) *mat.Dense {
	u := mat.NewDense(ivaeSegments, n, nil)
	for t := range n {
		u.Set(t*ivaeSegments/n, t, 1)
	}
	return u
}
