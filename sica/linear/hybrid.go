package linear

import (
	"context"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/stats"
)

// hybrid returns the explanation e, the choice at a time scale, with the nearest of FastICA's signals in
// place of its sparse ones, such as blinks and heartbeats. It is nil if there are none, or if the code
// is longer by more than maxHybridNats at that scale or a coarser one. Its evidence for surplus sources is
// that of e.
//
// It is for surplus sources. Each signal has residues of several sources then. A model of its past
// describes these, too, so the code is hardly longer if a sparse signal has more of them. FastICA's
// contrast depends on the large values, where residues matter least. Rhythms are distinguished by
// their spectra, which FastICA doesn't use. Combining two methods signal by signal is an idea of
// P. Tichavský, Z. Koldovský, A. Yeredor, G. Gómez-Herrero, E. Doron, IEEE Trans. Neural Networks
// 19(3), 2008.
func (c *channels) hybrid(
	ctx context.Context, e *explanation, scale int, all []*explanation,
) (*explanation, error) {
	if ablation.Off("hybrid") {
		return nil, nil
	}
	f := c.bestFastICA(all)
	if f == nil || f == e {
		return nil, nil
	}
	y := c.newSignals(f, scale)
	_, ofFastICA := c.matches(e, f)
	_, ofChoice := c.matches(f, e)
	b := mat.DenseCopyOf(e.b)
	replaced := 0
	for i, j := range ofFastICA {
		if ofChoice[j] == i && isSparse(y.RawRowView(j)) {
			b.SetRow(i, f.b.RawRowView(j))
			replaced++
		}
	}
	if replaced == 0 {
		return nil, nil
	}
	valid, err := c.measureAll(ctx, []*explanation{
		{name: "hybrid", b: b, surplus: e.surplus},
	}, scale)
	if err != nil || len(valid) == 0 {
		return nil, err
	}
	h := valid[0]
	for k := scale; k < len(c.scales); k++ {
		if h.lengths[k]-e.lengths[k] > maxHybridNats*float64(c.d*c.past(k).N) {
			return nil, nil
		}
	}
	return h, c.measure(ctx, h, 0)
}

// isSparse reports whether the innovations of the signal y are mostly near 0. A rhythm that swells is so
// itself, but its innovations are nearly Gaussian.
func isSparse(y []float64) bool {
	var m stats.Moments
	m.Add(y)
	innovations, _ := ar.JointResiduals(mat.NewDense(1, len(y), m.Standardised(y)), sparseOrders)
	return innovations != nil && stat.ExKurtosis(innovations.RawRowView(0), nil) >= sparseKurtosis
}
