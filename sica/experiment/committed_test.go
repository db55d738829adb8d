package experiment_test

import (
	"math"
	"testing"

	"github.com/seed-47b1e431/gosica/sica/experiment"
)

// The committed results come out again: bit for bit on a machine and a backend that
// make the same bits as those that made them, and to rounding elsewhere.
func TestCommittedResults(t *testing.T) {
	results, err := experiment.Read("../../notebooks/results", experiment.OutcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	b := openAuto(t)
	digits := experiment.Problem{Data: experiment.MNIST, Mixing: experiment.GELUMixing, Steps: 5, Seed: experiment.FirstSeed}
	for _, test := range []struct {
		trial experiment.Trial
		// rounding is how far other instructions may take the MCC. That of SICA
		// moved by at most 4e-8 in 12 fits of signals off by half a unit in the last
		// place of a float32, with XLA kept to AVX2 and to SSE4.2, and in pure Go
		// with and without its vectors; the bound is 25 times that.
		rounding float64
	}{
		{experiment.Trial{Problem: digits, Method: "fastica", Preset: experiment.PaperPreset}, 1e-9},
		{experiment.Trial{Problem: digits, Method: "sica", Preset: experiment.DefaultPreset}, 1e-6},
	} {
		t.Run(test.trial.String(), func(t *testing.T) {
			if testing.Short() && test.trial.Method == "sica" {
				t.Skip("long without XLA")
			}
			want, ok := find(results, test.trial)
			if !ok {
				t.Fatal("it isn't among the committed results")
			}
			got, _, err := test.trial.Run(t.Context(), b, "")
			if err != nil {
				t.Fatal(err)
			}
			if got.Error != "" {
				t.Fatal(got.Error)
			}
			t.Logf("the MCC is %.9f, was %.9f", *got.MCC, *want.MCC)
			if math.Abs(*got.MCC-*want.MCC) > test.rounding {
				t.Errorf("the MCC is %.9f, was %.9f: want it to %g", *got.MCC, *want.MCC, test.rounding)
			}
			if want.Machine == nil || got.Backend != want.Backend || !got.Machine.Equal(*want.Machine) {
				t.Log("checked to rounding, as another machine or backend made the result")
				return
			}
			t.Log("checked bit for bit, as a machine of the same bits made the result")
			if got.SHA256 != want.SHA256 {
				t.Errorf("the signals are other bits than when %s made them", want.Backend)
			}
		})
	}
}
