package sica

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/internal/network"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Config holds the settings of a fit. The zero value is Default with the seed 0.
type Config struct {
	// Backend computes networks and flows; see package backend. Nil means backend.Open(backend.Go),
	// pure Go. The linear rule needs none. JSON and the Config of a Result omit it.
	Backend compute.Backend `json:"-"`
	// Shape is the shape of the positions, row-major: {height, width} or {frames, height, width};
	// {n} for a sequence. Nil means a sequence, too, unless Auto or LinearOnly recognises images in
	// rows of one length; then Result.Why says so.
	Shape []int `json:"shape,omitempty"`
	// Seed determines every random draw of the fit; the linear rule draws regularising noise and
	// FastICA's initial axes. A second seed is a check: networks may converge elsewhere, but
	// identified signals should be nearly the same up to sign. If the signals of two seeds
	// correlate by less than 0.95, or only one is identified, treat the signal as not identified.
	// FitRuns fits several seeds at once.
	Seed uint64 `json:"seed"`
	// Prepare, if set, is a custom transform that is applied first.
	Prepare preprocess.Fitter `json:"-"`
	// Components is the number of principal components, those of the largest variance, to which the
	// mixed signals, each scaled to variance 1, are reduced: from 2 to the numerical rank. 0 means
	// the rank, which already removes linear dependence up to rounding. The fit takes the mean
	// variance of the components left out for the noise of each channel; signals that correlate
	// less than 0.95 with their sources because of such noise aren't identified. Set it for
	// channels that are nearly combinations of others, not against noise: a weak source may be in
	// the components left out. If several signals are noise-like (linear.Findings.NoiseLike), leave
	// it at 0 and ignore those signals.
	Components int `json:"components,omitempty"`
	// Rounding is the step to which the values of each mixed signal were rounded before a filter,
	// by datasets.Rounding. Principal components that are no more than rounding don't count for the
	// rank. Nil is for unfiltered signals, whose steps are detected.
	Rounding []float64 `json:"rounding,omitempty"`
	// Transforms are applied to the reduced signals, in order; Mode then whitens their output.
	// Leave it empty with Auto, unless you know that each channel was distorted separately after a
	// linear mixing, which Gaussianise roughly undoes. Gaussianise turns linear mixtures into
	// nonlinear ones. See package preprocess.
	Transforms []preprocess.Transform `json:"transforms,omitempty"`
	// Mode says how the signals are separated. The default is Auto.
	Mode Mode `json:"method,omitempty"`
	// NetworkSteps is the number of training steps of the networks of Auto and NetworkOnly. 0 means
	// d·n/4, between 2400 and 4800, for up to eight signals, with 12,000 for a deeper network if no
	// other network recovers the same signals; and 12,000 for more signals.
	NetworkSteps int `json:"network_steps,omitempty"`
	// Candidates are custom methods that the Modes Auto and LinearOnly compare with the linear rule
	// by code length. Their names must differ. A linear candidate is chosen if its code is the
	// shortest, a nonlinear one if its code is significantly shorter; among equal codes the linear
	// rule's wins, then the first. If a candidate is chosen, no network is fitted. A candidate
	// fails if its Model.Signals differ from its Model.Map of the mixed signals.
	Candidates []ica.Method `json:"-"`
	// CompareOnly excludes Candidates from the choice: the fit is the same as without them, but
	// Result.Candidates includes their code lengths.
	CompareOnly bool `json:"-"`
	// Flow holds the settings of the iterations that follow Mode; nil means no iterations.
	Flow *klflow.Config `json:"flow,omitempty"`
	// Checkpoint, if set, is a folder that keeps the state of the fit; see Fit.
	Checkpoint string `json:"-"`
	// OnProgress, if set, is called while Mode separates, with the index of the run in FitRuns, the
	// activity and the share of it that is done, from 0. The activities are "separating linearly",
	// "measuring the signals", "fitting networks", with the largest expected cost for more than
	// eight signals, and "judging networks". A share may stop short of 1, and an activity may
	// recur. The iterations of a Flow call Flow.OnIteration instead. The goroutine of Fit makes all
	// calls, one at a time; calls of concurrent fits can overlap.
	OnProgress func(run int, doing string, done float64) `json:"-"`
}

