package network

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/invertible"
	"github.com/seed-47b1e431/gosica/internal/mapping"
)

// mapOfVariables returns the map of layers.Invertible with the variables of one run, in the order
// of the store. A leaky ReLU with any two slopes becomes one of mapping.Invertible, with the slopes
// 1±c: its scales go into the affine maps before and after it.
func mapOfVariables(d int, variables map[string][]float64) *mapping.Invertible {
	m := &mapping.Invertible{}
	layer := func(name string, l, n int) []float64 { return variables[name][l*n : (l+1)*n] }
	for l := range len(variables["biases"]) / d {
		var w *mat.Dense
		if variables["matrices"] != nil {
			w = mat.NewDense(d, d, slices.Clone(layer("matrices", l, d*d)))
		} else {
			w, _ = invertible.Product(layer("factors", l, d*d), layer("permutations", l, d*d), d)
		}
		a := mapping.LinearMap(w, make([]float64, d))
		copy(a.Offset, layer("biases", l, d))
		m.Linear = append(m.Linear, a)
	}
	for l := range len(variables["lower"]) / d {
		m.Bends = append(m.Bends, make([]float64, d))
		before, after := m.Linear[l], m.Linear[l+1]
		for i := range d {
			c, gain, k := invertible.LeakyOf(layer("lower", l, d)[i], layer("upper", l, d)[i],
				layer("sharpness", l, d)[i])
			m.Bends[l][i] = c
			floats.Scale(k, before.Matrix[i*d:(i+1)*d])
			before.Offset[i] *= k
			for j := range d {
				after.Matrix[j*d+i] *= gain / k
			}
		}
	}
	for l := range len(variables["bends"]) / d {
		bends := make([]float64, d)
		for i, b := range layer("bends", l, d) {
			c := min(math.Tanh(b), invertible.MaxBend)
			bends[i] = max(-invertible.MaxBend, c)
		}
		m.Bends = append(m.Bends, bends)
	}
	return m
}

// compose returns the map that applies first, then m, then last.
func compose(
	first *mapping.Affine, m *mapping.Invertible, last *mapping.Affine,
) *mapping.Invertible {
	n := len(m.Bends)
	maps := append([]*mapping.Affine(nil), m.Linear...)
	maps[0] = first.Then(maps[0])
	maps[n] = maps[n].Then(last)
	return &mapping.Invertible{Linear: maps, Bends: m.Bends}
}

// outputMap returns the affine map from the signals z to rotated signals with mean 0 and variance
// 1. nearest is the rotation of scaled, which is z with innovations of variance 1.
func outputMap(z, scaled, nearest *mat.Dense) *mapping.Affine {
	var rotated mat.Dense
	rotated.Mul(nearest, scaled)
	d, _ := z.Dims()
	// From variance 1 to innovations of variance 1: the inverse of standardising scaled.
	standardisation := mapping.Standardisation(scaled)
	scale := mat.NewDense(d, d, nil)
	for i := range d {
		scale.Set(i, i, 1/standardisation.Dense().At(i, i))
	}
	zero := make([]float64, d)
	return mapping.Standardisation(z).Then(mapping.LinearMap(scale, zero)).
		Then(mapping.LinearMap(nearest, zero)).Then(mapping.Standardisation(&rotated))
}
