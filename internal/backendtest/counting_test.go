package backendtest_test

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/purego"
)

// A counting backend computes what its backend computes, and counts each call.
func TestCountingBackendComputesAndCounts(t *testing.T) {
	below, err := purego.New()
	if err != nil {
		t.Fatal(err)
	}
	var counted, compiled []int64
	b := backendtest.Count(below, func(n int64) { counted = append(counted, n) })
	b.OnCompile(func(n int64) { compiled = append(compiled, n) })
	double := MustNewExec(b, func(x *Node) *Node { return MulScalar(x, 2) })
	for _, x := range []float64{1, 3, 5} {
		if got := double.MustCall(x)[0].Value(); got != 2*x {
			t.Errorf("twice %g is %v", x, got)
		}
	}
	if b.Calls() != 3 || !slices.Equal(counted, []int64{1, 2, 3}) {
		t.Errorf("%d calls, the callback got %v: want 3", b.Calls(), counted)
	}
	if b.Compilations() != 1 || !slices.Equal(compiled, []int64{1}) {
		t.Errorf("%d compilations, the callback got %v: want 1", b.Compilations(), compiled)
	}
}
