package ivae

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
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

// reference holds the results of PyTorch, written by scripts/baselines/ivae_oracle.py.
type reference struct {
	Losses    []float64 // of ten steps
	Gradients map[string][]float64
	Signals   []float64                         // after them, [d][T]
	Plateau   struct{ Losses, Rates []float64 } // ReduceLROnPlateau
}

// The sizes of the oracle. Its parameters are in the order of oracleNetworks.
const oracleD, oracleK, oracleT, oracleBatch = 3, 2, 9, 7

var oracleNetworks = []string{encoderMean, encoderVariance, priorVariance, decoder}

// newOracle is the oracle's training, its signals and u as the columns of one
// matrix, and its batch, which is the same in every step.
func newOracle(
	t *testing.T, b compute.Backend,
) (tr *training, xu *mat.Dense, batches []*tensors.Tensor) {
	t.Helper()
	g := baselinetest.Generator(11)
	x := mat.DenseCopyOf(g.Matrix(oracleT, oracleD).T())
	u := mat.DenseCopyOf(g.Matrix(oracleT, oracleK).T())
	noise := g.Values(oracleBatch * oracleD)
	cfg := Config{
		Backend:      b,
		Hidden:       []int{5, 4},
		LearningRate: 1e-3,
		Batch:        oracleBatch,
		Iterations:   1,
	}
	tr, err := newTraining(x, u, cfg, dtypes.Float64)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	t.Cleanup(tr.Close)
	for _, network := range oracleNetworks {
		for i := range len(cfg.Hidden) + 1 {
			for _, name := range []string{"weights", "biases"} {
				v := tr.Store.GetVariable(path.Join("/", network, layerName(i), "dense", name))
				value := tensors.FromFlatDataAndDimensions(
					g.Values(v.Shape().Size()), v.Shape().Dimensions...)
				if err := v.SetValue(value); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	at := make([]int32, oracleBatch)
	for i := range at {
		at[i] = int32(5 * i % oracleT)
	}
	xu = new(mat.Dense)
	xu.Stack(x, u)
	return tr, xu, []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(at, 1, 1, oracleBatch),
		tensors.FromFlatDataAndDimensions(noise, 1, 1, oracleBatch, oracleD),
	}
}

func TestPyTorch(t *testing.T) {
	want := baselinetest.ReadJSON[reference](t, "testdata/pytorch.json")
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) {
			b := backendtest.Open(t, name)
			tr, xu, batches := newOracle(t, b)
			gradients := baselinetest.Gradients(
				t, b, tr.Store,
				func(scope *model.Scope, inputs []*Node) *Node {
					batch := []*Node{Squeeze(inputs[2], 0), Squeeze(inputs[3], 0)}
					return tr.cfg.loss(scope, inputs[:2], batch)
				},
				slices.Concat(tr.Data, batches)...)
			if want := 6 * len(oracleNetworks); len(gradients) != want {
				t.Fatalf("%d parameters, want %d", len(gradients), want)
			}
			for name, gradient := range gradients {
				baselinetest.Near(t, "gradient of "+name, gradient,
					want.Gradients[strings.Replace(name, "/dense/", "/", 1)], 1e-12)
			}
			for step, loss := range want.Losses {
				losses, err := tr.Train(t.Context(), batches, 1)
				if err != nil {
					t.Fatalf("%+v", err)
				}
				baselinetest.Near(t, fmt.Sprintf("loss of step %d", step), losses, []float64{loss},
					1e-5) // float32 on XLA
			}
			mean, err := tr.network(encoderMean)
			if err != nil {
				t.Fatal(err)
			}
			baselinetest.Near(t, "signals", mean.Outputs(xu).RawMatrix().Data, want.Signals, 1e-12)
		})
	}
}

func TestPlateauIsPyTorchs(t *testing.T) {
	want := baselinetest.ReadJSON[reference](t, "testdata/pytorch.json").Plateau
	p := newPlateau(1e-3, 3)
	lowered := 0
	for i, loss := range want.Losses {
		if p.update(loss) {
			lowered++
		}
		if math.Abs(p.rate-want.Rates[i]) > 1e-12*p.rate {
			t.Errorf("after epoch %d the rate is %g, want %g", i, p.rate, want.Rates[i])
		}
	}
	if lowered != 5 {
		t.Errorf("lowered %d times, want 5", lowered)
	}
}
