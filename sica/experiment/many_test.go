package experiment

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Without layers the oracle is the log-likelihood of the sources minus log|det A|. With layers it
// is that of the mixed signals, which a linear model does not exceed.
func TestOracleIsTrueLikelihood(t *testing.T) {
	p := Problem{Mixture: "laplace-3-leaky0", Positions: 4000, Seed: 5}
	got, err := p.oracle()
	if err != nil {
		t.Fatal(err)
	}
	s, mixed, err := p.Draw()
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	z := mat.DenseCopyOf(s)
	for i := range 3 {
		mean, sd := stat.PopMeanStdDev(s.RawRowView(i), nil)
		for k := range 4000 {
			z.Set(i, k, (s.At(i, k)-mean)/sd)
		}
		want += math.Log(sd)
		for k := 1; k < 4000; k++ {
			e := s.At(i, k) - 0.7*s.At(i, k-1)
			want -= (math.Sqrt2*math.Abs(e) + math.Log(2)/2) / 3999
		}
	}
	var a mat.Dense // x = aᵀ·z
	if err := a.Solve(z.T(), mixed.X().T()); err != nil {
		t.Fatal(err)
	}
	logDet, _ := mat.LogDet(&a)
	if want -= logDet; math.Abs(got-want) > 1e-9 {
		t.Errorf("oracle %.6f, want %.6f", got, want)
	}
	if _, err := (Problem{Mixture: "gauss-2-leaky1"}).oracle(); err == nil {
		t.Error("no error of other sources")
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
