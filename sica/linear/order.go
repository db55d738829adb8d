package linear

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// orderByShare returns the indices of the signals recovered by the demixing b, sorted by the share
// of the channels' variance that each explains, largest first. Each channel is divided by its
// standard deviation, unless sameUnit is true. b demixes white signals, and inverse maps white
// signals to the channels.
func orderByShare(b, inverse *mat.Dense, sameUnit bool) []int {
	d, _ := b.Dims()
	order := grid.Range(d)
	var toWhite, mixing mat.Dense
	if toWhite.Inverse(b) != nil {
		return order
	}
	mixing.Mul(inverse, &toWhite)
	shares, sd := make([]float64, d), deviations(b)
	for j, unit := range deviations(inverse) {
		if sameUnit {
			unit = 1
		}
		for i := range d {
			share := mixing.At(j, i) * sd[i] / unit
			shares[i] += share * share
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(shares[j], shares[i]) })
	return order
}

// orient gives each recovered signal the sign with which the channels where it is strongest rise
// with it: the sum of the cubes of its pattern's entries, in standard deviations of the channels,
// is positive. Whitened signals keep the signs of their channels.
func (s *draft) orient(white *pca.Whitening) {
	var pattern mat.Dense // d×d, from signals to channels
	if s.KeptWhitening || pattern.Inverse(s.Demixing) != nil {
		return
	}
	channels := deviations(white.Inverse)
	for i := range s.Mean {
		cubes := 0.0
		for c, sd := range channels {
			entry := pattern.At(c, i) / sd
			cubes += entry * entry * entry
		}
		if cubes < 0 {
			floats.Scale(-1, s.Demixing.RawRowView(i))
			floats.Scale(-1, s.FromWhite.RawRowView(i))
		}
	}
}

// sortByShare sorts the signals of m in the order of orderByShare.
func (s *separator) sortByShare(m *demixing) {
	order := orderByShare(m.b, s.inverse, s.sameUnit)
	m.b, m.y = sortedRows(m.b, order), sortedRows(m.y, order)
	m.sources = reordered(m.sources, order)
}

// sortedRows returns the rows of m in the given order; m itself if they are in this order already.
func sortedRows(m *mat.Dense, order []int) *mat.Dense {
	if slices.IsSorted(order) {
		return m
	}
	rows, columns := m.Dims()
	sorted := mat.NewDense(rows, columns, nil)
	for k, i := range order {
		sorted.SetRow(k, m.RawRowView(i))
	}
	return sorted
}
