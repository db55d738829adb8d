package layers_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/layers"
)

// The store of a run computes what the run did, bit for bit. What has no runs axis is copied.
func TestSelectRun(t *testing.T) {
	const runs = 3
	rng := rand.New(rand.NewPCG(1, 2))
	points := make([]float32, 5*4)
	for i := range points {
		points[i] = float32(rng.NormFloat64())
	}
	var all []float32 // the same for each run
	for range runs {
		all = append(all, points...)
	}
	build := func(scope *model.Scope, x *Node) []*Node {
		whole := scope.VariableWithValue("whole", []int32{1, 2, 3}).SetTrainable(false)
		z, logDet := layers.Invertible(scope.In("map"), x).Layers(2).Done()
		y := layers.MLP(scope.In("mlp"), z).Done()
		return []*Node{y, logDet, ConvertDType(whole.NodeValue(x.Graph()), x.DType())}
	}
	store := seeded(t)
	store.SetParam(layers.ParamSeed, 3)
	want, err := executed(t, store, tensors.FromFlatDataAndDimensions(all, runs, 5, 4), build)
	if err != nil {
		t.Fatal(err)
	}
	for r := range runs {
		one, err := layers.SelectRun(store, r)
		if err != nil {
			t.Fatal(err)
		}
		defer one.Finalize()
		before := one.NumVariables()
		got, err := executed(t, one, tensors.FromFlatDataAndDimensions(points, 1, 5, 4), build)
		if err != nil {
			t.Fatal(err)
		}
		if n := one.NumVariables(); n != before || n != store.NumVariables() {
			t.Errorf("run %d: %d variables, then %d, want %d", r, before, n, store.NumVariables())
		}
		for k, name := range []string{"MLP", "log-determinants"} {
			part := reflect.ValueOf(want[k].Value()).Index(r).Interface()
			alone := reflect.ValueOf(got[k].Value()).Index(0).Interface()
			if !reflect.DeepEqual(alone, part) {
				t.Errorf("run %d: %s %v, want %v", r, name, alone, part)
			}
		}
		if !reflect.DeepEqual(got[2].Value(), want[2].Value()) || one.GetVariable("/whole").Trainable {
			t.Errorf("run %d: the variable without runs is %v", r, got[2].Value())
		}
	}
	if z := want[0].Value().([][][]float32); reflect.DeepEqual(z[0], z[1]) {
		t.Error("the runs are equal: the test shows nothing")
	}
	for r, say := range map[int]string{-1: "r is -1; must be 0 to 2", runs: "r is 3; must be 0 to 2"} {
		if _, err := layers.SelectRun(store, r); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%v, want %q", err, say)
		}
	}
	_, err = layers.SelectRun(nil, 0)
	if err == nil || !strings.Contains(err.Error(), "store is nil") {
		t.Error(err)
	}
	store.VariableWithShape("/open", shapes.Make(dtypes.Float32, runs), nil)
	if _, err := layers.SelectRun(store, 0); err == nil || !strings.Contains(err.Error(), `"/open"`) {
		t.Error(err)
	}
}
