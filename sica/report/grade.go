package report

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// A Grade says how far a recovered signal can be trusted.
type Grade int

const (
	// NotIdentified: the signal isn't identified, and the halves of the recording, which would show
	// whether it comes back, couldn't be compared.
	NotIdentified Grade = iota
	// Doubtful: the signal doesn't come back from other parts of the recording.
	Doubtful
	// Repeats: the signal comes back from both halves of the recording, alone or in a group that
	// spans the same space. It can still be a mixture of sources.
	Repeats
	// Identified: no other signal describes the recording as well, assuming no more sources than
	// channels, and no test of the signal failed. It has an expected error.
	Identified
)

// String returns "not identified", "doubtful", "repeats" or "identified".
func (g Grade) String() string {
	switch g {
	case Identified:
		return "identified"
	case Repeats:
		return "repeats"
	case Doubtful:
		return "doubtful"
	}
	return notIdentified
}

// MarshalText returns String.
func (g Grade) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText reads the output of MarshalText.
func (g *Grade) UnmarshalText(text []byte) error {
	for _, grade := range []Grade{NotIdentified, Doubtful, Repeats, Identified} {
		if grade.String() == string(text) {
			*g = grade
			return nil
		}
	}
	return fmt.Errorf("report: Grade: unknown name (%q); must be %s, %s, %s or %s", text,
		NotIdentified, Doubtful, Repeats, Identified)
}

// A Graded is the grade of one recovered signal, with its numbers. A number that wasn't measured is
// 0, and absent in JSON.
type Graded struct {
	Grade Grade `json:"grade"`
	// Share is the signal's entry of Report.Shares.
	Share float64 `json:"share,omitempty"`
	// ExpectedError is the expected 1 − |correlation| of an identified signal with its source, from
	// linear.Findings; 0 after a network, and for other grades.
	ExpectedError float64 `json:"expected_error,omitempty"`
	// Repeat is the signal's entry of Halves.Signals; 0 if symmetric whitening was kept.
	Repeat float64 `json:"repeat,omitempty"`
	// Group is the smallest group of signals, counted from 0 and in order, with which this signal
	// repeats: only itself if it repeats alone, nil if no group of at most half of the signals was
	// found.
	Group []int `json:"group,omitempty"`
	// GroupRepeat is the smallest canonical correlation, between the halves, of the space that
	// Group spans.
	GroupRepeat float64 `json:"group_repeat,omitempty"`
}

// Alone reports whether the signal repeats without others.
func (g *Graded) Alone() bool { return len(g.Group) == 1 }

// minRepeat is the least correlation between the halves at which a signal, or the space of a group,
// repeats. At 0.95 a tenth of the variance in the worst direction belongs to other signals.
const minRepeat = 0.95

// ErrHalves marks the error of Grades if the halves of a recording can't be compared.
var ErrHalves = errors.New("the halves can't be compared")

// Grades grades the recovered signals without a whole report: the linear rule separates each half
// of the recovered signals of x, d×n, as New does, and there are neither refits nor tests. It costs
// two fits of half of the positions. The default of shape and the errors are those of New. With
// ErrHalves it also returns the grades without the halves. Signals that a flow moved don't count as
// identified.
func Grades(
	ctx context.Context, r *sica.Result, x *mat.Dense, cfg Config,
) ([]Graded, error) {
	grades, err := gradeHalves(ctx, r, x, cfg)
	if err != nil {
		err = fmt.Errorf("report: %w", err)
	}
	return grades, err
}

func gradeHalves(
	ctx context.Context, r *sica.Result, x *mat.Dense, cfg Config,
) ([]Graded, error) {
	s, err := prepare(ctx, r, x, cfg)
	if err != nil {
		return nil, err
	}
	d, _ := s.z.Dims()
	report := &Report{Signals: d, fit: s.fit}
	if report.Shares, err = inspect.Shares(r, x, s.grid.Shape()...); err != nil {
		return nil, err
	}
	if found := linearFindings(r); found != nil {
		report.Linear.Findings = *found
	}
	opt := linear.Config{Seed: r.Config.Seed, Noiseless: noiseless(&report.Linear)}
	report.Halves, err = separateHalves(ctx, s.recording(s.z), opt)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		err = fmt.Errorf("%w: %w", ErrHalves, err)
	case report.Halves.whitenedHalf != "":
		err = fmt.Errorf("%w: the %s can't be separated alone, as its signals may as well be Gaussian "+
			"of one spectrum", ErrHalves, report.Halves.whitenedHalf)
	}
	switch {
	case r.CutShort:
		report.Linear.Findings = linear.Findings{}
	case r.Best == 0 && r.Network != nil && r.Network.Identified:
		for i := range d {
			report.Linear.Groups = append(report.Linear.Groups, []int{i})
		}
	}
	return report.grade(), err
}

// grade returns the grades of the recovered signals. The halves don't count if symmetric whitening
// was kept, which comes back from any part, right or wrong.
func (r *Report) grade() []Graded {
	grades := make([]Graded, r.Signals)
	for i := range grades {
		g := &grades[i]
		g.Share = r.Shares[i]
		isDoubted := r.failsTogether() || r.Doubts != nil && len(r.Doubts[i]) > 0
		if r.Linear.Identified(i) && !isDoubted {
			g.Grade = Identified
			if i < len(r.Linear.ExpectedError) {
				g.ExpectedError = r.Linear.ExpectedError[i]
			}
		}
	}
	if r.Halves != nil && r.Halves.whitenedHalf == "" && r.whiteningNote() == "" {
		r.setRepeats(grades)
	}
	return grades
}

// setRepeats sets the groups with which signals repeat in the halves.
func (r *Report) setRepeats(grades []Graded) {
	halves := r.Halves.pairing
	for i, group := range halves.groups() {
		g := &grades[i]
		g.Repeat = halves.repeat([]int{i})
		g.Grade = max(g.Grade, Doubtful)
		if g.Group = group; group == nil {
			continue
		}
		g.GroupRepeat = halves.repeat(group)
		g.Grade = max(g.Grade, Repeats)
	}
}
