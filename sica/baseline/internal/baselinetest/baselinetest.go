// Package baselinetest is what the tests of several methods need.
package baselinetest

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Open opens the backend called name, or skips the test where it can't be opened.
func Open(t *testing.T, name string) compute.Backend {
	t.Helper()
	b, err := backend.Open(name)
	if err != nil {
		t.Skip(err)
	}
	return b
}

// Mixed is datasets.Mix of the sources s.
func Mixed(t *testing.T, s *mat.Dense, opt datasets.MixOptions) *mat.Dense {
	t.Helper()
	x, err := datasets.Mix(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// MCC is that of the signals z with the sources s, see metric.MCC.
func MCC(t *testing.T, z, s *mat.Dense) float64 {
	t.Helper()
	match, err := metric.MCC(z, s)
	if err != nil {
		t.Fatal(err)
	}
	return match.MCC
}

// Near fails the test unless got is want, each value to the tolerance or to the
// tolerance of its size.
func Near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if !floats.EqualApprox(got, want, tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// ReadJSON reads the file at path, such as what another program found, into a T.
func ReadJSON[T any](t *testing.T, path string) T {
	t.Helper()
	var v T
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Unmixing returns the unmixing matrix of a linear model, d×d.
func Unmixing(t *testing.T, m *ica.Model) *mat.Dense {
	t.Helper()
	unmixing, _, ok := m.Matrix()
	if !ok {
		t.Fatalf("the model's map is a %T, not linear", m.Map)
	}
	return unmixing
}
