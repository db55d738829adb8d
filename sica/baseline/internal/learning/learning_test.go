package learning_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
)

// steps is the maximum number of steps of a call of newLearner's Learner.
const steps = 5

// newLearner returns a Learner whose loss doesn't use the batches, which are zeros.
func newLearner(
	t *testing.T, b compute.Backend, rate float64, loss flows.StepLoss, data ...*tensors.Tensor,
) (l *learning.Learner, batches []*tensors.Tensor) {
	t.Helper()
	batches = []*tensors.Tensor{tensors.FromShape(shapes.Make(dtypes.Float64, steps, 1))}
	l, err := learning.New(b, rate, loss, data, []shapes.Shape{batches[0].Shape()})
	if err != nil {
		t.Fatalf("%+v", err)
	}
	t.Cleanup(l.Close)
	return l, batches
}

func set(t *testing.T, l *learning.Learner, name string, values ...float64) {
	t.Helper()
	v := l.Store.GetVariable(name)
	value := tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)
	if err := v.SetValue(value); err != nil {
		t.Fatal(err)
	}
}

// With a constant gradient of 1 each step of Adam is the learning rate, up to ε.
func TestAdamStepIsRate(t *testing.T) {
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) {
			l, batches := newLearner(
				t, backendtest.Open(t, name), 0.25,
				func(scope *model.Scope, data, _ []*Node) *Node {
					w := scope.VariableWithShape("w", shapes.Make(dtypes.Float64, 1)).
						NodeValue(data[0].Graph())
					return Add(w, data[0])
				},
				tensors.FromFlatDataAndDimensions([]float64{100}, 1),
			)
			set(t, l, "/w", 3)
			train := func(steps int, want ...float64) {
				t.Helper()
				losses, err := l.Train(t.Context(), batches, steps)
				if err != nil {
					t.Fatalf("%+v", err)
				}
				baselinetest.Near(t, "losses", losses, want, 1e-6)
			}
			train(steps, 103, 102.75, 102.5, 102.25, 102)
			if err := l.SetRate(0.5); err != nil {
				t.Fatal(err)
			}
			train(2, 101.75, 101.25)
			if _, err := l.Train(t.Context(), batches, steps+1); err == nil {
				t.Error("more steps than there are batches gave no error")
			}
		})
	}
}

// The network on the host equals that on the backend, and one computed by hand.
func TestHostNetworkEqualsBackends(t *testing.T) {
	inputs := mat.NewDense(2, 3, []float64{
		1, 0, -1,
		2, 1, 0,
	})
	l, batches := newLearner(
		t, backendtest.Open(t, backend.Go), 1,
		func(scope *model.Scope, data, _ []*Node) *Node {
			y := layers.Dense(scope.In("first"), data[0], 2)      // [1, 3, 2]
			y = layers.Dense(scope.In("second"), Mul(y, y), 1)    // [1, 3, 1]
			return Reshape(Slice(y, AxisRange(), AxisElem(0)), 1) // of the first position
		},
		learning.PositionsFirst(inputs, dtypes.Float64),
	)
	set(t, l, "/first/dense/weights", 1, 2, 0, -1)
	set(t, l, "/first/dense/biases", 0, 1)
	set(t, l, "/second/dense/weights", 1, 10)
	set(t, l, "/second/dense/biases", 0.5)

	square := func(v float64) float64 { return v * v }
	network, err := l.Network(square, "/first/dense", "/second/dense")
	if err != nil {
		t.Fatal(err)
	}
	// First layer (a, 2a−b+1): (1, 1), (0, 0), (−1, −1); then a²+10b²+½.
	outputs := network.Outputs(inputs)
	if want := mat.NewDense(1, 3, []float64{11.5, 0.5, 11.5}); !mat.Equal(outputs, want) {
		t.Errorf("outputs %v, want %v", mat.Formatted(outputs), mat.Formatted(want))
	}
	losses, err := l.Train(t.Context(), batches, 1)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	if losses[0] != outputs.At(0, 0) {
		t.Errorf("the network on the backend gives %g, want %g", losses[0], outputs.At(0, 0))
	}

	if after, err := l.Network(square, "/first/dense", "/second/dense"); err != nil ||
		mat.Equal(after.Outputs(inputs), outputs) {
		t.Errorf("error %v: a step of the training is not in the network", err)
	}
	if !mat.Equal(network.Outputs(inputs), outputs) {
		t.Error("a step of the training changed a network that was copied before")
	}
	if _, err := l.Network(square, "/first/dense", "/third"); err == nil ||
		!strings.Contains(err.Error(), `"/third/weights"`) {
		t.Errorf("error %v, want one that names the variable that isn't there", err)
	}
}

func TestPositionsFirst(t *testing.T) {
	x := learning.PositionsFirst(mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}), dtypes.Float32)
	if got := fmt.Sprint(x.Value()); x.DType() != dtypes.Float32 || got != "[[[1 4] [2 5] [3 6]]]" {
		t.Errorf("a tensor %s of %s", x.Shape(), got)
	}
}

func TestLastTenth(t *testing.T) {
	falling := make([]float64, 40) // 39, 38, … 0
	for i := range falling {
		falling[i] = float64(39 - i)
	}
	for _, test := range []struct {
		losses     []float64
		mean, fall float64
	}{
		{falling, 1.5, 4},
		{falling[:39], 2, 3}, // three losses are a tenth
		{[]float64{9, 7}, 7, 2},
		{[]float64{7, 9}, 9, -2},
		{[]float64{7}, 7, math.Inf(1)},
		{slices.Repeat([]float64{3}, 100), 3, 0},
	} {
		if mean, fall := learning.LastTenth(test.losses); mean != test.mean || fall != test.fall {
			t.Errorf("%v: mean %g and fall %g, want %g and %g",
				test.losses, mean, fall, test.mean, test.fall)
		}
	}
}

func ExampleLastTenth() {
	losses := slices.Concat(slices.Repeat([]float64{0.7}, 18), []float64{0.5, 0.5})
	mean, fall := learning.LastTenth(losses)
	fmt.Printf("%.1f, %.1f less than before\n", mean, fall)
	// Output: 0.5, 0.2 less than before
}