// Mode says how the signals are separated before the iterations. Each mode except TransformsOnly
// whitens the signals first.
type Mode string

const (
	// Auto is the linear rule, unless a nonlinear model describes the mixed signals better: the
	// rule after a curve for each channel (linear.Straighten, "curves" in Candidate.Transforms) or,
	// for sequences with a sign of nonlinearity, a conditional normalisation
	// (preprocess.Conditional) or invertible networks.
	Auto Mode = ""
	// LinearOnly is the linear rule: the linear demixing with the shortest code, or symmetric
	// whitening without evidence for another demixing. Noise and surplus sources can lead to a
	// different demixing; see linear.Separate. For nonlinear mixtures, signals that it identifies
	// can be wrong: Result.Why says that no nonlinear mixing was looked for.
	LinearOnly Mode = "linear"
	// NetworkOnly is the invertible network with the shortest code. It minimises SICA's criterion
	// directly, and undoes nonlinear mixings of signals that are predictable from their own past
	// (docs/evaluation/nonlinear.md).
	NetworkOnly Mode = "network"
	// TransformsOnly leaves the signals as Config.Transforms left them, for the iterations.
	TransformsOnly Mode = "none"
)

// constants are the names of the modes in Go.
var constants = map[Mode]string{
	Auto: "sica.Auto", LinearOnly: "sica.LinearOnly", NetworkOnly: "sica.NetworkOnly",
	TransformsOnly: "sica.TransformsOnly",
}

// minPositions is the least number of positions for all modes but TransformsOnly: evidence is
// computed in sixteenths of the positions with a past, of which one may be empty. d + 2 positions
// are required as well, since any d whitened signals at d + 1 positions form a regular simplex, so
// that no rotation is identified.
const minPositions = 16

// String returns the name of the mode, "auto" for Auto.
func (m Mode) String() string {
	if m == Auto {
		return "auto"
	}
	return string(m)
}

// constant returns the name of the mode in Go, or an unknown mode in quotes.
func (m Mode) constant() string { return cmp.Or(constants[m], strconv.Quote(string(m))) }

// Default returns the settings to begin with: Auto with the seed 1. It makes no iterations
// (docs/explanation/method.md says why).
func Default() Config { return Config{Seed: 1} }

// Direct returns Default with NetworkOnly: an invertible network that minimises SICA's criterion
// directly (docs/explanation/networks.md).
func Direct() Config { return Config{Seed: 1, Mode: NetworkOnly} }

// FastWGF returns SICA-WGF in seconds, with a linear map: the flow klflow.FastWGF from whitened
// signals.
func FastWGF() Config { return flowOnly(klflow.FastWGF(), preprocess.ZCA) }

// PaperWGF returns SICA-WGF with the paper's settings: the network over the whole sequence, Adam
// 1e-5, batches of 100, 10 epochs, one Euler step an iteration, J = 10. The paper gives neither η
// nor the scale of the signals. Here η is 1 and signals are standardised
// (docs/evaluation/paper.md).
//
// docs/reference/settings.md shows how to follow the paper's text literally, from unscaled X and
// with d outputs.
func PaperWGF() Config { return flowOnly(klflow.PaperWGF(), preprocess.Standardise) }

// PaperRF returns SICA-RF with the paper's settings: the network over the whole sequence,
// Adagrad 1e-5, batches of 100, 100 epochs, 100 Euler steps, J = 30. The paper uses J = 20
// for images.
func PaperRF() Config { return flowOnly(klflow.PaperRF(), preprocess.Standardise) }

// flowOnly returns the settings of a flow from transformed signals.
func flowOnly(flow klflow.Config, from preprocess.Transform) Config {
	transforms := []preprocess.Transform{from}
	return Config{Seed: 1, Mode: TransformsOnly, Transforms: transforms, Flow: &flow}
}

