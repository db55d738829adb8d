package report

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

func again(t *testing.T, z *mat.Dense, shape ...int) Linear {
	t.Helper()
	l, err := separateAgain(t.Context(), z, z, index(t, shape...).Shape(), linear.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Gaussian signals with equal spectra can be rotated as one likes. Laplace ones,
// and Gaussian ones with different spectra, can't: rotated by 30°, they are told to
// be elsewhere.
func TestSeparateAgain(t *testing.T) {
	ar := func(coefficients ...float64) datasets.ARProcess {
		return datasets.ARProcess{Coefficients: coefficients, Scale: 1,
			Innovation: datasets.Normal, BurnIn: 100}
	}
	laplace := datasets.ARProcess{Scale: 1, Innovation: datasets.Laplace}
	for _, test := range []struct {
		name string
		of   [2]datasets.ARProcess
		open bool
	}{
		{"white", [2]datasets.ARProcess{ar(), ar()}, true},
		{"equal spectra", [2]datasets.ARProcess{ar(1.6, -0.8), ar(1.6, -0.8)}, true},
		{"two spectra", [2]datasets.ARProcess{ar(1.6, -0.8), ar(-0.5, 0.2)}, false},
		{"Laplace", [2]datasets.ARProcess{laplace, laplace}, false},
	} {
		s, err := datasets.AR(rng(1), 1024, test.of[:]...)
		if err != nil {
			t.Fatal(err)
		}
		z, err := mapping.Whitened(s)
		if err != nil {
			t.Fatal(err)
		}
		l := again(t, z, 1024)
		if got := !l.identified(0) && !l.identified(1); got != test.open ||
			l.Pairs[0].Identified == test.open {
			t.Errorf("%s: %s", test.name, l.Why)
		}
		if l.Agreement[0] < 0.995 || l.Agreement[1] < 0.995 {
			t.Errorf("%s: as they are they agree by %.3f", test.name, l.Agreement)
		}
		if test.open {
			continue
		}
		if turned := again(t, rotated2(z, math.Pi/6),
			1024); math.Abs(turned.Agreement[0]-math.Cos(math.Pi/6)) > 0.05 {
			t.Errorf("%s, turned by 30°: agree by %.3f, want %.3f", test.name, turned.Agreement,
				math.Cos(math.Pi/6))
		}
	}
}

// The findings are of the signals that they are given, in their order: of three, the
// two that are Gaussian and white aren't told apart.
func TestOrderOfFindings(t *testing.T) {
	for place := range 3 {
		s := noise(rng(5), 3, 2000, datasets.Normal)
		s.SetRow(place, noise(rng(6), 1, 2000, datasets.Uniform).RawRowView(0))
		l := again(t, s, 2000)
		for i := range 3 {
			if l.identified(i) != (i == place) || (l.ExpectedError[i] < 1) != (i == place) {
				t.Errorf("of the uniform signal in place %d: groups %v, errors %.3f", place,
					l.Groups, l.ExpectedError)
			}
		}
		for k, p := range l.Pairs {
			if want := [][2]int{{1, 0}, {2, 0}, {2, 1}}[k]; p.I != want[0] || p.J != want[1] ||
				p.Identified != (p.I == place || p.J == place) {
				t.Errorf("pair %+v", p)
			}
		}
	}
}

// What the linear rule found in the fit of a long sequence is the report's, if a part of the signals
// gives them again: not if they were rotated since. Other mixed signals, short sequences and the
// signals of another method are separated anew.
func TestFindingsOfTheFit(t *testing.T) {
	const n = 2 * 8 * signal.PartBlock
	s := noise(rng(7), 2, 2*n, datasets.Laplace)
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1, 0.5, -0.2, 1}), s)
	linearly := sica.Default()
	linearly.Method = sica.LinearOnly
	white := sica.FastWGF()
	white.Flow = nil // whitening alone
	own := mat.DenseCopyOf(x.Slice(0, 2, 0, n))
	others := mat.DenseCopyOf(x.Slice(0, 2, n, 2*n))
	for _, test := range []struct {
		name string
		cfg  sica.Config
		of   *mat.Dense
		same bool
	}{
		{"the fit's signals", linearly, own, true},
		{"other signals", linearly, others, false},
		{"white signals", white, own, false},
	} {
		r := fit(t, open(t, backend.Go), own, test.cfg)
		subject, err := prepare(t.Context(), r, test.of, Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := subject.linear
		if (found != nil) != test.same {
			t.Errorf("%s: findings of the fit: %v, want %v", test.name, found != nil, test.same)
		}
		if found == nil {
			continue
		}
		for _, part := range []struct {
			z         *mat.Dense
			confirmed bool
		}{
			{subject.z, true}, {rotated2(subject.z, math.Pi/6), false},
			{mat.DenseCopyOf(subject.z.Slice(0, 2, 0, n-1)), false},
		} {
			_, positions := part.z.Dims()
			l, confirmed, err := confirm(t.Context(), part.z, index(t, positions), *found,
				linear.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if confirmed != part.confirmed || l.Evidence != r.Linear.Evidence {
				t.Errorf("%d positions: confirmed %v: %+v", positions, confirmed, l)
			}
		}
	}
}
