package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// A Correlation is the absolute correlation of two recovered signals, and which two, counted from
// 0.
type Correlation struct {
	Value float64 `json:"value"`
	Pair  [2]int  `json:"pair"`
}

// maxCorrelatedShown is how many pairs a text names besides the largest.
const maxCorrelatedShown = 5

// LargestCorrelation returns the largest correlation of the recovered signals z, d×n, 0 of a single
// one.
func LargestCorrelation(z *mat.Dense) Correlation {
	all := correlations(z)
	if len(all) == 0 {
		return Correlation{}
	}
	return all[0]
}

// Correlated returns the correlations above linear.MaxCorrelation of the recovered signals z, d×n,
// the largest first.
func Correlated(z *mat.Dense) []Correlation {
	all := correlations(z)
	for k, c := range all {
		if !(c.Value > linear.MaxCorrelation) { // or NaN
			return all[:k]
		}
	}
	return all
}

// correlations returns those of all pairs of the signals z, the largest first.
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

// OtherCorrelated names all but the first of several correlated pairs, at most five of them, to
// follow that: "; 1 and 3 by 0.41; and 2 more pairs". It is empty for one pair.
func OtherCorrelated(all []Correlation) string {
	var names strings.Builder
	for k, c := range all {
		if k > maxCorrelatedShown {
			fmt.Fprintf(&names, "; and %s", text.Counted(len(all)-k, "more pair"))
			break
		}
		if k > 0 {
			fmt.Fprintf(&names, "; %s by %.2f", text.Numbers(c.Pair[:]), c.Value)
		}
	}
	return names.String()
}
