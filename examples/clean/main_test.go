package main

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// One component is taken out, the blinks: no cleaned channel has more than a trace of them, and the
// file keeps names and times.
func TestClean(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "recording.csv"), filepath.Join(folder, "clean.csv")
	must(write(from))
	taken, err := clean(t.Context(), from, to, "EOG")
	if err != nil || len(taken) != 1 {
		t.Fatalf("%d components, error %v; want one", len(taken), err)
	}
	before, err := datasets.ReadRecording(from)
	must(err)
	after, err := datasets.ReadRecording(to)
	must(err)
	if !slices.Equal(after.Names, before.Names) || after.Rate != rate || after.TimeColumn != "time" {
		t.Errorf("names %q, rate %g, times %q", after.Names, after.Rate, after.TimeColumn)
	}
	_, blinks, err := sources()
	must(err)
	for i, name := range after.Names[:4] { // the EOG stays as it is
		was := stat.Correlation(before.Signals.RawRowView(i), blinks, nil)
		is := stat.Correlation(after.Signals.RawRowView(i), blinks, nil)
		if math.Abs(is) > 0.1 {
			t.Errorf("%s correlates with the blinks by %.2f; before by %.2f", name, is, was)
		}
	}
	if _, err := clean(t.Context(), from, to, "EKG"); err == nil {
		t.Error("a channel that isn't there is no error")
	}
}
