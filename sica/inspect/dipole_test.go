package inspect

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// A dipole explains the patterns of single sources of the brain, whatever the reference, and no
// random pattern. A channel without a place has no effect.
func TestResidualVariances(t *testing.T) {
	opt := datasets.DefaultEEG()
	opt.Seconds = 10
	eeg, err := datasets.SimulateEEG(rand.New(rand.NewPCG(1, 0)), opt)
	if err != nil {
		t.Fatal(err)
	}
	d, k := eeg.Patterns.Dims()
	got, err := ResidualVariances(eeg.Recording.Names, eeg.Patterns)
	if err != nil {
		t.Fatal(err)
	}
	more := mat.NewDense(d+1, k, nil)
	more.Apply(func(i, j int, _ float64) float64 {
		if i == d {
			return 1e6
		}
		return eeg.Patterns.At(i, j) - eeg.Patterns.At(3, j)
	}, more)
	again, err := ResidualVariances(append(eeg.Recording.Names, "EOG1"), more)
	if err != nil {
		t.Fatal(err)
	}
	for j, kind := range eeg.Kinds {
		if kind == "background" && got[j] > 0.01 || kind == "line" && got[j] < 0.3 {
			t.Errorf("%s: %.3f", kind, got[j])
		}
		if math.Abs(got[j]-again[j]) > 1e-9 {
			t.Errorf("source %d: %g, and %g with another reference", j, got[j], again[j])
		}
	}
}

func TestResidualVariancesErrors(t *testing.T) {
	names := []string{"Fp1", "Fp2", "F3", "F4", "C3", "C4", "P3", "P4"}
	infinite := mat.NewDense(8, 1, nil)
	infinite.Set(2, 0, math.Inf(1))
	for want, c := range map[string]struct {
		channels []string
		patterns *mat.Dense
	}{
		"empty":      {names, nil},
		"8 names":    {names, mat.NewDense(7, 1, nil)},
		"channel F3": {names, infinite},
		"at least 8": {append(names[:7:7], "EOG1"), mat.NewDense(8, 1, nil)},
	} {
		_, err := ResidualVariances(c.channels, c.patterns)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}
