package sica

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Config is the settings of a fit. The zero value is Default with the seed 0.
type Config struct {
	// Shape is that of the positions, row-major: {height, width} or {frames, height,
	// width}; nil for a sequence.
	Shape []int `json:"shape,omitempty"`
	// Seed gives every random draw of the fit.
	Seed uint64 `json:"seed"`
	// Prepare, if set, is a custom transform that comes before all else.
	Prepare preprocess.Fitter `json:"-"`
	// Components is the number of principal components that the mixed signals are reduced
	// to; 0 is their numerical rank.
	Components int `json:"components,omitempty"`
	// Transforms come next, in order.
	Transforms []preprocess.Transform `json:"transforms,omitempty"`
	// Method is what separates the signals.
	Method Method `json:"method,omitempty"`
	// NetworkSteps are the training steps of Method's networks; 0 is as many as the signals
	// call for: d·n/4, at least 2400 and at most 4800.
	NetworkSteps int `json:"network_steps,omitempty"`
	// Candidates are custom methods that Auto and LinearOnly compare with the linear rule.
	Candidates []ica.Method `json:"-"`
	// Flow is the settings of the iterations that follow; nil is no iterations.
	Flow *Flow `json:"flow,omitempty"`
	// Checkpoint, if set, is a folder that keeps the state of the fit; see Fit.
	Checkpoint string `json:"-"`
	// OnProgress, if set, is told what is being done in a run of FitRuns before the
	// iterations, and which share of it is done, 0 to 1. For iterations see Flow.OnIteration.
	OnProgress func(run int, doing string, done float64) `json:"-"`
}

// Method is what separates the signals before the iterations. Each whitens them first.
type Method string

const (
	// Auto is the linear rule, and where that leaves a sign of a nonlinear mixing of at most
	// eight sequences, what describes the mixed signals best: the linear rule, a conditional
	// normalisation (preprocess.Conditional) or invertible networks.
	Auto Method = ""
	// LinearOnly is the linear demixing with the shortest code, or symmetric whitening if
	// there is no evidence for another; see linear.Separate.
	LinearOnly Method = "linear"
	// NetworkOnly is the invertible network with the shortest code. It minimises SICA's
	// criterion itself, and undoes nonlinear mixings of signals that their own pasts predict
	// (docs/nonlinear.md).
	NetworkOnly Method = "network"
	// NoMethod leaves the signals as Config.Transforms left them, for the iterations.
	NoMethod Method = "none"
)

var methods = []Method{Auto, LinearOnly, NetworkOnly, NoMethod}

// String returns the name of the method, "auto" for Auto.
func (m Method) String() string {
	if m == Auto {
		return "auto"
	}
	return string(m)
}

// Flow is the settings of the iterations (paper, Algorithm 2).
type Flow = iterate.Config

// The values of Flow's settings.
const (
	WGF = iterate.WGF // Flow.Kind: the Wasserstein gradient flow
	RF  = iterate.RF  // Flow.Kind: the rectified flow

	WholeSequence = iterate.WholeSequence // Flow.Context: every other position, as in the paper
	LocalWindow   = iterate.LocalWindow   // Flow.Context: the neighbours up to a window away
	Prediction    = iterate.Prediction    // Flow.Context: each signal's prediction from them

	Free   = iterate.Free   // Flow.Family: every position moves by the vector field
	Linear = iterate.Linear // Flow.Family: the nearest affine map, a linear demixing

	Adam    = iterate.Adam    // Flow.Optimizer, with PyTorch's constants
	Adagrad = iterate.Adagrad // Flow.Optimizer, with PyTorch's constants
)

// Default returns the settings to use for signals of one's own: Auto without iterations.
// After the linear rule, FastWGF's iterations changed the MCC of figure 4's digits by
// -0.0013 to +0.0009 (docs/explanation/method.md).
func Default() Config { return Config{Seed: 1} }

// Direct returns Default with a network whatever the signals are like: SICA's criterion
// minimised itself over invertible maps (docs/nonlinear.md).
func Direct() Config { return Config{Seed: 1, Method: NetworkOnly} }

// FastWGF returns SICA-WGF in seconds, kept to linear maps: from whitened signals it follows
// a density ratio that small networks learn on two folds of the positions, from z_t alone
// and with the signals' own predictions of it. What the held-out positions don't confirm
// moves nothing. The iterate of least dependence is the result.
func FastWGF() Config { return flowOnly(iterate.FastWGF(), preprocess.ZCA) }

// PaperWGF returns SICA-WGF with the paper's settings: the network over the whole sequence,
// Adam 1e-5, batches of 100, 10 epochs, one Euler step an iteration, J = 10. The paper gives
// neither η nor the scale of the signals. Here η is 1 and the signals are standardised
// (docs/paper.md).
func PaperWGF() Config { return flowOnly(iterate.PaperWGF(), preprocess.Standardise) }

// PaperRF returns SICA-RF with the paper's settings: the network over the whole sequence,
// Adagrad 1e-5, batches of 100, 100 epochs, 100 Euler steps, J = 30. The paper uses J = 20
// for images.
func PaperRF() Config { return flowOnly(iterate.PaperRF(), preprocess.Standardise) }

