package pcl

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	gonum "gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
)

// reference is what PyTorch finds, as scripts/baselines/pcl_oracle.py wrote it.
type reference struct {
	Losses    []float64 // of ten steps
	Gradients map[string][]float64
	Features  []float64 // after them, [d][T]
}

// A generator is Knuth's 64-bit linear congruential generator (MMIX), as in
// scripts/baselines/problem.py.
type generator struct{ state uint64 }

// values returns n numbers from [−1, 1).
func (g *generator) values(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		g.state = g.state*6364136223846793005 + 1442695040888963407
		v[i] = float64(g.state>>11)*0x1p-52 - 1
	}
	return v
}

// The sizes and the parameters, in order, of the oracle.
const oracleD, oracleT, oracleBatch = 3, 12, 7

var oracleParameters = []string{
	"features/hidden_0/weights", "features/hidden_0/biases",
	"features/hidden_1/weights", "features/hidden_1/biases",
	"features/output/weights", "features/output/biases",
	"regression/a1", "regression/a2", "regression/b", "regression/a_bar", "regression/b_bar", "regression/c",
}

// newOracle is the oracle's training, its white signals and its batch, which is
// the same in every step.
func newOracle(t *testing.T, b compute.Backend) (tr *training, white *mat.Dense, batch *tensors.Tensor) {
	t.Helper()
	g := &generator{7}
	white = mat.DenseCopyOf(mat.NewDense(oracleT, oracleD, g.values(oracleT*oracleD)).T())
	cfg := Config{Hidden: []int{5, 4}, LearningRate: 1e-2, Batch: oracleBatch, Epochs: 1}
	tr, err := newTraining(b, white, cfg, dtypes.Float64)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	t.Cleanup(tr.close)
	for _, name := range oracleParameters {
		v := tr.store.GetVariable("/" + name)
		value := tensors.FromFlatDataAndDimensions(g.values(v.Shape().Size()), v.Shape().Dimensions...)
		if err := v.SetValue(value); err != nil {
			t.Fatal(err)
		}
	}
	var at []int32
	for i := range 3 {
		for k := range int32(oracleBatch) {
			here := k + 1
			at = append(at, []int32{here, here - 1, 5 * here % oracleT}[i])
		}
	}
	return tr, white, tensors.FromFlatDataAndDimensions(slices.Repeat(at, chunk), chunk, 1, 3, oracleBatch)
}

func TestPyTorch(t *testing.T) {
	file, err := os.ReadFile("testdata/pytorch.json")
	if err != nil {
		t.Fatal(err)
	}
	var want reference
	if err := json.Unmarshal(file, &want); err != nil {
		t.Fatal(err)
	}
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) {
			b, err := backend.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			tr, white, batch := newOracle(t, b)
			for name, gradient := range gradients(t, b, tr, batch) {
				near(t, "gradient of "+name, gradient, want.Gradients[name], 1e-13)
			}

			losses, err := tr.trainer.Train([]*tensors.Tensor{tr.x}, []*tensors.Tensor{batch}, len(want.Losses))
			if err != nil {
				t.Fatalf("%+v", err)
			}
			near(t, "losses", slices.Concat(losses...), want.Losses, 1e-6) // float32 on XLA
			h, err := tr.features()
			if err != nil {
				t.Fatal(err)
			}
			near(t, "features", h.of(white).RawMatrix().Data, want.Features, 1e-12)
		})
	}
}

// gradients are those of the loss of the batch, by the names of the parameters.
func gradients(t *testing.T, b compute.Backend, tr *training, batch *tensors.Tensor) map[string][]float64 {
	t.Helper()
	exec, err := model.NewExec(b, tr.store, func(scope *model.Scope, inputs []*Node) []*Node {
		first := Squeeze(Slice(inputs[1], AxisElem(0)), 0)
		return scope.BuildTrainableVariablesGradientsGraph(ReduceAllSum(tr.cfg.loss(scope, inputs[:1], []*Node{first})))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	outputs, err := exec.Call(tr.x, batch)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	found := make(map[string][]float64)
	for v := range tr.store.IterVariables() {
		if v.Trainable {
			if found[strings.TrimPrefix(v.Path(), "/")], err = floats(outputs[len(found)]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(found) != len(oracleParameters) {
		t.Fatalf("%d parameters, want %d", len(found), len(oracleParameters))
	}
	return found
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if !gonum.EqualApprox(got, want, tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
