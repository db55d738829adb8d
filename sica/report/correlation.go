package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// A Correlation is the absolute correlation of a pair of recovered signals, counted from 0.
type Correlation struct {
	Value float64 `json:"value"`
	Pair  [2]int  `json:"pair"`
}

// String returns c in words, such as "1 and 3 by 0.41".
func (c Correlation) String() string {
	return fmt.Sprintf("%s by %.2f", text.Numbers(c.Pair[:]), c.Value)
}

// Correlated returns the correlations above linear.MaxCorrelation of the recovered signals z, d×n,
// the largest first.
func Correlated(z *mat.Dense) []Correlation {
	if z == nil || z.IsEmpty() {
		return nil
	}
	return large(correlations(z))
}

// large returns the correlations above linear.MaxCorrelation; all must be sorted, largest first.
func large(all []Correlation) []Correlation {
	for k, c := range all {
		if !(c.Value > linear.MaxCorrelation) { // or NaN
			return all[:k]
		}
	}
	return all
}

// correlations returns the correlations of all pairs of the signals z, the largest first.
func correlations(z *mat.Dense) (pairs []Correlation) {
	var all mat.SymDense
	stat.CorrelationMatrix(&all, z.T(), nil)
	for i := range all.SymmetricDim() {
		for j := range i {
			pairs = append(pairs, Correlation{Value: math.Abs(all.At(i, j)), Pair: [2]int{j, i}})
		}
	}
	slices.SortStableFunc(pairs, func(a, b Correlation) int { return cmp.Compare(b.Value, a.Value) })
	return pairs
}