// Smoke returns c reduced to a fit of seconds that shows that everything works: at most two
// iterations, the last of which is kept, LinearOnly instead of Auto, whose networks take longer,
// and 100 steps for NetworkOnly. The separations of a flow or a network are then meaningless.
func (c Config) Smoke() Config {
	c = c.Clone()
	switch c.Mode {
	case Auto:
		c.Mode = LinearOnly
	case NetworkOnly:
		c.NetworkSteps = 100
	}
	if flow := c.Flow; flow != nil {
		flow.KeepBest = false
		flow.Iterations = min(flow.Iterations, 2)
		flow.Epochs = min(flow.Epochs, 1)
		flow.Steps = min(flow.Steps, 20)
		flow.SolverSteps = min(flow.SolverSteps, 2)
	}
	return c
}

// inOperation returns err with the name of the package and of one of its operations; nil for nil.
func inOperation(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sica: %s: %w", name, err)
}

// ErrConfig is wrapped by the error for a setting that is out of range. It is ica.ErrConfig.
var ErrConfig = ica.ErrConfig

// Validate returns an error that names the first setting that is out of range for d mixed signals
// at n positions, and the valid values. It wraps ErrConfig, or ErrSignals if there are fewer than
// two signals or too few positions for the Mode; see Fit. Fit checks whether the rank of the
// signals allows Components.
func (c Config) Validate(d, n int) error {
	if _, err := c.check(d, n); err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	return nil
}

// check returns the index of n positions of d mixed signals, or the error of Validate without its
// prefix.
func (c Config) check(d, n int) (*grid.Grid, error) {
	if d < 2 {
		return nil, signal.AsErrSignals(fmt.Errorf("x: is %d signal; must be at least 2", d))
	}
	// Without Components their number is the rank, which is known later.
	if least := max(minPositions, c.Components+2); c.Mode != TransformsOnly && n < least {
		return nil, signal.AsErrSignals(c.tooFew(d, n, "", least))
	}
	g, err := grid.New(c.Shape, n)
	if err != nil {
		err = fmt.Errorf("Shape: %w", err)
	} else {
		err = c.checkFields(d, g)
	}
	if err != nil {
		return nil, signal.OfKind(err, ErrConfig)
	}
	if c.Mode == NetworkOnly {
		err = network.CheckShape(g.Shape())
	}
	return g, err
}

// tooFew returns the error for n < least positions of d signals. rank describes their rank in the
// message; empty for none.
func (c Config) tooFew(d, n int, rank string, least int) error {
	advice := ""
	if n-2 >= 2 && least > minPositions {
		advice = fmt.Sprintf(", or Config.Components well below %d", n)
	}
	return fmt.Errorf("x: has %d positions of %d signals%s, too few for %s; must be at least %d%s%s", n, d,
		rank, c.Mode.constant(), least, advice, signal.Transposed("x", d > n))
}

