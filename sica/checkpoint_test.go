package sica

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/sealed"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// sameFit fails unless two results are equal but for the time that they took.
func sameFit(t *testing.T, got, want *Result, x *mat.Dense) {
	t.Helper()
	g, w := *got, *want
	g.Elapsed, w.Elapsed = 0, 0
	checkEqual(t, &g, &w, x)
}

// interrupt makes a fit with a checkpoint that its caller ends after n
// iterations.
func interrupt(t *testing.T, b compute.Backend, x *mat.Dense, cfg Config, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg = cfg.Clone()
	cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) {
		if it.J == n+1 {
			cancel()
		}
	}
	// The iteration in which it is cancelled is kept, so n+1 of them are.
	if _, err := Fit(ctx, x, cfg.On(b)); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatalf("%+v", err)
	}
}

// An interrupted fit continues to the bits of an uninterrupted one, from each of its iterations; a
// finished one returns its result again.
func TestInterruptedFitContinuesToSameBits(t *testing.T) {
	cfgs := followed()
	for _, name := range slices.Sorted(maps.Keys(cfgs)) {
		t.Run(name, func(t *testing.T) {
			onBackendsOrGo(t, name, func(t *testing.T, b compute.Backend) {
				cfg := cfgs[name]
				want, x := followedFit(t, b, name)
				cfg.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
				interrupt(t, b, x, cfg, 0)
				calls := 0
				cfg.Flow.OnIteration = func(int, klflow.Iteration) { calls++ }
				sameFit(t, fit(t, b, x, cfg), want, x)
				if calls != want.Iterations-1 {
					t.Errorf("%d iterations after the first of %d", calls, want.Iterations)
				}
				sameFit(t, fit(t, b, x, cfg), want, x)
				if calls != want.Iterations-1 {
					t.Error("a finished fit made iterations")
				}
			})
		})
	}
}

// A fit that used up its budget continues with a larger one.
func TestResumeAfterBudget(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x, cfg := followedSignals(t), followed()["free window"]
	want := fit(t, b, x, cfg)
	cfg.Checkpoint, cfg.Flow.Budget = t.TempDir(), 1
	for range 2 { // with the same budget it makes nothing more
		if r := fit(t, b, x, cfg); r.Stopped != klflow.StoppedBudget || r.Iterations != 1 {
			t.Fatalf("%s after %d iterations", r.Stopped, r.Iterations)
		}
	}
	cfg.Flow.Budget = 0
	sameFit(t, fit(t, b, x, cfg), want, x)
}

