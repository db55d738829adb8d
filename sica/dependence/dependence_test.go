package dependence

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// noise are d×n independent values.
func noise(r *rand.Rand, d, n int, value func(*rand.Rand) float64) *mat.Dense {
	z := mat.NewDense(d, n, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return value(r) }, z)
	return z
}

// rotated2 returns the two signals z rotated by an angle.
func rotated2(z *mat.Dense, angle float64) *mat.Dense {
	out := new(mat.Dense)
	out.Mul(rotation.Plane(angle), z)
	return out
}

func measured(t *testing.T, z *mat.Dense, shape ...int) Dependence {
	t.Helper()
	d, err := Measure(z, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDependenceString(t *testing.T) {
	const want = "0.375 (residuals 0.250, contexts 0.125)"
	if got := (Dependence{Residuals: 0.25, Contexts: 0.125}).String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// twoSpectra are two independent Gaussian signals of different spectra.
func twoSpectra(t *testing.T, seed uint64) *mat.Dense {
	t.Helper()
	z, err := datasets.AR(newRand(seed), 1024,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100})
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Independent signals have a dependence of about 0, whatever their densities and spectra. Rotated
// ones depend on each other at t if they are not Gaussian, and through their contexts if their
// spectra differ; otherwise not at all.
func TestMeasureDetectsRotations(t *testing.T) {
	const small, large = 0.05, 0.07
	spectra := twoSpectra(t, 1)
	for _, test := range []struct {
		name                string
		z                   *mat.Dense
		residuals, contexts bool // after an eighth of a turn
	}{
		{"normal", noise(newRand(2), 2, 1024, datasets.Normal), false, false},
		{"uniform", noise(newRand(3), 2, 1024, datasets.Uniform), true, false},
		{"Laplace", noise(newRand(4), 2, 1024, datasets.Laplace), true, false},
		{"two spectra", spectra, false, true},
	} {
		z, err := mapping.Standardised(test.z)
		if err != nil {
			t.Fatal(err)
		}
		if got := measured(t, z); got.Total() > small {
			t.Errorf("%s: independent signals have %+v", test.name, got)
		}
		got := measured(t, rotated2(z, math.Pi/4))
		for _, part := range []struct {
			name string
			v    float64
			want bool
		}{{"residuals", got.Residuals, test.residuals}, {"contexts", got.Contexts, test.contexts}} {
			if part.want && part.v < large || !part.want && part.v > small {
				t.Errorf("%s, rotated: %s have %.3f; dependent: %v", test.name, part.name, part.v, part.want)
			}
		}
	}
}

// The scale and the sign of a signal don't matter, and a dependence at a few positions only doesn't
// count.
func TestMeasureInvariances(t *testing.T) {
	z := rotated2(noise(newRand(5), 2, 1024, datasets.Uniform), 0.4)
	want := measured(t, z)
	var scaled mat.Dense
	scaled.Mul(mat.NewDiagDense(2, []float64{1000, 1e-3}), z)
	if got := measured(t, &scaled); math.Abs(got.Total()-want.Total()) > 1e-9 {
		t.Errorf("scaled: %g, not %g", got.Total(), want.Total())
	}
	burst := noise(newRand(6), 2, 1024, datasets.Normal)
	for k := 500; k < 540; k++ {
		burst.Set(1, k, burst.At(0, k)) // equal there
	}
	if got := measured(t, burst); got.Total() > 0.05 {
		t.Errorf("a burst of 40 positions gives %+v", got)
	}
}

func TestMeasureErrors(t *testing.T) {
	line := mat.NewDense(2, 100, nil)
	for k := range 100 {
		line.SetCol(k, []float64{float64(k), 1})
	}
	for _, test := range []struct {
		z     *mat.Dense
		shape []int
		want  string
	}{
		{nil, nil, "empty"},
		{noise(newRand(8), 2, 63, datasets.Normal), nil, "at least 64"},
		{noise(newRand(8), 2, 100, datasets.Normal), []int{10, 11}, "product"},
		{noise(newRand(8), 1, 100, datasets.Normal), nil, "at least 2"},
		{line, nil, "signal 2"},
	} {
		if _, err := Measure(test.z, test.shape...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("shape %v: error %v; want one with %q", test.shape, err, test.want)
		}
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
