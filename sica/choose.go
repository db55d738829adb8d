package sica

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
)

// Candidate is a start that a fit considered.
type Candidate struct {
	Start []Transform `json:"start"`
	// AtStart is the judgement of the signals before they moved, nil if that
	// wasn't needed.
	AtStart *Judgement `json:"at_start,omitempty"`
	// Judgement is that of the result, nil if the start didn't promise enough
	// to be separated from.
	Judgement *Judgement `json:"judgement,omitempty"`
}

// How starts are compared, in nats.
const (
	// settled is the joint divergence below which there is no dependence left
	// to speak of, so that no other start is looked at.
	settled = 0.001
	// promising is by how much the conditional divergence of another start
	// must lie below the first's, before any move, to be separated from. True
	// sources whose contexts tell too little of them have reached 0.035.
	promising = 0.042
	// mustFall is the share of the first result's joint divergence below which
	// another's must lie to be taken.
	mustFall = 0.8
)

// separateAndChoose separates from the first start. For the runs whose result
// isn't self-sufficient, as far as can be told, it looks at the others, and
// separates from those that promise more; it keeps the best result of each
// run, the first unless another is better by far.
func (s *separation) separateAndChoose(ctx context.Context, runs []Run, begin time.Time) ([]*Result, error) {
	judge, err := newSeparation(s.backend, judgeConfig(s.cfg.Shape), s.d, s.t, len(runs))
	if err != nil {
		return nil, err
	}
	defer judge.field.close()

	chosen, err := s.separate(ctx, runs, 0, begin)
	if err != nil {
		return chosen, err
	}
	judgements, err := judge.judge(ctx, resultRuns(chosen))
	if err != nil {
		return cutShort(chosen, begin, err), err
	}
	for r, result := range chosen {
		result.Judgement = judgements[r]
		result.Candidates = []Candidate{{Start: result.Start, Judgement: &judgements[r]}}
	}
	if anyOpen(chosen) {
		if err := s.tryStarts(ctx, judge, runs, chosen, begin); err != nil {
			return cutShort(chosen, begin, err), err
		}
	}
	for _, result := range chosen {
		result.Why += "; " + result.explainStart()
		result.Elapsed = time.Since(begin)
	}
	return chosen, nil
}

// cutShort are the results that were chosen when err ended the comparison.
func cutShort(chosen []*Result, begin time.Time, err error) []*Result {
	for _, result := range chosen {
		if errors.Is(err, ErrNotFinite) {
			result.Stopped = StoppedNotFinite
		} else {
			result.Stopped = StoppedCancelled
		}
		result.Why = fmt.Sprintf("ended while comparing starts (%v); kept the result of the start %s", err, startName(result.Start))
		result.Elapsed = time.Since(begin)
	}
	return chosen
}

// tryStarts tries the starts after the first, one after another, while a run is
// open.
func (s *separation) tryStarts(ctx context.Context, judge *separation, runs []Run, chosen []*Result, begin time.Time) error {
	first, err := s.judgeStart(ctx, judge, runs, 0)
	if err != nil {
		return err
	}
	for start := 1; start < len(s.cfg.starts()) && anyOpen(chosen); start++ {
		if err := s.tryStart(ctx, judge, runs, start, first, chosen, begin); err != nil {
			return err
		}
	}
	return nil
}

// tryStart separates from another start if it promises more for any of the
// open runs, and puts the results that keep the promise into chosen. first is
// the judgement of every run's first start.
func (s *separation) tryStart(ctx context.Context, judge *separation, runs []Run, start int, first []Judgement, chosen []*Result, begin time.Time) error {
	other, err := s.judgeStart(ctx, judge, runs, start)
	if err != nil {
		return err
	}
	promises := make([]bool, len(runs))
	anyPromises := false
	for r, result := range chosen {
		if result.settled() {
			continue
		}
		result.Candidates[0].AtStart = &first[r]
		result.Candidates = append(result.Candidates, Candidate{Start: s.cfg.starts()[start], AtStart: &other[r]})
		promises[r] = first[r].Conditional-other[r].Conditional > promising
		anyPromises = anyPromises || promises[r]
	}
	if !anyPromises {
		return nil
	}
	results, err := s.separate(ctx, runs, start, begin)
	if err != nil {
		return err
	}
	judgements, err := judge.judge(ctx, resultRuns(results))
	if err != nil {
		return err
	}
	for r, result := range results {
		if !promises[r] {
			continue
		}
		candidates := chosen[r].Candidates
		candidates[len(candidates)-1].Judgement = &judgements[r]
		if judgements[r].Joint < mustFall*chosen[r].Judgement.Joint {
			chosen[r], result.Judgement = result, judgements[r]
		}
		chosen[r].Candidates = candidates
	}
	return nil
}

// judgeStart judges the signals of every run at one of the config's starts.
func (s *separation) judgeStart(ctx context.Context, judge *separation, runs []Run, start int) ([]Judgement, error) {
	at, err := startSignals(runs, s.cfg.starts()[start])
	if err != nil {
		return nil, err
	}
	begun := make([]Run, len(runs))
	for r, run := range runs {
		begun[r] = Run{X: at[r], Seed: run.Seed}
	}
	return judge.judge(ctx, begun)
}

// startSignals are the signals of every run after the transforms of a start.
func startSignals(runs []Run, start []Transform) ([]*mat.Dense, error) {
	signals := make([]*mat.Dense, len(runs))
	for r, run := range runs {
		var err error
		if signals[r], err = Preprocess(run.X, start...); err != nil {
			return nil, err
		}
	}
	return signals, nil
}

// resultRuns are the recovered signals as runs, to be judged.
func resultRuns(results []*Result) []Run {
	runs := make([]Run, len(results))
	for r, result := range results {
		runs[r] = Run{X: result.Z, Seed: result.Seed}
	}
	return runs
}

func anyOpen(results []*Result) bool {
	for _, result := range results {
		if !result.settled() {
			return true
		}
	}
	return false
}

func (r *Result) settled() bool { return r.Judgement.Joint < settled }

// explainStart says which start the result came from, and what the others
// were like.
func (r *Result) explainStart() string {
	said := make([]string, len(r.Candidates))
	for k, c := range r.Candidates {
		said[k] = startName(c.Start)
		if c.AtStart != nil {
			said[k] += fmt.Sprintf(" begins with a conditional divergence of %.4f and", c.AtStart.Conditional)
		}
		if c.Judgement != nil {
			said[k] += fmt.Sprintf(" ends with a joint divergence of %.4f", c.Judgement.Joint)
		} else {
			said[k] += " was not tried"
		}
	}
	return fmt.Sprintf("took the start %s (%s)", startName(r.Start), strings.Join(said, "; "))
}

func startName(start []Transform) string {
	if len(start) == 0 {
		return "as given"
	}
	names := make([]string, len(start))
	for i, t := range start {
		names[i] = string(t)
	}
	return strings.Join(names, "+")
}
