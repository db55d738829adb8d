package report

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Linear holds the findings of package linear about the recovered signals, and whether a second
// separation finds them again.
//
// If the linear rule itself made the signals, of the same mixed signals, the findings are those of
// the fit. If a signal is identified, the mixed signals are separated once more, with another seed.
// Of a long sequence only a part of the recovered signals is separated, if every identified signal
// correlates by at least 0.95 with that of the part.
//
// Otherwise the findings are those of the second separation: of the mixed signals if the result is
// a linear demixing, else of the recovered ones. It is of the mixed signals where it can be, since
// noise is in the channels: the recovered signals share it, which looks like surplus sources.
//
// After a nonlinear demixing, such as a network's, the findings are about a rotation of the recovered
// signals. They say nothing about the nonlinear map, so ExpectedError is nil and Why is empty.
type Linear struct {
	// Findings are about the signals of the fit, or of the second separation. Each of these has
	// the place of the recovered signal that it is most similar to.
	linear.Findings
	// Agreement holds the absolute correlation of each recovered signal with the signal of the
	// second separation in its place; nil if there was none.
	Agreement []float64 `json:"agreement"`
}

// sameSignals is the largest difference of signals that are the same up to rounding, as a share of
// their largest value: a choice far above the rounding of float64.
const sameSignals = 1e-6