// checkFields returns an error unless all fields except Shape are valid for d mixed signals at the
// positions of g.
func (c Config) checkFields(d int, g *grid.Grid) error {
	for _, t := range c.Transforms {
		if err := mapping.Check(t); err != nil {
			return fmt.Errorf("Transforms: %w", err)
		}
	}
	linear := c.Mode == Auto || c.Mode == LinearOnly
	switch {
	case constants[c.Mode] == "":
		return fmt.Errorf("Mode: is %q; must be sica.Auto, sica.LinearOnly, sica.NetworkOnly or "+
			"sica.TransformsOnly", string(c.Mode))
	case c.Components < 0 || c.Components == 1 || c.Components > d:
		return fmt.Errorf("Components: is %d; must be from 2 to the number of signals, %d, or 0 "+
			"for their rank", c.Components, d)
	case c.NetworkSteps < 0:
		return fmt.Errorf("NetworkSteps: is %d; must be at least 1, or 0 for as many as the "+
			"signals call for", c.NetworkSteps)
	case c.NetworkSteps > 0 && c.Mode != Auto && c.Mode != NetworkOnly:
		return fmt.Errorf("NetworkSteps: is %d; must be 0 for %s, which has no networks",
			c.NetworkSteps, c.Mode.constant())
	case len(c.Candidates) > 0 && !linear:
		return fmt.Errorf("Candidates: are compared by sica.Auto and sica.LinearOnly; must be none for %s",
			c.Mode.constant())
	case c.Checkpoint != "":
		parts := slices.DeleteFunc(c.custom(), func(name string) bool { return name == "Flow.Stop" })
		if len(parts) > 0 {
			return fmt.Errorf("Checkpoint: is set beside %s; must be empty then, since functions "+
				"can't be compared",
				strings.Join(parts, ", "))
		}
	}
	if err := checkNames(c.Candidates); err != nil {
		return err
	}
	if err := c.checkRounding(d); err != nil {
		return err
	}
	if c.Flow == nil {
		return nil
	}
	return checkFlow(*c.Flow, g)
}

// checkRounding returns an error unless Rounding is valid for d mixed signals.
func (c Config) checkRounding(d int) error {
	if k := len(c.Rounding); k != 0 && k != d {
		return fmt.Errorf("Rounding: has %d steps; must have one for each of the %d signals, or be nil",
			k, d)
	}
	for i, step := range c.Rounding {
		if !(step >= 0) || math.IsInf(step, 0) {
			return fmt.Errorf("Rounding: step %d is %g; must be 0 or more, and finite", i+1, step)
		}
	}
	return nil
}

// checkFlow returns an error unless the settings of a flow are valid at the positions of g.
func checkFlow(flow klflow.Config, g *grid.Grid) error {
	if flow.Kind == "" {
		return errors.New("Flow: has no Kind; start from sica.FastWGF().Flow, sica.PaperWGF().Flow or " +
			"sica.PaperRF().Flow, and change fields")
	}
	if err := iterate.Config(flow).Validate(g); err != nil {
		return fmt.Errorf("Flow: %w", err)
	}
	return nil
}

// checkNames returns an error unless the names of the methods differ and meet the conditions of
// ica.Method.
func checkNames(methods []ica.Method) error {
	names := make(map[string]bool)
	for _, m := range methods {
		if m == nil {
			return errors.New("Candidates: one is nil; must be methods")
		}
		name, err := guard.Result("Name", func() (string, error) { return m.Name(), nil })
		switch {
		case err != nil:
			return fmt.Errorf("Candidates: %T: %w", m, err)
		case name == "" || name != strings.ToLower(name) || strings.ContainsFunc(name, unicode.IsSpace):
			return fmt.Errorf("Candidates: one is named %q; must be in lower case and without spaces",
				name)
		case names[name]:
			return fmt.Errorf("Candidates: two are named %q; must have names of their own", name)
		}
		names[name] = true
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

// On returns c with the Backend b.
func (c Config) On(b compute.Backend) Config {
	c.Backend = b
	return c
}

// Watch returns a copy of c with each as Flow.OnIteration, called after each iteration. Without a
// Flow the copy equals c.
func (c Config) Watch(each func(run int, it klflow.Iteration)) Config {
	c = c.Clone()
	if c.Flow != nil {
		c.Flow.OnIteration = each
	}
	return c
}

// Clone returns a copy of c with separate slices and Flow, which can be changed without changing c.
// The copy shares the Backend, the custom methods and functions.
func (c Config) Clone() Config {
	c.Shape = slices.Clone(c.Shape)
	c.Rounding = slices.Clone(c.Rounding)
	c.Transforms = slices.Clone(c.Transforms)
	c.Candidates = slices.Clone(c.Candidates)
	if c.Flow != nil {
		flow := *c.Flow
		flow.Windows = slices.Clone(flow.Windows)
		flow.Hidden = slices.Clone(flow.Hidden)
		c.Flow = &flow
	}
	return c
}
