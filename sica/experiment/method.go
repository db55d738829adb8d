package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// A Preset names a method's settings.
type Preset string

const (
	// PaperPreset is the settings that SICA's paper gives.
	PaperPreset Preset = "paper"
	// PrintedPreset is a figure's, not a method's: PaperPreset behind mixing steps as the
	// paper prints them; see Figure.Cells.
	PrintedPreset Preset = "printed"
	// DefaultPreset is the settings that this project chose by measurement.
	DefaultPreset Preset = "default"
	// SmokePreset is a few steps of PaperPreset, or of DefaultPreset for a method that isn't in
	// the paper: it shows in seconds that everything works, and nothing else.
	SmokePreset Preset = "smoke"
)

// Signals are mixed signals to be separated.
type Signals struct {
	X     *mat.Dense // d×T; no method changes it
	Shape []int      // of the position index, row-major; nil is {T}
	// Checkpoint, if set, is a folder for sica.Config.Checkpoint. Only SICA with
	// the paper's settings uses it, which takes minutes an iteration.
	Checkpoint string
}

// A Recovery is what a method made of mixed signals.
type Recovery struct {
	Z *mat.Dense // d×T
	// Config is the method's settings, as JSON shows them; nil if it has none.
	Config any
	// Convergence says how the fit ended. Its Warning is empty if all is well.
	baseline.Convergence
	// Why says in a sentence why SICA ended. It is empty for other methods.
	Why string
	// Loss and Divergence hold a value for each of SICA's iterations.
	Loss, Divergence []float64
	// Elapsed is how long it took, in all processes if it went on from a
	// checkpoint.
	Elapsed time.Duration
}

// A Method recovers sources from mixed signals.
type Method struct {
	// Name is short, in lower case, such as "sica-rf": for flags and files.
	Name string
	// Label is how pictures call it; see plot.StyleOf.
	Label string
	// Presets are those that the method has, none if it has no settings.
	Presets []Preset

	recover recoverer          // nil for SICA
	sica    func() sica.Config // nil for other methods
}

// Methods returns all methods: SICA with this project's settings, by package linear, by
// invertible networks and by a flow of seconds; with the paper's two flows, its rectified flow
// kept to scale, the paper's rivals, other
// linear ones, and what needs no training at all.
func Methods() []Method {
	all := []Preset{PaperPreset, DefaultPreset, SmokePreset}
	return []Method{
		{"sica", plot.SICA, []Preset{DefaultPreset, SmokePreset}, nil, sica.Default},
		{"sica-linear", plot.SICALinear, nil, separateLinear, nil},
		{"sica-direct", plot.SICADirect, []Preset{DefaultPreset, SmokePreset}, nil, sica.Direct},
		{"sica-fast", plot.SICAFast, []Preset{DefaultPreset, SmokePreset}, nil, sica.FastWGF},
		{"sica-wgf", plot.SICAWGF, []Preset{PaperPreset, SmokePreset}, nil, sica.PaperWGF},
		{"sica-rf", plot.SICARF, []Preset{PaperPreset, SmokePreset}, nil, sica.PaperRF},
		{"sica-rf-standardised", plot.StandardisedRF, []Preset{PaperPreset, SmokePreset}, nil, standardisedRF},
		{"fastica", plot.FastICA, all, fit(fastICA), nil},
		{"lica", plot.LICA, all, fit(lICA), nil},
		{"pcl", plot.PCL, all, fit(pCL), nil},
		{"ivae", plot.IVAE, all, fit(iVAE), nil},
		{"sobi", plot.SOBI, []Preset{DefaultPreset, SmokePreset}, fit(sOBI), nil},
		{"jade", plot.JADE, []Preset{DefaultPreset, SmokePreset}, fit(jADE), nil},
		{"picard", plot.Picard, []Preset{DefaultPreset, SmokePreset}, fit(picardO), nil},
		{"zca", plot.ZCA, nil, fitWith(zca.Whitening{}), nil},
		{"gaussianise+zca", plot.GaussianisedZCA, nil, fitWith(zca.Gaussianised{}), nil},
		{"mixed", plot.Mixed, nil, mixed, nil},
	}
}

// standardisedRF is SICA-RF with the signals standardised after each iteration, which
// the paper doesn't say. Without it they shrink: an iteration aims at the marginals of
// its own start, and what the network has learned in it takes the signals' sum
// towards them but hardly lets their difference grow.
func standardisedRF() sica.Config {
	cfg := sica.PaperRF()
	cfg.Standardise = true
	return cfg
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
	return Method{}, fmt.Errorf("experiment: unknown method %q: want one of %s", name, strings.Join(names, ", "))
}

// lookUp is MethodNamed, and knows the readings' methods, too.
func lookUp(name string) (Method, error) {
	for _, m := range readingMethods() {
		if m.Name == name {
			return m, nil
		}
	}
	return MethodNamed(name)
}

// has says whether p is one of the method's presets, or "" and it has none.
func (m Method) has(p Preset) bool {
	if len(m.Presets) == 0 {
		return p == ""
	}
	return slices.Contains(m.Presets, p)
}

// Settings returns the preset that comes nearest to p: p itself if the method has
// it, else the first that it has, and "" if it has no settings.
func (m Method) Settings(p Preset) Preset {
	switch {
	case len(m.Presets) == 0:
		return ""
	case m.has(p):
		return p
	}
	return m.Presets[0]
}

// Config returns SICA's settings of a preset. It is an error if the method isn't SICA,
// or has no such preset; it names those that it has.
func (m Method) Config(p Preset) (sica.Config, error) {
	if m.sica == nil || !m.has(p) {
		return sica.Config{}, fmt.Errorf("experiment: method %s has no preset %q of SICA's: want one of %q", m.Name, p, m.Presets)
	}
	if p == SmokePreset {
		return m.sica().Smoke(), nil
	}
	return m.sica(), nil
}

// Recover separates the mixed signals with the settings of a preset, "" for a
// method without settings. Linearly dependent ones are reduced to their principal
// components first; see sica.Preparation.Components. The same arguments give the same recovery. It is an
// error if the method has no such preset, if the signals don't suit it, or, with
// ctx.Err() wrapped, once ctx has ended. A checkpoint that can't be used is one that
// wraps sica.ErrCheckpoint.
func (m Method) Recover(ctx context.Context, b compute.Backend, in Signals, p Preset, seed uint64) (*Recovery, error) {
	if !m.has(p) {
		return nil, fmt.Errorf("experiment: method %s has no preset %q: want one of %q", m.Name, p, m.Presets)
	}
	began := time.Now()
	recover := m.recover
	if m.sica != nil {
		recover = m.separate
	}
	if m.sica == nil && m.Name != "mixed" {
		var err error
		if in.X, err = reduced(in.X); err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
	}
	r, err := recover(ctx, b, in, p, seed)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	r.Elapsed = max(r.Elapsed, time.Since(began))
	return r, nil
}
