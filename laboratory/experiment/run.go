package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/methods"
)

// A Plan says what Run makes.
type Plan struct {
	// Trials are made in order, those that the store lacks.
	Trials []Trial
	// Again are those of Trials that are made although the store has them, such as
	// Store.Outdated; each new outcome replaces that of the store.
	Again []Trial
	// Keep says whether a trial's recovered signals are kept; nil keeps none.
	Keep func(Trial) bool
	// Jobs is how many trials are made at once, at least 1.
	Jobs int
	// OnOutcome, if set, is called after each trial.
	OnOutcome func(o Outcome, p Progress)
}

// Progress is how far Run has come.
type Progress struct {
	// Done counts the trials made, Total those that were to be made.
	Done, Total int
	// Left is an estimate of how long the rest takes: by the mean time of the trials of the same
	// method, settings and data that the store has. AtLeast is true while there are trials to
	// make of which it has none. These don't count in Left.
	Left    time.Duration
	AtLeast bool
}

// Line says what a trial gave and how far Run has come.
func (p Progress) Line(o Outcome) string {
	result := "failed: " + o.Error
	if o.MCC != nil {
		result = fmt.Sprintf("MCC %.4f", *o.MCC)
	}
	if o.Report != nil {
		result += ", " + string(o.Report.Verdict)
	}
	left := ""
	switch {
	case !p.AtLeast:
		left = p.Left.String() + " left"
	case p.Left > 0:
		left = "over " + p.Left.String() + " left"
	}
	return strings.TrimSpace(fmt.Sprintf("%d/%d  %s: %s  %.1f s  %s  %s %s",
		p.Done, p.Total, o.Trial, result, o.Seconds, left, o.Why, o.Warning))
}

// Missing returns the trials of a plan that the store lacks, or lacks the signals
// of where they are to be kept, and those that are made again.
func (s *Store) Missing(p Plan) []Trial {
	var missing []Trial
	seen, again := make(map[Trial]bool), make(map[Trial]bool)
	for _, t := range p.Again {
		again[t] = true
	}
	for _, t := range p.Trials {
		o, ok := s.find(t)
		if ok && p.keeps(t) && o.Error == "" {
			ok = s.hasSignals(t)
		}
		ok = ok && !again[t]
		if !ok && !seen[t] {
			missing = append(missing, t)
		}
		seen[t] = true
	}
	return missing
}

func (p Plan) keeps(t Trial) bool { return p.Keep != nil && p.Keep(t) }

// Run makes the plan's trials that the store lacks, and adds each outcome to it
// at once. The outcomes don't depend on Jobs, but their Seconds do. If ctx ends
// or a trial or the store fails, the trials under way are dropped, and the first
// error is returned. A trial of SICA with the paper's settings that was under way,
// even in a process that was killed, goes on from its last iteration.
func Run(ctx context.Context, b compute.Backend, s *Store, p Plan) error {
	if p.Jobs < 1 {
		return fmt.Errorf("experiment: Jobs: is %d; must be at least 1", p.Jobs)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	missing := s.Missing(p)
	waiting := make(map[Trial]bool)
	for _, t := range missing {
		waiting[t] = true
	}
	for r := range makeTrials(ctx, b, s, missing, p.Jobs) {
		err := r.err
		if err == nil {
			if !p.keeps(r.outcome.Trial) {
				r.z = nil
			}
			err = s.Add(r.outcome, r.z)
		}
		if err != nil {
			cancel(err)
			continue
		}
		delete(waiting, r.outcome.Trial)
		if p.OnOutcome != nil {
			left, sure := s.timeOf(waiting, p.Jobs)
			p.OnOutcome(*r.outcome, Progress{Done: len(missing) - len(waiting), Total: len(missing),
				Left: left, AtLeast: !sure})
		}
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}

// made is what a trial gave.
type made struct {
	outcome *Outcome
	z       *mat.Dense
	err     error
}

// makeTrials makes trials until ctx ends, jobs of them at a time, and sends what they gave. The
// channel must be read until it is closed.
func makeTrials(
	ctx context.Context, b compute.Backend, s *Store, trials []Trial, jobs int,
) <-chan made {
	next := make(chan Trial, len(trials))
	for _, t := range trials {
		next <- t
	}
	close(next)
	results := make(chan made)
	var workers sync.WaitGroup
	for range min(jobs, len(trials)) {
		workers.Go(func() {
			for t := range next {
				if ctx.Err() != nil {
					return
				}
				o, z, err := t.Run(ctx, b, s.checkpointPath(t))
				if err != nil {
					err = fmt.Errorf("experiment: %s: %w", t, err)
				}
				results <- made{o, z, err}
			}
		})
	}
	go func() {
		workers.Wait()
		close(results)
	}()
	return results
}

// Make makes the figure's trials for a preset and a number of runs, those that a folder of results
// lacks, and returns the results. onOutcome, if it isn't nil, is called after each trial. The
// errors are those of Open and Run.
func (f Figure) Make(
	ctx context.Context, b compute.Backend, dir string, p methods.Preset, runs int,
	onOutcome func(Outcome, Progress),
) (*Results, error) {
	s, err := Open(dir, OutcomesFile)
	if err != nil {
		return nil, err
	}
	plan := Plan{Trials: f.Trials(p, runs), Keep: f.Keeps, Jobs: 1, OnOutcome: onOutcome}
	return s.Results, errors.Join(Run(ctx, b, s, plan), s.Close())
}

// Kind returns what the trial has in common with others that take about as long: its data or
// mixture, method, preset and measure.
func (t Trial) Kind() Trial {
	t.Problem = Problem{Data: t.Data, Mixture: t.Mixture, Positions: t.Positions}
	return t
}

// timeOf returns an estimate of how long trials take, by the mean time of those of the same kind
// among the results. It leaves out trials of a kind that was never made, and says whether there are
// none of these.
func (r *Results) timeOf(trials map[Trial]bool, jobs int) (left time.Duration, sure bool) {
	sums, counts := make(map[Trial]float64), make(map[Trial]float64) // by kind
	for _, o := range r.Outcomes() {
		sums[o.Kind()] += o.Seconds
		counts[o.Kind()]++
	}
	var seconds float64
	sure = true
	for t := range trials {
		if count := counts[t.Kind()]; count > 0 {
			seconds += sums[t.Kind()] / count
		} else {
			sure = false
		}
	}
	return time.Duration(seconds / float64(jobs) * float64(time.Second)).Round(time.Second), sure
}
