package experiment

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/plot"
)

// Without layers the oracle is the log-likelihood of the sources minus log|det A|. With layers it
// is that of the mixed signals, which a linear model does not exceed.
func TestOracleIsTrueLikelihood(t *testing.T) {
	for _, c := range []struct {
		mixture string
		rho     []float64
	}{
		{"laplace-3-leaky0", []float64{0.7, 0.7, 0.7}},
		{"varied-3-unit0", nil}, // as estimated
	} {
		p := Problem{Mixture: c.mixture, Positions: 4000, Seed: 5}
		got, err := p.oracle()
		if err != nil {
			t.Fatal(err)
		}
		s, mixed, err := p.Draw()
		if err != nil {
			t.Fatal(err)
		}
		want, tolerance := 0.0, 1e-9
		if c.rho == nil {
			tolerance = 5e-3 // several times what three estimates lose
		}
		z := mat.DenseCopyOf(s)
		for i := range 3 {
			row := s.RawRowView(i)
			mean, sd := stat.PopMeanStdDev(row, nil)
			for k := range 4000 {
				z.Set(i, k, (row[k]-mean)/sd)
			}
			rho := stat.Correlation(row[1:], row[:len(row)-1], nil)
			if c.rho != nil {
				rho = c.rho[i]
			} else if rho < 0.35 || rho > 0.95 {
				t.Errorf("%s: source %d has coefficient %.3f, want 0.4 to 0.9", c.mixture, i, rho)
			}
			want += math.Log(sd)
			for k := 1; k < 4000; k++ {
				want -= (math.Sqrt2*math.Abs(row[k]-rho*row[k-1]) + math.Log(2)/2) / 3999
			}
		}
		var a mat.Dense // x = aᵀ·z
		if err := a.Solve(z.T(), mixed.X().T()); err != nil {
			t.Fatal(err)
		}
		logDet, _ := mat.LogDet(&a)
		if want -= logDet; math.Abs(got-want) > tolerance {
			t.Errorf("%s: oracle %.6f, want %.6f", c.mixture, got, want)
		}
	}
	for _, other := range []string{"gauss-2-leaky1", "laplace-2-leaky1+noise5", "varied-2-leaky1"} {
		if _, err := (Problem{Mixture: other}).oracle(); err == nil {
			t.Errorf("no error of %s", other)
		}
	}
}

// With layers the oracle, whose matrices are found by regression, is that of the matrices and slopes
// themselves.
func TestOracleOfLayers(t *testing.T) {
	const d, layers, positions = 3, 2, 2000
	p := Problem{Mixture: "varied-3-unit2", Positions: positions, Seed: 5}
	got, err := p.oracle()
	if err != nil {
		t.Fatal(err)
	}
	m, err := mixtureNamed(p.Mixture)
	if err != nil {
		t.Fatal(err)
	}
	rho := variedCoefficients(rand.New(rand.NewPCG(p.Seed, m.stream)), d)
	rng := rand.New(rand.NewPCG(p.Seed, m.stream))
	s, _, err := m.sources(rng, positions)
	if err != nil {
		t.Fatal(err)
	}
	want, u := laplaceSources(s, rho)
	for l := range layers + 1 {
		if l > 0 {
			for i := range d {
				for k := range positions {
					if v := u.At(i, k); v < 0 {
						u.Set(i, k, leakySlope*v)
						if k > 0 {
							want -= math.Log(leakySlope)
						}
					}
				}
			}
		}
		a := unitColumns(rng, d)
		logDet, _ := mat.LogDet(a)
		want -= logDet * (positions - 1)
		var next mat.Dense
		next.Mul(a, u)
		u = &next
	}
	if want /= positions - 1; math.Abs(got-want) > 1e-9 {
		t.Errorf("oracle %.9f, want %.9f", got, want)
	}
	_, mixed, err := p.Draw()
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(mixed.X(), u, 1e-9) {
		t.Error("other mixed signals")
	}
}

// The table has problems of ten and twenty signals, of 16,384 positions by default.
func TestManyTable(t *testing.T) {
	table := newTestTable(t, "many", TableOptions{Seed: 3, Runs: 2, MaxSignals: 10})
	trials := table.Trials()
	if len(trials) != 3*2*2 || trials[0].Positions != manyPositions || trials[0].Method != "pcl" ||
		trials[1].Measure != measureOracle {
		t.Errorf("%d trials, the first two %v", len(trials), trials[:2])
	}
}

// The picture of the benchmark has a panel for each number of signals that has an outcome.
func TestBenchmarkPicture(t *testing.T) {
	table := newTestTable(t, "benchmark", TableOptions{Seed: 1, Runs: 1})
	store, err := Open(t.TempDir(), "benchmark")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, trial := range table.Trials() {
		if trial.signals() != 2 {
			continue
		}
		mcc := 0.9
		o := &Outcome{Trial: trial, MCC: &mcc, Numbers: map[string]float64{networkIdentified: 1}}
		if err := store.Add(o, nil); err != nil {
			t.Fatal(err)
		}
	}
	picture, err := table.Picture(store.Results)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := picture.Bytes(plot.SVG)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"2 signals, n = 16384": 1, "2 signals, 3 layers": 1, "5 signals": 0, "share identified": 1,
	} {
		if got := strings.Count(string(svg), text); got != want {
			t.Errorf("the picture says %q %d times, want %d", text, got, want)
		}
	}
}
