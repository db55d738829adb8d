package linear_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// Voices whose microphones clip have no linear demixing that is right at all time scales. FastICA's,
// whose code is far longer there, has an MCC of 0.7 to 0.9 with four matrices; the rule's is nearly that
// of the best linear demixing, 0.9.
func TestClippedVoices(t *testing.T) {
	r, err := datasets.Voices()
	if err != nil {
		t.Fatal(err)
	}
	s := r.Signals
	d, _ := s.Dims()
	for i := range d {
		row := s.RawRowView(i)
		mean, sd := stat.PopMeanStdDev(row, nil)
		for t, v := range row {
			row[t] = (v - mean) / sd
		}
	}
	x := mixed(3, s)
	for i := range d {
		row := x.RawRowView(i)
		sd := stat.PopStdDev(row, nil)
		for t, v := range row {
			row[t] = math.Tanh(v / sd)
		}
	}
	sol := separate(t, x, linear.Config{})
	if len(sol.Groups) == d {
		t.Errorf("all signals are identified: %s", sol.Why)
	}
	var best, weights mat.Dense // the best linear demixing
	if err := weights.Solve(x.T(), s.T()); err != nil {
		t.Fatal(err)
	}
	best.Mul(weights.T(), x)
	if got, want := mcc(t, recovered(sol, x), s), mcc(t, &best, s); got < want-0.02 {
		t.Errorf("MCC %.3f, the best linear demixing's is %.3f", got, want)
	}
}
