package pcl

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// features is a learned feature network, layer by layer: what Config.features
// builds, on the host, so that a Model needs no backend.
type features []affine

type affine struct {
	weights *mat.Dense // inputs × outputs
	biases  []float64
}

// of returns h of the white signals, d×n each.
func (f features) of(white mat.Matrix) *mat.Dense {
	y := mat.DenseCopyOf(white.T()) // n×d
	for i, layer := range f {
		y = layer.of(y)
		if i < len(f)-1 {
			y.Apply(silu, y)
		}
	}
	return mat.DenseCopyOf(y.T())
}

func (a affine) of(x *mat.Dense) *mat.Dense {
	var y mat.Dense
	y.Mul(x, a.weights)
	y.Apply(func(_, j int, v float64) float64 { return v + a.biases[j] }, &y)
	return &y
}

func silu(_, _ int, v float64) float64 { return v / (1 + math.Exp(-v)) }
