package baselinetest

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Trained checks a trained method on the mixed signals x, 2×n, on every available backend. A second
// fit must give the same model, and a fit on another backend nearly the same; Transform of x must
// give the recovered signals. Bad signals and an ended context must be errors, and x must not
// change. A nil backend must mean pure Go. Then Trained calls more with the model and the transform
// of x, and finally keepsDeadlines.
func Trained(
	t *testing.T, x *mat.Dense, method func(compute.Backend) ica.Method,
	more func(t *testing.T, m *ica.Model, z *mat.Dense),
) {
	t.Helper()
	before := mat.DenseCopyOf(x)
	var first *ica.Model
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) {
			b := backendtest.Open(t, name)
			var runs [2]*ica.Model
			for i := range runs {
				var err error
				if runs[i], err = ica.Separate(t.Context(), method(b), x); err != nil {
					t.Fatalf("%+v", err)
				}
			}
			m := runs[0]
			if !mat.Equal(m.Signals, runs[1].Signals) {
				t.Error("the same seed gives other signals")
			}
			if first == nil {
				first = m
			}
			if !mat.EqualApprox(m.Signals, first.Signals, 1e-2) {
				t.Error("another backend gives other signals")
			}

			more(t, m, transformed(t, m, x))
		})
	}
	if !mat.Equal(x, before) {
		t.Error("the mixed signals were changed")
	}
	Fit(t, x, method(nil))
	refuses(t, x, method(nil), false)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := ica.Separate(ended, method(nil), x); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	keepsDeadlines(t, x, method)
}

// transformed checks a model's transform, and returns the transform of the mixed signals.
func transformed(t *testing.T, m *ica.Model, x *mat.Dense) *mat.Dense {
	t.Helper()
	z, err := m.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(z, m.Signals, 1e-12) {
		t.Error("the transform of the mixed signals isn't the recovered ones")
	}
	nan := mat.NewDense(2, 1, []float64{0, math.NaN()})
	for _, bad := range []*mat.Dense{nil, mat.NewDense(3, 2, nil), nan} {
		if _, err := m.Transform(bad); err == nil {
			t.Errorf("transform of %v gave no error", bad)
		}
	}
	return z
}
