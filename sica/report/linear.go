package report

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Linear is what package linear finds when it separates the recovered signals
// themselves: if they are the sources, itself again.
type Linear struct {
	// Findings are of its own signals, each in the place of the recovered signal that
	// it is most like.
	linear.Findings
	// Agreement is the correlation of each recovered signal, without its sign, with
	// its own in that place.
	Agreement []float64 `json:"agreement"`
}

// separateAgain separates the recovered signals z.
func separateAgain(ctx context.Context, z *mat.Dense, g *grid.Grid, seed uint64) (Linear, error) {
	signals, err := ica.New(z, g.Shape()...)
	if err != nil {
		return Linear{}, fmt.Errorf("separating the recovered signals: %w", err)
	}
	found, err := linear.Separate(ctx, signals, linear.Options{Seed: seed})
	if err != nil {
		return Linear{}, fmt.Errorf("separating the recovered signals: %w", err)
	}
	y := new(mat.Dense)
	y.Mul(found.Demixing, z) // but for its mean
	match, err := metric.MCC(y, z)
	if err != nil {
		return Linear{}, err
	}
	l := Linear{Findings: reordered(found.Findings, match.Assignment)}
	for _, c := range match.Correlation {
		l.Agreement = append(l.Agreement, math.Abs(c))
	}
	return l, nil
}

// reordered are findings whose signal order[i] has got the place i.
func reordered(f linear.Findings, order []int) linear.Findings {
	place := make([]int, len(order))
	sources, errors := f.Sources, f.ExpectedError
	f.Sources, f.ExpectedError = nil, nil
	for i, from := range order {
		place[from] = i
		f.Sources = append(f.Sources, sources[from])
		f.ExpectedError = append(f.ExpectedError, errors[from])
	}
	f.Pairs = slices.Clone(f.Pairs)
	for k, p := range f.Pairs {
		a, b := place[p.I], place[p.J]
		f.Pairs[k].I, f.Pairs[k].J = max(a, b), min(a, b)
	}
	slices.SortFunc(f.Pairs, func(p, q linear.Pair) int { return slices.Compare([]int{p.I, p.J}, []int{q.I, q.J}) })
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
	return f
}

// alone tells whether signal i is told apart from all others.
func (l Linear) alone(i int) bool {
	return slices.ContainsFunc(l.Groups, func(g []int) bool { return slices.Equal(g, []int{i}) })
}

// ErrorOf is the expected error of signal i as text: 1 − |correlation| with its
// source, or a dash if nothing tells it apart.
func (l Linear) ErrorOf(i int) string {
	if !l.alone(i) {
		return "–"
	}
	return fmt.Sprintf("%.4f", l.ExpectedError[i])
}
