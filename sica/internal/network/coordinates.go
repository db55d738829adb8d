package network

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/invertible"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// The coordinates in which networks of many signals are trained: relative steps of the standard
// deviations of each affine map's outputs, among outputs that are uncorrelated. So a step changes
// each output by a share of its spread, however ill-conditioned the map is. They are those of
// "Natural neural networks" (G. Desjardins, K. Simonyan, R. Pascanu, K. Kavukcuoglu, NIPS 2015),
// but of the outputs, as steps of the relative gradient leave each map an inverse.
const (
	// metricPositions measure the outputs, every evaluateEvery steps. The correlations of 20
	// outputs have errors of 0.04 with 512 positions, and twice of them take twice the time.
	metricPositions = 512
	// metricRidge is added to the variances of the outputs, which are 1: it limits the steps in
	// directions with less than a tenth of the variance. With a tenth of it ten signals came as
	// far; twenty diverged, at a rate a third above today's.
	metricRidge = 0.1
)

// setMetric measures the outputs of the active runs' maps, and sets the coordinates of their steps.
func (h *halving) setMetric() error {
	maps, err := h.maps()
	if err != nil {
		return err
	}
	sharpness, err := h.read(mapScope+"/invertible", "sharpness")
	if err != nil {
		return err
	}
	var scales, whitening []float64
	for k, r := range h.active {
		problem, _, fold := h.of(r)
		outputs, err := maps[k].Outputs(h.samples[problem][fold])
		if err != nil {
			return err
		}
		for l, y := range outputs {
			if l < len(maps[k].Bends) { // the map's have the sharpness
				for i := range h.d {
					_, _, by := invertible.LeakyOf(0, 0, sharpness[k]["sharpness"][l*h.d+i])
					floats.Scale(1/by, y.RawRowView(i))
				}
			}
			s, m := metricOf(y)
			scales, whitening = append(scales, s...), append(whitening, m.RawMatrix().Data...)
		}
	}
	scalesPath, whiteningPath := flows.RelativeMetric(mapScope + "/invertible/matrices")
	for path, values := range map[string][]float64{scalesPath: scales, whiteningPath: whitening} {
		v := h.store.GetVariable(path)
		if v == nil {
			return errors.New("variable " + path + " is missing; must be one of the optimizer")
		}
		if err := v.SetValue(host.Tensor(values, v.DType(), v.Shape().Dimensions...)); err != nil {
			return err
		}
	}
	return nil
}

// sample returns metricPositions columns of the signals, evenly spread over the given positions.
func sample(signals *mat.Dense, positions []int) *mat.Dense {
	chosen := evenly(positions, metricPositions)
	d, _ := signals.Dims()
	some := mat.NewDense(d, len(chosen), nil)
	for i := range d {
		from, to := signals.RawRowView(i), some.RawRowView(i)
		for k, t := range chosen {
			to[k] = from[t]
		}
	}
	return some
}

// metricOf returns the standard deviations of outputs y, d×n, and the matrix M = C^(−1/2)·S⁻¹ with
// their correlations C and the ridge, and S the standard deviations on a diagonal. If an output
// is constant or not finite, both are those of white outputs.
func metricOf(y *mat.Dense) (scales []float64, whitening *mat.Dense) {
	d, _ := y.Dims()
	scales = make([]float64, d)
	identity := func() ([]float64, *mat.Dense) {
		for i := range scales {
			scales[i] = 1
		}
		return scales, rotation.Identity(d)
	}
	var c mat.SymDense
	stat.CovarianceMatrix(&c, y.T(), nil)
	for i := range scales {
		scales[i] = math.Sqrt(c.At(i, i))
		if !(scales[i] > 0) || math.IsInf(scales[i], 0) {
			return identity()
		}
	}
	for i := range d {
		for j := range i {
			c.SetSym(i, j, c.At(i, j)/(scales[i]*scales[j]))
		}
		c.SetSym(i, i, 1+metricRidge)
	}
	var e mat.EigenSym
	if !e.Factorize(&c, true) {
		return identity()
	}
	var axes, scaled mat.Dense
	e.VectorsTo(&axes)
	scaled.CloneFrom(&axes)
	for k, v := range e.Values(nil) {
		for i := range d {
			scaled.Set(i, k, scaled.At(i, k)/math.Sqrt(max(v, metricRidge)))
		}
	}
	whitening = mat.NewDense(d, d, nil)
	whitening.Mul(&scaled, axes.T())
	whitening.Apply(func(_, j int, v float64) float64 { return v / scales[j] }, whitening)
	return scales, whitening
}
