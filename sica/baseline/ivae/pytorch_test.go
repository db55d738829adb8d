package ivae

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
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

// reference is what PyTorch finds, as scripts/baselines/ivae_oracle.py wrote it.
type reference struct {
	Losses    []float64 // of ten steps
	Gradients map[string][]float64
	Signals   []float64                         // after them, [d][T]
	Plateau   struct{ Losses, Rates []float64 } // ReduceLROnPlateau
}

func readReference(t *testing.T) (r reference) {
	t.Helper()
	file, err := os.ReadFile("testdata/pytorch.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file, &r); err != nil {
		t.Fatal(err)
	}
	return r
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

// The sizes of the oracle. Its parameters are in the order of oracleNetworks.
const oracleD, oracleK, oracleT, oracleBatch = 3, 2, 9, 7

var oracleNetworks = []string{encoderMean, encoderVariance, priorVariance, decoder}

// newOracle is the oracle's training, its signals and u as the columns of one
// matrix, and its batch, which is the same in every step.
func newOracle(t *testing.T, b compute.Backend) (tr *training, xu *mat.Dense, batches []*tensors.Tensor) {
	t.Helper()
	g := &generator{11}
	x := mat.DenseCopyOf(mat.NewDense(oracleT, oracleD, g.values(oracleT*oracleD)).T())
	u := mat.DenseCopyOf(mat.NewDense(oracleT, oracleK, g.values(oracleT*oracleK)).T())
	noise := g.values(oracleBatch * oracleD)
	cfg := Config{Hidden: []int{5, 4}, LearningRate: 1e-3, Batch: oracleBatch, Iterations: 1}
	tr, err := newTraining(b, x, u, cfg, dtypes.Float64)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	t.Cleanup(tr.close)
	for _, network := range oracleNetworks {
		for i := range len(cfg.Hidden) + 1 {
			for _, name := range []string{"weights", "biases"} {
				v := tr.store.GetVariable(path.Join("/", network, layerName(i), name))
				value := tensors.FromFlatDataAndDimensions(g.values(v.Shape().Size()), v.Shape().Dimensions...)
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
	want := readReference(t)
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) {
			b, err := backend.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			tr, xu, batches := newOracle(t, b)
			for name, gradient := range gradients(t, b, tr, batches) {
				near(t, "gradient of "+name, gradient, want.Gradients[name], 1e-12)
			}
			for step, loss := range want.Losses {
				losses, err := tr.trainer.Train(tr.data, batches, 1)
				if err != nil {
					t.Fatalf("%+v", err)
				}
				near(t, fmt.Sprintf("loss of step %d", step), losses[0], []float64{loss}, 1e-5) // float32 on XLA
			}
			mean, err := tr.network(encoderMean)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "signals", mean.of(xu).RawMatrix().Data, want.Signals, 1e-12)
		})
	}
}

func TestPlateauIsPyTorchs(t *testing.T) {
	want := readReference(t).Plateau
	p := newPlateau(1e-3, 3)
	lowered := 0
	for i, loss := range want.Losses {
		if p.after(loss) {
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

// gradients are those of the loss of the batch, by the names of the parameters.
func gradients(t *testing.T, b compute.Backend, tr *training, batches []*tensors.Tensor) map[string][]float64 {
	t.Helper()
	exec, err := model.NewExec(b, tr.store, func(scope *model.Scope, inputs []*Node) []*Node {
		batch := []*Node{Squeeze(inputs[2], 0), Squeeze(inputs[3], 0)}
		return scope.BuildTrainableVariablesGradientsGraph(ReduceAllSum(tr.cfg.loss(scope, inputs[:2], batch)))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	outputs, err := exec.Call(tr.data[0], tr.data[1], batches[0], batches[1])
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
	if len(found) != 6*len(oracleNetworks) {
		t.Fatalf("%d parameters, want %d", len(found), 6*len(oracleNetworks))
	}
	return found
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if !gonum.EqualApprox(got, want, tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
