package layers

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/invertible"
)

// The nonlinearities with the largest |c|, too, equal their formulas up to the rounding of float32,
// and so do their inverses: tanh of 9 and more is 1 in float32. A backend's root may be off by an
// ulp, as CUDA's approximate one, and its quotient by two. An inverse has the error of the rounding
// of y over the slope, which is 5.5e-4 on the flat side at 30.
func TestSharpestNonlinearities(t *testing.T) {
	x := make([]float32, 61)
	for k := range x {
		x[k] = float32(k) - 30
	}
	for _, name := range backend.Available() {
		b := backendtest.Open(t, name)
		forward := MustNewExec(b, func(c, x *Node) *Node { // [1, 1, 1], [1, 1, N]
			y, _ := leaky(c, x)
			return y
		})
		inverse := MustNewExec(b, leakyInverse)
		for _, bend := range []float32{
			-invertible.MaxBend, -0.99, 0.5, 0.99, invertible.MaxBend,
		} {
			y := make([]float32, len(x))
			want := make([]leakyPoint, len(x))
			for k := range x {
				want[k] = leakyAt(float64(bend), float64(x[k]))
				y[k] = float32(want[k].y)
			}
			call := func(exec *Exec, values []float32) []float32 {
				outputs, err := exec.Call([][][]float32{{{bend}}}, [][][]float32{{values}})
				if err != nil {
					t.Fatal(err)
				}
				return outputs[0].Value().([][][]float32)[0][0]
			}
			ys, xs := call(forward, x), call(inverse, y)
			for k, p := range want {
				if e := math.Abs(float64(ys[k]) - p.y); !(e <= p.errorOfY()) {
					t.Errorf("%s: c = %g, x = %g: y is off by %g; must be at most %g",
						name, bend, x[k], e, p.errorOfY())
				}
				if e := math.Abs(float64(xs[k]) - p.x); !(e <= p.errorOfX()) {
					t.Errorf("%s: c = %g, x = %g: the inverse is off by %g; must be at most %g",
						name, bend, x[k], e, p.errorOfX())
				}
			}
		}
		forward.Finalize()
		inverse.Finalize()
	}
}

// A leakyPoint is a point of y = x + c·(root − 1), root = √(x² + 1), in float64.
type leakyPoint struct{ x, root, y, slope float64 }

func leakyAt(c, x float64) leakyPoint {
	root := math.Sqrt(x*x + 1)
	return leakyPoint{x, root, x + c*(root-1), 1 + c*x/root}
}

// errorOfY is the largest error of y in float32 at a whole x: an ulp of the root, half of one each
// of root − 1, of its product with c, which is smaller than the root, and of y.
func (p leakyPoint) errorOfY() float64 { return 2*ulp(p.root) + ulp(p.y)/2 }

// errorOfX is the largest error of the inverse of y. The roundings of y and of y + c are divided by
// the slope; those of the factors, the root and the quotient, 11 halves of an ulp, are of x
// itself.
func (p leakyPoint) errorOfX() float64 {
	return 0x1p-24 * (2*(math.Abs(p.y)+1)/p.slope + 11*math.Abs(p.x))
}

// ulp is the distance from v, rounded to float32, to the next float32 away from 0.
func ulp(v float64) float64 {
	rounded := float32(math.Abs(v))
	return float64(math.Nextafter32(rounded, math.MaxFloat32) - rounded)
}
