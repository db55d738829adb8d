package ivae

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// scale is the mean and the standard deviation of each mixed signal.
type scale struct{ mean, sd []float64 }

func newScale(x *mat.Dense) (scale, error) {
	d, _ := x.Dims()
	s := scale{make([]float64, d), make([]float64, d)}
	for i := range d {
		s.mean[i], s.sd[i] = stat.PopMeanStdDev(x.RawRowView(i), nil)
		if !(s.sd[i] > 0) || math.IsInf(s.sd[i], 0) {
			return scale{}, fmt.Errorf("mixed signal %d has the standard deviation %g: rescale it", i+1, s.sd[i])
		}
	}
	return s, nil
}

// standardise returns x with mean 0 and variance 1.
func (s scale) standardise(x *mat.Dense) *mat.Dense {
	var y mat.Dense
	y.Apply(func(i, _ int, v float64) float64 { return (v - s.mean[i]) / s.sd[i] }, x)
	return &y
}

// restore undoes standardise.
func (s scale) restore(y *mat.Dense) *mat.Dense {
	var x mat.Dense
	x.Apply(func(i, _ int, v float64) float64 { return v*s.sd[i] + s.mean[i] }, y)
	return &x
}
