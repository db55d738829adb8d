package layers

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/invertible"
)

// The sharpest nonlinearities have an inverse too: tanh of 9 and more is 1 to float32. Far on
// the flat side x is known to float32's resolution of y by the slope, 5e-4 at 30.
func TestLeakySharpest(t *testing.T) {
	x := make([]float32, 61)
	for k := range x {
		x[k] = float32(k) - 30
	}
	for _, name := range backend.Available() {
		b, err := backend.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, bend := range []float32{-invertible.MaxBend, -0.99, 0.5, 0.99, invertible.MaxBend} {
			exec, err := NewExec(b, func(c, x *Node) *Node { // [1, 1, 1], [1, 1, N]
				y, _ := leaky(c, x)
				return leakyInverse(c, y)
			})
			if err != nil {
				t.Fatal(err)
			}
			outputs, err := exec.Call([][][]float32{{{bend}}}, [][][]float32{{x}})
			if err != nil {
				t.Fatal(err)
			}
			for k, got := range outputs[0].Value().([][][]float32)[0][0] {
				if math.Abs(float64(got-x[k])) > 2e-3 {
					t.Errorf("%s: c = %g: %g comes back as %g", name, bend, x[k], got)
				}
			}
			exec.Finalize()
		}
	}
}
