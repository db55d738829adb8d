package main

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/metric"
)

func TestLinear(t *testing.T) {
	x, later, sources := mixture()
	model, found := separate(t.Context(), x)
	z := must(model.Transform(later))
	if match, err := metric.MCC(z, mat.DenseCopyOf(sources.Slice(0, 2, 1000, 2000))); err != nil || match.MCC < .98 {
		t.Errorf("MCC %.3f, %v: %s", match.MCC, err, found.Why)
	}
	file := filepath.Join(t.TempDir(), "demixing.json")
	if err := save(model, file); err != nil {
		t.Fatal(err)
	}
	if again := must(load(file).Apply(later)); !mat.Equal(again, z) {
		t.Error("the saved model gives other signals")
	}
	if far := distance(must(model.InverseTransform(z)), later); far > 1e-9 {
		t.Errorf("there and back: %g away", far)
	}
}
