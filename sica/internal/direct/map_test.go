package direct

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/layers"
)

func onBackends(t *testing.T, test func(t *testing.T, b compute.Backend)) {
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) {
			b, err := backend.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			test(t, b)
		})
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 77)) }

func drawNormal(seed uint64, rows, cols int, scale float64) *mat.Dense {
	rng := newRand(seed)
	m := mat.NewDense(rows, cols, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return scale * rng.NormFloat64() }, m)
	return m
}

// drawMap draws a map of three layers for three signals.
func drawMap(t *testing.T) *Map {
	t.Helper()
	m := &Map{}
	for l := range 4 {
		m.Linear = append(m.Linear, newAffine(drawNormal(uint64(l), 3, 3, 1), []float64{.1, -.2, .3}))
		if l < 3 {
			m.Bends = append(m.Bends, []float64{.5, -.8, .1 * float64(l)})
		}
	}
	if err := m.check(); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMapInverts(t *testing.T) {
	m := drawMap(t)
	x := drawNormal(9, 3, 200, 3)
	z, err := m.Apply(x)
	if err != nil {
		t.Fatal(err)
	}
	back, err := m.Invert(z)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(back, x, 1e-10) {
		t.Error("g⁻¹(g(x)) isn't x")
	}
}

// LogDet is log|det| of the Jacobian by central differences.
func TestMapLogDet(t *testing.T) {
	const h = 1e-5
	m := drawMap(t)
	x := drawNormal(9, 3, 20, 2)
	got, err := m.LogDet(x)
	if err != nil {
		t.Fatal(err)
	}
	for k := range got {
		jacobian := mat.NewDense(3, 3, nil)
		for j := range 3 {
			moved := func(step float64) *mat.Dense {
				at := mat.NewDense(3, 1, mat.Col(nil, k, x))
				at.Set(j, 0, at.At(j, 0)+step)
				z, _ := m.forward(at)
				return z
			}
			var difference mat.Dense
			difference.Sub(moved(h), moved(-h))
			for i := range 3 {
				jacobian.Set(i, j, difference.At(i, 0)/(2*h))
			}
		}
		if want, _ := mat.LogDet(jacobian); math.Abs(got[k]-want) > 1e-7 {
			t.Errorf("position %d: %.9f, by differences %.9f", k, got[k], want)
		}
	}
}

// The map is layers.Invertible with the same parameters.
func TestMapIsTheLayer(t *testing.T) {
	const d, n = 3, 2
	onBackends(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		defer store.Finalize()
		exec, err := model.NewExec(b, store, func(scope *model.Scope, x *Node) []*Node {
			z, logDet := layers.Invertible(scope, x).Layers(n).Done()
			return []*Node{z, logDet}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		x := drawNormal(1, d, 30, 1)
		values := tensors.FromFlatDataAndDimensions(x.RawMatrix().Data, 1, d, 30)
		if _, err := exec.Compile(values.Shape()); err != nil {
			t.Fatal(err)
		}
		if err := layers.InitialiseInvertible(store.RootScope(), []*rand.Rand{newRand(4)}, nil); err != nil {
			t.Fatal(err)
		}
		variable := func(name string) []float64 {
			v, err := tensors.CopyFlatData[float64](store.GetVariable("/" + name).MustValue())
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		m := newMap(d, parameters{variable("factors"), variable("permutations"), variable("biases"), variable("bends")})
		z, logDet := m.forward(x)
		out, err := exec.Call(values)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]float64{z.RawMatrix().Data, logDet} {
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

// Maps before and after are taken into the ends.
func TestMapEnds(t *testing.T) {
	m := drawMap(t)
	a := newAffine(drawNormal(20, 3, 3, 1), []float64{1, 2, 3})
	x := drawNormal(9, 3, 20, 1)
	want, _ := m.forward(x)
	if got, _ := m.followed(a).forward(x); !mat.EqualApprox(got, a.apply(want), 1e-10) {
		t.Error("followed isn't a∘g")
	}
	want, _ = m.forward(a.apply(x))
	if got, _ := m.preceded(a).forward(x); !mat.EqualApprox(got, want, 1e-10) {
		t.Error("preceded isn't g∘a")
	}
}

// A model comes back from JSON bit for bit, and one without a map doesn't.
func TestModelJSON(t *testing.T) {
	m := &Model{Map: *drawMap(t), CodeLength: math.Pi, Agreement: 1. / 3, Groups: [][]int{{0, 2}},
		PastGain: []Difference{{1, 2}}, Pairs: []Pair{{0, 1, Difference{3, 4}}}, Runs: []Run{{Curve: []Evaluation{{50, -1, -2}}}}}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Model
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&back, m) {
		t.Errorf("%+v came back as %+v", m, back)
	}
	for change, want := range map[string]string{
		`"linear":[]`: "affine maps",
		`"bends":[]`:  "affine maps",
		`"bends":[[0.5,-0.8,0],[0.5,-0.8,1],[0.5,-0.8,0.2]]`: "a bend of 1",
		`"bends":[[0.5,-0.8],[0.5,-0.8,0.1],[0.5,-0.8,0.2]]`: "2 bends",
		`"linear":[{"w":[[0]],"b":[0]}],"bends":[]`:          "no inverse",
		`"linear":[{"w":[[1,2]],"b":[0]}],"bends":[]`:        "isn't 1×1",
		`"linear":[{"w":[[1],[2]],"b":[0]}],"bends":[]`:      "another size",
		`"linear":[{"w":[],"b":[]}],"bends":[]`:              "no signals",
	} {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		var old map[string]json.RawMessage
		if err := json.Unmarshal(fields["map"], &old); err != nil {
			t.Fatal(err)
		}
		var changed map[string]json.RawMessage
		if err := json.Unmarshal([]byte("{"+change+"}"), &changed); err != nil {
			t.Fatal(err)
		}
		for k, v := range changed {
			old[k] = v
		}
		fields["map"], _ = json.Marshal(old)
		bad, _ := json.Marshal(fields)
		if err := json.Unmarshal(bad, &back); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", change, err, want)
		}
	}
}
