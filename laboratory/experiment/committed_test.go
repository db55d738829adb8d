package experiment

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

// The committed results are reproduced, up to the rounding of other processors.
func TestCommittedFiguresAreReproduced(t *testing.T) {
	results, err := Read("results", OutcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	b := backendtest.Open(t, backend.Auto)
	digits := Problem{Data: MNIST, Mixing: GELUMixing, Steps: 5, Seed: FirstSeed}
	for _, test := range []struct {
		trial Trial
		// rounding is how far other instructions may take the MCC. That of SICA
		// moved by at most 4e-8 in 12 fits of signals off by half a unit in the last
		// place of a float32, with XLA kept to AVX2 and to SSE4.2, and in pure Go
		// with and without its vectors; the bound is 25 times that.
		rounding float64
	}{
		{Trial{Problem: digits, Method: "fastica", Preset: methods.Paper}, 1e-9},
		{Trial{Problem: digits, Method: "sica", Preset: methods.Default}, 1e-6},
	} {
		t.Run(test.trial.String(), func(t *testing.T) {
			if testing.Short() && test.trial.Method == "sica" {
				t.Skip("long without XLA")
			}
			want, ok := results.find(test.trial)
			if !ok {
				t.Fatal("it isn't among the committed results")
			}
			got, _, err := test.trial.Run(t.Context(), b, "")
			if err != nil {
				t.Fatal(err)
			}
			if got.Error != "" {
				t.Fatal(got.Error)
			}
			checkMCC(t, test.trial.Method, *got.MCC, *want.MCC, test.rounding)
			if *update {
				renew(t, "results/outcomes.jsonl", got)
			}
		})
	}
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

// update is for a change that moves roundings: go test ./laboratory/experiment -run Again -update
// checks that the scores come out again to the tolerance, and writes them down anew.
var update = flag.Bool("update", false, "renew the committed outcomes that are made again")

// renew writes the scores and the bits of an outcome down in place of those committed of the
// same trial.
func renew(t *testing.T, path string, o *Outcome) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i, line := range lines {
		var old Outcome
		if len(line) == 0 || json.Unmarshal(line, &old) != nil || old.Trial != o.Trial {
			continue
		}
		old.MCC, old.SHA256, old.Iterates = o.MCC, o.SHA256, o.Iterates
		old.Backend, old.Machine = o.Backend, o.Machine
		if old.RankMCC != nil {
			old.RankMCC = o.RankMCC
		}
		text, err := json.Marshal(old)
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = append(text, '\n')
	}
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o666); err != nil {
		t.Fatal(err)
	}
}

// checkMCC fails unless a score comes out again to the tolerance.
func checkMCC(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	t.Logf("%s: the MCC is %.12f, was %.12f", name, got, want)
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: the MCC is %.12f, was %.12f: want it to %g", name, got, want, tolerance)
	}
}

func autoBackend(t *testing.T) compute.Backend {
	t.Helper()
	if testing.Short() {
		t.Skip("long without XLA")
	}
	return backendtest.Open(t, backend.Auto)
}

// The first run of two rows of the committed table quality is reproduced, one by the linear rule
// and one by a network, and so is the verdict on the mixture that takes the least time.
func TestCommittedOutcomesAreReproduced(t *testing.T) {
	b := autoBackend(t)
	for _, test := range []struct {
		table, problem string
		methods        []string
		tolerance      float64 // of SICA's
	}{
		{"quality", "AR(7), linear, J=5", nil, rounding},
		{"quality", "two spectra, cubic A·s", nil, networkRounding},
		{"verdicts", "white Gaussian d=2, random A", []string{"sica"}, rounding},
	} {
		r, err := Read(committed, test.table)
		if err != nil {
			t.Fatal(err)
		}
		made := make(map[string]bool)
		for _, want := range r.Outcomes() {
			if want.label() != test.problem || made[want.Method] || test.methods != nil &&
				want.Method != "sica" {
				continue
			}
			made[want.Method] = true
			got, _, err := want.Run(t.Context(), b, "")
			if err != nil {
				t.Fatal(err)
			}
			tolerance := rounding
			if want.Method == "sica" {
				tolerance = test.tolerance
			}
			name := want.Trial.String()
			checkMCC(t, name, *got.MCC, *want.MCC, tolerance)
			if want.RankMCC != nil {
				checkMCC(t, name+", by ranks", *got.RankMCC, *want.RankMCC, tolerance)
			}
			if *update {
				renew(t, filepath.Join(committed, test.table+".jsonl"), got)
			}
			if want.Report != nil && got.Report.Verdict != want.Report.Verdict {
				t.Errorf("%s: %q, was %q", name, got.Report.Verdict, want.Report.Verdict)
			}
		}
		if len(made) == 0 {
			t.Errorf("%s has no %s", test.table, test.problem)
		}
	}
}

// The signals before the iterations and the first iterate of the first committed trial are
// reproduced.
func TestCommittedIteratesAreReproduced(t *testing.T) {
	b := autoBackend(t)
	if backend.NameOf(b) == backend.Go {
		t.Skip("a minute in pure Go")
	}
	r, err := Read(committed, "iterates")
	if err != nil {
		t.Fatal(err)
	}
	want := r.Outcomes()[0]
	sources, x, err := want.Draw()
	if err != nil {
		t.Fatal(err)
	}
	oneIteration := func() sica.Config {
		cfg := sica.PaperWGF()
		cfg.Flow.Iterations = 1
		return cfg
	}
	brief := methods.Entry{
		Presets: []methods.Preset{methods.Paper}, New: methods.SICA(oneIteration),
	}
	f, err := fitIterates(t.Context(), brief, methods.Task{
		Backend: b, Signals: x, Preset: methods.Paper, Seed: want.Seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := Outcome{Trial: want.Trial}
	if err := got.measure(t.Context(), b, f, sources, x); err != nil {
		t.Fatal(err)
	}
	if want.Method != "sica-wgf" || len(got.Iterates) != 2 {
		t.Fatalf("%d scores of %q", len(got.Iterates), want.Method)
	}
	checkMCC(t, "start", got.Iterates[0], want.Iterates[0], rounding)
	checkMCC(t, "first iteration", got.Iterates[1], want.Iterates[1], rounding)
	if *update {
		machine := provenance.ThisMachine(backend.PluginSHA256(b))
		want.Machine = &machine
		copy(want.Iterates, got.Iterates)
		renew(t, filepath.Join(committed, "iterates.jsonl"), &want)
	}
}
