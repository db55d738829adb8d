package sica

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// Long reports whether scripts/test --long asks for proofs of minutes, where the others are proofs
// of the same kind.
func Long() bool { return os.Getenv("SICA_LONG_TESTS") != "" }

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// noise are d×n independent values.
func noise(r *rand.Rand, d, n int, value func(*rand.Rand) float64) *mat.Dense {
	z := mat.NewDense(d, n, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return value(r) }, z)
	return z
}

// twoSpectra are two independent Gaussian signals of different spectra.
func twoSpectra(t *testing.T, seed uint64) *mat.Dense {
	t.Helper()
	z, err := datasets.AR(rng(seed), 1024,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100})
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// why returns the sentences of a decision as one text.
func (d *decision) why() string {
	r := Result{Summary: Summary{Linear: d.Linear, Outliers: d.outliers}, sentences: d.sentences}
	return r.WhyAt(0, 0)
}

// reloaded returns r after it was saved and loaded.
func reloaded(t *testing.T, r *Result) *Result {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "saved")
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
