//go:build soak && linux && (amd64 || arm64) && cgo && !noxla

package sica

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/pjrt"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/cmalloc"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

var soakFor = flag.Duration("soak", time.Minute, "how long TestSoak repeats its fits")

// usage is what the process holds.
type usage struct {
	fits       int     // made so far
	allocated  float64 // MB of the C library, for XLA's buffers and programs
	heap       float64 // MB of Go
	resident   float64 // MB of memory in all
	kept       float64 // MB more until the C library gave back what was freed
	buffers    int     // of PJRT
	goroutines int
	files      int // open ones
}

func (u usage) String() string {
	return fmt.Sprintf("%d fits: %.2f MB allocated in C, %.2f MB Go heap, %.0f MB resident and %.0f MB freed but kept, %d device buffers, %d goroutines, %d files",
		u.fits, u.allocated, u.heap, u.resident, u.kept, u.buffers, u.goroutines, u.files)
}

// measureUsage collects what nobody holds any more, and measures the rest.
func measureUsage(t *testing.T, fits int) usage {
	t.Helper()
	for range 3 { // what is freed with a collected value may free another
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	debug.FreeOSMemory()
	u := usage{fits: fits, allocated: float64(cmalloc.InUse()) / 1e6, buffers: int(pjrt.BuffersAlive()), goroutines: runtime.NumGoroutine()}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	u.heap = float64(stats.HeapAlloc) / 1e6
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	u.files = len(files) - 1 // one is the folder's
	before := resident(t)
	cmalloc.Trim()
	u.resident = resident(t)
	u.kept = before - u.resident
	return u
}

// resident is the process's resident memory in MB.
func resident(t *testing.T) float64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, size, _ := strings.Cut(string(status), "\nVmRSS:")
	var kB float64
	if _, err := fmt.Sscan(size, &kB); err != nil {
		t.Fatal(err)
	}
	return kB * 1024 / 1e6
}

// soakRound separates in every way there is, and returns the number of fits.
func soakRound(t *testing.T, b compute.Backend, x *mat.Dense) (fits int) {
	t.Helper()
	ctx := context.Background()
	cfgs := followed()
	moving := cfgs["best"]
	for _, name := range []string{"best", "paper WGF", "paper RF", "free windows"} {
		fit(t, b, x, cfgs[name])
		fits++
	}

	runs := []Run{{X: x, Seed: 1}, {X: x, Seed: 2}}
	if _, err := FitRuns(ctx, runs, moving.On(b)); err != nil {
		t.Fatalf("%+v", err)
	}
	fits += len(runs)

	cancelled := moving.Clone()
	cancelCtx, cancel := context.WithCancel(ctx)
	cancelled.Flow.OnIteration = func(int, klflow.Iteration) { cancel() }
	if _, err := Fit(cancelCtx, x, cancelled.On(b)); !errors.Is(err, context.Canceled) {
		t.Fatalf("the error of a cancelled fit is %v", err)
	}
	refused := moving.Clone()
	refused.Flow.LearningRate = -1
	if _, err := Fit(ctx, x, refused.On(b)); err == nil {
		t.Fatal("a negative learning rate gave no error")
	}
	fits += 2

	dir := t.TempDir()
	defer os.RemoveAll(dir)
	resumed := moving.Clone()
	resumed.Checkpoint = filepath.Join(dir, "checkpoint")
	interrupt(t, b, x, resumed, 0)
	result := fit(t, b, x, resumed)
	fits += 2
	path := filepath.Join(dir, "result")
	if err := result.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	loaded.SetBackend(b)
	checkFollows(t, loaded, x)

	if _, err := EstimateDivergence(ctx, result.Z, DivergenceOptions{Backend: b, Seed: 1}); err != nil {
		t.Fatalf("%+v", err)
	}
	return fits
}

// Fits of every kind, cancelled and failed ones too, leave nothing behind: no
// memory, device buffer, goroutine or open file. Half an hour of them:
//
//	go test -tags soak -run TestSoak -v -timeout 0 ./sica -soak 30m
func TestSoak(t *testing.T) {
	x, _ := mixedAR7(t, 1, 200, 3, true)
	begin := time.Now()
	var made []usage
	fits := 0
	for len(made) < 2 || time.Since(begin) < *soakFor {
		for _, name := range backend.Available() {
			fits += soakRound(t, backendtest.Open(t, name), x)
		}
		u := measureUsage(t, fits)
		made = append(made, u)
		t.Logf("%v, %v", time.Since(begin).Round(time.Second), u)
	}

	// The first round opens the backends and fills their pools.
	first, last := made[0], made[len(made)-1]
	if last.buffers > first.buffers || last.goroutines > first.goroutines || last.files > first.files {
		t.Errorf("after the first round %v; after the last %v", first, last)
	}
	quarter := len(made) / 4
	if quarter < 3 {
		t.Logf("%d rounds are too few to tell whether the memory grows", len(made))
		return
	}
	second, fourth := made[quarter:2*quarter], made[len(made)-quarter:]
	for _, memory := range []struct {
		what    string
		of      func(usage) float64
		allowed float64 // MB of growth that counts as none
	}{
		{"allocated in C", func(u usage) float64 { return u.allocated }, 2},
		{"Go heap", func(u usage) float64 { return u.heap }, 0.5},
		{"resident", func(u usage) float64 { return u.resident }, 40}, // pages with a freed part count
	} {
		before, after := median(second, memory.of), median(fourth, memory.of)
		fits := fourth[0].fits - second[0].fits
		t.Logf("%s: %.2f MB in the second quarter, %.2f MB in the last, %d fits later: %+.2f MB in 1000 fits",
			memory.what, before, after, fits, 1000*(after-before)/float64(fits))
		if after-before > memory.allowed {
			t.Errorf("%s: grew by %.1f MB", memory.what, after-before)
		}
	}
}

// median is the median of what each round left.
func median(rounds []usage, of func(usage) float64) float64 {
	var values []float64
	for _, u := range rounds {
		values = append(values, of(u))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
