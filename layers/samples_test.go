package layers_test

import (
	"reflect"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/seed-47b1e431/gosica/layers"
)

func TestEverySignal(t *testing.T) {
	eachBackend(t, func(t *testing.T, run runner) {
		out := run(func(in []*Node) []*Node {
			return []*Node{layers.EverySignal(in[0], 3)}
		}, [][]int32{{4, 1}, {0, 7}})
		want := [][][]int32{{{4, 4, 4}, {1, 1, 1}}, {{0, 0, 0}, {7, 7, 7}}}
		if got := out[0].Value(); !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// 2 MiB are 2¹⁹ float32 values, those of 16 channels at 2¹⁵ positions.
func TestWholeCNNSamples(t *testing.T) {
	for _, test := range []struct{ runs, positions, n, want int }{
		{1, 1024, 1024, 32},
		{1, 1000, 1024, 32}, // 32.8
		{4, 1024, 1024, 8},
		{20, 1024, 1024, 4}, // 1.6
		{1, 1024, 10, 10},
		{20, 1024, 3, 3},
	} {
		if got := layers.WholeCNNSamples(test.runs, test.positions, test.n); got != test.want {
			t.Errorf("%d runs of %d samples at %d positions: %d at a time, want %d", test.runs, test.n, test.positions, got, test.want)
		}
	}
}
