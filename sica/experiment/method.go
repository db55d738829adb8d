package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// A Preset names a method's settings.
type Preset string

const (
	// PaperPreset is the settings that SICA's paper gives.
	PaperPreset Preset = "paper"
	// PrintedPreset is a figure's, not a method's: PaperPreset after mixing steps as the
	// paper prints them; see Figure.Trials.
	PrintedPreset Preset = "printed"
	// DefaultPreset is the settings that this project chose by measurement.
	DefaultPreset Preset = "default"
	// SmokePreset is a few steps of PaperPreset, or of DefaultPreset for a method that isn't
	// in the paper: it shows in seconds that everything works, and nothing else.
	SmokePreset Preset = "smoke"
)

// A Method separates mixed signals with the settings of a preset.
type Method struct {
	// Name is short, in lower case, such as "sica-rf": for flags and files.
	Name string
	// Label is the method's name in pictures and tables; see plot.HasStyle.
	Label string
	// Presets are those that the method has, none if it has no settings.
	Presets []Preset

	fit  fitter             // nil for SICA
	sica func() sica.Config // nil for other methods
}

// Methods returns all methods: SICA with this project's settings, by the linear rule alone,
// by invertible networks and by a flow of seconds; SICA with the paper's two flows, the
// rectified one also kept to scale; the paper's rivals and other linear methods; and what
// needs no training at all.
func Methods() []Method {
	all := []Preset{PaperPreset, DefaultPreset, SmokePreset}
	paper := []Preset{PaperPreset, SmokePreset}
	chosen := []Preset{DefaultPreset, SmokePreset}
	return []Method{
		{"sica", plot.SICA, chosen, nil, sica.Default},
		{"sica-linear", plot.SICALinear, nil, fitLinear, nil},
		{"sica-direct", plot.SICADirect, chosen, nil, sica.Direct},
		{"sica-fast", plot.SICAFast, chosen, nil, sica.FastWGF},
		{"sica-wgf", plot.SICAWGF, paper, nil, sica.PaperWGF},
		{"sica-rf", plot.SICARF, paper, nil, sica.PaperRF},
		{"sica-rf-standardised", plot.StandardisedRF, paper, nil, standardisedRF},
		{"fastica", plot.FastICA, all, fitWith(configureFastICA), nil},
		{"lica", plot.LICA, all, fitWith(configureLICA), nil},
		{"pcl", plot.PCL, all, fitWith(configurePCL), nil},
		{"ivae", plot.IVAE, all, fitWith(configureIVAE), nil},
		{"sobi", plot.SOBI, chosen, fitWith(configureSOBI), nil},
		{"jade", plot.JADE, chosen, fitWith(configureJADE), nil},
		{"picard", plot.Picard, chosen, fitWith(configurePicard), nil},
		{"zca", plot.ZCA, nil, fitWith(configureZCA), nil},
		{"gaussianise+zca", plot.GaussianisedZCA, nil, fitWith(configureGaussianisedZCA), nil},
		{"mixed", plot.Mixed, nil, fitMixed, nil},
	}
}

// MethodNamed returns the method of that name. The error lists the names.
func MethodNamed(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Method{}, fmt.Errorf("experiment: method: unknown name (%q); must be one of %s",
		name, strings.Join(names, ", "))
}

// lookUp is MethodNamed, and also knows the variants, which tables alone use.
func lookUp(name string) (Method, error) {
	for _, m := range variants() {
		if m.Name == name {
			return m, nil
		}
	}
	return MethodNamed(name)
}

// has reports whether p is one of the method's presets, or "" and it has none.
func (m Method) has(p Preset) bool {
	if len(m.Presets) == 0 {
		return p == ""
	}
	return slices.Contains(m.Presets, p)
}

// Settings returns the preset that comes nearest to p: p itself if the method has it, else
// the first that it has, and "" if it has no settings.
func (m Method) Settings(p Preset) Preset {
	switch {
	case len(m.Presets) == 0:
		return ""
	case m.has(p):
		return p
	}
	return m.Presets[0]
}

// Config returns SICA's settings of a preset. It is an error if the method isn't SICA, or
// has no such preset; it names those that it has.
func (m Method) Config(p Preset) (sica.Config, error) {
	if m.sica == nil || !m.has(p) {
		return sica.Config{}, fmt.Errorf("experiment: preset: %s has no %q of SICA's; "+
			"must be one of %q", m.Name, p, m.Presets)
	}
	if p == SmokePreset {
		return m.sica().Smoke(), nil
	}
	return m.sica(), nil
}

// A Fitted is what a method has made of mixed signals. Its Details are a *sica.Result for
// SICA and a *linear.Solution for the linear rule alone.
type Fitted struct {
	*ica.Model
	// Config is the method's settings, as JSON shows them; nil if it has none.
	Config any
	// Elapsed is how long it took, in all processes if it went on from a checkpoint.
	Elapsed time.Duration

	iterates []*mat.Dense // the start and what followed, if the task asks for them
}

// Fit separates the mixed signals with the settings of a preset, "" for a method without
// settings. Linearly dependent signals are reduced to their principal components first; see
// sica.Config.Components. The same arguments give the same signals. It is an error if
// the method has no such preset, if the signals don't suit it, or, with ctx.Err() wrapped,
// once ctx has ended.
func (m Method) Fit(
	ctx context.Context, b compute.Backend, x *ica.Signals, p Preset, seed uint64,
) (*Fitted, error) {
	return m.run(ctx, task{backend: b, x: x, preset: p, seed: seed})
}

// A task is what a method gets to do.
type task struct {
	backend compute.Backend
	x       *ica.Signals
	preset  Preset
	seed    uint64
	// checkpoint, if set, is a folder for sica.Config.Checkpoint. Only SICA with the paper's
	// settings, which takes minutes an iteration, uses it.
	checkpoint string
	iterates   bool // whether to keep SICA's start and iterates
}

// A fitter does a task.
type fitter = func(ctx context.Context, t task) (*Fitted, error)

// run does the task. A checkpoint that can't be used is an error that wraps
// sica.ErrCheckpoint.
func (m Method) run(ctx context.Context, t task) (*Fitted, error) {
	if !m.has(t.preset) {
		return nil, fmt.Errorf("experiment: preset: %s has no %q; must be one of %q",
			m.Name, t.preset, m.Presets)
	}
	began := time.Now()
	fit := m.fit
	if m.sica != nil {
		fit = m.fitSICA
	} else if m.Name != "mixed" {
		var err error
		if t.x, err = reduced(t.x); err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
	}
	f, err := fit(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	f.Elapsed = max(f.Elapsed, time.Since(began))
	return f, nil
}

// reduced returns the signals, or their principal components if some of them determine
// others.
func reduced(x *ica.Signals) (*ica.Signals, error) {
	r, err := mapping.Reduce(x.X(), 0)
	if err != nil || r.Components() == r.Channels() {
		return x, nil // each method says itself what is wrong with x
	}
	y, err := r.Apply(x.X())
	if err != nil {
		return nil, err
	}
	return ica.New(y, x.Shape()...)
}
