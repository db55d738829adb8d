// Package baselinetest has helpers for tests of rivals, the methods below sica/baseline.
//
// The names to know are Linear and Trained, which check a method, and Problem and Autoregressive,
// which draw the mixtures for which results of other programs are recorded.
package baselinetest

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Mixed returns datasets.Mix of the sources s.
func Mixed(t *testing.T, s *mat.Dense, opt datasets.MixOptions) *mat.Dense {
	t.Helper()
	x, err := datasets.Mix(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// MCC returns the mean correlation coefficient of the signals z with the sources s.
func MCC(t *testing.T, z, s *mat.Dense) float64 {
	t.Helper()
	match, err := metric.MCC(z, s)
	if err != nil {
		t.Fatal(err)
	}
	return match.MCC
}

// Near fails the test unless each value of got equals that of want up to an absolute or relative
// tolerance.
func Near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if !floats.EqualApprox(got, want, tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// ReadJSON returns the T in the file at path, such as the results of another program.
func ReadJSON[T any](t *testing.T, path string) T {
	t.Helper()
	var v T
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Unmixing returns the unmixing matrix of a linear model, d×d.
func Unmixing(t *testing.T, m *ica.Model) *mat.Dense {
	t.Helper()
	d, err := m.Demixing()
	if err != nil {
		t.Fatalf("the model's map is a %T: %v", m.Map, err)
	}
	return d.Unmixing
}

// IsUnmixing checks that the unmixing matrix of a linear model has the given rows, up to order and
// signs.
func IsUnmixing(t *testing.T, m *ica.Model, rows [][]float64) {
	t.Helper()
	got, want := Unmixing(t, m), mat.NewDense(len(rows), len(rows), slices.Concat(rows...))
	distance := Distance(got, want)
	t.Logf("off by %.1e", distance)
	if !(distance < 1e-6) {
		t.Errorf("unmixing\n%v\noff by %g from\n%v", mat.Formatted(got), distance, mat.Formatted(want))
	}
}

// Distance returns the distance of the matrices a and b, such as unmixing matrices, up to the
// order and the signs of their rows: the largest difference of two entries divided by the
// largest entry of b. It is +Inf if two rows of a are nearest to the same row of b.
func Distance(a, b *mat.Dense) float64 {
	used := make(map[int]bool)
	worst := 0.0
	d, columns := a.Dims()
	for i := range d {
		nearest, which := math.Inf(1), -1
		for j := range d {
			row := b.RawRowView(j)
			minus := make([]float64, columns)
			floats.ScaleTo(minus, -1, row)
			distance := min(floats.Distance(a.RawRowView(i), row, math.Inf(1)),
				floats.Distance(a.RawRowView(i), minus, math.Inf(1)))
			if distance < nearest {
				nearest, which = distance, j
			}
		}
		if which < 0 || used[which] {
			return math.Inf(1)
		}
		used[which] = true
		worst = max(worst, nearest)
	}
	return worst / max(mat.Max(b), -mat.Min(b))
}

// Gradients returns the gradients of the summed loss for the inputs, by the path of each trainable
// variable without the first slash.
func Gradients(
	t *testing.T, b compute.Backend, store *model.Store,
	loss func(scope *model.Scope, inputs []*Node) *Node, inputs ...*tensors.Tensor,
) map[string][]float64 {
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
			gradient, err := host.Values(outputs[len(gradients)])
			if err != nil {
				t.Fatal(err)
			}
			gradients[strings.TrimPrefix(v.Path(), "/")] = gradient
		}
	}
	return gradients
}
