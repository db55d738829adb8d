package experiment_test

import (
	"math"
	"testing"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica/experiment"
)

// The committed results come out again: bit for bit on the kind of processor and
// the backend that made them, and nearly so elsewhere.
func TestCommittedResults(t *testing.T) {
	results, err := experiment.Read("../../notebooks/results", experiment.Cells)
	if err != nil {
		t.Fatal(err)
	}
	b, err := backend.Open(backend.Auto)
	if err != nil {
		t.Fatal(err)
	}
	digits := experiment.Problem{Data: experiment.MNIST, Mixing: experiment.GELU, Steps: 5, Seed: experiment.FirstSeed}
	for _, c := range []experiment.Cell{
		{Problem: digits, Method: "fastica", Preset: experiment.Paper},
		{Problem: digits, Method: "sica", Preset: experiment.Default},
	} {
		t.Run(c.String(), func(t *testing.T) {
			if testing.Short() && c.Method == "sica" {
				t.Skip("long without XLA")
			}
			want, ok := results.Find(c)
			if !ok {
				t.Fatal("it isn't among the committed results")
			}
			got, _, err := c.Run(t.Context(), b, "")
			if err != nil {
				t.Fatal(err)
			}
			if got.Error != "" || math.Abs(*got.MCC-*want.MCC) > 2e-3 {
				t.Errorf("the MCC is %v (%s), was %g", got.MCC, got.Error, *want.MCC)
			}
			if got.Backend == want.Backend && got.CPU == want.CPU && got.SHA256 != want.SHA256 {
				t.Errorf("the signals are other bits than on %s, %s, then", want.CPU, want.Backend)
			}
		})
	}
}
