package layers_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
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

// The error for a batch without the runs axis says how to insert it. The batch would be taken for
// as many networks as it has samples.
func TestBatchWithoutRunsAxisIsAnError(t *testing.T) {
	for name, test := range map[string]struct {
		layer network
		dims  []int
	}{
		"Dense of [B, C]":    {func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 3) }, []int{4, 5}},
		"Dense of [B, T, C]": {func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 3) }, []int{4, 6, 5}},
		"MLP of [B, C]":      {func(s *model.Scope, x *Node) *Node { return layers.MLP(s, x).Done() }, []int{4, 5}},
		"Conv of [B, H, W, C]": {
			func(s *model.Scope, x *Node) *Node { return layers.Conv(s, x, 3) }, []int{5, 8, 8, 1}},
		"CNN of [B, H, W, C]": {
			func(s *model.Scope, x *Node) *Node { return layers.CNN(s, x).Done() }, []int{5, 8, 8, 1}},
		"Invertible of [B, d]": {func(s *model.Scope, x *Node) *Node {
			z, _ := layers.Invertible(s, x).Done()
			return z
		}, []int{40, 2}},
	} {
		err := buildError(t, test.layer, tensors.FromShape(shapes.Make(dtypes.Float32, test.dims...)))
		if err == nil || !strings.Contains(err.Error(), "insert the runs axis by InsertAxes(x, 0)") {
			t.Errorf("%s: %v", name, err)
		}
	}
	noChannels := func(s *model.Scope, x *Node) *Node { return layers.CNN(s, x).Done() }
	const wantOther = "layers: CNN: x is (Float32)[1, 2, 2]; must be [R, B, p…, C] with one to three axes p…: an " +
		"axis is missing, one after R if the first axis is R; else insert the runs axis by InsertAxes(x, 0)"
	one := tensors.FromShape(shapes.Make(dtypes.Float32, 1, 2, 2))
	if err := buildError(t, noChannels, one); err == nil || !strings.Contains(err.Error(), wantOther) {
		t.Errorf("%v, want %q", err, wantOther)
	}
	x := tensors.FromShape(shapes.Make(dtypes.Float32, 4, 5))
	err := buildError(t, func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 3) }, x)
	const want = "layers: Dense: x is (Float32)[4, 5]; must be [R, B, …, C]: " +
		"insert the runs axis by InsertAxes(x, 0)"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// WholeCNN, which has weights for each run, checks their number, too; and that number must be
