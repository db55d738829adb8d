package direct

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/layers"
)

// network is layers.Invertible for one run, on the host in float64.
type network struct {
	linear []linearMap
	units  [][]leaky // [layer][signal]
}

// linearMap is w·x + b.
type linearMap struct {
	w      *mat.Dense
	b      []float64
	logDet float64
}

// leaky is the unit of layers.Leaky with the bend c.
type leaky float64

func (c leaky) forward(x float64) (y, slope float64) {
	root := math.Sqrt(x*x + 1)
	return x + float64(c)*(root-1), 1 + float64(c)*x/root
}

func (c leaky) inverse(y float64) float64 {
	y += float64(c)
	rest := 1 - float64(c*c)
	return (y - float64(c)*math.Sqrt(y*y+rest)) / rest
}

// forward returns g(x) and log|det| at each position.
func (n *network) forward(x *mat.Dense) (z *mat.Dense, logDet []float64) {
	_, T := x.Dims()
	logDet = make([]float64, T)
	for l, m := range n.linear {
		x = affineMap(m.w, m.b, x)
		for t := range logDet {
			logDet[t] += m.logDet
		}
		if l == len(n.units) {
			break
		}
		for i, u := range n.units[l] {
			row := x.RawRowView(i)
			for t, v := range row {
				y, slope := u.forward(v)
				row[t] = y
				logDet[t] += math.Log(slope)
			}
		}
	}
	return x, logDet
}

// inverse returns g⁻¹(z).
func (n *network) inverse(z *mat.Dense) (*mat.Dense, error) {
	x := mat.DenseCopyOf(z)
	for l := len(n.linear) - 1; l >= 0; l-- {
		if l < len(n.units) {
			for i, u := range n.units[l] {
				row := x.RawRowView(i)
				for t, v := range row {
					row[t] = u.inverse(v)
				}
			}
		}
		m := n.linear[l]
		for i, b := range m.b {
			row := x.RawRowView(i)
			for t := range row {
				row[t] -= b
			}
		}
		if err := x.Solve(m.w, mat.DenseCopyOf(x)); err != nil {
			return nil, fmt.Errorf("direct: layer %d: %w", l+1, err)
		}
	}
	return x, nil
}

// newNetwork takes one run's variables of layers.Invertible for d signals.
func newNetwork(d int, v parameters) *network {
	n := &network{}
	maps := len(v.Biases) / d
	for m := range maps {
		w, logDet := layers.MultiplyPLU(v.Factors[m*d*d:(m+1)*d*d], v.Permutations[m*d*d:(m+1)*d*d], d)
		n.linear = append(n.linear, linearMap{w, v.Biases[m*d : (m+1)*d], logDet})
	}
	for l := range maps - 1 {
		layer := make([]leaky, d)
		for i := range layer {
			layer[i] = leaky(math.Tanh(v.Bends[l*d+i]))
		}
		n.units = append(n.units, layer)
	}
	return n
}

// parameters are the variables of layers.Invertible for one run, as they lie in
// the store.
type parameters struct {
	Factors, Permutations, Biases, Bends []float64
}
