package report

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

var gradeNames = [...]string{
	NotIdentified: notIdentified, Doubtful: "doubtful", Repeats: "repeats", Identified: "identified",
}

// String returns "not identified", "doubtful", "repeats" or "identified".
func (g Grade) String() string { return gradeNames[g] }

// MarshalText returns String.
func (g Grade) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText reads the output of MarshalText.
func (g *Grade) UnmarshalText(text []byte) error {
	i := slices.Index(gradeNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("report: Grade: unknown name (%q); must be %s, %s, %s or %s", text,
			NotIdentified, Doubtful, Repeats, Identified)
	}
	*g = Grade(i)
	return nil
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
	shares, err := inspect.Shares(r, x, s.grid.Shape()...)
	if err != nil {
		return nil, err
	}
	opt := linear.Config{Seed: r.Config.Seed, Noiseless: noiseless(linearFindings(r))}
	halves, err := separateHalves(ctx, s.recording(s.z), opt)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		err = fmt.Errorf("%w: %w", ErrHalves, err)
	case halves.whitenedHalf != "":
		err = fmt.Errorf("%w: the %s can't be separated alone, as its signals may as well be Gaussian "+
			"of one spectrum", ErrHalves, halves.whitenedHalf)
	}
	return fitGrades(r, shares, s.fit.counted(halves, linearFindings(r))), err
}

// FitGrades grades the recovered signals as Grades does, but without the halves: each is Identified
// or NotIdentified. Shares are those of the signals, in order.
func FitGrades(r *sica.Result, shares []float64) []Graded { return fitGrades(r, shares, nil) }

func fitGrades(r *sica.Result, shares []float64, h *Halves) []Graded {
	isIdentified := func(i int) bool { return !r.CutShort && r.Identified(i) }
	var expected []float64
	if r.Linear != nil {
		expected = r.Linear.ExpectedError
	}
	return grade(isIdentified, expected, shares, h)
}

// grade returns the grades of the recovered signals.
func (r *Report) grade() []Graded {
	isIdentified := func(i int) bool {
		return r.Linear.Identified(i) && !r.failsTogether() &&
			(r.Doubts == nil || len(r.Doubts[i]) == 0)
	}
	halves := r.fit.counted(r.Halves, &r.Linear.Findings)
	return grade(isIdentified, r.Linear.ExpectedError, r.Shares, halves)
}

// grade grades signals by what is identified, with their expected errors, and by the halves; nil for
// none that count.
func grade(
	isIdentified func(i int) bool, expected, shares []float64, h *Halves,
) []Graded {
	grades := make([]Graded, len(shares))
	for i := range grades {
		g := &grades[i]
		g.Share = shares[i]
		if isIdentified(i) {
			g.Grade = Identified
			if i < len(expected) {
				g.ExpectedError = expected[i]
			}
		}
	}
	if h != nil {
		h.setRepeats(grades)
	}
	return grades
}

// setRepeats sets the groups with which signals repeat in the halves.
func (h *Halves) setRepeats(grades []Graded) {
	for i, group := range h.pairing.groups() {
		g := &grades[i]
		g.Repeat = h.pairing.repeat([]int{i})
		g.Grade = max(g.Grade, Doubtful)
		if g.Group = group; group == nil {
			continue
		}
		g.GroupRepeat = h.pairing.repeat(group)
		g.Grade = max(g.Grade, Repeats)
	}
}
