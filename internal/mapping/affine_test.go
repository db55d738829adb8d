package mapping

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// A map is singular by its directions, not by the units of its signals.
func TestInverse(t *testing.T) {
	for name, c := range map[string]struct {
		matrix  []float64
		regular bool
	}{
		"units":          {[]float64{2e-15, 1e-15, 0, 1e9, 0, 3e9, 0, 0, 1}, true},
		"dependent rows": {[]float64{2, -1, -1, -1, 2, -1, -1, -1, 2}, false},
		"zero":           {make([]float64, 9), false},
	} {
		m := LinearMap(mat.NewDense(3, 3, c.matrix), make([]float64, 3))
		inverse, err := m.Inverse()
		_, invertErr := m.Invert(mat.NewDense(3, 1, []float64{1, 2, 3}))
		if !c.regular {
			if !errors.Is(err, ErrNotInvertible) || !errors.Is(invertErr, ErrNotInvertible) {
				t.Errorf("%s: errors %v, %v", name, err, invertErr)
			}
			continue
		}
		if err != nil || invertErr != nil {
			t.Fatalf("%s: errors %v, %v", name, err, invertErr)
		}
		var product mat.Dense
		product.Mul(m.Dense(), inverse)
		if !mat.EqualApprox(&product, rotation.Identity(3), 1e-9) {
			t.Errorf("%s: the product with the inverse is %v", name, mat.Formatted(&product))
		}
	}
}
