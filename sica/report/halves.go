package report

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Halves compares the mixing in the two halves of a recording. Package linear separates each half
// of the recovered signals, along the leading axis, and both demixings are applied to all
// positions.
//
// The halves disagree if the mixing drifts, for example because an electrode dries or a speaker
// walks, which no single demixing undoes. They also disagree on signals whose rotation isn't
// identified.
//
// For sequences of 32,768 positions or more, 8,192 positions of each half are separated first, in
// evenly spread blocks of 1,024. If a signal then correlates by less than 0.95, both halves are
// separated in full.
type Halves struct {
	// Agreement is the mean of Signals.
	Agreement float64 `json:"agreement"`
	// Signals holds, for each recovered signal, the absolute correlation between its counterparts
	// from the demixings of the first and of the second half.
	Signals []float64 `json:"signals"`

	pairing      pairing
	whitenedHalf string // the half, if any, that kept symmetric whitening, which returns z itself
}

// minHalf is the smallest number of positions per signal in a half. With half as many, the linear
// models have almost as many parameters as there are values; with twice as many, short recordings
// have no halves.
const minHalf = 24

// separateHalves compares the halves of the recovered signals z, d×n. It is an error if a half is
// too short, or can't be separated alone, for example because a signal is constant in it. A part of
// each half suffices if all signals agree.
func separateHalves(
	ctx context.Context, z recording, opt linear.Config,
) (*Halves, error) {
	d, _ := z.x.Dims()
	length := z.shape[0]
	if n := length / 2 * grid.Product(z.shape[1:]); n < minHalf*d {
		return nil, fmt.Errorf("a half has %d positions of %d signals; must have at least %d", n, d,
			minHalf*d)
	}
	halves := [2]recording{z.slice(0, length/2), z.slice(length/2, length)}
	parts := [2]recording{part(halves[0]), part(halves[1])}
	if parts[0].x != halves[0].x && parts[1].x != halves[1].x {
		h, err := compareHalves(ctx, z.x, parts, opt)
		if err == nil && agree(h.Signals) {
			return h, nil
		}
	}
	return compareHalves(ctx, z.x, halves, opt)
}

// compareHalves separates each of two parts of the recovered signals z, d×n, and applies both
// demixings to all of z.
func compareHalves(
	ctx context.Context, z *mat.Dense, parts [2]recording, opt linear.Config,
) (*Halves, error) {
	d, _ := z.Dims()
	var recovered [2]*mat.Dense
	names, whitenedHalf := [...]string{"first", "second"}, ""
	for k, half := range parts {
		solution, err := separateLinearly(ctx, half, opt)
		if err != nil {
			return nil, fmt.Errorf("the %s half: %w", names[k], err)
		}
		if solution.KeptWhitening {
			whitenedHalf = names[k]
		}
		recovered[k] = new(mat.Dense)
		recovered[k].Mul(solution.Demixing, z) // correlations need no offset
	}
	first, err := metric.MCC(recovered[0], z)
	if err != nil {
		return nil, err
	}
	second, err := metric.MCC(recovered[1], recovered[0])
	if err != nil {
		return nil, err
	}
	h := &Halves{whitenedHalf: whitenedHalf}
	var match []int                      // of the second half
	for _, k := range first.Assignment { // signal k of the first half
		h.Signals = append(h.Signals, math.Abs(second.Correlation[k]))
		match = append(match, second.Assignment[k])
	}
	h.pairing = newPairing(recovered[0], recovered[1], first.Assignment, match)
	h.Agreement = floats.Sum(h.Signals) / float64(d)
	return h, nil
}

// String returns a sentence that says how well the halves agree, and on which signals they
// disagree, with correlations below 0.95.
func (h *Halves) String() string {
	if h == nil || len(h.Signals) == 0 {
		return "no halves"
	}
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
