package report

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// Linear holds the findings of package linear about the recovered signals.
//
// If the linear rule made the signals, from the same mixed signals, the findings are those of the
// fit. Otherwise they come from a second separation: of the mixed signals if the result is a linear
// demixing, else of the recovered signals. The mixed signals are preferred since noise is in the
// channels: the recovered signals share it, which looks like surplus sources.
//
// After a nonlinear demixing, such as a network's, the findings are about a rotation of the
// recovered signals. They say nothing about the nonlinear map, so ExpectedError is nil and Why is
// empty.
type Linear struct {
	// Findings are about the signals of the fit, or of the second separation. The latter are in the
	// order of the recovered signals that they match best.
	linear.Findings
	// Agreement holds the absolute correlation of each recovered signal with its match in the
	// second separation; nil if there was none.
	Agreement []float64 `json:"agreement"`
}

// sameSignals is the largest difference, as a share of the largest value, between signals that
// count as equal. It is far above the rounding of float64.
const sameSignals = 1e-6

// linearFindings returns the findings of the fit if they are about its signals: if the linear rule
// made them, and no flow moved them since. Otherwise it returns nil.
func linearFindings(r *sica.Result) *linear.Findings {
	if r.Network != nil || r.Best > 0 {
		return nil
	}
	return r.Linear
}

// networkFindings returns the findings of the fit about its network's signals, or nil if a flow
// moved the signals since.
func networkFindings(r *sica.Result) *nonlinear.Findings {
	if r.Best > 0 {
		return nil
	}
	return r.Network
}

// fitFindings returns the findings of the fit if they are about the signals z, d×n: if the linear
// rule made the fit's signals, and z are the same.
func fitFindings(r *sica.Result, z *mat.Dense) (l Linear, ok bool) {
	found := linearFindings(r)
	if found == nil || r.Stopped == klflow.StoppedCancelled {
		return l, false
	}
	d, n := z.Dims()
	if k, m := r.Z.Dims(); k != d || m != n {
		return l, false
	}
	for i := range d {
		row := z.RawRowView(i)
		if floats.Distance(row, r.Z.RawRowView(i), math.Inf(1)) >
			sameSignals*floats.Norm(row, math.Inf(1)) {
			return l, false
		}
	}
	return Linear{Findings: *found}, true
}

// noiseless reports whether the findings show no sign of noise: neither a coarser time scale nor
// more sources than channels. Parts of the positions are then separated without a search for noise,
// since a part can't show noise that all positions don't show.
func noiseless(f *linear.Findings) bool {
	return f == nil || f.Scale <= 1 && f.Reason != linear.MoreSources
}

// findings returns the findings about the recovered signals; see Linear.
func (s *subject) findings(ctx context.Context, opt linear.Config) (Linear, error) {
	if s.linear != nil {
		return *s.linear, nil
	}
	if s.demixed {
		l, err := separateAgain(ctx, s.z, s.recording(s.mixed), opt)
		if err == nil && s.reduced != nil {
			l.Noise = s.reduced.ChannelShares(s.mixed, l.Noise)
		}
		return l, err
	}
	l, err := separateAgain(ctx, s.z, s.recording(s.z), opt)
	l.ExpectedError, l.Why = nil, ""
	return l, err
}

// separateAgain separates signals, whose linear demixing is the recovered signals z, d×n. The
// findings are in the order of z.
func separateAgain(
	ctx context.Context, z *mat.Dense, signals recording, opt linear.Config,
) (Linear, error) {
	solution, err := separateLinearly(ctx, signals, opt)
	if err != nil {
		return Linear{}, fmt.Errorf("separating a second time: %w", err)
	}
	again := new(mat.Dense)
	again.Mul(solution.Demixing, signals.x) // without the offset, which correlations don't see
	match, err := metric.MCC(again, z)
	if err != nil {
		return Linear{}, err
	}
	l := Linear{Findings: *linear.Reordered(&solution.Findings, match.Assignment)}
	for _, c := range match.Correlation {
		l.Agreement = append(l.Agreement, math.Abs(c))
	}
	return l, nil
}

// separateLinearly separates the signals z.
func separateLinearly(
	ctx context.Context, z recording, opt linear.Config,
) (*linear.Solution, error) {
	signals, err := ica.New(z.x, z.shape...)
	if err == nil {
		signals, err = signals.WithJoints(signal.Joints(z.positions))
	}
	if err != nil {
		return nil, err
	}
	return linear.Separate(ctx, signals, opt)
}

// noneIdentified reports whether the rotation of no signal is identified.
func (l *Linear) noneIdentified() bool {
	return !slices.ContainsFunc(l.Groups, func(g []int) bool { return len(g) == 1 })
}

// unidentifiedGroups returns the groups of several signals, unless all of a group are suspect.
func (l *Linear) unidentifiedGroups(suspects []int) (groups [][]int) {
	for _, g := range l.Groups {
		if len(g) > 1 && len(without(g, suspects)) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}
