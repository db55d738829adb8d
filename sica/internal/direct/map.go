package direct

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica/internal/mapping"
)

// newMap is layers.Invertible with the variables of one run, as they lie in the store.
func newMap(d int, variables map[string][]float64) *mapping.Invertible {
	m := &mapping.Invertible{}
	layer := func(name string, l, n int) []float64 { return variables[name][l*n : (l+1)*n] }
	for l := range len(variables["biases"]) / d {
		w, _ := layers.MultiplyPLU(layer("factors", l, d*d), layer("permutations", l, d*d), d)
		a := mapping.LinearMap(w, make([]float64, d))
		copy(a.Offset, layer("biases", l, d))
		m.Linear = append(m.Linear, a)
	}
	for l := range len(variables["bends"]) / d {
		bends := make([]float64, d)
		for i, b := range layer("bends", l, d) {
			bends[i] = max(-layers.LargestBend, min(math.Tanh(b), layers.LargestBend))
		}
		m.Bends = append(m.Bends, bends)
	}
	return m
}

// between is first, then m, then last.
func between(first *mapping.Affine, m *mapping.Invertible, last *mapping.Affine) *mapping.Invertible {
	n := len(m.Bends)
	linear := append([]*mapping.Affine(nil), m.Linear...)
	linear[0] = first.Then(linear[0])
	linear[n] = linear[n].Then(last)
	return &mapping.Invertible{Linear: linear, Bends: m.Bends}
}

// finish is the affine map from z to the rotated signals at variance 1 and mean 0;
// scaled is z in innovation scale.
func finish(z, scaled, rotation *mat.Dense) *mapping.Affine {
	var out mat.Dense
	out.Mul(rotation, scaled)
	d, _ := z.Dims()
	unscaled := mapping.Standardisation(scaled) // the inverse of its scales is that from variance 1 to innovation scale
	scale := mat.NewDense(d, d, nil)
	for i := range d {
		scale.Set(i, i, 1/unscaled.Dense().At(i, i))
	}
	zero := make([]float64, d)
	return mapping.Standardisation(z).Then(mapping.LinearMap(scale, zero)).
		Then(mapping.LinearMap(rotation, zero)).Then(mapping.Standardisation(&out))
}
