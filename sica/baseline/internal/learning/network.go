package learning

import (
	"fmt"
	"path"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// A Network is a multi-layer perceptron on the host, so that a Model needs no
// backend: affine maps with an activation between each two.
type Network struct {
	layers     []affine
	activation func(float64) float64
}

type affine struct {
	weights *mat.Dense // inputs × outputs
	biases  []float64
}

// Network returns the perceptron whose layers, made by layers.Dense or layers.MLP
// in the scopes of Store from the first layer to the last, have what was learned
// by now.
func (l *Learner) Network(activation func(float64) float64, scopes ...string) (Network, error) {
	n := Network{activation: activation}
	for _, scope := range scopes {
		weights, err := l.values(path.Join(scope, "weights"))
		if err != nil {
			return Network{}, err
		}
		biases, err := l.values(path.Join(scope, "biases"))
		if err != nil {
			return Network{}, err
		}
		n.layers = append(n.layers, affine{mat.NewDense(len(weights)/len(biases), len(biases), weights), biases})
	}
	return n, nil
}

func (l *Learner) values(name string) ([]float64, error) {
	v := l.Store.GetVariable(name)
	if v == nil {
		return nil, fmt.Errorf("no variable %q was learned", name)
	}
	value, err := v.Value()
	if err != nil {
		return nil, err
	}
	return host.Values(value)
}

// Outputs returns the outputs at the inputs x, a row for each and a column for each
// position.
func (n Network) Outputs(x mat.Matrix) *mat.Dense {
	y := mat.DenseCopyOf(x.T())
	for i, layer := range n.layers {
		y = layer.apply(y)
		if i < len(n.layers)-1 {
			y.Apply(func(_, _ int, v float64) float64 { return n.activation(v) }, y)
		}
	}
	return mat.DenseCopyOf(y.T())
}

func (a affine) apply(x *mat.Dense) *mat.Dense {
	var y mat.Dense
	y.Mul(x, a.weights)
	y.Apply(func(_, j int, v float64) float64 { return v + a.biases[j] }, &y)
	return &y
}
