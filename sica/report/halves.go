package report

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Halves is whether the halves of a recording agree on its mixing: each half of the
// recovered signals, along the leading axis, is separated once more by itself as package
// linear does, beginning with them as they are, and both demixings are applied to all
// positions. A mixing that drifts, as when an electrode
// dries or a speaker walks, has halves that don't agree, and no one demixing undoes it.
// Neither do they agree on signals that the data don't tell apart.
type Halves struct {
	// Agreement is the mean of Signals.
	Agreement float64 `json:"agreement"`
	// Signals has, for each recovered signal, the correlation, without its sign, of
	// what the two demixings make of it.
	Signals []float64 `json:"signals"`
}

// minHalf is the fewest positions that each half has to have for a signal.
const minHalf = 24

// halves compares the halves of the recovered signals z, d×T. It is nil where a half is too short, or can't be separated by
// itself since a signal stands still in it.
func halves(ctx context.Context, z *mat.Dense, g *grid.Grid, seed uint64) (*Halves, error) {
	d, n := z.Dims()
	shape := g.Shape()
	slice := grid.Product(shape[1:])
	middle := shape[0] / 2
	if middle*slice < minHalf*d {
		return nil, nil
	}
	var recovered [2]*mat.Dense
	for k, rows := range [2][2]int{{0, middle}, {middle, shape[0]}} {
		half := mat.DenseCopyOf(z.Slice(0, d, rows[0]*slice, min(rows[1]*slice, n)))
		of := slices.Clone(shape)
		of[0] = rows[1] - rows[0]
		var found *linear.Solution
		signals, err := ica.New(half, of...)
		if err == nil {
			found, err = linear.Separate(ctx, signals, linear.Options{Seed: seed})
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("separating a half: %w", ctx.Err())
		}
		if err != nil {
			return nil, nil
		}
		recovered[k] = new(mat.Dense)
		recovered[k].Mul(found.Demixing, z) // but for its mean
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
	for _, row := range first.Assignment {
		h.Signals = append(h.Signals, math.Abs(second.Correlation[row]))
	}
	h.Agreement = floats.Sum(h.Signals) / float64(d)
	return h, nil
}

// String says how well the halves agree, and on which signals they don't: those below
// .9, the limit of a refit's.
func (h *Halves) String() string {
	least := floats.MinIdx(h.Signals)
	text := fmt.Sprintf("halves: the first and the second half of the positions, each separated by itself, agree on the mixing with a mean correlation of %.3f, the least %.3f for signal %d",
		h.Agreement, h.Signals[least], least+1)
	var apart []int
	for i, c := range h.Signals {
		if c < leastStability {
			apart = append(apart, i)
		}
	}
	if apart == nil {
		return text
	}
	return text + fmt.Sprintf("; on %s they agree below %g: the mixing may drift, or half of the positions may be too few for what they are", counted(apart), leastStability)
}

// of is the agreement on a signal as text.
func (h *Halves) of(i int) string {
	if h == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", h.Signals[i])
}
