package experiment_test

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/laboratory/internal/jsonl"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

func trial(seed uint64) experiment.Trial {
	return experiment.Trial{
		Problem: experiment.Problem{Data: experiment.AR7, Mixing: experiment.LinearMixing, Steps: 5,
			Seed: seed},
		Method: "fastica", Preset: methods.Paper,
	}
}

func outcome(seed uint64, mcc float64) *experiment.Outcome {
	return &experiment.Outcome{Trial: trial(seed), MCC: &mcc}
}

// find returns the outcome of a trial, and whether there is one.
func find(r *experiment.Results, c experiment.Trial) (experiment.Outcome, bool) {
	outcomes := r.Outcomes()
	i := slices.IndexFunc(outcomes, func(o experiment.Outcome) bool { return o.Trial == c })
	if i < 0 {
		return experiment.Outcome{}, false
	}
	return outcomes[i], true
}

func open(t *testing.T, dir, name string) *experiment.Store {
	t.Helper()
	s, err := experiment.Open(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func add(t *testing.T, s *experiment.Store, o *experiment.Outcome, z *mat.Dense) {
	t.Helper()
	if err := s.Add(o, z); err != nil {
		t.Fatal(err)
	}
}

// Signals are kept with 12 bits, at any scale, and rounded signals stay as they are.
func TestStoreRoundsSignals(t *testing.T) {
	s := open(t, t.TempDir(), "outcomes")
	z := mat.NewDense(1, 4, []float64{0x10000 + 0.4, 1e-300 / 3, -1e300 / 7, 0x1.00008p-3})
	add(t, s, outcome(1, .5), z)
	once, err := s.Signals(trial(1))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range z.RawRowView(0) {
		if got := once.At(0, k); math.Abs(got-v) > 0x1p-12*math.Abs(v) || got == v {
			t.Errorf("%g was kept as %g", v, got)
		}
	}
	add(t, s, outcome(2, .5), once)
	if twice, err := s.Signals(trial(2)); err != nil || !mat.Equal(twice, once) {
		t.Errorf("%v was kept as %v (%v)", once, twice, err)
	}
}

func TestStoreKeepsWhatWasAdded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	z := mat.NewDense(2, 3, []float64{1, -2, 3, 0, 0xfff, 0x1p-1000})
	s := open(t, dir, "outcomes")
	add(t, s, outcome(1, .5), nil)
	add(t, s, outcome(2, .25), z)
	add(t, s, outcome(1, .75), nil) // the later one holds
	s.Close()

	s = open(t, dir, "outcomes")
	if n := len(s.Outcomes()); n != 2 {
		t.Errorf("%d outcomes, want 2", n)
	}
	if o, ok := find(s.Results, trial(1)); !ok || *o.MCC != .75 {
		t.Errorf("the first trial's outcome is %+v (%v)", o, ok)
	}
	if got, err := s.Signals(trial(2)); err != nil || !mat.Equal(got, z) {
		t.Errorf("the signals came back as %v (%v)", got, err)
	}
	if _, err := s.Signals(trial(1)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("signals that weren't kept: %v", err)
	}
	if _, ok := find(s.Results, trial(3)); ok {
		t.Error("there is an outcome that was never added")
	}
}

func TestStoreRefusesSecondWriter(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "outcomes")
	if _, err := experiment.Open(dir, "outcomes"); !errors.Is(err, jsonl.ErrInUse) {
		t.Errorf("a second writer's error is %v", err)
	}
	open(t, dir, "outcomes-1-of-2")
	s.Close()
	open(t, dir, "outcomes")
}

func TestStoreOfDamagedFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "outcomes.jsonl"), []byte("{}\nnot JSON\n{}\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Open(dir, "outcomes"); err == nil {
		t.Error("a file with a damaged line in its middle was opened")
	}
	if _, err := experiment.Read(dir, "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading no file: %v", err)
	}
}

// The words of a trial become the name of a file, which must stay in the folder, and its numbers
// are drawn.
func TestReadRefusesUnsafeTrials(t *testing.T) {
	dir := t.TempDir()
	for line, says := range map[string]string{
		`{"data":"../../outside"}`:   "letters, digits, + and -",
		`{"method":"a/b"}`:           "letters, digits, + and -",
		`{"preset":"a\u0000"}`:       "letters, digits, + and -",
		`{"mcc":1e300}`:              "0 to 1",
		`{"mcc":-0.5}`:               "0 to 1",
		`{"seconds":-1}`:             "0 or more",
		`{"mcc":"1"}`:                "cannot unmarshal",
		strings.Repeat(" ", 1<<24+1): "line 2",
	} {
		if err := os.WriteFile(filepath.Join(dir, "outcomes.jsonl"), []byte("{}\n"+line+"\n"),
			0o666); err != nil {
			t.Fatal(err)
		}
		_, err := experiment.Read(dir, "outcomes")
		if err == nil || !strings.Contains(err.Error(), says) ||
			!strings.Contains(err.Error(), "line 2") {
			t.Errorf("%.40s: %v, want an error of line 2 with %q", line, err, says)
		}
	}
}