// fitFindings returns the findings of the fit if they are about the signals z, d×n: if the linear
// rule made the fit's signals, and z are the same.
func fitFindings(r *sica.Result, z *mat.Dense) (l Linear, ok bool) {
	isLinear := r.Linear != nil && r.Network == nil && r.Best == 0 // no iteration of a flow
	if !isLinear || r.Stopped == sica.StoppedCancelled {
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
	return Linear{Findings: *r.Linear}, true
}

// noiseless reports whether a separation of all positions shows no sign of noise: neither a coarser
// time scale nor surplus sources. Parts of these positions are then separated without a search for
// noise, since noise that all positions don't show can't show in a part.
func noiseless(l *Linear) bool { return l.Scale <= 1 && !l.Surplus }

// anotherDemixing separates a second time, and returns what is known of the recovered signals; see
// Linear.
func (s *subject) anotherDemixing(ctx context.Context, opt linear.Options) (Linear, error) {
	shape := s.grid.Shape()
	from := s.z
	if s.demixed {
		from = s.mixed
	}
	if s.linear == nil {
		l, err := separateAgain(ctx, s.z, from, recording{from, s.positions}, shape, opt)
		if !s.demixed {
			l.ExpectedError, l.Why = nil, ""
		}
		return l, err
	}
	found := *s.linear
	if found.noneIdentified() {
		return found, nil
	}
	if p, partShape := part(recording{s.z, s.positions}, shape); p.x != s.z { // a long sequence
		again, err := separateAgain(ctx, s.z, s.z, p, partShape,
			linear.Options{Seed: opt.Seed, Noiseless: true})
		if err != nil {
			return found, err
		}
		if found.Agreement = again.Agreement; found.confirmed() {
			return found, nil
		}
	}
	opt.Seed++ // the same seed gives the same signals
	again, err := separateAgain(ctx, s.z, from, recording{from, s.positions}, shape, opt)
	found.Agreement = again.Agreement
	return found, err
}

// confirmed reports whether the second separation finds every identified signal again.
func (l Linear) confirmed() bool {
	for i, a := range l.Agreement {
		if l.Identified(i) && a < clearAgreement {
			return false
		}
	}
	return true
}

// separateAgain separates selected positions of signals, d×n, of which the recovered signals z,
// d×n, are a linear demixing, and applies the demixing to all of them. The shape is that of the selected
// positions. The findings are in the order of z.
func separateAgain(
	ctx context.Context, z, signals *mat.Dense, selected recording, shape []int, opt linear.Options,
) (Linear, error) {
	solution, err := separateLinearly(ctx, selected, shape, opt)
	if err != nil {
		return Linear{}, fmt.Errorf("separating a second time: %w", err)
	}
	again := new(mat.Dense)
	again.Mul(solution.Demixing, signals) // without the offset, which correlations don't see
	match, err := metric.MCC(again, z)
	if err != nil {
		return Linear{}, err
	}
	l := Linear{Findings: reorder(solution.Findings, match.Assignment)}
	for _, c := range match.Correlation {
		l.Agreement = append(l.Agreement, math.Abs(c))
	}
	return l, nil
}

// separateLinearly separates the signals z, whose positions have the shape.
func separateLinearly(
	ctx context.Context, z recording, shape []int, opt linear.Options,
) (*linear.Solution, error) {
	signals, err := ica.New(z.x, shape...)
	if err == nil {
		signals, err = signals.WithJoints(signal.Joints(z.positions))
	}
	if err != nil {
		return nil, err
	}
	return linear.Separate(ctx, signals, opt)
}

// reorder returns findings whose signal i is signal order[i] of f. Pairs have I > J. Pairs and
// groups are sorted, as package linear returns them.
func reorder(f linear.Findings, order []int) linear.Findings {
	place := make([]int, len(order))
	sources, expectedErrors := f.Sources, f.ExpectedError
	f.Sources, f.ExpectedError = nil, nil
	for i, signal := range order {
		place[signal] = i
		f.Sources = append(f.Sources, sources[signal])
		f.ExpectedError = append(f.ExpectedError, expectedErrors[signal])
	}
	f.Pairs = slices.Clone(f.Pairs)
	for k, p := range f.Pairs {
		i, j := place[p.I], place[p.J]
		f.Pairs[k].I, f.Pairs[k].J = max(i, j), min(i, j)
	}
	slices.SortFunc(f.Pairs, func(p, q linear.Pair) int {
		return slices.Compare([]int{p.I, p.J}, []int{q.I, q.J})
	})
	groups := f.Groups
	f.Groups = nil
	for _, g := range groups {
		var moved []int
		for _, i := range g {
			moved = append(moved, place[i])
		}
		slices.Sort(moved)
		f.Groups = append(f.Groups, moved)
	}
	slices.SortFunc(f.Groups, slices.Compare)
	like := f.NoiseLike
	f.NoiseLike = nil
	for _, i := range like {
		f.NoiseLike = append(f.NoiseLike, place[i])
	}
	slices.Sort(f.NoiseLike)
	return f
}

// noneIdentified reports whether the rotation of no signal is identified.
func (l Linear) noneIdentified() bool {
	return !slices.ContainsFunc(l.Groups, func(g []int) bool { return len(g) == 1 })
}

// Halves compares the mixing in the two halves of a recording. Package linear separates each half
// of the recovered signals, along the leading axis, and both demixings are applied to all
// positions.
//
// The halves disagree if the mixing drifts, as when an electrode dries or a speaker walks: no
// single demixing undoes that. They also disagree on signals whose rotation isn't identified.
//
// Long sequences, from 32,768 positions on, have a shortcut: first, 8,192 positions of each half
// are separated, in blocks of 1,024 that are spread evenly. If a signal then correlates by less
// than 0.95, both halves are separated in full.
type Halves struct {
	// Agreement is the mean of Signals.
	Agreement float64 `json:"agreement"`
	// Signals holds, for each recovered signal, the absolute correlation of the two signals that
	// the demixings of the first and of the second half recover in its place.
	Signals []float64 `json:"signals"`
}

// minHalf is the smallest number of positions per signal in a half. It is a choice: with half, the
// linear models have almost as many parameters as there are values; with twice, short recordings
// have no halves.
const minHalf = 24

// separateHalves compares the halves of the recovered signals z, d×n. It returns nil where a
// half is too short, or can't be separated alone because a signal is constant in it. A part of
// each half suffices if all signals of the two agree.
func separateHalves(
	ctx context.Context, z recording, g *grid.Grid, opt linear.Options,
) (*Halves, error) {
	d, _ := z.x.Dims()
	shape := g.Shape()
	slice := grid.Product(shape[1:])
	middle := shape[0] / 2
	if middle*slice < minHalf*d {
		return nil, nil
	}
	var halves, parts [2]recording
	for k, rows := range [2][2]int{{0, middle}, {middle, shape[0]}} {
		halves[k] = z.slice(rows[0]*slice, rows[1]*slice)
		halfShape := slices.Clone(shape)
		halfShape[0] = rows[1] - rows[0]
		parts[k], _ = part(halves[k], halfShape)
	}
	if parts[0].x != halves[0].x && parts[1].x != halves[1].x {
		h, err := compareHalves(ctx, z.x, parts, nil, opt)
		if err != nil {
			return nil, err
		}
		if h != nil && agree(h.Signals) {
			return h, nil
		}
	}
	return compareHalves(ctx, z.x, halves, shape, opt)
}

// compareHalves separates each of two parts of the recovered signals z, d×n, and applies both
// demixings to all of z. The shape is that of z, of which the parts have all axes but the leading
// one; nil if the parts are sequences. It returns nil if a part can't be separated.
func compareHalves(
	ctx context.Context, z *mat.Dense, parts [2]recording, shape []int, opt linear.Options,
) (*Halves, error) {
	d, _ := z.Dims()
	var recovered [2]*mat.Dense
	for k, half := range parts {
		m := len(half.positions)
		halfShape := []int{m}
		if len(shape) > 1 {
			halfShape = append([]int{m / grid.Product(shape[1:])}, shape[1:]...)
		}
		solution, err := separateLinearly(ctx, half, halfShape, opt)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("separating a half: %w", ctx.Err())
		}
		if err != nil {
			return nil, nil
		}
		recovered[k] = new(mat.Dense)
		recovered[k].Mul(solution.Demixing, z) // without the offset, which correlations don't see
	}
	first, err := metric.MCC(recovered[0], z)
	if err != nil {
		return nil, err
	}
	second, err := metric.MCC(recovered[1], recovered[0])
	if err != nil {
		return nil, err
	}
	h := new(Halves)
	for _, k := range first.Assignment { // signal k of the first half
		h.Signals = append(h.Signals, math.Abs(second.Correlation[k]))
	}
	h.Agreement = floats.Sum(h.Signals) / float64(d)
	return h, nil
}

// String says how well the halves agree, and on which signals they disagree: those with a
// correlation below 0.95.
func (h *Halves) String() string {
	worst := floats.MinIdx(h.Signals)
	s := fmt.Sprintf("the demixings of the first and the second half of the positions agree with "+
		"a mean correlation of %.3f; the smallest is %.3f, of signal %d",
		h.Agreement, h.Signals[worst], worst+1)
	var differ []int
	for i, c := range h.Signals {
		if c < minAgreement {
			differ = append(differ, i)
		}
	}
	if differ == nil {
		return s
	}
	return s + fmt.Sprintf(". Below %g for %s: the mixing may drift, or half of the positions may "+
		"be too few", minAgreement, text.Signals(differ))
}
