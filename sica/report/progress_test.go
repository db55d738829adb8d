package report

import (
	"slices"
	"testing"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// The progress of the fits is a fraction of their part of the report, never falls, and ends at the
// part's end.
func TestProgressNeverFalls(t *testing.T) {
	var reported []float64
	p := &progress{report: func(_ string, fraction float64) { reported = append(reported, fraction) }}
	p.begin("before", .5)
	p.end()
	p.begin("refits", 1)
	cfg := sica.Config{Flow: &klflow.Config{Iterations: 2}}
	p.follow(&cfg, 2)
	for run := range 2 {
		cfg.OnProgress(run, "measuring", 0)
		cfg.OnProgress(run, "measuring", 1)
		cfg.OnProgress(run, "fitting", .5)
	}
	for j := range 2 {
		for run := range 2 {
			cfg.Flow.OnIteration(run, klflow.Iteration{J: j + 1})
		}
	}
	if !slices.IsSorted(reported) || reported[0] != 0 || reported[1] != .5 || reported[len(reported)-1] != 1 {
		t.Errorf("reported %v", reported)
	}
	if before := reported[slices.Index(reported, 1)-1]; !(before > .75 && before < 1) {
		t.Errorf("reported %v: want the iterations to have about half of the part", reported)
	}
}
