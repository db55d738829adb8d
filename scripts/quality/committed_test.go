package main

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/jsonl"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/scripts/quality/mixtures"
	"github.com/seed-47b1e431/gosica/sica"
)

func auto(t *testing.T) compute.Backend {
	t.Helper()
	if testing.Short() {
		t.Skip("long without XLA")
	}
	b, err := backend.Open(backend.Auto)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mixtureNamed(t *testing.T, name string) mixtures.Mixture {
	t.Helper()
	all := mixtures.All()
	i := slices.IndexFunc(all, func(m mixtures.Mixture) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no mixture %q", name)
	}
	return all[i]
}

// How far other instructions may take an MCC. Without networks XLA kept to AVX2 and to
// SSE4.2 and, in the first and the last of these tests, pure Go moved none by more than
// 1e-8; the bound is a hundred times that. Thousands of steps of a network drive rounding
// apart: the same instructions moved that of the first test by 4e-4 either way, and the bound
// is ten times that.
const (
	rounding        = 1e-6
	networkRounding = 4e-3
)

// checkMCC fails unless a score comes out again: to the last bit if machine, which made
// it, is known and makes the same bits as this one, else to the tolerance.
func checkMCC(t *testing.T, what string, got, want, tolerance float64, machine *provenance.Machine, b compute.Backend) {
	t.Helper()
	if machine != nil && machine.Equal(*machineOf(b)) {
		tolerance = 0
	}
	t.Logf("%s: the MCC is %.12f, was %.12f", what, got, want)
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: the MCC is %.12f, was %.12f: want it to %g", what, got, want, tolerance)
	}
}

// The first run of two rows of the committed results comes out again: one that the linear
// rule makes, and one that a network does.
func TestCommittedResultsAgain(t *testing.T) {
	b := auto(t)
	rows, err := committedRows()
	if err != nil {
		t.Fatal(err)
	}
	for name, tolerance := range map[string]float64{"AR(7), linear, J=5": rounding, "unseen: two spectra, cubic A·s": networkRounding} {
		want := rows[slices.IndexFunc(rows, func(r row) bool { return r.Problem == name })]
		got, err := measureRow(t.Context(), b, mixtureNamed(t, name), want.Seed, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range columns() {
			within := rounding
			if column == separated {
				within = tolerance
			}
			checkMCC(t, name+", "+column, got.MCC[column][0], want.MCC[column][0], within, want.Machine, b)
		}
	}
}

// The start and the first iteration of the first of the committed readings come out
// again.
func TestCommittedReadingAgain(t *testing.T) {
	b := auto(t)
	if backend.NameOf(b) == backend.Go {
		t.Skip("a minute in pure Go")
	}
	made, err := jsonl.Decode[readRun](bytes.NewReader(committedReadings), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := made[0]
	brief := reading{want.Reading, func(c *sica.Config) {
		readings[0].change(c)
		c.Flow.Iterations = 1
	}}
	got, err := read(t.Context(), b, mixtureNamed(t, want.Problem), brief, want.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if want.Reading != readings[0].name || len(got.MCC) != 2 {
		t.Fatalf("%d scores of %q", len(got.MCC), want.Reading)
	}
	checkMCC(t, "start", got.MCC[0], want.MCC[0], rounding, want.Machine, b)
	checkMCC(t, "first iteration", got.MCC[1], want.MCC[1], rounding, want.Machine, b)
}

// One of the committed verdicts comes out again, on the mixture that takes least.
func TestCommittedVerdictAgain(t *testing.T) {
	b := auto(t)
	judged, err := jsonl.Decode[judgedRun](bytes.NewReader(committedVerdicts), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := judged[slices.IndexFunc(judged, func(j judgedRun) bool { return j.Problem == "white Gaussian d=2, random A" })]
	got, err := judge(t.Context(), b, mixtureNamed(t, want.Problem), fittings[0], want.Seed)
	if err != nil {
		t.Fatal(err)
	}
	checkMCC(t, want.Problem, got.MCC, want.MCC, rounding, want.Machine, b)
	checkMCC(t, want.Problem+", by ranks", got.RankMCC, want.RankMCC, rounding, want.Machine, b)
	if got.Fit != want.Fit || got.Verdict != want.Verdict {
		t.Errorf("%s: %q, was %s: %q", got.Fit, got.Verdict, want.Fit, want.Verdict)
	}
}
