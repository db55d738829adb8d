// Package report says how far a separation can be trusted, without knowing the true sources.
//
// New evaluates a result in several ways: how far the recovered signals depend on each other, how
// well each is predicted by its own context and by the contexts of all, whether another linear
// demixing has a shorter code, whether the mixing seems nonlinear, and whether the same signals
// come back from parts of the recording and with other seeds. The Report holds the measurements,
// and its Verdict sums them up. Config sets the number of further fits.
//
// Package html writes a report as a page. docs/evaluation/reliability.md counts how often the
// verdicts were right. The refits follow ICASSO (J. Himberg, A. Hyvärinen and F. Esposito,
// NeuroImage 22(3), 2004).
package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/purego"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Config holds the settings of New. Begin with Default; the zero value makes no refits.
type Config struct {
	// Backend trains the networks of New, including those of refits; see package backend. Nil means
	// backend.Open(backend.Go), pure Go.
	Backend compute.Backend
	// Shape is the shape of the positions. Nil means the shape of the fit if it has as many
	// positions, and otherwise a sequence.
	Shape []int
	// Refits is the number of further fits that measure the stability; 0 omits it. Each takes as
	// long as the fit.
	Refits int
	// Positions are the positions of x in a longer recording, in order and from 0. Outliers, and
	// the page of package html, then refer to the recording. Nil means that x is the whole
	// recording.
	Positions []int
	// Rate is the recording's sampling rate, in positions per second, and Start the time of its
	// first position in seconds. With a Rate the reasons name times, and components have labels; 0
	// names positions.
	Rate, Start float64
	// Highpassed is whether the caller has high-pass filtered x, so that the details don't
	// recommend it.
	Highpassed bool
	// OnProgress, if set, is called while the report is made, with the current activity and the
	// fraction of the report that is done, a rough estimate from 0 to 1 that never falls.
	OnProgress func(doing string, fraction float64)
}

// Default returns settings with two refits.
func Default() Config { return Config{Refits: 2} }

// On returns c with the Backend b.
func (c Config) On(b compute.Backend) Config {
	c.Backend = b
	return c
}

// A Report is a diagnosis of a separation without knowledge of the true sources; see New. In JSON a
// number that wasn't measured is null.
type Report struct {
	Signals   int    `json:"signals"`
	Positions int    `json:"positions"`
	Shape     []int  `json:"shape"`
	Seed      uint64 `json:"seed"`
	// Outliers are the positions, from 0, that were excluded. They are found in the signals of the
	// report, like sica.Result.Outliers in the signals of the fit. With Config.Positions they are
	// positions of the recording, except those where two stretches are joined.
	Outliers []int `json:"outliers,omitempty"`

	Verdict Verdict  `json:"verdict"`
	Reasons []string `json:"reasons"` // for the verdict
	Next    []string `json:"next"`    // what to try
	// FailedTests names the tests of Verdict that failed, such as "dependence"; empty without
	// NoEvidence, and for a fit that was stopped.
	FailedTests []string `json:"failed_tests,omitempty"`

	// Channels are the names of the mixed signals; nil for none. Components are the descriptions of
	// the recovered signals by package inspect.
	Channels   []string            `json:"channels,omitempty"`
	Components []inspect.Component `json:"components,omitempty"`

	// Shares holds the share of each recovered signal in the mixed signals' variance: the Share of
	// its inspect.Component.
	Shares []float64 `json:"shares"`
	// Doubts holds, for each recovered signal, the reasons not to rely on it, in a few words each.
	// See Verdict.
	Doubts [][]string `json:"doubts"`

	// Grades are the grades of the recovered signals.
	Grades []Graded `json:"grades"`

	// Mixed and Recovered say how far the whitened mixed signals and the recovered signals are from
	// self-sufficient.
	Mixed     SelfSufficiency `json:"mixed"`
	Recovered SelfSufficiency `json:"recovered"`
	// Predictability has the predictability of each recovered signal.
	Predictability []Predictability `json:"predictability"`
	// Linear says which pairs of the recovered signals have an identified rotation.
	Linear Linear `json:"linear"`
	// Correlation is the largest absolute correlation of two recovered signals. Correlated are all
	// above 0.3, the largest first.
	Correlation Correlation   `json:"correlation"`
	Correlated  []Correlation `json:"correlated,omitempty"`
	// Transients are short stretches that dominate recovered signals; none in images.
	Transients []Transient `json:"transients,omitempty"`
	// Nonlinear is whether the mixing of a sequence seems nonlinear although its demixing is
	// linear: whether the signals depend on each other in a way that neither noise nor surplus
	// sources explain. If the fit compared networks with the demixing, it is whether a nonlinear
	// demixing has a significantly shorter code but was rejected.
	Nonlinear bool `json:"nonlinear"`
	// Halves is nil if half of the positions is too short, or can't be separated alone; NotHalved
	// then says why.
	Halves    *Halves `json:"halves"`
	NotHalved string  `json:"not_halved,omitempty"`
	// Stability is nil without refits.
	Stability *Stability `json:"stability"`
	// NotRefitted says that the refits of the Config weren't made, since the result lacks functions
	// of the fit (sica.Result.Missing); empty otherwise.
	NotRefitted string `json:"not_refitted,omitempty"`

	// Copies of fields of the fit; see sica.Result.
	Iterations int                 `json:"iterations"`
	Divergence klflow.Curve        `json:"divergence"`
	Loss       klflow.Curve        `json:"loss"`
	Stopped    klflow.Status       `json:"stopped"`
	Why        string              `json:"why"`
	Network    *nonlinear.Findings `json:"network,omitempty"` // nil unless a network made the signals
	Clipped    []int               `json:"clipped,omitempty"` // mixed signals, counted from 0

	Elapsed time.Duration `json:"elapsed_ns"`

	fit fitContext
	cfg Config
}

