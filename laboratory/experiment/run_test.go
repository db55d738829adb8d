package experiment_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

func openGo(t *testing.T) compute.Backend {
	t.Helper()
	return backendtest.Open(t, backend.Go)
}

// quick are trials that take milliseconds each.
func quick() []experiment.Trial {
	var trials []experiment.Trial
	for seed := range uint64(4) {
		for _, method := range []string{"fastica", "zca", "mixed", "lica"} {
			c := trial(seed)
			m, _ := methods.Named(method)
			c.Method, c.Preset = method, m.Nearest(methods.Smoke)
			trials = append(trials, c)
		}
	}
	return trials
}

// Each missing trial is made once, with the same outcome for any number of jobs.
func TestRunMakesMissingTrialsOnce(t *testing.T) {
	b := openGo(t)
	keep := func(c experiment.Trial) bool { return c.Seed == 0 }
	digests := make(map[experiment.Trial]string)
	for _, jobs := range []int{1, 3} {
		s := open(t, t.TempDir(), "outcomes")
		for _, trials := range [][]experiment.Trial{quick()[:5], quick(), quick()} {
			plan := experiment.Plan{Trials: trials, Keep: keep, Jobs: jobs}
			missing := s.Missing(plan)
			made := make(map[experiment.Trial]bool)
			plan.OnOutcome = func(o experiment.Outcome, p experiment.Progress) {
				made[o.Trial] = true
				if p.Done != len(made) || p.Total != len(missing) {
					t.Errorf("after %d of %d trials the progress is %+v", len(made), len(missing),
						p)
				}
			}
			if err := experiment.Run(t.Context(), b, s, plan); err != nil {
				t.Fatal(err)
			}
			if len(made) != len(missing) {
				t.Errorf("%d trials were made of %d missing", len(made), len(missing))
			}
			for _, c := range missing {
				if !made[c] {
					t.Errorf("%s wasn't made", c)
				}
			}
		}
		for _, c := range quick() {
			o, ok := find(s.Results, c)
			if !ok || o.MCC == nil || o.SHA256 == "" {
				t.Errorf("%d jobs: the outcome of %s is %+v", jobs, c, o)
			}
			if digests[c] == "" {
				digests[c] = o.SHA256
			}
			if digests[c] != o.SHA256 {
				t.Errorf("%s came out otherwise with %d jobs", c, jobs)
			}
			if z, err := s.Signals(c); (err == nil) != keep(c) {
				t.Errorf("the signals of %s: %v, %v", c, z, err)
			}
		}
	}
}

// A method that fails on its signals is an outcome: whitening cannot invert a mixing whose signals
// have become one.
func TestRunNotesFailure(t *testing.T) {
	s := open(t, t.TempDir(), "outcomes")
	c := trial(20001)
	c.Steps, c.Method, c.Preset = 20, "gaussianise+zca", ""
	if err := experiment.Run(t.Context(), openGo(t), s,
		experiment.Plan{Trials: []experiment.Trial{c}, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	if o, _ := find(s.Results, c); o.MCC != nil || o.Error == "" {
		t.Errorf("the outcome is %+v", o)
	}
	if n := len(s.Missing(experiment.Plan{Trials: []experiment.Trial{c}})); n != 0 {
		t.Error("a failed trial would be made again")
	}
}

func TestRunOfBadPlan(t *testing.T) {
	good, method, preset, measure := trial(1), trial(1), trial(1), trial(1)
	method.Method = "magic"
	preset.Preset = "magic"
	measure.Measure = "magic"
	for name, plan := range map[string]experiment.Plan{
		"no jobs":         {Trials: []experiment.Trial{good}},
		"unknown method":  {Trials: []experiment.Trial{method}, Jobs: 1},
		"unknown preset":  {Trials: []experiment.Trial{preset}, Jobs: 1},
		"unknown measure": {Trials: []experiment.Trial{measure}, Jobs: 1},
	} {
		s := open(t, t.TempDir(), "outcomes")
		if err := experiment.Run(t.Context(), openGo(t), s, plan); err == nil {
			t.Errorf("%s: no error", name)
		}
		if n := len(s.Outcomes()); n != 0 {
			t.Errorf("%s: %d outcomes", name, n)
		}
	}
}

// A checkpoint that cannot be used is an error and no failure of the method. The checkpoint is
// removed with the trial's outcome.
func TestRunKeepsCheckpoint(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "outcomes")
	c := trial(1)
	c.Method = "sica-wgf"
	checkpoint := filepath.Join(dir, "checkpoint-"+c.String())
	if err := os.Mkdir(checkpoint, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(checkpoint, "thesis.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	err := experiment.Run(t.Context(), openGo(t), s,
		experiment.Plan{Trials: []experiment.Trial{c}, Jobs: 1})
	if !errors.Is(err, sica.ErrCheckpoint) || len(s.Outcomes()) != 0 {
		t.Errorf("%d outcomes, error %v", len(s.Outcomes()), err)
	}
	add(t, s, &experiment.Outcome{Trial: c}, nil)
	if _, err := os.Stat(checkpoint); !os.IsNotExist(err) {
		t.Errorf("the checkpoint is still there (%v)", err)
	}
}

func TestRunCancelled(t *testing.T) {
	s := open(t, t.TempDir(), "outcomes")
	ctx, cancel := context.WithCancel(t.Context())
	plan := experiment.Plan{Trials: quick(), Jobs: 1,
		OnOutcome: func(_ experiment.Outcome, p experiment.Progress) {
			if p.Done == 3 {
				cancel()
			}
		}}
	if err := experiment.Run(ctx, openGo(t), s, plan); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	n := len(s.Outcomes())
	if n < 3 || n == len(quick()) {
		t.Errorf("%d outcomes after a cancel at the third of %d", n, len(quick()))
	}
	plan.OnOutcome = nil
	if err := experiment.Run(t.Context(), openGo(t), s, plan); err != nil ||
		len(s.Outcomes()) != len(quick()) {
		t.Errorf("going on: %d outcomes (%v), want %d", len(s.Outcomes()), err, len(quick()))
	}
}

// A killed process loses no outcome, and the next makes each missing trial once.
func TestRunAfterKill(t *testing.T) {
	if dir := os.Getenv("SICA_TEST_KILL"); dir != "" {
		s := open(t, dir, "outcomes")
		if err := experiment.Run(t.Context(), openGo(t), s,
			experiment.Plan{Trials: quick(), Jobs: 2}); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "outcomes.jsonl")
	kills := 0
	for wait := time.Duration(0); ; wait += 30 * time.Millisecond {
		child := exec.Command(os.Args[0], "-test.run=^TestRunAfterKill$")
		child.Env = append(os.Environ(), "SICA_TEST_KILL="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(wait, func() { child.Process.Kill() })
		err := child.Wait()
		killer.Stop()
		if err == nil {
			break
		}
		kills++
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, c := range data {
		if c == '\n' {
			lines++
		}
	}
	if r, err := experiment.Read(dir, "outcomes"); err != nil ||
		len(r.Outcomes()) != len(quick()) || lines != len(quick()) {
		t.Errorf("after %d kills there are %d lines, want %d, one a trial (%v)", kills, lines,
			len(quick()), err)
	}
	t.Logf("%d kills", kills)
}
