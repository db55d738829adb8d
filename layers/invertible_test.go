package layers_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/layers"
)

// invertible is a map with an inverse: log|det| of its Jacobian is [R, N], or
// broadcasts to it.
type invertible struct {
	forward func(scope *model.Scope, x *Node) (z, logDet *Node)
	inverse func(scope *model.Scope, z *Node) *Node
}

var invertibles = map[string]invertible{
	"Invertible":                {layersOf(2), layersBack(2)},
	"Invertible without layers": {layersOf(0), layersBack(0)},
	"Invertible of many layers": {layersOf(9), layersBack(9)}, // slopes in two logarithms
}

func layersOf(n int) func(scope *model.Scope, x *Node) (z, logDet *Node) {
	return func(scope *model.Scope, x *Node) (z, logDet *Node) {
		return layers.Invertible(scope, x).Layers(n).Done()
	}
}

func layersBack(n int) func(scope *model.Scope, z *Node) *Node {
	return func(scope *model.Scope, z *Node) *Node { return layers.Invertible(scope, z).Layers(n).DoneInverse() }
}

// eachInvertible runs a test on every map on the pure-Go backend, and on the
// network that has all of them on the others, which take long to compile.
func eachInvertible(t *testing.T, test func(t *testing.T, b compute.Backend, m invertible)) {
	for name, m := range invertibles {
		t.Run(name, func(t *testing.T) {
			backendtest.Each(t, func(t *testing.T, b compute.Backend) {
				if name == "Invertible" || backend.NameOf(b) == backend.Go {
					test(t, b, m)
				}
			})
		})
	}
}

// mapped is a map with drawn variables, run on the host's values.
type mapped struct {
	t             *testing.T
	dtype         dtypes.DType
	forward, back *model.Exec
}