// A fitContext has the facts about the fit, besides its findings, that the reasons and the advice
// need.
type fitContext struct {
	origin   origin
	networks nonlinearSearch
	// unidentifiedOn is the number of positions of a longer fit that identified no signal; 0 for
	// none.
	unidentifiedOn int
}

// counted returns the halves if they count. They don't if one was only whitened, or if the fit, with
// these findings, kept symmetric whitening, which comes back from any part, right or wrong.
func (c *fitContext) counted(h *Halves, found *linear.Findings) *Halves {
	if h == nil || h.whitenedHalf != "" || c.keptWhitening(found) {
		return nil
	}
	return h
}

// keptWhitening reports whether the fit, with these findings, kept symmetric whitening.
func (c *fitContext) keptWhitening(found *linear.Findings) bool {
	return c.origin == thisFit && found != nil && found.KeptWhitening
}

// An origin says which method made the recovered signals.
type origin int

const (
	anotherMethod  origin = iota // than the linear rule
	thisFit                      // the linear rule, at these positions
	otherPositions               // the linear rule, at others
)

// A nonlinearSearch says how far a fit examined nonlinear mixings besides its linear demixing.
type nonlinearSearch int

const (
	notExamined nonlinearSearch = iota
	noSigns                     // there were no signs of a nonlinear mixing
	compared                    // there were, and networks were compared
)

// New returns a report on how well the result r separates the mixed signals x, d×n: the signals of
// the fit, or others from the same channels, at any number of positions. It doesn't change x.
//
// The report depends on x, on the maps, the findings and the seed of the fit, and on cfg. It takes
// some seconds for a few signals at a thousand positions, and a fit's time for each refit. The
// refits neither write to the fit's checkpoint nor call its functions.
//
// x must have at least 64 positions. It is an error if x doesn't fit the result, if a value isn't
// finite, if a mixed or a recovered signal is constant, or if the recovered signals are linearly
// dependent. If ctx ends, the error is ctx.Err().
func New(ctx context.Context, r *sica.Result, x *mat.Dense, cfg Config) (*Report, error) {
	report, err := diagnose(ctx, r, x, cfg)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return report, nil
}

func diagnose(ctx context.Context, r *sica.Result, x *mat.Dense, cfg Config) (*Report, error) {
	begun := time.Now()
	backend, err := purego.Or(cfg.Backend)
	if err != nil {
		return nil, err
	}
	cfg.Backend = nil // the report keeps cfg
	s, err := prepare(ctx, r, x, cfg)
	if err != nil {
		return nil, err
	}
	report, err := s.newReport(r, x, cfg)
	if err != nil {
		return nil, err
	}
	p := &progress{report: cfg.OnProgress}
	for _, step := range []struct {
		doing string
		end   float64 // as a share of the time without refits, from experience
		run   func() error
	}{
		{"measuring the divergence before and after", 0.7, func() error {
			measured, err := measure(ctx, backend, []*mat.Dense{s.white, s.z}, s.grid, r.Config.Seed)
			if err == nil {
				report.Mixed, report.Recovered = measured[0], measured[1]
			}
			return err
		}},
		{"predicting each signal from its own context and from all", 0.8, func() (err error) {
			report.Predictability, err = predictability(ctx, s.z, s.grid)
			return err
		}},
		{"looking for another rotation of the recovered signals", 0.9, func() (err error) {
			// The signals of a network don't have the channels' noise.
			opt := linear.Config{Seed: r.Config.Seed, Noiseless: r.Network != nil}
			report.Linear, err = s.findings(ctx, opt)
			return err
		}},
		{"separating each half of the positions by itself", 1, func() (err error) {
			opt := linear.Config{Seed: r.Config.Seed, Noiseless: noiseless(&report.Linear.Findings)}
			report.Halves, err = separateHalves(ctx, s.recording(s.z), opt)
			if err != nil {
				report.NotHalved = fmt.Sprintf("The halves weren't compared: %v.", err)
			}
			return ctx.Err()
		}},
	} {
		p.begin(step.doing, step.end/float64(1+cfg.Refits))
		if err := step.run(); err != nil {
			return nil, err
		}
		p.end()
	}
	if r.CutShort {
		report.Linear.Findings = *linear.Unidentified(&report.Linear.Findings, linear.Stopped)
	} else if report.Nonlinear, err = s.looksNonlinear(ctx, r); err != nil {
		return nil, err
	}
	if err := report.addStability(ctx, backend, r, &s, cfg.Refits, p); err != nil {
		return nil, err
	}
	p.to = 1 // where the last stage of the refits ends isn't known
	p.end()
	p.begin("concluding", 1)
	report.conclude()
	report.Grades = report.grade()
	report.Elapsed = time.Since(begun)
	return report, nil
}

