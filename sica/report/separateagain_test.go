package report

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

func again(t *testing.T, z *mat.Dense, shape ...int) Linear {
	t.Helper()
	l, err := separateAgain(t.Context(), z, wholeOf(z, shape...), linear.Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Gaussian signals with equal spectra can be rotated without a change of the code length. Rotated
// by 30°, Laplace ones and Gaussian ones with different spectra are reported as wrong.
func TestWrongRotationsAreReported(t *testing.T) {
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
		if got := !l.Identified(0) && !l.Identified(1); got != test.open ||
			l.Pairs[0].Identified == test.open {
			t.Errorf("%s: %s", test.name, l.Why)
		}
		if l.Agreement[0] < 0.995 || l.Agreement[1] < 0.995 {
			t.Errorf("%s: as they are they agree by %.3f", test.name, l.Agreement)
		}
		if test.open {
			continue
		}
		if rotated := again(t, rotated2(z, math.Pi/6),
			1024); math.Abs(rotated.Agreement[0]-math.Cos(math.Pi/6)) > 0.05 {
			t.Errorf("%s, rotated by 30°: agree by %.3f, want %.3f", test.name, rotated.Agreement,
				math.Cos(math.Pi/6))
		}
	}
}

// The findings have the order of the given signals: of three, the two white Gaussian ones are not
// distinguishable.
func TestFindingsHaveOrderOfSignals(t *testing.T) {
	for place := range 3 {
		s := noise(rng(8), 3, 2000, datasets.Normal)
		s.SetRow(place, noise(rng(6), 1, 2000, datasets.Uniform).RawRowView(0))
		l := again(t, s, 2000)
		for i := range 3 {
			if l.Identified(i) != (i == place) || (l.ExpectedError[i] < 1) != (i == place) {
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

// The findings of the linear rule in the fit are those of the report, for any length, unless the
// report is about other mixed signals or another method made the signals.
func TestFindingsOfFitAreKept(t *testing.T) {
	linearly := sica.Default()
	linearly.Mode = sica.LinearOnly
	white := sica.FastWGF()
	white.Flow = nil // whitening alone
	for _, n := range []int{2000, 2 * 8 * signal.PartBlock} {
		s := noise(rng(7), 2, 2*n, datasets.Laplace)
		var x mat.Dense
		x.Mul(mat.NewDense(2, 2, []float64{1, 0.5, -0.2, 1}), s)
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
			r := fit(t, backendtest.Open(t, backend.Go), own, test.cfg)
			subject, err := prepare(t.Context(), r, test.of, Config{})
			if err != nil {
				t.Fatal(err)
			}
			if (subject.linear != nil) != test.same {
				t.Errorf("%s: findings of the fit: %v, want %v", test.name, subject.linear != nil,
					test.same)
			}
			l, err := subject.findings(t.Context(), linear.Config{Seed: r.Config.Seed})
			if err != nil {
				t.Fatal(err)
			}
			same := r.Linear != nil && l.Evidence == r.Linear.Evidence
			if same != test.same || same != (l.Agreement == nil) {
				t.Errorf("%s, %d positions: the fit's evidence: %v, want %v; agreement %.3f",
					test.name, n, same, test.same, l.Agreement)
			}
		}
	}
}

// Noise is in the channels. The recovered signals share it; separated again by themselves they
// would appear to have more sources than signals. So the signals that the fit identified stay
// identified, and another recording of the same mixture is separated from its channels.
func TestNoiseIsThatOfChannels(t *testing.T) {
	const n = 5000
	s := rhythms(1, 2*n)
	x := new(mat.Dense)
	x.Mul(mat.NewDense(4, 4, []float64{
		-0.73, 0.69, 0.53, -0.49, -0.01, -0.1, 0.3, 0.58, -0.81, -0.94, 0.67, -0.13, 0.52, 0, -0.11, 0.44,
	}), s)
	random := rng(11)
	x.Apply(func(_, _ int, v float64) float64 { return v + 0.05*random.NormFloat64() }, x)
	own, other := mat.DenseCopyOf(x.Slice(0, 4, 0, n)), mat.DenseCopyOf(x.Slice(0, 4, n, 2*n))
	cfg := sica.Default()
	cfg.Mode = sica.LinearOnly
	r := fit(t, backendtest.Open(t, backend.Go), own, cfg)
	if len(r.Linear.Groups) != 4 {
		t.Fatalf("the fit identifies %v: %s", r.Linear.Groups, r.Why)
	}
	if l := again(t, r.Z, n); l.Reason != linear.MoreSources {
		t.Errorf("the recovered signals by themselves: %s", l.Reason)
	}
	for _, mixed := range []*mat.Dense{own, other} {
		subject, err := prepare(t.Context(), r, mixed, Config{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := subject.findings(t.Context(), linear.Config{Seed: r.Config.Seed})
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Groups) != 4 || l.Agreement != nil && slices.Min(l.Agreement) < minAgreement {
			t.Errorf("the fit's signals: %v: groups %v, agreement %.3f", mixed == own, l.Groups,
				l.Agreement)
		}
	}
}

// rhythms returns a rhythm of 10 Hz, an AR(1) process, blinks and a heart at n positions, 250 a
// second, as large as tens of microvolts.
func rhythms(seed uint64, n int) *mat.Dense {
	r := rng(seed)
	s := mat.NewDense(4, n, nil)
	phase, size, background := 0.0, 1.0, 0.0
	for t := range n {
		phase += 2*math.Pi*10/250 + 0.05*r.NormFloat64()
		size = 0.995*size + 0.005 + 0.03*r.NormFloat64()
		background = 0.95*background + 3*r.NormFloat64()
		s.Set(0, t, 20*size*math.Sin(phase))
		s.Set(1, t, background)
	}
	event := func(row, from, to int, value func(k int) float64) {
		for k := max(from, 0); k < min(to, n); k++ {
			s.Set(row, k, s.At(row, k)+value(k-from))
		}
	}
	for t := 300; t < n; t += 150 + int(750*r.ExpFloat64()) {
		height := 60 + 40*r.Float64()
		event(2, t, t+75, func(k int) float64 {
			v := math.Sin(math.Pi * float64(k) / 75)
			return height * v * v
		})
	}
	for t := 100; t < n; t += int(210 + 8*r.NormFloat64()) {
		event(3, t-20, t+20, func(k int) float64 { return 30 * math.Exp(-float64((k-20)*(k-20))/16) })
	}
	return s
}
