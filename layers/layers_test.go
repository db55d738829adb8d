package layers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
)

// runner runs a graph on values and tensors.
type runner func(build func(in []*Node) []*Node, args ...any) []*tensors.Tensor

// eachBackend runs a test on every backend that there is here.
func eachBackend(t *testing.T, test func(t *testing.T, run runner)) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		test(t, func(build func(in []*Node) []*Node, args ...any) []*tensors.Tensor {
			t.Helper()
			exec, err := NewExec(b, build)
			if err != nil {
				t.Fatal(err)
			}
			defer exec.Finalize()
			out, err := exec.Call(args...)
			if err != nil {
				t.Fatalf("%+v", err)
			}
			return out
		})
	})
}

func openGo(t *testing.T) compute.Backend {
	t.Helper()
	return backendtest.Open(t, backend.Go)
}

// network builds a network of x with the variables of a store, and evaluates
// it and the gradients of the sum of its outputs, weighted with probe.
type network func(scope *model.Scope, x *Node) *Node

// evaluate returns the outputs, the gradient in x and those in the variables,
// in their order. Run r's variables are drawn from seeds[r].
func evaluate(t *testing.T, b compute.Backend, build network, x *tensors.Tensor, seeds ...uint64) []*tensors.Tensor {
	t.Helper()
	return evaluator(t, b, build, x.Shape())(x, seeds...)
}

