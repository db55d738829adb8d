package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
)

// Recoveries in another order, sign and scale are the same. One different signal lowers the mean by
// its share.
func TestRecoveriesAreMatched(t *testing.T) {
	z := noise(rng(1), 3, 500, datasets.Laplace)
	same := mat.NewDense(3, 500, nil)
	other := mat.DenseCopyOf(z)
	for k := range 500 {
		same.Set(0, k, -2*z.At(2, k)+1)
		same.Set(1, k, z.At(0, k))
		same.Set(2, k, -z.At(1, k))
	}
	s, err := compareRecoveries([]*mat.Dense{z, same, z})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.MCC-1) > 1e-12 || math.Abs(slices.Min(s.Signals)-1) > 1e-12 {
		t.Errorf("the same recoveries: %+v", s)
	}
	other.SetRow(1, noise(rng(2), 1, 500, datasets.Laplace).RawRowView(0))
	s, err = compareRecoveries([]*mat.Dense{z, other})
	if err != nil {
		t.Fatal(err)
	}
	if s.Signals[0] < 0.99 || s.Signals[1] > 0.2 || s.Signals[2] < 0.99 ||
		math.Abs(s.MCC-(s.Signals[0]+s.Signals[1]+s.Signals[2])/3) > 1e-12 ||
		s.MCC != s.Recoveries[0][1] || s.Recoveries[0][1] != s.Recoveries[1][0] ||
		s.Recoveries[0][0] != 1 {
		t.Errorf("one signal is another: %+v", s)
	}
}

// A separation without random draws, whose step does not depend on the excluded positions, has a
// stability of 1: the signals repeat with the period of the slabs.
func TestRepeatedSignalsAreStable(t *testing.T) {
	slab := noise(rng(3), 2, 100, datasets.Laplace)
	var mixedSlab, x mat.Dense
	mixedSlab.Mul(mat.NewDense(2, 2, []float64{1, 0.5, -0.2, 1}), slab)
	x.Augment(&mixedSlab, &mixedSlab)
	for range 3 {
		var longer mat.Dense
		longer.Augment(&x, &mixedSlab)
		x.CloneFrom(&longer)
	}
	cfg := sica.FastWGF()
	cfg.Flow = nil // whitening alone
	b := backendtest.Open(t, backend.Go)
	r := fit(t, b, &x, cfg)
	s, err := refit(t.Context(), b, r, wholeOf(&x), r.Z, 5, &progress{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.MCC-1) > 1e-9 || s.LeftOut != 100 || len(s.Recoveries) != 6 {
		t.Errorf("stability %+v", s)
	}
}

// Refits exclude a fifth or less of the positions, in whole slices, or none if the networks could
// not be applied or too few positions would remain.
func TestSlabIsAFifthOrLess(t *testing.T) {
	whole := sica.PaperWGF()
	for _, test := range []struct {
		name   string
		cfg    sica.Config
		shape  []int
		refits int
		want   int
	}{
		{"a fifth", sica.FastWGF(), []int{1000}, 1, 200},
		{"a tenth", sica.FastWGF(), []int{1000}, 10, 100},
		{"rows", sica.FastWGF(), []int{32, 32}, 5, 6},
		{"too few", sica.FastWGF(), []int{70}, 5, 0},
		{"whole sequence", whole, []int{1000}, 5, 0},
	} {
		x := mat.NewDense(2, grid.Product(test.shape), nil)
		got, why := slabThickness(test.cfg, wholeOf(x, test.shape...), test.refits)
		if got != test.want || (why == "") != (got > 0) {
			t.Errorf("%s: a slab of %d (%q), want %d", test.name, got, why, test.want)
		}
	}
	x := mat.NewDense(1, 12, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	if got := wholeOf(x, 6, 2).withoutSlab(1, 2).x.RawRowView(0); !slices.Equal(got,
		[]float64{0, 1, 2, 3, 8, 9, 10, 11}) {
		t.Errorf("without the second pair of rows %v", got)
	}
}

// A loaded result lacks the functions of its fit. A refit without them would be of another kind:
// the report makes none and says so.
func TestResultWithoutItsFunctionsIsNotRefitted(t *testing.T) {
	r, x := reported(t, sica.Default().Smoke())
	r.Custom = []string{"Flow.Network", "Flow.NewOptimizer"} // as if it had had them
	found := report(t, r, x, Config{Refits: 2})
	const want = "the result lacks the custom Flow.Network and Flow.NewOptimizer"
	if found.Stability != nil || !strings.Contains(found.NotRefitted, want) ||
		!strings.Contains(strings.Join(strings.Fields(found.String()), " "), want) {
		t.Errorf("stability %v, %q", found.Stability, found.NotRefitted)
	}
}

// A signal that is constant except at the positions that a refit would exclude does not end the
// report: the refits then exclude none.
func TestSignalThatIsOneEvent(t *testing.T) {
	const n = 400
	sources := noise(rng(6), 3, n, datasets.Laplace)
	for k := range n {
		if k >= n/5 {
			sources.Set(2, k, 0)
		}
	}
	var x mat.Dense
	x.Mul(mat.NewDense(4, 3, []float64{1, .5, -.2, .3, 1, .4, -.5, .2, 1, .6, -.6, .8}), sources)
	b := backendtest.Open(t, backend.Auto) // whose networks take a minute in pure Go
	for _, x := range []*mat.Dense{mat.DenseCopyOf(x.Slice(0, 3, 0, n)), &x} {
		cfg := sica.Default()
		cfg.Mode = sica.LinearOnly
		result, err := sica.Fit(t.Context(), x, cfg.On(b))
		if err != nil {
			t.Fatal(err)
		}
		report, err := New(t.Context(), result, x, Default().On(b))
		if err != nil {
			t.Fatal(err)
		}
		s := report.Stability
		if s == nil || s.LeftOut != 0 || len(s.Signals) != 3 {
			t.Fatalf("stability %+v, want that of refits of 3 signals which left out nothing", s)
		}
		const want = "with another seed and all positions, as signal"
		said := strings.Join(strings.Fields(report.String()), " ")
		if !strings.Contains(said, want) || !strings.Contains(said, "silent outside a part: that tests the seed only") {
			t.Errorf("no %q in %s", want, said)
		}
	}
}

// Refits of a long sequence use a part of it. If the mixing changes in a fifth of the positions, so
// that parts do not agree, they use all except their slab.
func TestRefitsOfParts(t *testing.T) {
	const n = 21000
	x := noise(rng(9), 2, n, datasets.Laplace)
	moved := mat.DenseCopyOf(x)
	last := moved.Slice(0, 2, n/2, n).(*mat.Dense)
	last.Copy(rotated2(mat.DenseCopyOf(last), math.Pi/4))
	cfg := sica.Default()
	cfg.Mode = sica.LinearOnly
	b := backendtest.Open(t, backend.Go)
	for _, test := range []struct {
		x    *mat.Dense
		left int
	}{{x, n - 8*signal.PartBlock}, {moved, n / 5}} {
		r := fit(t, b, test.x, cfg)
		s, err := refit(t.Context(), b, r, wholeOf(test.x), x, 2, &progress{})
		if err != nil {
			t.Fatal(err)
		}
		if clear := slices.Min(s.Signals) > clearAgreement; s.LeftOut != test.left ||
			clear != (test.x == x) {
			t.Errorf("%+v, want to leave out %d", s, test.left)
		}
	}
}
