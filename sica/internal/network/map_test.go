package network

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/layers"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 77)) }

func drawNormal(seed uint64, rows, cols int, scale float64) *mat.Dense {
	rng := newRand(seed)
	m := mat.NewDense(rows, cols, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return scale * rng.NormFloat64() }, m)
	return m
}

// The map equals layers.Invertible with the same parameters.
func TestMapIsTheLayer(t *testing.T) {
	t.Run("factors", func(t *testing.T) {
		compareMapWithLayer(t, (*layers.InvertibleConfig).Done,
			"factors", "permutations", "biases", "bends")
	})
	t.Run("matrices", func(t *testing.T) {
		full := func(c *layers.InvertibleConfig) (z, logDet *Node) { return c.FullMatrices().Done() }
		compareMapWithLayer(t, full, "matrices", "biases", "lower", "upper", "sharpness")
	})
}

func compareMapWithLayer(
	t *testing.T, done func(*layers.InvertibleConfig) (z, logDet *Node), names ...string,
) {
	const d, n = 3, 2
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		defer store.Finalize()
		exec, err := model.NewExec(b, store, func(scope *model.Scope, x *Node) []*Node {
			z, logDet := done(layers.Invertible(scope, x).Layers(n))
			return []*Node{z, logDet}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		x := drawNormal(1, d, 30, 1)
		points := mat.DenseCopyOf(x.T())
		values := tensors.FromFlatDataAndDimensions(points.RawMatrix().Data, 1, 30, d)
		if _, err := exec.Compile(values.Shape()); err != nil {
			t.Fatal(err)
		}
		if err := layers.InitialiseInvertible(store.RootScope(), []*rand.Rand{newRand(4)}, nil); err != nil {
			t.Fatal(err)
		}
		variables := map[string][]float64{}
		for _, name := range names {
			if variables[name], err = tensors.CopyFlatData[float64](store.GetVariable("/invertible/" + name).MustValue()); err != nil {
				t.Fatal(err)
			}
		}
		m := mapOfVariables(d, variables)
		z := apply(t, m, x)
		logDet, err := m.LogDet(x)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(values)
		if err != nil {
			t.Fatal(err)
		}
		wantZ := mat.DenseCopyOf(z.T()).RawMatrix().Data
		for i, want := range [][]float64{wantZ, logDet} {
			got, err := tensors.CopyFlatData[float64](out[i])
			if err != nil {
				t.Fatal(err)
			}
			for k := range want {
				if math.Abs(got[k]-want[k]) > 1e-11 {
					t.Fatalf("output %d, value %d: layer %g, map %g", i, k, got[k], want[k])
				}
			}
		}
	})
}

// Affine maps before and after a network are merged into its first and last map.
func TestAffineMapsAreMerged(t *testing.T) {
	m := &mapping.Invertible{
		Linear: []*mapping.Affine{drawAffine(1), drawAffine(2), drawAffine(3)},
		Bends:  [][]float64{{.5, -.8, .1}, {-.3, .9, 0}},
	}
	first, last := drawAffine(4), drawAffine(5)
	x := drawNormal(9, 3, 20, 1)
	want := x
	for _, step := range []mapping.Map{first, m, last} {
		want = apply(t, step, want)
	}
	if got := apply(t, compose(first, m, last), x); !mat.EqualApprox(got, want, 1e-10) {
		t.Error("it isn't the three maps, one after another")
	}
}

func drawAffine(seed uint64) *mapping.Affine {
	return mapping.LinearMap(drawNormal(seed, 3, 3, 1), []float64{1, 2, 3})
}

func apply(t *testing.T, m mapping.Map, x *mat.Dense) *mat.Dense {
	t.Helper()
	z, err := m.Apply(x)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// The last map rotates signals with equal innovations and standardises them.
func TestFinishStandardises(t *testing.T) {
	z := drawNormal(3, 2, 500, 4)
	positions := grid.Range(500)[2:]
	scaled := innovationScaled(z, []int{-2, -1}, positions)
	turn := mat.NewDense(2, 2, []float64{.8, -.6, .6, .8})
	var turned mat.Dense
	turned.Mul(turn, scaled)
	want, err := mapping.Standardised(&turned)
	if err != nil {
		t.Fatal(err)
	}
	if got := apply(t, outputMap(z, scaled, turn), z); !mat.EqualApprox(got, want, 1e-10) {
		t.Error("it isn't the rotated signals, standardised")
	}
}