// flowOnly returns the settings of a flow from transformed signals.
func flowOnly(flow Flow, from preprocess.Transform) Config {
	return Config{Seed: 1, Method: NoMethod, Transforms: []preprocess.Transform{from}, Flow: &flow}
}

// Smoke returns c cut down to what shows in seconds that everything works: at most two
// iterations of which the last is kept, LinearOnly in place of Auto, whose networks take
// longer, and 100 steps of NetworkOnly's. The separations of a flow or a network then mean
// nothing.
func (c Config) Smoke() Config {
	switch c.Method {
	case Auto:
		c.Method = LinearOnly
	case NetworkOnly:
		c.NetworkSteps = 100
	}
	if c.Flow != nil {
		flow := *c.Flow
		flow.KeepBest = false
		flow.Iterations = min(flow.Iterations, 2)
		flow.Epochs = min(flow.Epochs, 1)
		flow.Steps = min(flow.Steps, 20)
		flow.SolverSteps = min(flow.SolverSteps, 2)
		c.Flow = &flow
	}
	return c
}

// ErrConfig is wrapped by the error for a setting that is out of range.
var ErrConfig = errors.New("a setting is out of range")

// settingError is an error about a setting, in its own words.
type settingError struct{ error }

func (e settingError) Is(target error) bool { return target == ErrConfig }
func (e settingError) Unwrap() error        { return e.error }

// Validate returns an error that names the first setting that is out of range for d mixed
// signals at n positions, and what would be valid. It wraps ErrConfig, or ErrSignals if
// there are fewer than two signals.
func (c Config) Validate(d, n int) error {
	if _, err := c.grid(d, n); err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	return nil
}

// grid returns the index of n positions of d signals, mixed or recovered, if the settings
// are valid for them.
func (c Config) grid(d, n int) (*grid.Grid, error) {
	if d < 2 {
		return nil, signalsError{fmt.Errorf("x: is %d signal; must be at least 2", d)}
	}
	g, err := grid.New(c.Shape, n)
	if err == nil {
		err = c.validate(d)
	}
	if err == nil && c.Flow != nil {
		if err = c.Flow.Validate(g); err != nil {
			err = fmt.Errorf("Flow: %w", err)
		}
	}
	if err != nil {
		return nil, settingError{err}
	}
	return g, nil
}

func (c Config) validate(d int) error {
	for _, t := range c.Transforms {
		if _, err := preprocess.Parse(string(t)); err != nil {
			return fmt.Errorf("Transforms: %w", err)
		}
	}
	linear := c.Method == Auto || c.Method == LinearOnly
	switch {
	case !slices.Contains(methods, c.Method):
		return fmt.Errorf("Method: is %q; must be one of %q", c.Method, methods)
	case c.Components < 0 || c.Components == 1 || c.Components > d:
		return fmt.Errorf("Components: are %d of %d signals; must be 2 to %[2]d, or 0 for the signals' "+
			"rank", c.Components, d)
	case c.NetworkSteps < 0:
		return fmt.Errorf("NetworkSteps: are %d; must be at least 1, or 0 for as many as the signals "+
			"call for", c.NetworkSteps)
	case c.NetworkSteps > 0 && c.Method != Auto && c.Method != NetworkOnly:
		return fmt.Errorf("NetworkSteps: are %d; must be 0 for the method %q, which has no networks",
			c.NetworkSteps, c.Method)
	case len(c.Candidates) > 0 && !linear:
		return fmt.Errorf("Candidates: are compared by the methods %q and %q; must be none for %q",
			Auto, LinearOnly, c.Method)
	case slices.Contains(c.Candidates, nil):
		return errors.New("Candidates: one is nil; must be methods")
	case c.Checkpoint != "":
		parts := slices.DeleteFunc(c.custom(), func(name string) bool { return name == "Flow.Stop" })
		if len(parts) > 0 {
			return fmt.Errorf("Checkpoint: is set beside %s; must be empty then, since functions can't be "+
				"compared",
				strings.Join(parts, ", "))
		}
	}
	return nil
}

// custom returns the names of the custom parts of the fit that Save doesn't keep.
func (c Config) custom() []string {
	var names []string
	add := func(name string, set bool) {
		if set {
			names = append(names, name)
		}
	}
	add("Candidates", len(c.Candidates) > 0)
	if f := c.Flow; f != nil {
		add("Flow.Network", f.Network != nil)
		add("Flow.NewOptimizer", f.NewOptimizer != nil)
		add("Flow.Stop", f.Stop != nil)
	}
	return names
}

// Iterations returns the largest number of iterations, 0 without a Flow.
func (c Config) Iterations() int {
	if c.Flow == nil {
		return 0
	}
	return c.Flow.Iterations
}

// Watch returns c with each called after each iteration, as Flow.OnIteration is; c itself
// without a Flow. The Flow of c stays as it is.
func (c Config) Watch(each func(run int, it Iteration)) Config {
	c = c.Clone()
	if c.Flow != nil {
		c.Flow.OnIteration = each
	}
	return c
}

// Clone returns a copy of c with a Flow of its own, which can be changed without changing c.
func (c Config) Clone() Config {
	if c.Flow != nil {
		flow := *c.Flow
		c.Flow = &flow
	}
	return c
}
