package report

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

func onePair(t *testing.T, z *mat.Dense, shape ...int) Pair {
	t.Helper()
	found, err := pairs(t.Context(), z, index(t, shape...), 1)
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// Gaussian signals with equal spectra can be rotated as one likes. Laplace ones,
// and Gaussian ones with different spectra, can't: rotated by 30°, they fit
// better where they came from.
func TestPairs(t *testing.T) {
	ar := func(coefficients ...float64) datasets.ARProcess {
		return datasets.ARProcess{Coefficients: coefficients, Scale: 1, Innovation: datasets.Normal, BurnIn: 100}
	}
	signals := func(seed uint64, of ...datasets.ARProcess) *mat.Dense {
		s, err := datasets.AR(rng(seed), 1024, of...)
		if err != nil {
			t.Fatal(err)
		}
		white, err := preprocess.Whitened(s)
		if err != nil {
			t.Fatal(err)
		}
		return white
	}
	laplace := datasets.ARProcess{Scale: 1, Innovation: datasets.Laplace}
	for _, test := range []struct {
		name string
		z    *mat.Dense
		open bool
	}{
		{"white", signals(1, ar(), ar()), true},
		{"equal spectra", signals(2, ar(1.6, -0.8), ar(1.6, -0.8)), true},
		{"two spectra", signals(3, ar(1.6, -0.8), ar(-0.5, 0.2)), false},
		{"Laplace", signals(4, laplace, laplace), false},
	} {
		p := onePair(t, test.z, 1024)
		if p.Ambiguous() != test.open || p.Flat() != test.open {
			t.Errorf("%s: open within %.0f°, range %.3f, chance %.3f", test.name, p.AmbiguityAngle, p.Range, p.Null99)
		}
		if test.open {
			continue
		}
		if math.Abs(p.Angle) > 6 || p.CriterionGap > p.Null99 {
			t.Errorf("%s: best at %.0f° with an excess of %.3f, chance %.3f", test.name, p.Angle, p.CriterionGap, p.Null99)
		}
		turned := onePair(t, rotated2(test.z, math.Pi/6), 1024) // what rows by −30° undo
		if math.Abs(math.Abs(turned.Angle)-30) > 6 || turned.CriterionGap < turned.Null99 || turned.AmbiguityAngle < 24 {
			t.Errorf("%s turned: best at %.0f°, open within %.0f°, excess %.3f, chance %.3f", test.name, turned.Angle, turned.AmbiguityAngle, turned.CriterionGap, turned.Null99)
		}
	}
}

// Gaussian pairs are called flat in all but few cases.
func TestPairsLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at many pairs")
	}
	const signals = 8
	found, err := pairs(t.Context(), noise(rng(9), signals, 256, datasets.Normal), index(t, 256), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != signals*(signals-1)/2 {
		t.Fatalf("%d pairs", len(found))
	}
	steep := 0
	for _, p := range found {
		if !p.Flat() {
			steep++
		}
	}
	if steep > 2 { // of 28 at a level of 1 %
		t.Errorf("%d of %d Gaussian pairs aren't flat", steep, len(found))
	}
}
