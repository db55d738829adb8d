package direct

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// finish is the affine map from z to the rotated signals at variance 1 and mean
// 0; scaled is z in innovation scale.
func finish(z, scaled *mat.Dense, rotation *mat.Dense) Affine {
	d, _ := z.Dims()
	scale := mat.NewDense(d, d, nil)
	offset := make([]float64, d)
	for i := range d {
		s := stat.StdDev(scaled.RawRowView(i), nil) / stat.StdDev(z.RawRowView(i), nil)
		scale.Set(i, i, s)
		offset[i] = -s * stat.Mean(z.RawRowView(i), nil)
	}
	a := newAffine(rotation, make([]float64, d)).after(newAffine(scale, offset))
	out := a.apply(z)
	unit := mat.NewDense(d, d, nil)
	for i := range d {
		unit.Set(i, i, 1/stat.PopStdDev(out.RawRowView(i), nil))
	}
	return newAffine(unit, make([]float64, d)).after(a)
}
