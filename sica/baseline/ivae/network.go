package ivae

import "gonum.org/v1/gonum/mat"

// network is a learned network, layer by layer: what Config.network builds, on
// the host, so that a Model needs no backend.
type network []affine

type affine struct {
	weights *mat.Dense // inputs × outputs
	biases  []float64
}

// of returns the outputs at inputs x, a column for each position.
func (f network) of(x mat.Matrix) *mat.Dense {
	y := mat.DenseCopyOf(x.T())
	for i, layer := range f {
		y = layer.of(y)
		if i < len(f)-1 {
			y.Apply(leaky, y)
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

func leaky(_, _ int, v float64) float64 { return max(v, slope*v) }
