package main

import (
	"path/filepath"
	"testing"

	"github.com/seed-47b1e431/gosica/sica/metric"
)

func TestPrepare(t *testing.T) {
	early, late, sources := prices()
	z, back := separate(t.Context(), filepath.Join(t.TempDir(), "result"), early, late)
	if match, err := metric.MCC(z, sources); err != nil || match.MCC < .99 {
		t.Errorf("MCC %.3f, %v; want .99 or more", match.MCC, err)
	}
	if far := furthest(back, late); far > 1e-9 {
		t.Errorf("back to within %g of the prices", far)
	}
}
