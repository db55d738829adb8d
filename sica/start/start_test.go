package start

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/contexttest"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Signals that were turned are turned back, to the last digits.
func TestTowards(t *testing.T) {
	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 0)), 3, 500)
	if err != nil {
		t.Fatal(err)
	}
	white, err := preprocess.Apply(s, preprocess.ZCA)
	if err != nil {
		t.Fatal(err)
	}
	var qr mat.QR
	qr.Factorize(mat.NewDense(3, 3, []float64{1, 2, -1, .5, -1, 3, 2, 0, 1}))
	var turn, turned mat.Dense
	qr.QTo(&turn)
	turned.Mul(&turn, white)
	turnedBack, err := towards(white, &turned)
	if err != nil {
		t.Fatal(err)
	}
	back, err := turnedBack.Apply(&turned)
	if err != nil || !mat.EqualApprox(back, white, 1e-12) {
		t.Errorf("not turned back (%v)", err)
	}
}

// mixed are AR(7) sources behind a matrix.
func mixed(t *testing.T, seed uint64) *mat.Dense {
	t.Helper()
	s, err := datasets.AR7(rand.New(rand.NewPCG(seed, 0)), 2, 512)
	if err != nil {
		t.Fatal(err)
	}
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1, .6, -.3, 1}), s)
	return &x
}

// Whatever the rule, the maps take the mixed signals to the start's.
func TestMapsMakeSignals(t *testing.T) {
	x := mixed(t, 2)
	for name, o := range map[string]Options{
		"as given":   {},
		"transforms": {Transforms: []preprocess.Transform{preprocess.Gaussianise, preprocess.ZCA}},
		"linear":     {Rule: LinearRule},
	} {
		s, err := Choose(t.Context(), nil, x, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		z, err := preprocess.ApplyAll(x, s.Maps)
		if err != nil || !mat.EqualApprox(z, s.Z, 1e-12) {
			t.Errorf("%s: the maps make other signals (%v)", name, err)
		}
		if (s.Why != "") != (o.Rule != NoRule) || (s.Linear != nil) != (o.Rule == LinearRule) || s.Taken.Rule != o.Rule {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if _, err := Choose(t.Context(), nil, x, Options{Shape: []int{5, 5}}); err == nil || !strings.Contains(err.Error(), "shape") {
		t.Errorf("a shape of 25 positions for 512: %v", err)
	}
}

// Of a caller's transforms and the linear rule the shorter description is taken, and
// Longer says by how much the others are longer.
func TestOwnCompared(t *testing.T) {
	x := mixed(t, 3)
	bent := mat.DenseCopyOf(x)
	bent.Apply(func(_, _ int, v float64) float64 { return math.Sinh(2 * v) }, bent)
	own := Options{Rule: LinearRule, Own: []preprocess.Fitter{unbend{}}}
	for name, c := range map[string]struct {
		x     *mat.Dense
		taken int
	}{"bent": {bent, 1}, "linear": {x, 0}} {
		s, err := Choose(t.Context(), nil, c.x, own)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Candidates) != 2 {
			t.Fatalf("%s: %d candidates", name, len(s.Candidates))
		}
		for k, candidate := range s.Candidates {
			if (k == c.taken) != (candidate.Longer.Mean <= 0) {
				t.Errorf("%s: candidate %d is longer by %+v", name, k, candidate.Longer)
			}
		}
		if got := s.Taken.String(); (got == s.Candidates[1].String()) != (c.taken == 1) {
			t.Errorf("%s: took %s", name, got)
		}
	}
}

// unbend undoes sinh(2x).
type unbend struct{}

func (unbend) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) { return unbend{}, nil }

func (unbend) Apply(x *mat.Dense) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	z.Apply(func(_, _ int, v float64) float64 { return math.Asinh(v) / 2 }, z)
	return z, nil
}

func (unbend) LogDet(x *mat.Dense) ([]float64, error) {
	d, n := x.Dims()
	sum := make([]float64, n)
	for i := range d {
		for k, v := range x.RawRowView(i) {
			sum[k] -= math.Log(2 * math.Sqrt(1+v*v))
		}
	}
	return sum, nil
}

// Wherever the context ends there is a start, and no error.
func TestChooseCutShort(t *testing.T) {
	x := mixed(t, 4)
	for looks := range 20 {
		ctx := contexttest.EndsAfter(t.Context(), looks)
		s, err := Choose(ctx, nil, x, Options{Rule: LinearRule})
		if err != nil || s.Z == nil || len(s.Maps) == 0 {
			t.Errorf("after %d looks at the context: start of %d maps, error %v", looks, len(s.Maps), err)
		}
	}
}

