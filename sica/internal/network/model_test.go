package network

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// A pair rotated by θ makes the agreement cos θ among any number of signals, and it doesn't
// depend on order, sign and scale. That of two signals is their MCC, that of one its correlation.
func TestAgreement(t *testing.T) {
	for _, d := range []int{2, 5, 20} {
		z, err := whitenedNormal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, degrees := range []float64{0, 10, 18, 40} {
			theta := degrees * math.Pi / 180
			turn := rotation.Identity(d)
			turn.Set(0, 0, -2*math.Cos(theta))
			turn.Set(0, 1, 2*math.Sin(theta))
			turn.Set(1, 0, math.Sin(theta))
			turn.Set(1, 1, math.Cos(theta))
			var turned mat.Dense
			turned.Mul(turn, z)
			got, err := agreement(z, &turned)
			if err != nil || math.Abs(got-math.Cos(theta)) > 1e-9 {
				t.Errorf("%d signals, %g°: agreement %.6f (%v), want %.6f", d, degrees, got, err,
					math.Cos(theta))
			}
		}
	}
	a, b := drawNormal(1, 2, 100, 1), drawNormal(2, 2, 100, 1)
	if got, err := agreement(a, b); err != nil || got != mcc(t, a, b) {
		t.Errorf("two signals: agreement %v (%v), MCC %v", got, err, mcc(t, a, b))
	}
	a, b = drawNormal(1, 1, 100, 1), drawNormal(2, 1, 100, 1)
	want := math.Abs(stat.Correlation(a.RawRowView(0), b.RawRowView(0), nil))
	if got, err := agreement(a, b); err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("one signal: agreement %v (%v), want %v", got, err, want)
	}
}

// whitenedNormal returns d exactly uncorrelated signals.
func whitenedNormal(d int) (*mat.Dense, error) {
	x := drawNormal(uint64(d), d, 400, 1)
	w, _, err := whiten(x)
	if err != nil {
		return nil, err
	}
	return w.Apply(x)
}

// One other run is singular.
func TestWhyOfOneOtherRun(t *testing.T) {
	m := &Model{}
	m.Agreement = 0.99
	for agreeing, want := range map[int]string{
		1: "and 1 other run recovered the same (agreement at least 0.990).",
		2: "and 2 other runs recovered the same (agreement at least 0.990).",
	} {
		m.Agreeing = agreeing
		if got := m.Why(); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
