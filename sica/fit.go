package sica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/clipping"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/purego"
	"github.com/seed-47b1e431/gosica/internal/sealed"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// ErrNotFinite is wrapped by the error of a fit whose loss or signals became NaN or infinite. Fit
// then also returns the last good iterate.
var ErrNotFinite = signal.ErrNotFinite

// ErrSignals is wrapped by the error for mixed signals that can't be separated, or for signals that
// Transform and the other methods of a Result can't map. It is ica.ErrSignals.
var ErrSignals = signal.ErrSignals

// Run is one separation of FitRuns.
type Run struct {
	X    *mat.Dense // mixed signals, d×n
	Seed uint64     // replaces Config.Seed
	// Joints are the positions, from 0, at which separately recorded stretches of X begin, except
	// the first stretch. The linear rule crossfades a sequence there, since a jump looks like
	// dependence between the sources. Nil means none.
	Joints []int
}

// Fit separates the mixed signals x, d signals in rows × n positions in columns, with d ≥ 2 (paper,
// Algorithm 2). It doesn't change x. Every Mode except TransformsOnly needs n ≥ 16 and n ≥ d + 2.
// NetworkOnly needs 20 positions along the first axis and 3 along the others.
//
// An error about x or cfg comes before any work and without a result, and so does ctx.Err() if ctx
// had ended at the call. If ctx ends in Config.Prepare or while Config.Transforms are fitted, there
// is no result either, and the error wraps ctx.Err() or the error that Prepare returned.
//
// If ctx ends later, or a number stops being finite, Fit returns the last good result together with
// the error: ctx.Err(), or one that wraps ErrNotFinite. With Auto or LinearOnly the result is then
// the linear rule's separation, or whitening if the rule hasn't finished; with NetworkOnly it is
// whitening; with a flow it is the last iterate, or with KeepBest the least dependent so far. So
// the result is nil with every error except these:
//
//   - ctx.Err(), if ctx ended after Prepare and Transforms,
//   - an error of a flow that wraps ErrNotFinite,
//   - one that wraps ErrCheckpoint, if a flow had ended an iteration that couldn't be kept.
//
// Fit returns soon after ctx ends: within 0.2 s for two signals at 1024 positions. XLA can't be
// interrupted: compiling a network's program continues in the background for 1 to 5 seconds of one
// core, and the next fit of the same size uses the program. Checks and whitening aren't interrupted
// either, and a candidate must check ctx itself.
//
// With Config.Checkpoint, a folder for this fit alone, Fit saves its state after the choice of the
// method and after each iteration, and creates the folder if necessary. A later fit of the same
// signals and settings on the same backend continues from there, to the same result, bit for bit if
// the backend is deterministic. A fit of other signals or settings is an error; only Flow.Budget
// may differ. OnIteration isn't called again for saved iterations; Elapsed and Budget count their
// time. The folder remains when the fit is done: the same fit then returns its result at once.
// Remove the folder when it is no longer needed.
func Fit(ctx context.Context, x *mat.Dense, cfg Config) (*Result, error) {
	results, err := FitRuns(ctx, []Run{{X: x, Seed: cfg.Seed}}, cfg)
	if len(results) == 0 {
		return nil, err
	}
	return results[0], err
}

// FitRuns makes several independent separations of equal size in one compiled program, such as
//
//	runs := []sica.Run{{X: x, Seed: 1}, {X: x, Seed: 2}}
//
// The results are those of Fit for each run, up to the rounding of the backend. The draws of a run
// depend on its own seed only. An error is about the settings, or about the first run that failed;
// if there are several runs, it names that run, counted from 1.
func FitRuns(ctx context.Context, runs []Run, cfg Config) ([]*Result, error) {
	f := &fitting{ctx: ctx, backend: cfg.Backend, cfg: cfg.Clone().On(nil), begin: time.Now()}
	results, err := f.run(runs)
	if err != nil && err != ctx.Err() {
		err = fmt.Errorf("sica: %w", err)
	}
	return results, err
}

