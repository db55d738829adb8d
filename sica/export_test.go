package sica

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	gomlx "github.com/gomlx/gomlx/ml/model/checkpoint"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/sica/internal/chain"
	"github.com/seed-47b1e431/gosica/sica/internal/field"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// imported loads an export as other programs do.
func imported(t *testing.T, r *Result) *model.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "export")
	if err := r.ExportCheckpoint(dir); err != nil {
		t.Fatal(err)
	}
	if err := r.ExportCheckpoint(dir); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("exported twice: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
	store := model.NewStore()
	if _, err := gomlx.Load(store).Dir(dir).Immediate().Done(); err != nil {
		t.Fatal(err)
	}
	return store
}

// recovered is what a program of GoMLX makes of the loaded variables of linear stages and
// invertible networks: x [d, N] to z.
func recovered(scope *model.Scope, x *Node) *Node {
	g := x.Graph()
	for k := 1; ; k++ {
		variable := func(name string) *Node {
			v := scope.Store().GetVariable(fmt.Sprintf("/stage_%d/%s", k, name))
			if v == nil {
				return nil
			}
			return v.NodeValue(g)
		}
		weights, biases, bends := variable("weights"), variable("biases"), variable("bends")
		if weights == nil {
			return x
		}
		if weights.Rank() == 2 {
			weights, biases = InsertAxes(weights, 0), InsertAxes(biases, 0)
		}
		for l := range weights.Shape().Dim(0) {
			layer := func(v *Node) *Node { return Squeeze(Slice(v, AxisElem(l)), 0) }
			x = Add(MatMul(layer(weights), x), InsertAxes(layer(biases), -1))
			if bends != nil && l < bends.Shape().Dim(0) {
				x = Add(x, Mul(InsertAxes(layer(bends), -1), AddScalar(Sqrt(AddScalar(Square(x), 1)), -1)))
			}
		}
	}
}

// Loaded by GoMLX, an export makes of mixed signals what Transform does.
func TestExportCheckpoint(t *testing.T) {
	b := open(t, backend.Go)
	x, _ := mixedAR7(t, 2, 300, 5, true)
	linear := fit(t, b, x, Default().Smoke())
	tall := new(mat.Dense) // a third channel that is the sum of two
	tall.Stack(x, mat.NewDense(1, 300, nil))
	for k := range 300 {
		tall.Set(2, k, x.At(0, k)+x.At(1, k))
	}
	reduced := fit(t, b, tall, Default().Smoke())
	network := fit(t, b, x, Default().Smoke())
	network.flow = append(network.flow[:len(network.flow):len(network.flow)], chain.Stage{Fixed: &preprocess.Invertible{
		Linear: []*preprocess.Affine{
			{Centre: []float64{.1, -.2}, Matrix: []float64{1, .5, -.3, 2}, Offset: []float64{.3, 0}},
			{Centre: []float64{0, 1}, Matrix: []float64{2, -.1, .4, 1}, Offset: []float64{0, .7}},
		},
		Bends: [][]float64{{.5, -.8}},
	}})
	for name, c := range map[string]struct {
		r *Result
		x *mat.Dense
	}{"linear": {linear, x}, "reduced": {reduced, tall}, "network": {network, x}} {
		want, err := c.r.Transform(c.x)
		if err != nil {
			t.Fatal(err)
		}
		store := imported(t, c.r)
		exec, err := model.NewExec(b, store, recovered)
		if err != nil {
			t.Fatal(err)
		}
		z, err := exec.Call1(host.Tensor(c.x.RawMatrix().Data, dtypes.Float64, c.x.RawMatrix().Rows, c.x.RawMatrix().Cols))
		if err != nil {
			t.Fatal(err)
		}
		got, err := host.Values(z)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range want.RawMatrix().Data {
			if math.Abs(got[k]-v) > 1e-10 {
				t.Fatalf("%s: value %d is %g, want %g", name, k, got[k], v)
			}
		}
	}

	gaussianised := fit(t, b, x, Config{Preparation: Preparation{Start: []preprocess.Transform{preprocess.Gaussianise}}})
	if err := gaussianised.ExportCheckpoint(filepath.Join(t.TempDir(), "x")); err == nil || !strings.Contains(err.Error(), "has no variables") {
		t.Errorf("gaussianised: %v", err)
	}
}

// The networks of a flow come back with the same values, and move signals to the same bits.
func TestExportNetworks(t *testing.T) {
	r, x := followedFit(t, open(t, backend.Go), "free prediction")
	store := imported(t, r)
	again := *r
	again.flow = slices.Clone(r.flow)
	steps := 0
	for k, s := range r.flow {
		if s.Learned == nil {
			continue
		}
		steps++
		scope := fmt.Sprintf("/stage_%d", k+1)
		loaded := *s.Learned
		variables, err := field.StoreVariables(store, scope+"/field/")
		if err != nil {
			t.Fatal(err)
		}
		loaded.Networks = nil
		for _, v := range variables {
			v.Path = strings.TrimPrefix(v.Path, scope)
			loaded.Networks = append(loaded.Networks, v)
		}
		if len(loaded.Networks) != len(s.Learned.Networks) || len(variables) == 0 {
			t.Fatalf("stage %d: %d variables, want %d", k+1, len(variables), len(s.Learned.Networks))
		}
		loaded.Size = tensors.ToScalar[float64](store.GetVariable(scope + "/step").MustValue())
		if loaded.Weights, err = host.Values(store.GetVariable(scope + "/shares").MustValue()); err != nil {
			t.Fatal(err)
		}
		again.flow[k].Learned = &loaded
	}
	want, err := r.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Transform(x); err != nil || steps == 0 || !mat.Equal(got, want) {
		t.Errorf("of %d steps the signals differ (%v)", steps, err)
	}
}
