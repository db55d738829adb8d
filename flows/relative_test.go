package flows_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
)

// Adam's first step is −rate·sign(gradient). With Relative the gradient is diag(s)·G·Wᵀ·Mᵀ, and W
// changes by diag(s)·step·M·W. Each run has its factor of the rate; s and M begin as identities.
func TestRelativeStepIsItsFormula(t *testing.T) {
	gradient := [][]float64{{1, -2}, {3, 0.5}}
	begin := [][]float64{{2, 0.5}, {-1, 3}}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		defer store.Finalize()
		loss := func(scope *model.Scope, _, batch []*Node) *Node {
			g := batch[0].Graph()
			w := scope.VariableWithShape("w", shapes.Make(dtypes.Float64, 2, 2, 2)).NodeValue(g)
			return ReduceSum(Mul(w, InsertAxes(Const(g, gradient), 0)), 1, 2) // [R]
		}
		opt := flows.RunsAdam().Relative("w").
			Schedule("/", flows.Schedule{Rate: 0.1, PerRun: true}).Done()
		batch := tensors.FromShape(shapes.Make(dtypes.Float64, 1, 2))
		trainer, err := flows.NewTrainer(b, store, opt, loss, nil, []shapes.Shape{batch.Shape()})
		if err != nil {
			t.Fatalf("%+v", err)
		}
		defer trainer.Finalize()
		w := store.GetVariable("/w")
		if err := w.SetValue(tensors.FromValue([][][]float64{begin, begin})); err != nil {
			t.Fatal(err)
		}
		metrics := [][][]float64{{{1, 0}, {0, 1}}, {{0.5, -2}, {0, 3}}}
		scales := [][]float64{{1, 1}, {2, -0.5}}
		scalesPath, matricesPath := flows.RelativeMetric("/w")
		m := store.GetVariable(matricesPath)
		if begin := m.MustValue().Value().([][][]float64); !reflect.DeepEqual(begin[1], metrics[0]) {
			t.Errorf("the metric begins as %v", begin[1])
		}
		if err := errors.Join(m.SetValue(tensors.FromValue(metrics)),
			store.GetVariable(scalesPath).SetValue(tensors.FromValue(scales))); err != nil {
			t.Fatal(err)
		}
		rates := store.GetVariable(flows.RunsAdamRates)
		if err := rates.SetValue(tensors.FromValue([]float64{1, 0.5})); err != nil {
			t.Fatal(err)
		}
		if _, err := trainer.Train(t.Context(), nil, []*tensors.Tensor{batch}, 1); err != nil {
			t.Fatalf("%+v", err)
		}
		got := w.MustValue().Value().([][][]float64)
		for r, rate := range []float64{0.1, 0.05} {
			var basis [2][2]float64
			for i := range 2 {
				for j := range 2 {
					basis[i][j] = metrics[r][i][0]*begin[0][j] + metrics[r][i][1]*begin[1][j]
				}
			}
			for i := range 2 {
				for j := range 2 {
					want := begin[i][j]
					for k := range 2 {
						e := gradient[i][0]*basis[k][0] + gradient[i][1]*basis[k][1]
						want -= rate * math.Copysign(1, e) * math.Abs(scales[r][i]) * basis[k][j]
					}
					if math.Abs(got[r][i][j]-want) > 1e-6 {
						t.Errorf("run %d: w[%d][%d] = %g, want %g", r, i, j, got[r][i][j], want)
					}
				}
			}
		}
	})
}
