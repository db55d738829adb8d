package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
)

// A pairing holds the correlations of two recoveries of the same d signals, both in the order of
// the result's signals: within each recovery, and of the first (rows) with the second.
type pairing struct{ first, second, cross *mat.Dense }

// newPairing returns the pairing of the recoveries a and b, both d×n, where signal i of the result
// is row rowsA[i] of a and row rowsB[i] of b.
func newPairing(a, b *mat.Dense, rowsA, rowsB []int) pairing {
	d, n := a.Dims()
	both := mat.NewDense(2*d, n, nil)
	for i := range d {
		both.SetRow(i, a.RawRowView(rowsA[i]))
		both.SetRow(d+i, b.RawRowView(rowsB[i]))
	}
	var all mat.SymDense
	stat.CorrelationMatrix(&all, both.T(), nil)
	part := func(row, column int) *mat.Dense {
		p := mat.NewDense(d, d, nil)
		p.Apply(func(i, j int, _ float64) float64 { return all.At(row+i, column+j) }, p)
		return p
	}
	return pairing{first: part(0, 0), second: part(d, d), cross: part(0, d)}
}

// repeat returns the smallest canonical correlation of the spans of a group of signals in both
// recoveries: 1 if both are the same space, and the |correlation| of a single signal. It is 0 if
// signals of the group are linearly dependent.
func (p pairing) repeat(group []int) float64 {
	if len(group) == 1 {
		return min(math.Abs(p.cross.At(group[0], group[0])), 1)
	}
	k := len(group)
	part := func(m *mat.Dense) *mat.Dense {
		sub := mat.NewDense(k, k, nil)
		sub.Apply(func(i, j int, _ float64) float64 { return m.At(group[i], group[j]) }, sub)
		return sub
	}
	var a, b mat.Cholesky
	if !a.Factorize(mat.NewSymDense(k, part(p.first).RawMatrix().Data)) ||
		!b.Factorize(mat.NewSymDense(k, part(p.second).RawMatrix().Data)) {
		return 0
	}
	var lowerA, lowerB mat.TriDense
	a.LTo(&lowerA)
	b.LTo(&lowerB)
	// With a = A·Aᵀ and b = B·Bᵀ these are the singular values of A⁻¹·cross·B⁻ᵀ.
	var left, m mat.Dense
	if left.Solve(&lowerA, part(p.cross)) != nil || m.Solve(&lowerB, left.T()) != nil {
		return 0
	}
	var svd mat.SVD
	if !svd.Factorize(&m, mat.SVDNone) {
		return 0
	}
	return min(floats.Min(svd.Values(nil)), 1)
}

// maxGroup is the size of the largest group: half of the 32 signals for which groups were
// evaluated.
const maxGroup = 16

// grow returns a small group around signal i that repeats. Greedily, the signal that mixes most
// with the group joins until the group repeats; then signals that aren't needed leave. It is nil if
// no group of at most half of the signals, and maxGroup, repeats.
func (p pairing) grow(i int) []int {
	d := p.cross.RawMatrix().Rows
	group := []int{i}
	for p.repeat(group) < repeatLimit(len(group), d) {
		if len(group) == min(d/2, maxGroup) {
			return nil
		}
		group = append(group, p.nearest(group))
	}
	for k := len(group) - 2; k > 0; k-- { // the last was needed
		smaller := slices.Delete(slices.Clone(group), k, k+1)
		if p.repeat(smaller) >= repeatLimit(len(smaller), d) {
			group = smaller
		}
	}
	slices.Sort(group)
	return group
}

// nearest returns the signal outside of the group that mixes most with it.
func (p pairing) nearest(group []int) int {
	best, most := -1, -1.0
	for j := range p.cross.RawMatrix().Rows {
		sum := 0.0
		for _, k := range group {
			sum += p.cross.At(j, k)*p.cross.At(j, k) + p.cross.At(k, j)*p.cross.At(k, j)
		}
		if sum > most && !slices.Contains(group, j) {
			best, most = j, sum
		}
	}
	return best
}

// groups returns, for each signal, the group with which it repeats: only itself if it repeats
// alone, nil if none was found. Smaller groups take precedence, and all their signals that don't
// repeat alone share them.
func (p pairing) groups() [][]int {
	groups := make([][]int, p.cross.RawMatrix().Rows)
	var grown [][]int
	for i := range groups {
		switch group := p.grow(i); {
		case len(group) == 1:
			groups[i] = group
		case group != nil:
			grown = append(grown, group)
		}
	}
	slices.SortStableFunc(grown, func(a, b []int) int { return len(a) - len(b) })
	for _, group := range grown {
		for _, i := range group {
			if groups[i] == nil {
				groups[i] = group
			}
		}
	}
	return groups
}

// repeatLimit returns the least correlation at which a group of k of d signals repeats: minRepeat
// or, for few signals, chanceLimit.
func repeatLimit(k, d int) float64 { return max(minRepeat, chanceLimit(k, d)) }

// maxChance is the largest probability that a group repeats by chance.
const maxChance = 0.05

// chanceLimit returns the correlation that a group of k of d signals reaches by chance, with any k
// signals of a random rotation, with a probability of at most maxChance. It is infinite for k = d,
// since all signals always span the same space.
//
// The smallest canonical correlation of two random spaces is at least c with a probability of at
// most (1−c²)^(k(d−k)/2): P.-A. Absil, A. Edelman and P. Koev, "On the largest principal angle
// between random subspaces", Linear Algebra and its Applications 414(1), 2006, equation 1, whose
// hypergeometric function is largest at the largest angle, where the probability is 1.
func chanceLimit(k, d int) float64 {
	if k >= d {
		return math.Inf(1)
	}
	logChance := math.Log(maxChance) - combin.LogGeneralizedBinomial(float64(d), float64(k))
	return math.Sqrt(1 - math.Exp(2*logChance/float64(k*(d-k))))
}
