package preprocess_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Maps apply to other signals, and have inverses; each transform has a name that Parse knows; Apply
// is Fit without the map.
func TestMapsApplyToOtherSignals(t *testing.T) {
	x := mat.NewDense(2, 6, []float64{
		3, 1, -1, -3, 2, -2,
		3, -1, 1, -3, .5, 1.5,
	})
	for _, transform := range []preprocess.Transform{
		preprocess.Standardise, preprocess.ZCA, preprocess.Gaussianise, preprocess.Conditional,
	} {
		z, m, err := preprocess.Fit(t.Context(), x, transform)
		if err != nil {
			t.Fatalf("%s: %v", transform, err)
		}
		if _, ok := m.(preprocess.Smooth); !ok {
			t.Errorf("%s: its map isn't Smooth", transform)
		}
		if applied, err := preprocess.Apply(x, transform); err != nil || !mat.Equal(applied, z) {
			t.Errorf("%s: Apply gives others than Fit, %v", transform, err)
		}
		mapped, err := m.Apply(x)
		if err != nil || !mat.EqualApprox(mapped, z, 1e-12) {
			t.Errorf("%s: its map gives others than Fit, %v", transform, err)
		}
		back, err := m.Invert(z)
		if err != nil || !mat.EqualApprox(back, x, 1e-9) {
			t.Errorf("%s: %v back, %v", transform, back, err)
		}
	}
}

// A linear map of another size panics where it is made, not where it is applied.
func TestLinearMapOfTheWrongSize(t *testing.T) {
	for want, sizes := range map[string][3]int{
		"preprocess: LinearMap: matrix is 2×3 and mean has 3 values; must be d×d and d": {2, 3, 3},
		"preprocess: LinearMap: matrix is 2×2 and mean has 3 values; must be d×d and d": {2, 2, 3},
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			preprocess.LinearMap(mat.NewDense(sizes[0], sizes[1], nil), make([]float64, sizes[2]))
		}()
	}
}
