package iterate

import (
	"math"
	"reflect"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
)

// evaluate returns the output of a graph of one input.
func evaluate(t *testing.T, graph func(x *Node) *Node, input any) *tensors.Tensor {
	t.Helper()
	b := backendtest.Open(t, backend.Go)
	exec, err := NewExec(b, func(inputs []*Node) *Node { return graph(inputs[0]) })
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	outputs, err := exec.Call(input)
	if err != nil {
		t.Fatal(err)
	}
	return outputs[0]
}

// At τ = 1/8 and 1/3 the first wave has an eighth and a third of a turn, the second twice that.
func TestTimeEncodingIsTauAndWaves(t *testing.T) {
	half, root3 := math.Sqrt2/2, math.Sqrt(3)/2
	out := evaluate(t, func(tau *Node) *Node { return timeEncoding(tau, 2) }, [][]float64{{1. / 8, 1. / 3}})
	got, err := tensors.CopyFlatData[float64](out)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{
		1. / 8, half, half, 1, 0,
		1. / 3, root3, -0.5, -root3, -0.5,
	}
	for k := range want {
		if !(math.Abs(got[k]-want[k]) < 1e-14) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func TestEverySignalRepeatsPositions(t *testing.T) {
	out := evaluate(t, func(x *Node) *Node { return everySignal(x, 3) }, [][]int32{{4, 1}, {0, 7}})
	want := [][][]int32{{{4, 4, 4}, {1, 1, 1}}, {{0, 0, 0}, {7, 7, 7}}}
	if got := out.Value(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// 2 MiB are 2¹⁹ float32 values, those of 16 channels at 2¹⁵ positions.
func TestWholeSamplesFit2MiB(t *testing.T) {
	for _, test := range []struct{ runs, positions, n, want int }{
		{1, 1024, 1024, 32},
		{1, 1000, 1024, 32}, // 32.8
		{4, 1024, 1024, 8},
		{20, 1024, 1024, 4}, // 1.6
		{1, 1024, 10, 10},
		{20, 1024, 3, 3},
	} {
		if got := WholeSamples(test.runs, test.positions, test.n); got != test.want {
			t.Errorf("%d runs of %d samples at %d positions: %d at a time, want %d", test.runs, test.n,
				test.positions, got, test.want)
		}
	}
}
