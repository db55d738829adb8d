package pairwise

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
)

func TestAnalyseErrors(t *testing.T) {
	g, err := grid.New(nil, 100)
	if err != nil {
		t.Fatal(err)
	}
	for want, z := range map[string]*mat.Dense{
		"empty": nil, "at least 2": noise(newRand(8), 1, 100, datasets.Normal),
	} {
		if _, err := Analyse(t.Context(), z, g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
	}
}