// drawn are four sources of a kind at 1024 positions, and their mixtures by a random matrix.
func drawn(t *testing.T, rng *rand.Rand, source func(k int) datasets.ARProcess) (s, x *mat.Dense) {
	t.Helper()
	const d, n = 4, 1024
	var processes []datasets.ARProcess
	for k := range d {
		processes = append(processes, source(k))
	}
	s, err := datasets.AR(rng, n, processes...)
	if err != nil {
		t.Fatal(err)
	}
	matrix := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			matrix.Set(i, j, rng.NormFloat64())
		}
	}
	x = new(mat.Dense)
	x.Mul(matrix, s)
	return s, x
}

// Clicks in two channels don't change what is recovered elsewhere. The log has what the
// linear rule and FastICA make of them.
func TestClicksChangeNothing(t *testing.T) {
	for name, source := range map[string]func(k int) datasets.ARProcess{
		"Gaussian, four spectra": func(k int) datasets.ARProcess {
			return datasets.ARProcess{Coefficients: []float64{.9 - .5*float64(k)}, Scale: 1}
		},
		"Laplace AR(.8)": func(int) datasets.ARProcess {
			return datasets.ARProcess{Coefficients: []float64{.8}, Scale: 1, Innovation: datasets.Laplace}
		},
	} {
		for _, clicks := range []struct {
			n      int
			size   float64 // in standard deviations of the channel
			atEnds bool
		}{{1, 6, false}, {1, 20, false}, {1, 500, false}, {10, 20, false}, {2, 20, true}, {2, 500, true}} {
			scores := make(map[string][]float64)
			for seed := range uint64(8) {
				rng := rand.New(rand.NewPCG(seed, 97))
				s, clean := drawn(t, rng, source)
				_, n := s.Dims()
				x := mat.DenseCopyOf(clean)
				var at []int
				for k := range clicks.n {
					c := k % 2
					at = append(at, 20+k*97+rng.IntN(90))
					if clicks.atEnds {
						at[k] = k*(n-1) + (1-2*k)*(3+rng.IntN(13))
					}
					x.Set(c, at[k], x.At(c, at[k])+clicks.size*mat.Norm(clean.RowView(c), 2)/math.Sqrt(float64(n)))
				}
				slices.Sort(at)
				score := func(name string, z *mat.Dense, err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
					m, err := metric.MCC(z, s)
					if err != nil {
						t.Fatal(err)
					}
					scores[name] = append(scores[name], m.MCC)
				}
				a, err := Choose(t.Context(), nil, clean, Options{Rule: LinearRule})
				if err != nil || a.Outliers != nil {
					t.Fatalf("%s: %v, outliers %v", name, err, a.Outliers)
				}
				score("without", a.Z, nil)
				b, err := Choose(t.Context(), nil, x, Options{Rule: LinearRule})
				if err != nil {
					t.Fatal(err)
				}
				if clicks.size > 6 && !slices.Equal(b.Outliers, at) { // some of 6 are too small
					t.Errorf("%s, %v, seed %d: outliers %v, want %v", name, clicks, seed, b.Outliers, at)
				}
				if b.Outliers != nil && !strings.Contains(b.Why, fmt.Sprintf(" %d", b.Outliers[0]+1)) {
					t.Errorf("%q doesn't have %d", b.Why, b.Outliers[0]+1)
				}
				z, err := preprocess.ApplyAll(clean, b.Maps)
				score("with", z, err)
				signals, err := ica.New(x)
				if err != nil {
					t.Fatal(err)
				}
				alone, err := linear.Options{}.Fit(t.Context(), signals)
				if err != nil {
					t.Fatal(err)
				}
				z, err = alone.Transform(clean)
				score("linear", z, err)
				f, err := fastica.Default().Fit(t.Context(), signals)
				if err != nil {
					t.Fatal(err)
				}
				z, err = f.Transform(clean)
				score("FastICA", z, err)
				if drop := scores["without"][seed] - scores["with"][seed]; drop > .002 {
					t.Errorf("%s, %v, seed %d: the MCC fell by %.4f", name, clicks, seed, drop)
				}
			}
			line := fmt.Sprintf("%s, %d of %g standard deviations:", name, clicks.n, clicks.size)
			for _, name := range []string{"without", "with", "linear", "FastICA"} {
				mean, sd := stat.MeanStdDev(scores[name], nil)
				line += fmt.Sprintf(" %s %.4f (%.4f)", name, mean, sd/math.Sqrt(8))
			}
			t.Log(line)
		}
	}
}
