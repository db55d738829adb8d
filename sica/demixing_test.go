package sica

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// leads are four Laplace sources in six channels far from the origin, of which two are
// made of the others as an electrocardiogram's leads are.
func leads(n int) (s, x *mat.Dense) {
	r := rng(8)
	s = noise(r, 4, n, datasets.Laplace)
	a := noise(r, 4, 4, datasets.Normal)
	var four mat.Dense
	four.Mul(a, s)
	x = mat.NewDense(6, n, nil)
	for t := range n {
		v := mat.Col(nil, t, &four)
		x.SetCol(t, []float64{v[0] + 5, v[1], v[2] - 100, 1e-3 * v[3], v[0] - v[1], -(v[0] + v[1]) / 2})
	}
	return s, x
}

// Channels that are linear combinations of others are reduced without a setting: the sources are
// recovered, the map takes all channels, and it is saved and loaded.
func TestDependentChannelsAreReduced(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	s, x := leads(2000)
	r := fit(t, b, x, Default())
	if m, err := metric.MCC(r.Z, s); err != nil || m.MCC < 0.998 {
		t.Errorf("MCC %.4f, %v", m.MCC, err)
	}
	if !strings.Contains(r.Why, "6 mixed signals were reduced to 4 principal components, which hold 100 %") {
		t.Error(r.Why)
	}
	loaded := reloaded(t, r)
	z, err := loaded.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	if diff := largestDifference(z, r.Z); diff > 1e-9 {
		t.Errorf("the transform differs by %g", diff)
	}
	back, err := loaded.InverseTransform(z)
	if err != nil || largestDifference(back, x) > 1e-9 {
		t.Errorf("the inverse differs by %g, %v", largestDifference(back, x), err)
	}
	if roundTrip, err := loaded.RoundTrip(z); err != nil || roundTrip > 1e-9 {
		t.Errorf("the round trip differs by %g, %v", roundTrip, err)
	}

	d, err := loaded.Demixing()
	if err != nil {
		t.Fatal(err)
	}
	var again mat.Dense
	again.Mul(d.Unmixing, signal.Added(x, d.Mean, -1))
	if diff := largestDifference(&again, r.Z); diff > 1e-9 {
		t.Errorf("W·(x − mean) differs from Z by %g", diff)
	}
	again.Reset()
	again.Mul(d.Mixing, r.Z)
	if diff := largestDifference(signal.Added(&again, d.Mean, 1), x); diff > 1e-9 {
		t.Errorf("mean + A·Z differs from x by %g", diff)
	}
	few := Default()
	few.Components = 2
	if r := fit(t, b, x, few); r.Z.RawMatrix().Rows != 2 || !strings.Contains(r.Why, "reduced to 2") ||
		!strings.Contains(r.Why, "a source in the others") || strings.Contains(r.Why, "rounding") {
		t.Errorf("%d signals: %s", r.Z.RawMatrix().Rows, r.Why)
	}
}

// As many components as signals of full rank reduce nothing.
func TestAllComponents(t *testing.T) {
	_, x := leads(1000)
	b := backendtest.Open(t, backend.Go)
	cfg := Default()
	want := fit(t, b, x, cfg)
	cfg.Components = 4
	if got := fit(t, b, x, cfg); !mat.Equal(got.Z, want.Z) || got.Why != want.Why {
		t.Errorf("with four components of four signals: %s; without: %s", got.Why, want.Why)
	}
}

// The contribution of a recovered signal to the channels is subtracted; without all of them the
// means remain.
func TestRemoveSubtractsContribution(t *testing.T) {
	s, x := leads(1000)
	r := fit(t, backendtest.Open(t, backend.Go), x, Default())
	d, err := r.Demixing()
	if err != nil {
		t.Fatal(err)
	}
	none, err := r.Remove(x, nil)
	if err != nil || none == x || !mat.Equal(none, x) {
		t.Errorf("without nothing: %v", err)
	}
	if _, err := r.Remove(x, nil, 7, 9); err == nil || !strings.Contains(err.Error(), "shape: ") {
		t.Errorf("a shape of other positions: %v", err)
	}
	all, err := r.Remove(x, []int{0, 1, 2, 3, 3})
	if err != nil {
		t.Fatal(err)
	}
	if left := signal.MaxAbs(signal.Added(all, d.Mean, -1)); left > 1e-9 {
		t.Errorf("without all, %g is left", left)
	}
	match, err := metric.MCC(r.Z, s)
	if err != nil {
		t.Fatal(err)
	}
	clean, err := r.Remove(x, []int{match.Assignment[2]})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 { // nothing of source 2 is left
		m, err := metric.MCC(clean.Slice(i, i+1, 0, 1000).(*mat.Dense), s.Slice(2, 3, 0, 1000).(*mat.Dense))
		if err != nil || m.MCC > 0.13 { // 4 standard errors
			t.Errorf("channel %d correlates by %.3f with what was removed, %v", i, m.MCC, err)
		}
	}
	if _, err := r.Remove(x, []int{4}); !errors.Is(err, ErrSignals) ||
		errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "rows: has 4; must be from 0 to 3") {
		t.Errorf("row 4: %v", err)
	}
}

// Errors about the signals wrap ErrSignals, those about settings ErrConfig.
func TestSignalErrorsDifferFromSettingErrors(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	s := noise(rng(1), 1, 200, datasets.Laplace)
	twice := mat.NewDense(2, 200, nil)
	twice.SetRow(0, s.RawRowView(0))
	twice.SetRow(1, s.RawRowView(0))
	constant := mat.DenseCopyOf(twice)
	constant.SetRow(1, make([]float64, 200))
	for name, x := range map[string]*mat.Dense{"multiples": twice, "constant": constant, "none": nil} {
		if _, err := Fit(t.Context(), x, Default().On(b)); !errors.Is(err, ErrSignals) || errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	twice.Set(0, 3, math.NaN())
	_, err := Fit(t.Context(), twice, Default())
	if err == nil || !strings.HasPrefix(err.Error(), "sica: x: ") {
		t.Errorf("NaN: %v: want one package's name before the argument's", err)
	}
}
