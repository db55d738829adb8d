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

// Networks of many signals are trained in the coordinates of the whitened outputs of each affine
// map. A step then changes each output by a share of its standard deviation, however
// ill-conditioned the map is. "Natural neural networks" (G. Desjardins, K. Simonyan, R. Pascanu, K.
// Kavukcuoglu, NIPS 2015) uses such coordinates of the inputs. With those of the outputs, a step of
// the relative gradient, which multiplies a map by a matrix, leaves the map invertible.
const (
	// metricPositions is the number of positions at which outputs are measured, every evaluateEvery
	// steps. Their correlations have standard errors of 0.04.
	metricPositions = 512
	// metricRidge is added to the variances of the standardised outputs, which are 1. It limits the
	// steps along directions with less than a tenth of the variance. With a smaller ridge, the
	// training of twenty signals comes nearer to diverging.
	metricRidge = 0.1
)

// setMetric measures the outputs of the active run's affine maps, and sets the coordinates of the
// steps.
func (sl *slot) setMetric() error {
	maps, err := sl.maps()
	if err != nil {
		return err
	}
	variables, err := sl.read(mapScope+"/invertible", "sharpness")
	if err != nil {
		return err
	}
	m, sharpness := maps[0], variables[0]["sharpness"]
	outputs, err := m.Outputs(sl.sample)
	if err != nil {
		return err
	}
	var scales, whitening []float64
	for l, y := range outputs {
		if l < len(m.Bends) {
			// mapping.Invertible multiplies the outputs by the sharpness of the nonlinearity.
			for i := range sl.d {
				_, _, scale := invertible.LeakyOf(0, 0, sharpness[l*sl.d+i])
				floats.Scale(1/scale, y.RawRowView(i))
			}
		}
		sd, white := measureMetric(y)
		scales = append(scales, sd...)
		whitening = append(whitening, white.RawMatrix().Data...)
	}
	scalesPath, whiteningPath := flows.RelativeMetric(mapScope + "/invertible/matrices")
	for path, values := range map[string][]float64{scalesPath: scales, whiteningPath: whitening} {
		v := sl.store.GetVariable(path)
		if v == nil {
			return errors.New("variable " + path + " is missing; must be one of the optimizer")
		}
		if err := v.SetValue(host.Tensor(values, v.DType(), v.Shape().Dimensions...)); err != nil {
			return err
		}
	}
	return nil
}

// measureMetric returns the standard deviations of the outputs y, d×n, and their whitening
// C^(−1/2)·S⁻¹, where C is their correlation matrix plus the ridge, and S holds the standard
// deviations. If an output is constant or not finite, it returns the values for white outputs.
func measureMetric(y *mat.Dense) (scales []float64, whitening *mat.Dense) {
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
