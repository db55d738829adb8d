package iterate

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
)

// The signals 1, 2, 3 and 10, 20, 40 in one network's batch of two samples: joint at
// positions 0 and 2, product at (2, 1) and (0, 0).
var (
	signals = [][][]float64{{{1, 2, 3}, {10, 20, 40}}}
	joint   = [][]int32{{0, 2}}
	product = [][][]int32{{{2, 1}, {0, 0}}}
	times   = [][]float64{{0, 0.25}}
)

// loss is that of the batch above with weights.
func loss(t *testing.T, step flows.StepLoss, weights [][]float64) float64 {
	t.Helper()
	b := backendtest.Open(t, backend.Go)
	exec, err := NewExec(b, func(inputs []*Node) *Node { return step(nil, inputs[:1], inputs[1:]) })
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call(signals, joint, product, weights, times)
	if err != nil {
		t.Fatal(err)
	}
	values, err := tensors.CopyFlatData[float64](out[0])
	if err != nil || len(values) != 1 {
		t.Fatalf("losses %v, %v", values, err)
	}
	return values[0]
}

// With a log-ratio of (first + second value)/10, the loss of a pair is log(1+e^−joint) +
// log(1+e^product). A pair of weight 0 is not counted.
func TestRatioLossByHand(t *testing.T) {
	step := RatioLoss(func(_ *model.Scope, _ []*Node, y, _, _ *Node) *Node {
		return MulScalar(ReduceSum(y, -1), 0.1)
	})
	pair := func(joint, product float64) float64 {
		return math.Log1p(math.Exp(-joint)) + math.Log1p(math.Exp(product))
	}
	first, second := pair(1.1, 2.3), pair(4.3, 1.1) // of 1+10 against 3+20, and 3+40 against 1+10
	for _, test := range []struct {
		weights [][]float64
		want    float64
	}{
		{[][]float64{{1, 1}}, (first + second) / 2},
		{[][]float64{{1, 0}}, first},
		{[][]float64{{1, 3}}, (first + 3*second) / 4},
	} {
		if got := loss(t, step, test.weights); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("weights %v: loss %.14g, want %.14g", test.weights, got, test.want)
		}
	}
}

// The paths go from (1, 10) at τ = 0 to (3, 20), and from (3, 40) to (1, 10), of which τ = 0.25 is
// (2.5, 32.5). A velocity of a tenth of the values differs from the first displacement, (2, 10), by
// (1.9, 9), and from the second, (−2, −30), by (2.25, 33.25).
func TestRectifiedLossByHand(t *testing.T) {
	step := RectifiedLoss(func(_ *model.Scope, _ []*Node, y, _, _, _ *Node) *Node { return MulScalar(y, 0.1) })
	first, second := 1.9*1.9+9*9, 2.25*2.25+33.25*33.25
	for _, test := range []struct {
		weights [][]float64
		want    float64
	}{
		{[][]float64{{1, 1}}, (first + second) / 2},
		{[][]float64{{0, 1}}, second},
	} {
		if got := loss(t, step, test.weights); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("weights %v: loss %.14g, want %.14g", test.weights, got, test.want)
		}
	}
}