// addStability sets Stability by n refits, or NotRefitted.
func (report *Report) addStability(
	ctx context.Context, backend compute.Backend, r *sica.Result, s *subject, n int, p *progress,
) (err error) {
	if n == 0 {
		return nil
	}
	if missing := r.Missing(); len(missing) > 0 {
		report.NotRefitted = fmt.Sprintf("No refits were made: the result lacks the custom %s of "+
			"its fit. Set them in Result.Config, or make the report right after the fit.",
			text.List(missing))
		return nil
	}
	p.begin(fmt.Sprintf("refitting: separating %d times more", n), 1)
	report.Stability, err = refit(ctx, backend, r, s.recording(s.x), s.z, n, p)
	return err
}

// subject holds the signals that a report is about.
type subject struct {
	x, z    *mat.Dense         // mixed and recovered, with the outliers replaced
	white   *mat.Dense         // x whitened, with as many signals as z
	mixed   *mat.Dense         // x, or as many of its principal components as z has signals
	reduced *mapping.Reduction // of x to mixed; nil for none
	grid    *grid.Grid
	// positions are the places of x's positions in the recording, or from 0.
	positions []int
	outliers  []int
	linear    *Linear // what the fit found of z, if the linear rule made it
	demixed   bool    // whether z is a linear demixing of x
	fit       fitContext
}

// recording returns signals at the positions of x.
func (s *subject) recording(signals *mat.Dense) recording {
	return recording{signals, s.positions, s.grid.Shape()}
}

// newReport returns a report on x with the information from the fit and all that needs no further
// fit or network.
func (s *subject) newReport(
	r *sica.Result, x *mat.Dense, cfg Config,
) (report *Report, err error) {
	d, n := s.z.Dims()
	report = &Report{
		Signals: d, Positions: n, Shape: s.grid.Shape(), Seed: r.Config.Seed,
		Outliers: s.outliers, Channels: r.Channels,
		Iterations: r.Iterations, Divergence: r.Divergence, Loss: r.Loss,
		Stopped: r.Stopped, Why: r.Why, Network: networkFindings(r), Clipped: r.Clipped,
		fit: s.fit, cfg: cfg,
	}
	pairs := correlations(s.z)
	report.Correlated = large(pairs)
	if len(pairs) > 0 {
		report.Correlation = pairs[0]
	}
	if s.grid.Axes() == 1 {
		report.Transients = Transients(s.z)
	}
	if cfg.Positions != nil {
		report.Outliers = outlier.Recorded(s.outliers, cfg.Positions)
		for k, t := range report.Transients {
			report.Transients[k].First, report.Transients[k].Last = cfg.Positions[t.First], cfg.Positions[t.Last]
		}
	}
	if report.Components, err = s.components(r, x, cfg.Rate); err != nil {
		return nil, err
	}
	for _, c := range report.Components {
		report.Shares = append(report.Shares, c.Share)
	}
	return report, nil
}

// components returns the components of the recovered signals of x, in order, with labels if x is a
// sequence with a rate.
func (s *subject) components(
	r *sica.Result, x *mat.Dense, rate float64,
) ([]inspect.Component, error) {
	all, err := inspect.Components(r, x, nil, s.grid.Shape()...)
	if err != nil {
		return nil, err
	}
	if rate == 0 || s.grid.Axes() > 1 {
		return all, nil
	}
	if r.CheckPointwise() == nil {
		d, n := x.Dims()
		x = mat.DenseCopyOf(x.Slice(0, d, 0, min(n, inspect.LabelledPositions)))
	}
	z, err := r.Transform(x)
	if err != nil {
		return nil, err
	}
	labels, err := inspect.Labels(all, z, r.Channels, rate)
	for i, label := range labels {
		all[i].Label = label
	}
	return all, err
}

