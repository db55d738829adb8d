package network

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/invertible"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// newMap is layers.Invertible with the variables of one run, as they lie in the store.
func newMap(d int, variables map[string][]float64) *preprocess.Invertible {
	m := &preprocess.Invertible{}
	layer := func(name string, l, n int) []float64 { return variables[name][l*n : (l+1)*n] }
	for l := range len(variables["biases"]) / d {
		w, _ := invertible.Product(layer("factors", l, d*d), layer("permutations", l, d*d), d)
		a := preprocess.LinearMap(w, make([]float64, d))
		copy(a.Offset, layer("biases", l, d))
		m.Linear = append(m.Linear, a)
	}
	for l := range len(variables["bends"]) / d {
		bends := make([]float64, d)
		for i, b := range layer("bends", l, d) {
			bends[i] = max(-invertible.MaxBend, min(math.Tanh(b), invertible.MaxBend))
		}
		m.Bends = append(m.Bends, bends)
	}
	return m
}

// between is first, then m, then last.
func between(first *preprocess.Affine, m *preprocess.Invertible, last *preprocess.Affine) *preprocess.Invertible {
	n := len(m.Bends)
	linear := append([]*preprocess.Affine(nil), m.Linear...)
	linear[0] = first.Then(linear[0])
	linear[n] = linear[n].Then(last)
	return &preprocess.Invertible{Linear: linear, Bends: m.Bends}
}

// finish is the affine map from z to the rotated signals at variance 1 and mean 0;
// scaled is z in innovation scale.
func finish(z, scaled, rotation *mat.Dense) *preprocess.Affine {
	var out mat.Dense
	out.Mul(rotation, scaled)
	d, _ := z.Dims()
	unscaled := preprocess.Standardisation(scaled) // the inverse of its scales is that from variance 1 to innovation scale
	scale := mat.NewDense(d, d, nil)
	for i := range d {
		scale.Set(i, i, 1/unscaled.Dense().At(i, i))
	}
	zero := make([]float64, d)
	return preprocess.Standardisation(z).Then(preprocess.LinearMap(scale, zero)).
		Then(preprocess.LinearMap(rotation, zero)).Then(preprocess.Standardisation(&out))
}
