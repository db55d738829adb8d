package pcl

import (
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
)

// reference holds the results of PyTorch, written by scripts/baselines/pcl_oracle.py.
type reference struct {
	Losses    []float64 // of ten steps
	Gradients map[string][]float64
	Features  []float64 // after them, [d][T]
}

// The sizes and the parameters, in order, of the oracle.
const oracleD, oracleT, oracleBatch = 3, 12, 7

var oracleParameters = []string{
	"features/hidden_0/weights",
	"features/hidden_0/biases",
	"features/hidden_1/weights",
	"features/hidden_1/biases",
	"features/output/weights",
	"features/output/biases",
	"regression/a1",
	"regression/a2",
	"regression/b",
	"regression/a_bar",
	"regression/b_bar",
	"regression/c",
}

// newOracle is the oracle's training, its white signals and its batch, which is
// the same in every step.
func newOracle(
	t *testing.T, b compute.Backend,
) (tr *training, white *mat.Dense, batch *tensors.Tensor) {
	t.Helper()
	g := baselinetest.Generator(7)
	white = mat.DenseCopyOf(g.Matrix(oracleT, oracleD).T())
	cfg := Config{
		Backend:      b,
		Hidden:       []int{5, 4},
		LearningRate: 1e-2,
		Batch:        oracleBatch,
		Epochs:       1,
	}
	tr, err := newTraining(white, cfg, dtypes.Float64)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	t.Cleanup(tr.Close)
	for _, name := range oracleParameters {
		v := tr.Store.GetVariable("/" + name)
		value := tensors.FromFlatDataAndDimensions(
			g.Values(v.Shape().Size()), v.Shape().Dimensions...)
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
	all := slices.Repeat(at, chunk)
	return tr, white, tensors.FromFlatDataAndDimensions(all, chunk, 1, 3, oracleBatch)
}

func TestPyTorch(t *testing.T) {
	want := baselinetest.ReadJSON[reference](t, "testdata/pytorch.json")
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) {
			b := backendtest.Open(t, name)
			tr, white, batch := newOracle(t, b)
			gradients := baselinetest.Gradients(
				t, b, tr.Store,
				func(scope *model.Scope, inputs []*Node) *Node {
					first := Squeeze(Slice(inputs[1], AxisElem(0)), 0)
					return tr.cfg.loss(scope, inputs[:1], []*Node{first})
				},
				tr.Data[0],
				batch,
			)
			if len(gradients) != len(oracleParameters) {
				t.Fatalf("%d parameters, want %d", len(gradients), len(oracleParameters))
			}
			for name, gradient := range gradients {
				baselinetest.Near(t, "gradient of "+name, gradient, want.Gradients[name], 1e-13)
			}

			losses, err := tr.Train(t.Context(), []*tensors.Tensor{batch}, len(want.Losses))
			if err != nil {
				t.Fatalf("%+v", err)
			}
			baselinetest.Near(t, "losses", losses, want.Losses, 1e-6) // float32 on XLA
			h, err := tr.features()
			if err != nil {
				t.Fatal(err)
			}
			baselinetest.Near(t, "features", h.Outputs(white).RawMatrix().Data, want.Features,
				1e-12)
		})
	}
}
