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
	"github.com/seed-47b1e431/gosica/sica/baseline/jade"
	"github.com/seed-47b1e431/gosica/sica/baseline/sobi"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
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

// A Method separates mixed signals with the settings of a preset. It has either New or SICA.
type Method struct {
	// Name is short, in lower case, such as "sica-rf": for flags and files.
	Name string
	// Label is the method's name in pictures and tables; see plot.HasStyle. In tables sica.Default
	// is "Default".
	Label string
	// Presets are those that the method has, none if it has no settings.
	Presets []Preset
	// New returns the method with the settings of a task; nil for SICA.
	New func(t Task) ica.Method
	// SICA returns the settings of package sica, those of SmokePreset being their Smoke; nil for
	// other methods.
	SICA func() sica.Config
}

// A Task is what a method gets to do.
type Task struct {
	Backend compute.Backend
	Signals *ica.Signals
	Preset  Preset // "" for a method without settings
	Seed    uint64

	// checkpoint, if set, is a folder for sica.Config.Checkpoint. Only SICA with the paper's
	// settings, which takes minutes an iteration, uses it.
	checkpoint string
	iterates   bool // whether to keep SICA's start and iterates
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
		{"sica", plot.Default, chosen, nil, sica.Default},
		{"sica-linear", plot.SICALinear, nil, newLinear, nil},
		{"sica-direct", plot.SICADirect, chosen, nil, sica.Direct},
		{"sica-fast", plot.SICAFast, chosen, nil, sica.FastWGF},
		{"sica-wgf", plot.SICAWGF, paper, nil, sica.PaperWGF},
		{"sica-rf", plot.SICARF, paper, nil, sica.PaperRF},
		{"sica-rf-standardised", plot.StandardisedRF, paper, nil,
			changed(sica.PaperRF, standardise)},
		{"fastica", plot.FastICA, all, newFastICA, nil},
		{"lica", plot.LICA, all, newLICA, nil},
		newPCL("pcl", all, nil),
		newIVAE("ivae", all, nil),
		{"sobi", plot.SOBI, chosen, fixed(sobi.Default()), nil},
		{"jade", plot.JADE, chosen, fixed(jade.Default()), nil},
		{"picard", plot.Picard, chosen, newPicard, nil},
		{"zca", plot.ZCA, nil, fixed(zca.Whitening{}), nil},
		{"gaussianise+zca", plot.GaussianisedZCA, nil, fixed(zca.Gaussianised{}), nil},
		{"mixed", plot.Mixed, nil, fixed(asMixed{}), nil},
	}
}

// MethodNamed returns the method of that name. The error lists the names.
func MethodNamed(name string) (Method, error) {
	return byName("method", name, Methods(), func(m Method) string { return m.Name })
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

// checkPreset returns an error unless p is one of the method's presets, or "" and it has none.
func (m Method) checkPreset(p Preset) error {
	switch {
	case m.has(p):
		return nil
	case len(m.Presets) == 0:
		return fmt.Errorf("experiment: preset: %s has no %q; must be empty, as it has no settings",
			m.Name, p)
	}
	return fmt.Errorf("experiment: preset: %s has no %q; must be one of %q", m.Name, p, m.Presets)
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
	if m.SICA == nil || !m.has(p) {
		return sica.Config{}, fmt.Errorf("experiment: preset: %s has no %q of SICA's; "+
			"must be one of %q", m.Name, p, m.Presets)
	}
	if p == SmokePreset {
		return m.SICA().Smoke(), nil
	}
	return m.SICA(), nil
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
	return m.run(ctx, Task{Backend: b, Signals: x, Preset: p, Seed: seed})
}

// run does the task. A checkpoint that can't be used is an error that wraps
// sica.ErrCheckpoint.
func (m Method) run(ctx context.Context, t Task) (*Fitted, error) {
	if err := m.checkPreset(t.Preset); err != nil {
		return nil, err
	}
	began := time.Now()
	fit := m.fitNew
	if m.SICA != nil {
		fit = m.fitSICA
	}
	f, err := fit(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	f.Elapsed = max(f.Elapsed, time.Since(began))
	return f, nil
}

// fitNew fits the method that New returns.
func (m Method) fitNew(ctx context.Context, t Task) (*Fitted, error) {
	method := m.New(t)
	x := t.Signals
	if method != (asMixed{}) {
		var err error
		if x, err = reduced(x); err != nil {
			return nil, err
		}
	}
	model, err := method.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	f := &Fitted{Model: model}
	if t.Preset != "" {
		f.Config = method
	}
	return f, nil
}

// reduced returns the signals, or their principal components if some of them determine
// others.
func reduced(x *ica.Signals) (*ica.Signals, error) {
	r, err := mapping.Reduce(x.X(), 0, nil)
	if err != nil || r.Components() == r.Channels() {
		return x, nil // each method says itself what is wrong with x
	}
	y, err := r.Apply(x.X())
	if err != nil {
		return nil, err
	}
	return ica.New(y, x.Shape()...)
}