// evaluator compiles a network once, to be evaluated on inputs of one shape.
func evaluator(t *testing.T, b compute.Backend, build network, shape shapes.Shape) func(x *tensors.Tensor, seeds ...uint64) []*tensors.Tensor {
	t.Helper()
	store := model.NewStore()
	t.Cleanup(store.Finalize)
	store.SetParam(layers.ParamRuns, shape.Dim(0))
	exec, err := model.NewExec(b, store, func(scope *model.Scope, in []*Node) []*Node {
		out := build(scope, in[0])
		probe := Iota(out.Graph(), shapes.Make(out.DType(), out.Shape().Dimensions[1:]...), 0)
		loss := ReduceAllSum(Mul(Sin(out), AddScalar(InsertAxes(probe, 0), 1)))
		of := []*Node{in[0]}
		for v := range scope.IterVariables() {
			of = append(of, v.NodeValue(out.Graph()))
		}
		return append([]*Node{out}, Gradient(loss, of...)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(exec.Finalize)
	if _, err := exec.Compile(shape); err != nil { // creates the variables
		t.Fatalf("%+v", err)
	}
	return func(x *tensors.Tensor, seeds ...uint64) []*tensors.Tensor {
		t.Helper()
		var rngs []*rand.Rand
		for _, seed := range seeds {
			rngs = append(rngs, rand.New(rand.NewPCG(seed, 0)))
		}
		if err := layers.Initialise(store.RootScope(), rngs); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(x)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		return out
	}
}

func normal(rng *rand.Rand, dims ...int) *tensors.Tensor {
	values := make([]float64, shapes.Make(dtypes.Float64, dims...).Size())
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

func flat(t *testing.T, x *tensors.Tensor) []float64 {
	t.Helper()
	values, err := tensors.CopyFlatData[float64](x)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func maxDifference(a, b []float64) float64 {
	worst := 0.0
	for i := range a {
		if d := math.Abs(a[i] - b[i]); !(d <= worst) {
			worst = d
		}
	}
	return worst
}

// literalCNN is the paper's network as its appendix writes it, with GoMLX's
// own convolution, for one run: x is [R=1, B, p…, C].
func literalCNN(scope *model.Scope, x *Node) *Node {
	g := x.Graph()
	variable := func(scope *model.Scope, name string, dims ...int) *Node {
		return Squeeze(scope.VariableWithShape(name, shapes.Make(x.DType(), append([]int{1}, dims...)...)).NodeValue(g), 0)
	}
	x = Squeeze(x, 0) // [B, p…, C]
	kernel := make([]int, x.Rank()-2)
	for i := range kernel {
		kernel[i] = 3
	}
	for i := range 3 {
		s := scope.In("conv_%d", i)
		w := variable(s, "weights", append(append([]int{}, kernel...), x.Shape().Dim(-1), 16)...)
		bias := variable(s, "biases", 16)
		x = Convolve(x, w).PadSame().Done()
		x = Add(x, ExpandLeftToRank(bias, x.Rank()))
		if i < 2 {
			x = Where(GreaterThan(x, ZerosLike(x)), x, ZerosLike(x))
		}
	}
	x = Reshape(x, x.Shape().Dim(0), -1)
	s := scope.In("output")
	w := variable(s, "weights", x.Shape().Dim(1), 1)
	y := Add(Dot(x, w).Product(), ExpandLeftToRank(variable(s, "biases", 1), 2))
	return InsertAxes(y, 0) // [1, B, 1]
}

// literalInput builds [M, Z_t, Z̃₋ₜ] of each sample one by one, by replacing the
// hidden values by NaN and the NaN by zero: [1, B, T, 3d] for joint and
// product samples alike.
func literalInput(z [][]float64, y [][]float64, idx [][]int32) *tensors.Tensor {
	d, positions := len(z), len(z[0])
	var x []float64
	for b := range idx {
		masked := make([][]float64, d)
		for i := range z {
			masked[i] = append([]float64(nil), z[i]...)
			masked[i][idx[b][i]] = math.NaN()
		}
		for t := range positions {
			for i := range d {
				mask := 0.0
				if math.IsNaN(masked[i][t]) {
					mask = 1
				}
				x = append(x, mask)
			}
			x = append(x, y[b]...)
			for i := range d {
				v := masked[i][t]
				if math.IsNaN(v) {
					v = 0
				}
				x = append(x, v)
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(x, 1, len(idx), positions, 3*d)
}

// The network over a context equals a literal implementation over inputs that are built sample by
// sample, on pure Go: in its outputs and the gradients of all weights, for sequences, images and
// videos.
func TestCNNAgainstLiteral(t *testing.T) {
	const d, batch = 2, 5
	for _, shape := range [][]int{{12}, {4, 5}, {3, 4, 3}} {
		positions := 1
		for _, n := range shape {
			positions *= n
		}
		rng := rand.New(rand.NewPCG(uint64(positions), 1))
		z := make([][]float64, d)
		for i := range z {
			for range positions {
				z[i] = append(z[i], rng.NormFloat64())
			}
		}
		idx := make([][]int32, batch)
		y := make([][]float64, batch)
		for k := range idx {
			joint := int32(rng.IntN(positions))
			for range d {
				if k > batch/2 { // product samples
					joint = int32(rng.IntN(positions))
				}
				idx[k] = append(idx[k], joint)
				y[k] = append(y[k], rng.NormFloat64())
			}
		}
		input := literalInput(z, y, idx)
		dims := append(append([]int{1, batch}, shape...), 3*d)
		input = tensors.FromFlatDataAndDimensions(flat(t, input), dims...)
		want := evaluate(t, openGo(t), literalCNN, input, 7)

		backendtest.Each(t, func(t *testing.T, b compute.Backend) {
			if backend.NameOf(b) != backend.Go && len(shape) > 2 && os.Getenv("SICA_LONG_TESTS") == "" {
				t.Skip("XLA compiles a video for three seconds; SICA_LONG_TESTS=1")
			}
			exec, err := NewExec(b, func(in []*Node) *Node { return layers.WholeContext(in[0], in[1], in[2], shape...) })
			if err != nil {
				t.Fatal(err)
			}
			context, err := exec.Call1([][][]float64{z}, [][][]float64{y}, [][][]int32{idx})
			if err != nil {
				t.Fatalf("%+v", err)
			}
			got := evaluate(t, b, func(scope *model.Scope, x *Node) *Node { return layers.CNN(scope, x).Done() }, context, 7)

			if len(got) != len(want) {
				t.Fatalf("%d results, want %d", len(got), len(want))
			}
			for k := range want {
				if diff := maxDifference(flat(t, got[k]), flat(t, want[k])); !(diff < 1e-10) {
					t.Errorf("shape %v, result %d (0 outputs, 1 input gradient, then weights): differs by %g", shape, k, diff)
				}
			}
		})
	}
}

// Each of several runs in one program gives what it gives alone.
func TestRunsAreIndependent(t *testing.T) {
	for name, build := range map[string]network{
		"MLP": func(scope *model.Scope, x *Node) *Node {
			return layers.MLP(scope, Reshape(x, x.Shape().Dim(0), x.Shape().Dim(1), -1)).Hidden(8, 8).Outputs(2).Done()
		},
		"CNN":   func(scope *model.Scope, x *Node) *Node { return layers.CNN(scope, x).Channels(4).Outputs(2).Done() },
		"Dense": func(scope *model.Scope, x *Node) *Node { return layers.Dense(scope, x, 3) },
	} {
		backendtest.Each(t, func(t *testing.T, b compute.Backend) {
			const batch, positions, channels = 4, 6, 2
			x := normal(rand.New(rand.NewPCG(3, 4)), 3, batch, positions, channels)
			together := evaluate(t, b, build, x, 11, 12, 13)
			size := batch * positions * channels
			run := evaluator(t, b, build, shapes.Make(dtypes.Float64, 1, batch, positions, channels))
			for r := range 3 {
				alone := run(tensors.FromFlatDataAndDimensions(flat(t, x)[r*size:(r+1)*size], 1, batch, positions, channels), uint64(11+r))
				for k := range alone {
					want := flat(t, alone[k])
					got := flat(t, together[k])[r*len(want) : (r+1)*len(want)]
					if diff := maxDifference(got, want); !(diff < 1e-12) {
						t.Errorf("%s: run %d, result %d: differs by %g from the run alone", name, r, k, diff)
					}
				}
			}
		})
	}
}

// The gradient of the MLP in its input, the velocity of a flow, against central differences.
func TestMLPGradient(t *testing.T) {
	const h = 1e-5
	x := []float64{0.3, 1, -2}
	samples := append([]float64(nil), x...) // x, then x moved up and down in each input
	for i := range x {
		for _, step := range []float64{h, -h} {
			moved := append([]float64(nil), x...)
			moved[i] += step
			samples = append(samples, moved...)
		}
	}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		out := evaluate(t, b, func(scope *model.Scope, x *Node) *Node { return layers.MLP(scope, x).Hidden(5).Done() },
			tensors.FromFlatDataAndDimensions(append([]float64(nil), samples...), 1, 1+2*len(x), len(x)), 5)
		y, gradient := flat(t, out[0]), flat(t, out[1])
		for i := range x {
			want := (math.Sin(y[1+2*i]) - math.Sin(y[2+2*i])) / (2 * h)
			if math.Abs(gradient[i]-want) > 1e-8 {
				t.Errorf("gradient %d is %g, differences give %g", i, gradient[i], want)
			}
		}
	})
}

// PyTorch draws the weights and biases of Linear(4, 1000) and of
// Conv1d(2, 500, 3) from U(±1/√4) and U(±1/√6), whose variance is bound²/3.
func TestInitialiseAsPyTorch(t *testing.T) {
	b := openGo(t)
	for _, test := range []struct {
		name  string
		fanIn int
		build network
		dims  []int
	}{
		{"Dense", 4, func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 1000) }, []int{2, 1, 4}},
		{"Conv", 6, func(s *model.Scope, x *Node) *Node { return layers.Conv(s, x, 500) }, []int{2, 1, 5, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			draw := func(seeds ...uint64) map[string][]float64 {
				store := model.NewStore()
				store.SetParam(layers.ParamRuns, len(seeds))
				exec, err := model.NewExec(b, store, func(scope *model.Scope, in []*Node) []*Node {
					return []*Node{test.build(scope, in[0])}
				})
				if err != nil {
					t.Fatal(err)
				}
				test.dims[0] = len(seeds)
				if _, err := exec.Compile(shapes.Make(dtypes.Float64, test.dims...)); err != nil {
					t.Fatalf("%+v", err)
				}
				var rngs []*rand.Rand
				for _, seed := range seeds {
					rngs = append(rngs, rand.New(rand.NewPCG(seed, 0)))
				}
				if err := layers.Initialise(store.RootScope(), rngs); err != nil {
					t.Fatal(err)
				}
				values := make(map[string][]float64)
				for v := range store.IterVariables() {
					values[v.Name()] = flat(t, v.MustValue())
				}
				return values
			}
			both, second := draw(1, 2), draw(2)
			bound := 1 / math.Sqrt(float64(test.fanIn))
			for _, name := range []string{"weights", "biases"} {
				square := 0.0
				for _, v := range both[name] {
					if math.Abs(v) > bound {
						t.Fatalf("%s has the value %g beyond ±%g", name, v, bound)
					}
					square += v * v / float64(len(both[name]))
				}
				if want := bound * bound / 3; math.Abs(square/want-1) > 0.1 {
					t.Errorf("%s has the variance %g, want %g", name, square, want)
				}
				if half := both[name][len(both[name])/2:]; !reflect.DeepEqual(half, second[name]) {
					t.Errorf("%s of run 1 depends on the other runs", name)
				}
			}
		})
	}
}

// Two sequences share one network: they are the runs of the context, and then one batch.
func ExampleWindowContext() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	neighbours, err := layers.Neighbours(1, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	z := [][][]float32{{{1, 2, 3, 4}}, {{5, 6, 7, 8}}} // [N=2, d=1, T=4]
	t := [][][]int32{{{0}, {1}}, {{2}, {3}}}           // [N=2, B=2, d=1]
	out, err := model.CallOnceN(b, model.NewStore(), func(scope *model.Scope, in []*Node) []*Node {
		x := layers.WindowContext(in[0], in[1], in[2]) // [N, B, 2d]
		x = Reshape(x, 1, -1, x.Shape().Dim(-1))       // [1, N·B, 2d]
		return []*Node{layers.MLP(scope, x).Done(), x} // [1, N·B, 1]
	}, z, t, neighbours)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[0].Shape(), out[1].Value())
	// Output: (Float32)[1, 4, 1] [[[0 2] [1 3] [6 8] [7 0]]]
}

// A network for two runs, each with weights of its own, over a window of one
// neighbour on each side of two signals.
func ExampleMLP() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	neighbours, err := layers.Neighbours(1, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	store := model.NewStore()
	store.SetParam(layers.ParamRuns, 2)
	exec, err := model.NewExec(b, store, func(scope *model.Scope, in []*Node) []*Node {
		z, t, table := in[0], in[1], in[2]
		y := layers.GatherSignals(z, t)                                      // [R, B, d]
		x := Concatenate([]*Node{y, layers.WindowContext(z, t, table)}, -1)  // [R, B, 3d]
		return []*Node{layers.MLP(scope, x).Hidden(16).Outputs(2).Done(), x} // [R, B, 2]
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	z := [][][]float32{{{1, 2, 3, 4}, {5, 6, 7, 8}}, {{0, 0, 0, 0}, {0, 0, 0, 0}}} // [R=2, d=2, T=4]
	t := [][][]int32{{{0, 0}}, {{1, 2}}}                                           // [R=2, B=1, d=2]
	out, err := exec.Call(z, t, neighbours)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[0].Shape(), out[1].Value().([][][]float32)[0])
	// Output: (Float32)[2, 1, 2] [[1 5 0 2 0 6]]
}