// positive.
func TestNumberOfRunsIsChecked(t *testing.T) {
	whole := func(s *model.Scope, z *Node) *Node {
		y := Zeros(z.Graph(), shapes.Make(z.DType(), 3, 1, 2))
		return layers.WholeCNN(s, z, y, ConvertDType(y, dtypes.Int32), 6).Done()
	}
	z := tensors.FromShape(shapes.Make(dtypes.Float32, 3, 2, 6))
	const want = "layers: WholeCNN: z is (Float32)[3, 2, 6]; must be [R, d, T] with R = 1 runs"
	if err := buildError(t, whole, z); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	three := func(s *model.Scope, x *Node) *Node {
		s.SetParam(layers.ParamRuns, 3)
		return layers.Dense(s, x, 3)
	}
	const wantThree = "layers: Dense: x is (Float32)[1, 8, 2]; must be [R, B, …, C] with " +
		"R = 3 runs, as the store's ParamRuns says (a checkpoint that was loaded sets it)"
	one := tensors.FromShape(shapes.Make(dtypes.Float32, 1, 8, 2))
	if err := buildError(t, three, one); err == nil || !strings.Contains(err.Error(), wantThree) {
		t.Errorf("%v, want %q", err, wantThree)
	}
	for _, runs := range []int{0, -1} {
		none := func(s *model.Scope, x *Node) *Node {
			s.SetParam(layers.ParamRuns, runs)
			return layers.Dense(s, x, 3)
		}
		want := fmt.Sprintf("layers: Dense: ParamRuns is %d; must be at least 1", runs)
		if err := buildError(t, none, z); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A batch [1, B, d] of Invertible belongs to one network of d signals, as in all layers.
func TestInvertibleOfABatch(t *testing.T) {
	store := seeded(t)
	store.SetParam(layers.ParamRuns, 1)
	x := tensors.FromShape(shapes.Make(dtypes.Float32, 1, 40, 2))
	if _, err := executed(t, store, x, func(s *model.Scope, x *Node) []*Node {
		z, logDet := layers.Invertible(s, x).Layers(3).Done()
		return []*Node{z, logDet}
	}); err != nil {
		t.Fatal(err)
	}
	want := shapes.Make(dtypes.Float32, 1, 4, 2, 2)
	if v := store.GetVariable("/invertible/factors"); v == nil || !v.Shape().Equal(want) {
		t.Errorf("the factors are %v, want %s", v, want)
	}
}

// buildError returns the error of a layer for x, with one run.
func buildError(t *testing.T, layer network, x *tensors.Tensor) error {
	t.Helper()
	store := seeded(t)
	store.SetParam(layers.ParamRuns, 1)
	_, err := executed(t, store, x, func(s *model.Scope, x *Node) []*Node { return []*Node{layer(s, x)} })
	return err
}

// Errors for invalid settings and dtypes name them.
func TestLayersNameWhatIsWrong(t *testing.T) {
	floats := shapes.Make(dtypes.Float32, 1, 4, 5)
	indexed := shapes.Make(dtypes.Float32, 1, 4, 8, 2)
	for want, test := range map[string]struct {
		layer network
		shape shapes.Shape
	}{
		"layers: Dense: outputs: 0; must be at least 1": {
			func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 0) }, floats},
		"layers: MLP: hidden width: 0; must be": {
			func(s *model.Scope, x *Node) *Node { return layers.MLP(s, x).Hidden(4, 0).Done() }, floats},
		"layers: CNN: channels: 0; must be": {
			func(s *model.Scope, x *Node) *Node { return layers.CNN(s, x).Channels(0).Done() }, indexed},
		"layers: Conv: outputs: 0; must be": {
			func(s *model.Scope, x *Node) *Node { return layers.Conv(s, x, 0) }, indexed},
		"layers: Invertible: layers: -1; must be": {func(s *model.Scope, x *Node) *Node {
			z, _ := layers.Invertible(s, x).Layers(-1).Done()
			return z
		}, floats},
		"layers: Dense: x is (Int32)[1, 4, 5]; must be floats": {
			func(s *model.Scope, x *Node) *Node { return layers.Dense(s, ConvertDType(x, dtypes.Int32), 1) }, floats},
		"layers: Conv: x is (Int32)[1, 4, 8, 2]; must be floats": {
			func(s *model.Scope, x *Node) *Node { return layers.Conv(s, ConvertDType(x, dtypes.Int32), 1) }, indexed},
		"layers: MLP: x is (Int32)[1, 4, 5]; must be floats": {
			func(s *model.Scope, x *Node) *Node { return layers.MLP(s, ConvertDType(x, dtypes.Int32)).Done() }, floats},
		"layers: Invertible: x is (Int32)[1, 4, 5]; must be floats": {func(s *model.Scope, x *Node) *Node {
			z, _ := layers.Invertible(s, ConvertDType(x, dtypes.Int32)).Done()
			return z
		}, floats},
		"layers: CNN: x is (Int32)[1, 4, 8, 2]; must be floats": {
			func(s *model.Scope, x *Node) *Node { return layers.CNN(s, ConvertDType(x, dtypes.Int32)).Done() }, indexed},
	} {
		if err := buildError(t, test.layer, tensors.FromShape(test.shape)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Errors for inputs of contexts that do not go together name them.
func TestContextsNameWhatIsWrong(t *testing.T) {
	z := tensors.FromShape(shapes.Make(dtypes.Float32, 1, 2, 6))
	y := func(x *Node) *Node { return Zeros(x.Graph(), shapes.Make(x.DType(), 1, 3, 2)) }
	idx := func(x *Node) *Node { return Zeros(x.Graph(), shapes.Make(dtypes.Int32, 1, 3, 2)) }
	for want, layer := range map[string]network{
		"layers: WholeContext: y is (Float32)[1, 3, 3]; must be [R, B, d] = [1, 3, 2]": func(_ *model.Scope, z *Node) *Node {
			wide := Concatenate([]*Node{y(z), Slice(y(z), AxisRange(), AxisRange(), AxisRange(1))}, -1)
			return layers.WholeContext(z, wide, idx(z), 6)
		},
		"layers: WholeContext: shape is [5]; must be": func(_ *model.Scope, z *Node) *Node {
			return layers.WholeContext(z, y(z), idx(z), 5)
		},
		"layers: WholeCNN: shape is [2 2]; must be": func(s *model.Scope, z *Node) *Node {
			return layers.WholeCNN(s, z, y(z), idx(z), 2, 2).Done()
		},
		"layers: WholeContext: idx is (Int32)[1, 3]; must be int32 shaped [R, B, d]": func(_ *model.Scope, z *Node) *Node {
			return layers.WholeContext(z, y(z), Squeeze(Slice(idx(z), AxisRange(), AxisRange(), AxisElem(0)), -1), 6)
		},
		"layers: WholeContextRF: idx2 is (Int32)[1, 2, 2]; must be [R, B, d] = [1, 3, 2]": func(_ *model.Scope, z *Node) *Node {
			fewer := Slice(idx(z), AxisRange(), AxisRange(0, 2))
			return layers.WholeContextRF(z, y(z), idx(z), fewer, y(z), 6)
		},
		"layers: WholeContextRF: time is (Float32)[1, 3]; must be [R, B, K]": func(_ *model.Scope, z *Node) *Node {
			time := Squeeze(Slice(y(z), AxisRange(), AxisRange(), AxisElem(0)), -1)
			return layers.WholeContextRF(z, y(z), idx(z), idx(z), time, 6)
		},
		"layers: WindowContext: neighbours is (Int32)[1, 3, 2]; must be int32 shaped [T, K]": func(_ *model.Scope, z *Node) *Node {
			return layers.WindowContext(z, idx(z), idx(z))
		},
		"layers: GatherSignals: idx is (Float32)[1, 3, 2]; must be int32": func(_ *model.Scope, z *Node) *Node {
			return layers.GatherSignals(z, y(z))
		},
	} {
		if err := buildError(t, layer, z); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Without a shape a context is that of a sequence.
func TestContextWithoutShapeIsOfASequence(t *testing.T) {
	store := model.NewStore()
	defer store.Finalize()
	z := tensors.FromValue([][][]float32{{{1, 2, 3}, {4, 5, 6}}})
	idx := tensors.FromValue([][][]int32{{{0, 1}, {2, 2}}})
	out, err := model.CallOnceN(backendtest.Open(t, backend.Go), store,
		func(scope *model.Scope, z, idx *Node) []*Node {
			y := layers.GatherSignals(z, idx)
			whole := layers.WholeCNN(scope.In("cnn"), z, y, idx).Channels(2)
			again := layers.WholeCNN(scope.ResetVisited().In("cnn"), z, y, idx, 3).Channels(2)
			return []*Node{
				layers.WholeContext(z, y, idx), layers.WholeContext(z, y, idx, 3),
				layers.WholeContextRF(z, y, idx, idx, y), layers.WholeContextRF(z, y, idx, idx, y, 3),
				whole.Done(), again.Done(),
			}
		}, z, idx)
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; k < len(out); k += 2 {
		if !out[k].Equal(out[k+1]) {
			t.Errorf("result %d: %v, with the shape %v", k/2, out[k], out[k+1])
		}
	}
}

// A sample with a position outside of the signals is NaN.
func TestPositionsOutsideGiveNaN(t *testing.T) {
	z := [][][]float32{{{1, 2, 3}, {4, 5, 6}}}
	idx := [][][]int32{{{0, 1}, {3, 0}, {0, -1}}}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		defer store.Finalize()
		exec, err := model.NewExec(b, store, func(scope *model.Scope, in []*Node) []*Node {
			z, idx := in[0], in[1]
			y := Zeros(z.Graph(), shapes.Make(z.DType(), 1, 3, 2))
			neighbours := Const(z.Graph(), [][]int32{{3, 1}, {0, 2}, {1, 3}})
			inside := Const(z.Graph(), [][][]int32{{{0, 1}, {1, 1}, {2, 0}}})
			whole := layers.WholeContext(z, y, idx)
			first := layers.WholeContextRF(z, y, idx, inside, y)
			second := layers.WholeContextRF(z, y, inside, idx, y)
			return []*Node{layers.GatherSignals(z, idx), layers.WindowContext(z, idx, neighbours),
				layers.WholeCNN(scope, z, y, idx, 3).Channels(2).Done(),
				layers.CNN(scope.In("over"), whole).Channels(2).Done(),
				layers.CNN(scope.In("first"), first).Channels(2).Done(),
				layers.CNN(scope.In("second"), second).Channels(2).Done()}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		out, err := exec.Call(z, idx)
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range out {
			for sample, values := range x.Value().([][][]float32)[0] {
				if got := math.IsNaN(float64(values[0])); got != (sample > 0) {
					t.Errorf("result %d: sample %d of %v: %v", k, sample, idx, values)
				}
			}
		}
	})
}

// One NaN of a sample makes NaN of its outputs and of no other's, as in networks with GoMLX's
// ReLU.
func TestCNNKeepsNaN(t *testing.T) {
	x := make([]float32, 2*5)
	x[3] = float32(math.NaN())
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := seeded(t)
		exec, err := model.NewExec(b, store, func(scope *model.Scope, x *Node) *Node {
			return layers.CNN(scope, x).Done()
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		out, err := exec.Call1(tensors.FromFlatDataAndDimensions(slices.Clone(x), 1, 2, 5, 1))
		if err != nil {
			t.Fatal(err)
		}
		y := out.Value().([][][]float32)[0]
		if !math.IsNaN(float64(y[0][0])) || math.IsNaN(float64(y[1][0])) {
			t.Errorf("%v, want NaN for the first sample only", y)
		}
	})
}

// With ParamSeed the initial values are those of Initialise and InitialiseInvertible: the same on
// every backend, different for each run, and invertible.
func TestParamSeedInitialises(t *testing.T) {
	values := map[string][]float64{}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		defer store.Finalize()
		store.SetParams(map[string]any{layers.ParamSeed: 7, layers.ParamRuns: 2})
		exec, err := model.NewExec(b, store, func(scope *model.Scope, x *Node) []*Node {
			z, _ := layers.Invertible(scope, x).Layers(3).Done()
			back := layers.Invertible(scope.ResetVisited(), z).Layers(3).DoneInverse()
			return []*Node{layers.Dense(scope, z, 100), Sub(back, x)}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		out, err := exec.Call(tensors.FromShape(shapes.Make(dtypes.Float64, 2, 4, 3)))
		if err != nil {
			t.Fatal(err)
		}
		if worst := maxDifference(flat(t, out[1]), make([]float64, 24)); !(worst < 1e-9) {
			t.Errorf("the inverse is %g away", worst)
		}
		for v := range store.IterVariables() {
			if !strings.HasPrefix(v.Path(), "/invertible") && !strings.HasPrefix(v.Path(), "/dense") {
				continue
			}
			got := flat(t, v.MustValue())
			if want := values[v.Path()]; want != nil && maxDifference(got, want) != 0 {
				t.Errorf("%s depends on the backend", v.Path())
			}
			values[v.Path()] = got
			if half := len(got) / 2; v.Trainable && maxDifference(got[:half], got[half:]) == 0 {
				t.Errorf("%s: both runs have the same initial values", v.Path())
			}
		}
		weights := values["/dense/weights"]
		largest := maxDifference(weights, make([]float64, len(weights)))
		if bound := 1 / math.Sqrt(3); largest > bound || largest < .95*bound {
			t.Errorf("weights are up to %g, want up to 1/√3", largest)
		}
	})
}