// fitting is a call of FitRuns.
type fitting struct {
	ctx     context.Context
	backend compute.Backend
	cfg     Config // without a Backend, as results and checkpoints keep it
	begin   time.Time

	runs       []*fitRun
	rowLengths map[*mat.Dense]int // of the runs' signals; see rowLength
	recognised bool               // whether the shape was recognised from the runs' signals
	grid       *grid.Grid
	checkpoint *sealed.Series // nil for none
	key        string         // checkpointKey of the fit
}

// fitRun is one of the runs of a fit.
type fitRun struct {
	place int // in FitRuns
	seed  uint64

	mixed    *mat.Dense   // as given
	joints   []int        // of the signals
	prepared *mat.Dense   // mixed signals after Config.Prepare, if set
	reduced  *ica.Signals // prepared signals, or their principal components
	// isReduced is whether the reduced signals are principal components.
	isReduced bool

	maps    []mapping.Map     // from the mixed signals to the reduced ones
	why     []string          // sentences about these maps
	hint    string            // sentence about the shape; may be empty
	clipped clipping.Clipping // of the mixed signals of a sequence
	// leftOut is the mean variance of the principal components that were left out, for channels of
	// variance 1; 0 for none.
	leftOut float64
}

// isClipped reports whether any of the run's mixed signals is clipped.
func (r *fitRun) isClipped() bool { return r.clipped.Channels != nil }

