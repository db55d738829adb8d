package sica

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Channels that saturate are straightened: Default recovers the sources behind them, and its result is
// applied, inverted, saved and read as others.
func TestSaturatingSensors(t *testing.T) {
	const d, n = 3, 6000
	process := datasets.ARProcess{Coefficients: []float64{0.7}, Scale: 1, Innovation: datasets.Laplace, BurnIn: 100}
	s, err := datasets.AR(rng(61), n, process, process, process)
	if err != nil {
		t.Fatal(err)
	}
	all, err := datasets.PostNonlinearMix(rng(62), s, math.Tanh)
	if err != nil {
		t.Fatal(err)
	}
	fitted := mat.DenseCopyOf(all.Slice(0, d, 0, n-1000))
	cfg := Default()
	cfg.NetworkSteps = 10 // what the gate asks for has no chance then
	r := fit(t, nil, fitted, cfg)
	m, err := metric.MCC(r.Z, mat.DenseCopyOf(s.Slice(0, d, 0, n-1000)))
	if err != nil {
		t.Fatal(err)
	}
	if m.MCC < 0.998 || r.Chosen.String() != "curves, zca, linear" {
		t.Errorf("MCC %.4f by %s: %s", m.MCC, r.Chosen, r.Why)
	}
	if _, err := r.Demixing(); !errors.Is(err, ErrNotLinear) {
		t.Errorf("matrices: %v", err)
	}
	z, err := r.Transform(all)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = metric.MCC(z, s); err != nil || m.MCC < 0.998 {
		t.Errorf("with new positions: MCC %.4f, error %v", m.MCC, err)
	}
	back, err := r.InverseTransform(z)
	if err != nil || !mat.EqualApprox(back, all, 1e-9) {
		t.Errorf("back: error %v", err)
	}
	checkRemoved(t, r, all, s)
	loaded := reloaded(t, r)
	checkEqual(t, loaded, r, all)
}

// So are channels of waves, which their pasts predict too well for networks to be compared.
func TestSaturatedWaves(t *testing.T) {
	const n = 4000
	r := rng(71)
	s := mat.NewDense(3, n, nil)
	tooth, length := 0., 61.
	for k := range n {
		at := float64(k)
		s.Set(0, k, (1+0.7*math.Sin(2*math.Pi*at/613))*math.Sin(2*math.Pi*at/23.7))
		if tooth++; tooth >= length {
			tooth, length = 0, 61+6*r.NormFloat64()
		}
		s.Set(1, k, tooth/length+0.01*r.NormFloat64())
		noise := r.NormFloat64()
		if k >= 2 {
			noise += 1.5*s.At(2, k-1) - 0.7*s.At(2, k-2)
		}
		s.Set(2, k, noise)
	}
	bent, err := datasets.PostNonlinearMix(rng(72), s, math.Tanh)
	if err != nil {
		t.Fatal(err)
	}
	line, err := datasets.PostNonlinearMix(rng(72), s, func(v float64) float64 { return v })
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]*mat.Dense{"curves, zca, linear": bent, "zca, linear": line} {
		r := fit(t, nil, x, Default())
		m, err := metric.MCC(r.Z, s)
		if err != nil {
			t.Fatal(err)
		}
		if m.MCC < 0.998 || r.Chosen.String() != name || len(r.Linear.Groups) < 3 {
			t.Errorf("%s: MCC %.4f by %s: %s", name, m.MCC, r.Chosen, r.Why)
		}
	}
}

// checkRemoved checks that without a recovered signal of a result that isn't linear nothing of its
// source is left in any channel, and that the other signals are as they were.
func checkRemoved(t *testing.T, r *Result, x, s *mat.Dense) {
	t.Helper()
	z, err := r.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	d, n := z.Dims()
	m, err := metric.MCC(z, s)
	if err != nil {
		t.Fatal(err)
	}
	removed := m.Assignment[1]
	clean, err := r.Remove(x, []int{removed})
	if err != nil {
		t.Fatal(err)
	}
	for i := range d {
		// Standard errors of 1/√n times √((1 + 0.7²)/(1 − 0.7²)), as both have a memory of 0.7.
		if c := stat.Correlation(clean.RawRowView(i), s.RawRowView(1), nil); math.Abs(c) > 4*1.71/math.Sqrt(float64(n)) {
			t.Errorf("channel %d correlates by %.3f with what was removed", i, c)
		}
	}
	again, err := r.Transform(clean)
	if err != nil {
		t.Fatal(err)
	}
	want := mat.DenseCopyOf(z)
	mean := stat.Mean(r.Z.RawRowView(removed), nil)
	for t := range n {
		want.Set(removed, t, mean)
	}
	if !mat.EqualApprox(again, want, 1e-9) {
		t.Error("the other signals changed")
	}
	if same, err := r.Remove(x, nil); err != nil || !mat.EqualApprox(same, x, 1e-12) {
		t.Errorf("without removing any: error %v", err)
	}
	if _, err := r.Remove(x, []int{d}); err == nil || !strings.Contains(err.Error(), "rows: has 3; must be from 0 to 2") {
		t.Errorf("row %d: %v", d, err)
	}
}

// Of images with too few rows, or with too few among the positions that are compared, curves aren't
// looked for, and Why says so.
func TestImagesOfFewRows(t *testing.T) {
	for sentence, shapes := range map[string][][]int{
		linearOnlySentence: {{16, 64}, {20, 1000}}, curvesOnlySentence: {{20, 64}},
	} {
		for _, shape := range shapes {
			x := mixed(t, noise(rng(3), 2, shape[0]*shape[1], datasets.Laplace), 1, false)
			r, err := Fit(t.Context(), x, Config{Shape: shape})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(r.Why, sentence) {
				t.Errorf("%v: %q; want %q at its end", shape, r.Why, sentence)
			}
		}
	}
}

// Mixtures of light that a camera stored, of photographs, are straightened, too.
func TestCamera(t *testing.T) {
	light, shape, err := datasets.Photographs()
	if err != nil {
		t.Fatal(err)
	}
	d, _ := light.Dims()
	for i := range d {
		row := light.RawRowView(i)
		floats.AddConst(-floats.Min(row), row)
		floats.Scale(1/floats.Max(row), row)
		for k, v := range row {
			row[k] = math.Pow(v, 2.2)
		}
	}
	var x mat.Dense
	x.Mul(mat.NewDense(3, 3, []float64{0.5, 0.3, 0.2, 0.2, 0.5, 0.3, 0.3, 0.1, 0.6}), light)
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(255 * math.Pow(v, 1/2.2)) }, &x)
	var mccs []float64
	for _, method := range []Mode{LinearOnly, Auto} {
		cfg := Default()
		cfg.Mode, cfg.Shape = method, shape
		r := fit(t, nil, &x, cfg)
		m, err := metric.MCC(r.Z, light)
		if err != nil {
			t.Fatal(err)
		}
		mccs = append(mccs, m.MCC)
	}
	if mccs[1] < 0.99 {
		t.Errorf("MCC %.4f, by the linear rule alone %.4f", mccs[1], mccs[0])
	}
}