// prepare checks x, replaces its outliers and recovers its signals.
func prepare(
	ctx context.Context, r *sica.Result, x *mat.Dense, cfg Config,
) (s subject, err error) {
	if r == nil {
		return s, errors.New("result: must not be nil; make one with sica.Fit or sica.Load")
	}
	if err := cfg.check(x); err != nil {
		return s, err
	}
	_, n := x.Dims()
	if s.grid, err = cfg.grid(r, n); err != nil {
		return s, err
	}
	s.x = x
	if s.positions = cfg.Positions; s.positions == nil {
		s.positions = grid.Range(n)
	}
	if s.z, err = r.Transform(x, s.grid.Shape()...); err != nil {
		return s, err
	}
	if channels, _ := x.Dims(); len(r.Channels) != 0 && len(r.Channels) != channels {
		return s, fmt.Errorf("result: Channels: has %d names; must have %d, one for each mixed "+
			"signal, or none", len(r.Channels), channels)
	}
	if found, ok := fitFindings(r, s.z); ok {
		s.linear = &found
	}
	d, _ := s.z.Dims()
	components, by, err := principal(x, d)
	if err != nil {
		return s, fmt.Errorf("x: %w", err)
	}
	if s.outliers = outlier.Find(components, s.grid); s.outliers != nil {
		s.x = outlier.Mend(x, s.outliers)
		if s.z, err = r.Transform(s.x, s.grid.Shape()...); err != nil {
			return s, err
		}
		if components, by, err = principal(s.x, d); err != nil {
			return s, fmt.Errorf("x: %w", err)
		}
	}
	if err := signal.Check("z", s.z); err != nil {
		return s, err
	}
	_, err = r.Demixing()
	s.mixed, s.reduced, s.demixed = components, by, err == nil
	s.fit = s.context(r)
	s.white, _, _, err = mapping.Begin(ctx, components, []preprocess.Transform{preprocess.ZCA})
	if err != nil {
		return s, fmt.Errorf("x: %w", err)
	}
	return s, nil
}

// context returns the fitContext of r.
func (s *subject) context(r *sica.Result) fitContext {
	c := fitContext{}
	switch {
	case s.linear != nil:
		c.origin = thisFit
	case s.demixed && linearFindings(r) != nil:
		c.origin = otherPositions
	}
	isNetwork := func(c sica.Candidate) bool { return c.Mode == sica.NetworkOnly }
	if c.origin == thisFit && r.Config.Mode == sica.Auto && r.Chosen.Name == "" {
		c.networks = noSigns
		if slices.ContainsFunc(r.Candidates, isNetwork) {
			c.networks = compared
		}
	}
	_, fitted := r.Z.Dims()
	if c.origin == otherPositions && fitted > len(s.positions) && r.Stopped != klflow.StoppedCancelled &&
		(&Linear{Findings: *r.Linear}).noneIdentified() {
		c.unidentifiedOn = fitted
	}
	return c
}

// check returns an error unless cfg, except its Shape, and x are valid.
func (cfg Config) check(x *mat.Dense) error {
	if cfg.Refits < 0 {
		return fmt.Errorf("Refits: is %d; must be 0 or more", cfg.Refits)
	}
	if err := signal.Check("x", x); err != nil {
		return err
	}
	_, n := x.Dims()
	if n < dependence.MinPositions {
		return fmt.Errorf("x: has %d positions; must have at least %d", n, dependence.MinPositions)
	}
	if cfg.Positions != nil && len(cfg.Positions) != n {
		return fmt.Errorf("Positions: has %d; must have the %d of x, or be nil",
			len(cfg.Positions), n)
	}
	for k, at := range cfg.Positions {
		if at < 0 || k > 0 && at <= cfg.Positions[k-1] {
			return fmt.Errorf("Positions: has %d at place %d; must be 0 or more, and rise", at, k)
		}
	}
	return nil
}

// grid returns the grid of n positions: with Shape, else the shape of the fit if it has n
// positions, else a sequence.
func (cfg Config) grid(r *sica.Result, n int) (*grid.Grid, error) {
	shape := cfg.Shape
	if len(shape) == 0 && grid.Product(r.Shape) == n {
		shape = r.Shape
	}
	g, err := grid.New(shape, n)
	if err != nil {
		return nil, fmt.Errorf("Shape: %w", err)
	}
	return g, nil
}

// principal returns the k principal components of x and the map to them, or x itself and nil if it
// has no more signals.
func principal(x *mat.Dense, k int) (*mat.Dense, *mapping.Reduction, error) {
	if d, _ := x.Dims(); d <= k {
		return x, nil, nil
	}
	r, err := mapping.Reduce(x, k, nil)
	if err != nil {
		return nil, nil, err
	}
	y, err := r.Apply(x)
	return y, r, err
}
