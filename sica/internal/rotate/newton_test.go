package rotate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/predict"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// search is one of signals z, which it turns in place, by their past.
func search(t *testing.T, z *mat.Dense, shape ...int) *rotationSearch {
	t.Helper()
	d, n := z.Dims()
	g := index(t, shape...)
	return &rotationSearch{z: z, total: identity(d), neighbours: g.Past(), noise: predict.Jitter(0, n)}
}

// oscillations are d processes of different frequencies.
func oscillations(t *testing.T, r *rand.Rand, d, n int, innovation func(*rand.Rand) float64) *mat.Dense {
	t.Helper()
	processes := make([]datasets.ARProcess, d)
	for i := range processes {
		angle := math.Pi * (float64(i) + 0.5) / float64(d)
		processes[i] = datasets.ARProcess{Coefficients: []float64{1.8 * math.Cos(angle), -0.81}, Scale: 1, Innovation: innovation, BurnIn: 100}
	}
	s, err := datasets.AR(r, n, processes...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Of each position only those before it are left, row by row.
func TestPast(t *testing.T) {
	for _, shape := range [][]int{{9}, {4, 5}} {
		g := index(t, shape...)
		for at, near := range g.Past() {
			for k, n := range near {
				want := g.Own()[at][k]
				if int(want) > at {
					want = int32(g.Len())
				}
				if n != want {
					t.Errorf("shape %v, position %d: neighbour %d is %d, want %d", shape, at, k, n, want)
				}
			}
		}
	}
}

// unpredict is the transpose of taking a prediction away, and residualPower what
// that leaves of a signal.
func TestPredictionIdentities(t *testing.T) {
	z := noise(rng(1), 2, 200, datasets.Laplace)
	for k := 1; k < 200; k++ {
		z.Set(0, k, z.At(0, k)+0.8*z.At(0, k-1))
	}
	for _, shape := range [][]int{{200}, {10, 20}} {
		s := search(t, z, shape...)
		signals, _ := s.fitResiduals(z)
		weights, other := signals[0].weights, z.RawRowView(1)
		left := append([]float64(nil), other...)
		floats.Sub(left, predict.With(weights, other, s.neighbours))
		phi := noise(rng(2), 1, 200, datasets.Normal).RawRowView(0)
		if got, want := floats.Dot(s.unpredict(phi, weights), other), floats.Dot(phi, left); math.Abs(got-want) > 1e-10 {
			t.Errorf("shape %v: unpredict gives %g, want %g", shape, got, want)
		}
		if got, want := signals[1].residualPower(weights), floats.Dot(left, left); math.Abs(got-want) > 1e-9 {
			t.Errorf("shape %v: a residual's power of %g, want %g", shape, got, want)
		}
	}
}

// Sources that were turned a little are turned back by one Newton step, whether
// their values tell them apart or their spectra.
func TestNewtonTurn(t *testing.T) {
	const d, n = 4, 20000
	for name, sources := range map[string]*mat.Dense{
		"Laplace": noise(rng(1), d, n, datasets.Laplace),
		"spectra": oscillations(t, rng(2), d, n, datasets.Normal),
	} {
		white, err := preprocess.Whitened(sources)
		if err != nil {
			t.Fatal(err)
		}
		turn, r := mat.NewDense(d, d, nil), rng(3)
		for i := range d {
			for j := range i {
				angle := 0.1 * (r.Float64() - 0.5)
				turn.Set(i, j, angle)
				turn.Set(j, i, -angle)
			}
		}
		var by, turned, left mat.Dense
		by.Exp(turn)
		turned.Mul(&by, white)
		s := search(t, &turned, n)
		signals, _ := s.fitResiduals(s.z)
		left.Add(s.newtonStep(signals), turn)
		// The angles between sources have standard errors of about 1/√n.
		if most := mat.Norm(&left, 2) / mat.Norm(turn, 2); most > 0.3 {
			t.Errorf("%s: the step leaves %.2f of the turn\n%.3f\n%.3f", name, most, mat.Formatted(turn), mat.Formatted(&left))
		}
	}
}

// Many rotated sources are found again: without a memory, with one, and Gaussian
// ones of different spectra.
func TestManySignals(t *testing.T) {
	const n = 1024
	remembering := make([]datasets.ARProcess, 8)
	for i := range remembering {
		remembering[i] = datasets.ARProcess{Coefficients: []float64{0.8}, Scale: 1, Innovation: datasets.Laplace, BurnIn: 100}
	}
	ar, err := datasets.AR(rng(4), n, remembering...)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		sources *mat.Dense
		least   float64
	}{
		{"Laplace", noise(rng(1), 16, n, datasets.Laplace), 0.98},
		{"uniform", noise(rng(2), 32, n, datasets.Uniform), 0.98},
		{"Laplace AR(1)", ar, 0.97},
		{"Gaussian spectra", oscillations(t, rng(5), 8, n, datasets.Normal), 0.99},
	} {
		d, _ := test.sources.Dims()
		white, err := preprocess.Whitened(test.sources)
		if err != nil {
			t.Fatal(err)
		}
		g := index(t, n)
		mixed := new(mat.Dense)
		mixed.Mul(rotation.Random(rng(8), d), white)
		z, by := LeastEntropy(context.Background(), mixed, g, 2, 1)
		if m, err := metric.MCC(z, test.sources); err != nil || m.MCC < test.least {
			t.Errorf("%s: MCC %.4f, %v; want %g", test.name, m.MCC, err, test.least)
		}
		var again, gram mat.Dense
		again.Mul(by, mixed)
		if off := largestDifference(&again, z); off > 1e-9 {
			t.Errorf("%s: the signals aren't rotated by the rotation: %g", test.name, off)
		}
		gram.Mul(by, by.T())
		if !mat.EqualApprox(&gram, identity(d), 1e-9) {
			t.Errorf("%s: no rotation", test.name)
		}
	}
}
