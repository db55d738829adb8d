package baselinetest

import (
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// Gradients are those of the sum of the loss of the inputs, by the paths of the
// trainable variables without the first slash.
func Gradients(t *testing.T, b compute.Backend, store *model.Store, loss func(scope *model.Scope, inputs []*Node) *Node, inputs ...*tensors.Tensor) map[string][]float64 {
	t.Helper()
	exec, err := model.NewExec(b, store, func(scope *model.Scope, inputs []*Node) []*Node {
		return scope.BuildTrainableVariablesGradientsGraph(ReduceAllSum(loss(scope, inputs)))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	var args []any
	for _, x := range inputs {
		args = append(args, x)
	}
	outputs, err := exec.Call(args...)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	gradients := make(map[string][]float64)
	for v := range store.IterVariables() {
		if v.Trainable {
			if gradients[strings.TrimPrefix(v.Path(), "/")], err = host.Values(outputs[len(gradients)]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return gradients
}
