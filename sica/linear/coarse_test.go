package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// White noise has its mean power everywhere, so all of it is kept.
func TestStrongBandsOfWhiteNoise(t *testing.T) {
	const n = 4000
	if _, m := strongBands(gaussians(3, 4, n)).Dims(); m < 95*n/100 {
		t.Errorf("%d of %d positions are left", m, n)
	}
}

// Of signals that end at a quarter of the frequencies and a line above, the quarter is left, with
// nearly all of the signals' power and none of the line.
func TestStrongBandsWithoutLines(t *testing.T) {
	const times, n = 4, 8000
	s := oversampled(laplaceAR(1, n/times, 0.3, 0.1, -0.2), times)
	line := mat.NewDense(1, n, nil)
	for t := range n {
		line.Set(0, t, math.Sin(2.5*float64(t)))
	}
	var all, x mat.Dense
	all.Stack(s, line)
	x.Mul(gaussians(1, 4, 4), &all)
	white, err := pca.Whiten(&x)
	if err != nil {
		t.Fatal(err)
	}
	z := strongBands(white.White)
	_, m := z.Dims()
	if m < n/times*9/10 || m > n/times*12/10 {
		t.Errorf("%d positions are left, want about %d", m, n/times)
	}
	var cov mat.SymDense
	cov.SymOuterK(1/float64(m), z)
	e := newEigen(&cov)
	if e.values[0] > 0.01 || e.values[1] < 0.9 {
		t.Errorf("the powers %.3f of the directions aren't those of three signals", e.values)
	}
}

func TestRemoveLines(t *testing.T) {
	for in, want := range map[string]string{
		"1":         "1",
		"100":       "100",
		"110010":    "110000",
		"110110":    "110000",
		"110111":    "110111",
		"000110011": "000000000",
	} {
		strong := make([]bool, len(in))
		for i := range in {
			strong[i] = in[i] == '1'
		}
		removeLines(strong)
		got := ""
		for _, s := range strong {
			got += fmt.Sprint(map[bool]int{true: 1}[s])
		}
		if got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Where each channel has bursts of its own above the sources' frequencies, the fine separation
// explains the bursts, and the coarse one, which rejects it, the sources. Without them the fine one is
// kept, which is more efficient.
func TestCoarseSeparation(t *testing.T) {
	const d, n, times = 6, 24_000, 3
	s := oversampled(laplaceAR(2, n/times, 0.9, 0.8, 0.6, 0.4, 0.2, 0), times)
	rng := rand.New(rand.NewPCG(3, 4))
	clean := new(mat.Dense)
	clean.Mul(gaussians(5, d, d), s)
	bursts := mat.DenseCopyOf(clean)
	for i := range d {
		row := bursts.RawRowView(i)
		strength, before := 0.0, 0.0
		for k := range row {
			strength = 0.99*strength + 0.14*rng.NormFloat64()
			v := math.Exp(1.5*strength) * rng.NormFloat64()
			row[k] += 0.03 * (v - before) // weakest at the sources' frequencies
			before = v
		}
	}
	score := func(b, x *mat.Dense) float64 {
		var z mat.Dense
		z.Mul(b, x)
		m, err := metric.MCC(&z, s)
		if err != nil {
			t.Fatal(err)
		}
		return m.MCC
	}
	for name, x := range map[string]*mat.Dense{"clean": clean, "bursts": bursts} {
		mixed, err := ica.New(x)
		if err != nil {
			t.Fatal(err)
		}
		white, err := mixed.Whitening()
		if err != nil {
			t.Fatal(err)
		}
		fine, err := Separate(t.Context(), mixed, Config{Noiseless: true})
		if err != nil {
			t.Fatal(err)
		}
		coarse, err := (&mixture{white: white}).separateCoarsely(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rejected, err := coarse.rejects(t.Context(), fine.FromWhite)
		if err != nil {
			t.Fatal(err)
		}
		f, c := score(fine.Demixing, x), score(coarse.Demixing, x)
		if c < 0.95 || rejected != (name == "bursts") || rejected != (f < 0.9) {
			t.Errorf("%s: MCC %.4f of the fine and %.4f of the coarse separation; rejected: %t",
				name, f, c, rejected)
		}
	}
}
