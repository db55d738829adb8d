package baselinetest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
)

// The numbers are those of Generator(11) in scripts/baselines/problem.py.
func TestGenerator(t *testing.T) {
	g := baselinetest.Generator(11)
	want := []float64{
		0x1.7e2be5c5074fep-1,
		0x1.6247d0795e6e0p-3,
		-0x1.af63ff05a7d30p-1,
		-0x1.33e1753cd7c50p-1,
	}
	if got := g.Values(4); !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	g = 11
	if got := g.Matrix(2, 2); !mat.Equal(got, mat.NewDense(2, 2, want)) {
		t.Errorf("matrix %v, want the rows of %v", mat.Formatted(got), want)
	}
}

func TestReadJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reference.json")
	if err := os.WriteFile(path, []byte(`{"a": [1, 2]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := baselinetest.ReadJSON[struct{ A []int }](t, path); !slices.Equal(v.A, []int{1, 2}) {
		t.Errorf("read %v", v)
	}
}

// Of a·x² + b, summed over x, the gradients are Σx² and the number of values.
func TestGradients(t *testing.T) {
	store := model.NewStore()
	loss := func(scope *model.Scope, inputs []*Node) *Node {
		x, scope := inputs[0], scope.In("curve")
		parameter := func(name string) *Node {
			return scope.VariableWithShape(name, shapes.Make(dtypes.Float64)).NodeValue(x.Graph())
		}
		return Add(Mul(parameter("a"), Square(x)), parameter("b"))
	}
	x := tensors.FromValue([]float64{1, 2, 3})
	got := baselinetest.Gradients(t, backendtest.Open(t, backend.Go), store, loss, x)
	if len(got) != 2 {
		t.Errorf("gradients %v, want those of two parameters", got)
	}
	baselinetest.Near(t, "gradient of a", got["curve/a"], []float64{14}, 1e-15)
	baselinetest.Near(t, "gradient of b", got["curve/b"], []float64{3}, 1e-15)
}

func ExampleGenerator() {
	g := baselinetest.Generator(1)
	fmt.Printf("%.3f\n", g.Values(3))
	// Output: [-0.154 0.019 0.297]
}
