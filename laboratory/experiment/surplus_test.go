package experiment

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// A recovered signal that is a surplus source is right: signals are scored against the sources that
// they match best, whichever these are, and each source is matched once.
func TestSurplusSourceCanBeRecovered(t *testing.T) {
	p := Problem{Seed: 1,
		Mixture: noisePrefix + "EEG of equal strengths, d=3, noise 0.01, 1 surplus sources"}
	sources, _, err := p.Draw()
	if err != nil {
		t.Fatal(err)
	}
	_, n := sources.Dims()
	signals := mat.NewDense(3, n, nil)
	for i, j := range []int{3, 0, 2} { // source 3 is the surplus one
		signals.SetRow(i, sources.RawRowView(j))
	}
	m, err := metric.MCC(signals, nearestSources(signals, sources))
	if err != nil || m.MCC < 1-1e-12 {
		t.Errorf("MCC %.3f of sources, one of them a surplus one, error %v", m.MCC, err)
	}
	// Two signals of one source: one of them is matched with another source.
	signals.SetRow(1, sources.RawRowView(3))
	m, err = metric.MCC(signals, nearestSources(signals, sources))
	if err != nil || m.MCC > 0.8 || m.MCC < 2./3 {
		t.Errorf("MCC %.3f of two signals that are one source, error %v", m.MCC, err)
	}
	if one := mat.DenseCopyOf(sources.Slice(0, 3, 0, n)); nearestSources(signals, one) != one {
		t.Error("other sources where there are as many as signals")
	}
}

// Where more sources than channels were found, nothing is a reason for networks, which can't undo them.
func TestNoNetworksForSurplusSources(t *testing.T) {
	p := Problem{Seed: 66013, Positions: 2500,
		Mixture: noisePrefix + "EEG of equal strengths, d=4, noise 0.01, 4 surplus sources"}
	_, x, err := p.Draw()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg := sica.Default()
	cfg.OnProgress = func(_ int, doing string, _ float64) {
		if strings.Contains(doing, "network") {
			t.Errorf("%s", doing)
			cancel()
		}
	}
	r, err := sica.Fit(ctx, x.X(), cfg.On(backendtest.Open(t, backend.Go)))
	if err != nil {
		t.Fatal(err)
	}
	if r.Linear.Reason != linear.MoreSources {
		t.Errorf("no surplus sources, but %s: %q", r.Linear.Reason, r.Why)
	}
}
