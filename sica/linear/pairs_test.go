package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// Two sources that a demixing leaves mixed by 45° are rotated apart, and only the pairs with them are
// compared again.
func TestMixedPairsAreRotated(t *testing.T) {
	const d, n = fewSignals + 1, 3000
	x, err := datasets.LaplaceAR(rand.New(rand.NewPCG(13, 0)), d, n, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	s := prepared(t, x)
	null, err := s.whiten(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	right := s.acquire()
	if err := s.evaluate(t.Context(), right, s.inverse, nil); err != nil { // of x into itself
		t.Fatal(err)
	}
	v, err := s.judge(t.Context(), right, null, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := &knownPairs{right.b, v.evidence}
	if _, ok := known.certainEvidence(right.b, 5, 3); !ok {
		t.Error("signals 6 and 4 aren't certain")
	}
	mixed := mat.DenseCopyOf(right.b)
	for k, a := range right.b.RawRowView(3) {
		b := right.b.At(5, k)
		mixed.Set(3, k, (a+b)/math.Sqrt2)
		mixed.Set(5, k, (b-a)/math.Sqrt2)
	}
	for _, pair := range [][2]int{{5, 3}, {4, 3}, {5, 0}} {
		if _, ok := known.certainEvidence(mixed, pair[0], pair[1]); ok {
			t.Errorf("signals %v are known, but one is mixed", pair)
		}
	}
	m := s.acquire()
	if err := s.evaluate(t.Context(), m, mixed, nil); err != nil {
		t.Fatal(err)
	}
	longer := n * (m.codeLength - right.codeLength)
	if v, err = s.judge(t.Context(), m, null, known); err != nil {
		t.Fatal(err)
	}
	if gain := v.rotated.At(5, 3); gain > -0.5*longer {
		t.Errorf("the rotation of signals 6 and 4 loses %.0f nats, want a gain of about %.0f", gain, longer)
	}
	if gain := v.rotated.At(2, 1); gain != 0 {
		t.Errorf("signals 3 and 2, which are known, gain %.0f nats", gain)
	}
	found := &descents{best: m, verdict: v}
	if err := s.rotateMixed(t.Context(), found, null); err != nil {
		t.Fatal(err)
	}
	end := found.best
	if !sameBasin(end.b, right.b) || end.codeLength > right.codeLength {
		t.Errorf("the code is longer by %.0f nats than the right demixing's", n*(end.codeLength-right.codeLength))
	}
	if got := found.verdict.evidence.At(5, 3); got < certain() {
		t.Errorf("signals 6 and 4 have an evidence of %.0f nats", got)
	}
}