// newMapped draws the variables of runs networks for d signals, and then moves
// all of them by up to spread.
func newMapped(t *testing.T, b compute.Backend, m invertible, dtype dtypes.DType, runs, d int, spread float64) *mapped {
	t.Helper()
	store := model.NewStore()
	t.Cleanup(store.Finalize)
	store.SetParam(layers.ParamRuns, runs)
	forward, err := model.NewExec(b, store, func(scope *model.Scope, in []*Node) []*Node {
		z, logDet := m.forward(scope, in[0])
		return []*Node{z, logDet}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(forward.Finalize)
	back, err := model.NewExec(b, store, func(scope *model.Scope, in []*Node) []*Node {
		return []*Node{m.inverse(scope, in[0])}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(back.Finalize)
	if _, err := forward.Compile(host.Tensor(make([]float64, runs*d), dtype, runs, 1, d).Shape()); err != nil {
		t.Fatalf("%+v", err)
	}
	var rngs []*rand.Rand
	for r := range runs {
		rngs = append(rngs, rand.New(rand.NewPCG(uint64(r), 5)))
	}
	if err := layers.InitialiseInvertible(store.RootScope(), rngs, nil); err != nil {
		t.Fatal(err)
	}
	for v := range store.IterVariables() {
		if !v.Trainable {
			continue
		}
		values, err := host.Values(v.MustValue())
		if err != nil {
			t.Fatal(err)
		}
		for i := range values {
			values[i] += spread * (2*rngs[0].Float64() - 1)
		}
		if err := v.SetValue(host.Tensor(values, dtype, v.Shape().Dimensions...)); err != nil {
			t.Fatal(err)
		}
	}
	return &mapped{t, dtype, forward, back}
}

func (m *mapped) call(exec *model.Exec, values []float64, dims ...int) [][]float64 {
	m.t.Helper()
	outputs, err := exec.Call(host.Tensor(values, m.dtype, dims...))
	if err != nil {
		m.t.Fatalf("%+v", err)
	}
	var all [][]float64
	for _, o := range outputs {
		v, err := host.Values(o)
		if err != nil {
			m.t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func drawNormal(n int, scale float64) []float64 {
	rng := rand.New(rand.NewPCG(3, 9))
	values := make([]float64, n)
	for i := range values {
		values[i] = scale * rng.NormFloat64()
	}
	return values
}

// The log-Jacobian against central differences, whose error is about h² and ε/h.
func TestInvertibleJacobian(t *testing.T) {
	const runs, d, n, h = 2, 3, 6, 1e-5
	eachInvertible(t, func(t *testing.T, b compute.Backend, m invertible) {
		net := newMapped(t, b, m, dtypes.Float64, runs, d, .3)
		x := drawNormal(runs*d*n, 2)
		logDet := net.call(net.forward, x, runs, n, d)[1]
		jacobians := make([][]float64, runs*n)
		for i := range jacobians {
			jacobians[i] = make([]float64, d*d)
		}
		for j := range d {
			moved := func(step float64) []float64 {
				y := append([]float64(nil), x...)
				for r := range runs {
					for k := range n {
						y[(r*n+k)*d+j] += step
					}
				}
				return net.call(net.forward, y, runs, n, d)[0]
			}
			up, down := moved(h), moved(-h)
			for r := range runs {
				for i := range d {
					for k := range n {
						at := (r*n+k)*d + i
						jacobians[r*n+k][i*d+j] = (up[at] - down[at]) / (2 * h)
					}
				}
			}
		}
		for i, jacobian := range jacobians {
			want, _ := mat.LogDet(mat.NewDense(d, d, jacobian))
			if math.Abs(logDet[i]-want) > 1e-7 {
				t.Errorf("run %d, point %d: log|det| %.9f, by differences %.9f", i/n, i%n, logDet[i], want)
			}
		}
	})
}

func TestInvertibleRoundTrip(t *testing.T) {
	const runs, d, n = 2, 3, 50
	eachInvertible(t, func(t *testing.T, b compute.Backend, m invertible) {
		for dtype, bound := range map[dtypes.DType]float64{dtypes.Float32: 1e-5, dtypes.Float64: 1e-10} {
			net := newMapped(t, b, m, dtype, runs, d, .1)
			x := drawNormal(runs*d*n, 1)
			z := net.call(net.forward, x, runs, n, d)[0]
			if worst := maxDifference(net.call(net.back, z, runs, n, d)[0], x); !(worst < bound) {
				t.Errorf("%s: x comes back %.2g away, want within %g", dtype, worst, bound)
			}
		}
	})
}

// Values, log-determinants and gradients don't depend on the backend.
func TestInvertibleBackendsAgree(t *testing.T) {
	var want [][]float64
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		net := newMapped(t, b, invertibles["Invertible"], dtypes.Float64, 2, 3, .3)
		x := drawNormal(2*3*20, 1)
		gradient, err := model.NewExec(b, net.forward.Store(), func(scope *model.Scope, in []*Node) []*Node {
			z, logDet := layers.Invertible(scope, in[0]).Layers(2).Done()
			loss := Sub(ReduceAllSum(Square(z)), ReduceAllSum(logDet))
			of := []*Node{in[0]}
			for v := range scope.IterVariables() {
				if v.Trainable {
					of = append(of, v.NodeValue(loss.Graph()))
				}
			}
			return append([]*Node{z, logDet}, Gradient(loss, of...)...)
		})
		if err != nil {
			t.Fatal(err)
		}
		defer gradient.Finalize()
		got := net.call(gradient, x, 2, 20, 3)
		if want == nil {
			want = got
		}
		for i := range got {
			if worst := maxDifference(got[i], want[i]); !(worst < 1e-9) {
				t.Errorf("output %d differs by %.2g", i, worst)
			}
		}
	})
}

// With InitialiseInvertible a network begins near the given rotation, with slopes near 1.
func TestInvertibleBeginsNearRotation(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		defer store.Finalize()
		exec, err := model.NewExec(b, store, func(scope *model.Scope, x *Node) *Node {
			z, _ := layers.Invertible(scope, x).Layers(3).Done()
			return z
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		x := tensors.FromValue([][][]float64{{{1, 0}, {0, 1}}})
		if _, err := exec.Compile(x.Shape()); err != nil {
			t.Fatal(err)
		}
		given := mat.NewDense(2, 2, []float64{.6, -.8, .8, .6})
		if err := layers.InitialiseInvertible(store.RootScope(), []*rand.Rand{rand.New(rand.NewPCG(1, 1))}, []*mat.Dense{given}); err != nil {
			t.Fatal(err)
		}
		// Make it exactly linear: no bends, no biases.
		for _, name := range []string{"/invertible/biases", "/invertible/bends"} {
			v := store.GetVariable(name)
			if err := v.SetValue(tensors.FromShape(v.Shape())); err != nil {
				t.Fatal(err)
			}
		}
		outputs, err := exec.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		if worst := maxDifference(flat(t, outputs[0]), mat.DenseCopyOf(given.T()).RawMatrix().Data); worst > 1e-12 {
			t.Errorf("differs from the rotation by %g", worst)
		}
	})
}

// In float32 full matrices have log|det| within 0.001 up to the condition number that the doc of
// FullMatrices states.
func TestFullMatricesLogDet(t *testing.T) {
	const d, condition = 16, 300
	rng := rand.New(rand.NewPCG(1, d))
	scale := mat.NewDiagDense(d, nil) // the singular values
	for i := range d {
		scale.SetDiag(i, math.Pow(condition, -float64(i)/(d-1)))
	}
	var w mat.Dense
	w.Product(rotation.Random(rng, d), scale, rotation.Random(rng, d))
	want, _ := mat.LogDet(&w)
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		defer store.Finalize()
		exec, err := model.NewExec(b, store, func(scope *model.Scope, x *Node) *Node {
			_, logDet := layers.Invertible(scope, x).Layers(0).FullMatrices().Done()
			return logDet
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		x := host.Tensor(make([]float64, d), dtypes.Float32, 1, 1, d)
		if _, err := exec.Compile(x.Shape()); err != nil {
			t.Fatal(err)
		}
		matrices := host.Tensor(w.RawMatrix().Data, dtypes.Float32, 1, 1, d, d)
		if err := store.GetVariable("/invertible/matrices").SetValue(matrices); err != nil {
			t.Fatal(err)
		}
		outputs, err := exec.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := host.Values(outputs[0])
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(got[0]-want) < 0.001) {
			t.Errorf("log|det| %g, want %g", got[0], want)
		}
	})
}