// Several runs continue together, and the method's choice is not made again.
func TestResumeRuns(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	first, _ := mixedAR7(t, 1, 200, 3, false)
	second, _ := mixedAR7(t, 2, 200, 20, false)
	cfg := FastWGF()
	cfg.Transforms, cfg.Mode, cfg.Flow.Iterations, cfg.Flow.Steps = nil, LinearOnly, 3, 10
	runs := []Run{{X: first, Seed: 3}, {X: second, Seed: 4}, {X: first, Seed: 5}}
	want, err := FitRuns(context.Background(), runs, cfg.On(b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	if want[0].Chosen.Mode != LinearOnly || want[1].Iterations != 3 {
		t.Fatalf("%s; %s", want[0].Why, want[1].Why)
	}
	cfg.Checkpoint = t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cfg.Flow.OnIteration = func(int, klflow.Iteration) { cancel() }
	if _, err := FitRuns(ctx, runs, cfg.On(b)); !errors.Is(err, context.Canceled) {
		t.Fatalf("%+v", err)
	}
	cfg.Flow.OnIteration = nil
	got, err := FitRuns(context.Background(), runs, cfg.On(b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	for r := range runs {
		sameFit(t, got[r], want[r], runs[r].X)
	}
}

func TestCheckpointRefused(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x := followedSignals(t)
	cfg := followed()["free window"]
	cfg.Checkpoint = t.TempDir()
	interrupt(t, b, x, cfg, 0)
	refused := func(name string, x *mat.Dense, cfg Config, want string) {
		t.Helper()
		result, err := Fit(context.Background(), x, cfg.On(b))
		if !errors.Is(err, ErrCheckpoint) || result != nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want an error with %q", name, err, want)
		}
	}
	other := cfg.Clone()
	other.Seed++
	refused("another seed", x, other, fmt.Sprintf("was begun with Seed %d, not %d; must be continued so, or removed", cfg.Seed, other.Seed))
	longer := cfg.Clone()
	longer.Flow.Iterations += 7
	refused("more iterations", x, longer, fmt.Sprintf("was begun with Flow.Iterations %d, not %d;", cfg.Flow.Iterations, longer.Flow.Iterations))
	none := cfg.Clone()
	none.Flow = nil
	refused("no iterations", x, none, "was begun with a Flow;")
	bit := mat.DenseCopyOf(x)
	bit.Set(0, 0, bit.At(0, 0)*(1+0x1p-52))
	refused("a bit of x", bit, cfg, "other signals")
	joined := Run{X: x, Seed: cfg.Seed, Joints: []int{50}}
	if results, err := FitRuns(t.Context(), []Run{joined}, cfg.On(b)); !errors.Is(err, ErrCheckpoint) || results != nil {
		t.Errorf("other joints: %v", err)
	}
	prepared := cfg.Clone()
	prepared.Prepare = by(func(*mat.Dense) (*mat.Dense, error) { return mat.DenseCopyOf(x), nil })
	refused("signals that are prepared to the same", bit, prepared, "other signals")

	lock, err := sealed.OpenSeries(cfg.Checkpoint, checkpointFormat, checkpointVersion)
	if err != nil {
		t.Fatal(err)
	}
	refused("in use", x, cfg, sealed.ErrInUse.Error())
	lock.Close()

	state, err := lock.Last()
	if err != nil || state == "" {
		t.Fatal(state, err)
	}
	path := filepath.Join(state, "run-000-current.npy")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	put(t, path, data)
	refused("damaged", x, cfg, "begins anew")

	cfg.Checkpoint = t.TempDir()
	put(t, filepath.Join(cfg.Checkpoint, "thesis.txt"), nil)
	refused("another folder", x, cfg, "thesis.txt")
	cfg.Checkpoint = filepath.Join(cfg.Checkpoint, "thesis.txt")
	refused("a file", x, cfg, "thesis.txt is a file; must be a folder")
}

// If the checkpoint cannot be written, the fit ends with its result so far, and continues once it
// can.
func TestCheckpointCannotBeWritten(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x := followedSignals(t)
	cfg := followed()["free window"]
	want, _ := followedFit(t, b, "free window")
	cfg.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	away := cfg.Checkpoint + "-away"
	cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) {
		if it.J == 2 {
			if err := os.Rename(cfg.Checkpoint, away); err != nil {
				t.Fatal(err)
			}
		}
	}
	result, err := Fit(context.Background(), x, cfg.On(b))
	if !errors.Is(err, ErrCheckpoint) || result == nil || result.Iterations != 2 || result.Stopped != klflow.StoppedCheckpoint {
		t.Fatalf("result %+v, error %v", result, err)
	}
	if err := os.Rename(away, cfg.Checkpoint); err != nil {
		t.Fatal(err)
	}
	cfg.Flow.OnIteration = nil
	sameFit(t, fit(t, b, x, cfg), want, x)
}

// killed is the fit of TestKilledFitContinuesToSameBits.
func killed(t *testing.T) (x *mat.Dense, cfg Config) {
	cfg = followed()["free windows"]
	cfg.Flow.Iterations, cfg.Flow.Steps, cfg.Flow.KeepBest = 8, 10, true
	return followedSignals(t), cfg
}

// A second process gets an error while the first has the checkpoint.
func TestSecondProcessIsRefused(t *testing.T) {
	x, cfg := killed(t)
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledFitContinuesToSameBits$/^"+backend.Go+"$")
	child.Env = append(os.Environ(), "SICA_TEST_KILL="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "made 1\n" {
		t.Fatalf("the first process printed %q (%v)", line, err)
	}
	cfg.Checkpoint = filepath.Join(dir, "checkpoint")
	if _, err := Fit(context.Background(), x, cfg.On(backendtest.Open(t, backend.Go))); !errors.Is(err, sealed.ErrInUse) {
		t.Errorf("the error is %v", err)
	}
}

// A process that is killed at any moment loses one iteration at most: started again it has the bits
// of an uninterrupted one. SICA_TEST_KILLS is the number of kills on each backend; by default there
// are 2 in pure Go and 1 on XLA, where each process compiles again.
func TestKilledFitContinuesToSameBits(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		if backend.NameOf(b) != backend.Go && !Long() && os.Getenv("SICA_TEST_KILLS") == "" {
			t.Skip("each process compiles anew; --long")
		}
		kill(t, b)
	})
}

// kill is TestKilledFitContinuesToSameBits on a backend: it starts itself in other processes, which
// SICA_TEST_KILL tells where to make the fit.
func kill(t *testing.T, b compute.Backend) {
	x, cfg := killed(t)
	if dir := os.Getenv("SICA_TEST_KILL"); dir != "" {
		cfg.Checkpoint = filepath.Join(dir, "checkpoint")
		cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) { fmt.Println("made", it.J) }
		if err := fit(t, b, x, cfg).Save(filepath.Join(dir, "result")); err != nil {
			t.Fatal(err)
		}
		return
	}
	kills := 1
	if backend.NameOf(b) == backend.Go {
		kills = 2
	}
	if n, err := strconv.Atoi(os.Getenv("SICA_TEST_KILLS")); err == nil {
		kills = n
	}
	start := func(dir string) (child *exec.Cmd, made *bufio.Scanner) {
		child = exec.Command(os.Args[0], "-test.run=^TestKilledFitContinuesToSameBits$/^"+backend.NameOf(b)+"$")
		child.Env = append(os.Environ(), "SICA_TEST_KILL="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		return child, bufio.NewScanner(out)
	}
	load := func(dir string) *Result {
		result, err := Load(filepath.Join(dir, "result"))
		if err != nil {
			t.Fatal(err)
		}
		result.SetBackend(b)
		return result
	}
	whole := t.TempDir()
	child, made := start(whole)
	made.Scan()
	begin := time.Now()
	for made.Scan() {
	}
	iteration := time.Since(begin) / time.Duration(cfg.Flow.Iterations)
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	want := load(whole)
	moments := rand.New(rand.NewPCG(uint64(begin.UnixNano()), 0))
	done, fits := 0, 0
	for done < kills {
		dir := t.TempDir()
		for ended := false; !ended; {
			child, made := start(dir)
			if done < kills { // within an iteration; a process that goes on may end before it
				for range moments.IntN(cfg.Flow.Iterations) {
					made.Scan()
				}
				time.Sleep(time.Duration(moments.Float64() * float64(iteration)))
				child.Process.Kill()
			}
			for made.Scan() {
			}
			switch err := child.Wait(); {
			case err == nil:
				ended = true
			case child.ProcessState.ExitCode() < 0: // by a signal
				done++
				// It may have come after the result, which appears whole or not at all.
				_, err := os.Stat(filepath.Join(dir, "result"))
				ended = err == nil
			default:
				t.Fatalf("the fit failed: %v", err)
			}
		}
		sameFit(t, load(dir), want, x)
		fits++
	}
	t.Logf("%d kills in %d fits", done, fits)
}