func (f *fitting) run(runs []Run) (results []*Result, err error) {
	defer guard.Catch(&err)
	// A context that has ended before any work is an error. One that ends later has a result.
	ended := f.ctx.Err()
	if err := f.check(runs); err != nil {
		return nil, err
	}
	if ended != nil {
		return nil, ended
	}
	for _, step := range []func(*fitRun) error{f.prepare, f.reduce} {
		for _, r := range f.runs {
			if err := step(r); err != nil {
				return nil, f.errorOf(r.place, err)
			}
		}
	}
	if err := f.checkRanks(); err != nil {
		return nil, err
	}
	if f.cfg.Checkpoint != "" {
		if err := f.openCheckpoint(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
		defer f.checkpoint.Close()
	}
	decisions, err := f.decisions()
	if err != nil {
		return nil, err
	}
	outputs, err := f.iterate(decisions)
	for i, out := range outputs {
		results = append(results, f.result(f.runs[i], decisions[i], out))
	}
	return results, err
}

// errorOf names the run in an error, counted from 1, if there are several.
func (f *fitting) errorOf(place int, err error) error {
	if len(f.runs) > 1 {
		return fmt.Errorf("run %d: %w", place+1, err)
	}
	return err
}

// check checks the runs and the settings, and makes the Signals of the runs.
func (f *fitting) check(runs []Run) error {
	if len(runs) == 0 {
		return errors.New("runs: there is none; must be at least one")
	}
	var err error
	if f.backend, err = purego.Or(f.backend); err != nil {
		return err
	}
	f.cfg.Shape = grid.WithoutOnes(f.cfg.Shape)
	f.recognise(runs)
	f.runs = make([]*fitRun, len(runs))
	for place, run := range runs {
		if err := checkSize(run.X, runs[0].X); err != nil {
			return f.errorOf(place, err)
		}
	}
	if f.grid, err = f.cfg.check(runs[0].X.Dims()); err != nil {
		return err // of all runs, which have one size
	}
	for place, run := range runs {
		f.runs[place] = &fitRun{place: place, seed: run.Seed}
		if err := f.checkRun(f.runs[place], run); err != nil {
			return f.errorOf(place, err)
		}
	}
	return nil
}

// checkSize returns an error unless the signals x of a run have the size of the first run's.
func checkSize(x, first *mat.Dense) error {
	if x == nil || x.IsEmpty() {
		return signal.AsErrSignals(signal.Check("x", x))
	}
	d, n := x.Dims()
	if d0, n0 := first.Dims(); d != d0 || n != n0 {
		err := fmt.Errorf("x: is %d×%d; must be %d×%d, the size of run 1", d, n, d0, n0)
		return signal.AsErrSignals(err)
	}
	return nil
}

// checkRun checks a run, and sets what is known of its mixed signals.
func (f *fitting) checkRun(r *fitRun, run Run) error {
	_, n := run.X.Dims()
	if err := cmp.Or(signal.Check("x", run.X), signal.CheckJoints(run.Joints, n)); err != nil {
		return signal.AsErrSignals(err)
	}
	r.mixed, r.joints = run.X, run.Joints
	if f.grid.Axes() < 2 { // images have equal values by their nature
		r.clipped = clipping.Find(run.X)
	}
	r.hint = f.shapeHint(run.X)
	return nil
}

// prepare sets the prepared signals of a run: the mixed signals after Config.Prepare.
func (f *fitting) prepare(r *fitRun) error {
	if f.cfg.Prepare == nil {
		r.prepared = r.mixed
		return nil
	}
	fitted, err := guard.Result(fmt.Sprintf("%T: Fit", f.cfg.Prepare),
		func() (preprocess.Applier, error) {
			return f.cfg.Prepare.Fit(f.ctx, mat.DenseCopyOf(r.mixed))
		})
	if err != nil {
		return fmt.Errorf("Prepare: %w", err)
	}
	if fitted == nil {
		return fmt.Errorf("Prepare: %T: Fit returned nil; must return an Applier", f.cfg.Prepare)
	}
	m := mapping.AsMap(fitted)
	x, err := m.Apply(r.mixed)
	if err != nil {
		return fmt.Errorf("Prepare: %w", err)
	}
	d, _ := r.mixed.Dims()
	if k, _ := x.Dims(); k != d {
		return fmt.Errorf("Prepare: %T: %d signals became %d; must be as many", f.cfg.Prepare, d, k)
	}
	if err := signal.Check("x", x); err != nil {
		return fmt.Errorf("Prepare: the prepared %w", signal.AsErrSignals(err))
	}
	r.prepared, r.maps = x, append(r.maps, m)
	r.why = append(r.why,
		fmt.Sprintf("The mixed signals were prepared by the custom transform %T.", f.cfg.Prepare))
	return nil
}

// reduce sets the reduced signals of a run: principal components of the prepared signals, if
// Config.Components or the rank is less than the number of signals.
func (f *fitting) reduce(r *fitRun) error {
	m, err := mapping.Reduce(r.prepared, f.cfg.Components, f.cfg.Rounding)
	if err != nil && f.cfg.Components > 0 {
		full, fullErr := mapping.Reduce(r.prepared, 0, f.cfg.Rounding)
		if fullErr == nil && full.Rank >= 2 && full.Rank < f.cfg.Components {
			return signal.OfKind(fmt.Errorf("Components: is %d of mixed signals of rank %d; must be from 2 "+
				"to %[2]d, or 0 for their rank", f.cfg.Components, full.Rank), ErrConfig)
		}
	}
	if err == nil {
		if d, n := r.prepared.Dims(); f.cfg.Mode != TransformsOnly && n < m.Components()+2 {
			err = f.cfg.tooFew(d, n, fmt.Sprintf(" of rank %d", m.Rank), d+2)
		}
	}
	if err == nil && m.Components() < 2 {
		err = fmt.Errorf("x: is %d mixed signals of rank %d; must have at least 2 components",
			m.Channels(), m.Rank)
	}
	if err != nil {
		return signal.AsErrSignals(err)
	}
	if m.Components() == m.Channels() {
		r.reduced, err = f.signals(r, r.prepared)
		return err
	}
	x, err := m.Apply(r.prepared)
	if err != nil {
		return signal.AsErrSignals(err)
	}
	if r.reduced, err = f.signals(r, x); err != nil {
		return err
	}
	r.isReduced = true
	r.maps, r.leftOut = append(r.maps, m), m.LeftOut()
	why := fmt.Sprintf("The %d mixed signals were reduced to %d principal components, which hold "+
		"%.4g %% of their variance",
		m.Channels(), m.Components(), 100*m.Explained)
	if m.Components() == m.Rank {
		why += ": the others are combinations of these, up to rounding"
	} else {
		why += "; a source in the others would be mixed into these, and isn't noticed"
	}
	r.why = append(r.why, why+".")
	return nil
}

// signals returns signals x at the positions of a run.
func (f *fitting) signals(r *fitRun, x *mat.Dense) (*ica.Signals, error) {
	s, err := ica.New(x, f.cfg.Shape...)
	if err != nil {
		return nil, err
	}
	return s.WithJoints(r.joints)
}

// checkRanks returns an error unless all runs have the same number of reduced signals.
func (f *fitting) checkRanks() error {
	d0, _ := f.runs[0].reduced.Dims()
	for _, r := range f.runs {
		if d, _ := r.reduced.Dims(); d != d0 {
			err := fmt.Errorf("run %d: has %d linearly independent signals; must have %d as run 1, "+
				"or Components must be set", r.place+1, d, d0)
			return signal.AsErrSignals(err)
		}
	}
	return nil
}

// decisions returns the decisions of the runs, from the checkpoint if it has them.
func (f *fitting) decisions() ([]*decision, error) {
	if f.checkpoint != nil {
		all, err := f.readDecisions()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
		if all != nil {
			return all, nil
		}
	}
	var all []*decision
	for _, r := range f.runs {
		d, err := f.decide(r)
		if err != nil {
			return nil, f.errorOf(r.place, err)
		}
		all = append(all, d)
	}
	isCutShort := func(d *decision) bool { return d.cutShort }
	if f.checkpoint != nil && !slices.ContainsFunc(all, isCutShort) {
		if err := f.writeDecisions(all); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
	}
	return all, nil
}

// iterate returns the outputs of the iterations that begin with the decisions.
func (f *fitting) iterate(decisions []*decision) ([]*iterate.Output, error) {
	if f.cfg.Flow != nil {
		var inputs []iterate.Input
		for i, d := range decisions {
			inputs = append(inputs, iterate.Input{Z: d.Z, Seed: f.runs[i].seed})
		}
		return iterate.Move(f.ctx, f.backend, inputs, iterate.Config(*f.cfg.Flow),
			f.grid, f.begin, f.checkpoint)
	}
	trace := klflow.Trace{Stopped: klflow.StoppedMethod, Elapsed: time.Since(f.begin)}
	err := f.ctx.Err()
	if err != nil {
		trace.Stopped, trace.Why = klflow.StoppedCancelled, err.Error()
	}
	var outputs []*iterate.Output
	for _, d := range decisions {
		outputs = append(outputs, &iterate.Output{Trace: trace, Z: d.Z})
	}
	return outputs, err
}

// AsMethod returns the fit with the settings cfg as an ica.Method, named "sica", to compare it with
// others. If cfg has no Shape, the shape of the signals is used. The model's Details are the
// *Result. If ctx ends, or a number isn't finite, Fit returns an error and no model.
func AsMethod(cfg Config) ica.Method { return asMethod{cfg} }

type asMethod struct{ cfg Config }

func (m asMethod) Name() string { return "sica" }

func (m asMethod) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	if err := x.Validate(); err != nil {
		return nil, fmt.Errorf("sica: %w", err)
	}
	cfg := m.cfg
	if cfg.Shape == nil {
		cfg.Shape = grid.ImageShape(x.Shape())
	}
	results, err := FitRuns(ctx, []Run{{X: x.X(), Seed: cfg.Seed, Joints: x.Joints()}}, cfg)
	if err != nil && err == ctx.Err() {
		err = fmt.Errorf("sica: %w", err)
	}
	if err != nil {
		return nil, err
	}
	r := results[0]
	return &ica.Model{
		Signals: r.Z, Map: resultMap{r}, Convergence: r.Convergence(), Why: r.Why, Details: r,
	}, nil
}

// resultMap is a Result as a map of a sequence, or of as many positions as the fit had.
type resultMap struct{ *Result }

// Channels returns the number of mixed signals, which can be more than the recovered ones.
func (m resultMap) Channels() int { return m.channels() }

func (m resultMap) Apply(x *mat.Dense) (*mat.Dense, error) { return m.Transform(x) }

func (m resultMap) Invert(z *mat.Dense) (*mat.Dense, error) { return m.InverseTransform(z) }
