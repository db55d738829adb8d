package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio"

	"github.com/seed-47b1e431/gosica/backend"
)

// What the peers read is what npyio reads.
func TestWriteNPY(t *testing.T) {
	for _, a := range []array{
		{dims: []int{2, 3, 1}, floats: []float32{1, -2, 3.5, 0, 5, 6}},
		{dims: []int{4}, ints: []int32{7, 0, -1, 1 << 30}},
	} {
		var file bytes.Buffer
		if err := a.write(&file); err != nil {
			t.Fatal(err)
		}
		r, err := npyio.NewReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Header.Descr.Shape; !reflect.DeepEqual(got, a.dims) {
			t.Errorf("shape %v, want %v", got, a.dims)
		}
		var floats []float32
		var ints []int32
		if a.ints == nil {
			err = r.Read(&floats)
		} else {
			err = r.Read(&ints)
		}
		if err != nil || !reflect.DeepEqual(floats, a.floats) || !reflect.DeepEqual(ints, a.ints) {
			t.Errorf("read %v %v (%v), want %v %v", floats, ints, err, a.floats, a.ints)
		}
	}
}

// Every form on every backend computes the same losses (or measure fails), and
// the table has a row of each.
func TestSmoke(t *testing.T) {
	ctx := context.Background()
	o := options{smoke: true, cores: 1, out: t.TempDir(), seconds: 1}
	all, closeAll, err := contenders(ctx, o)
	defer closeAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, p := range problems(o) {
		timed := all
		if p.kind == fastFit {
			if os.Getenv("SICA_LONG_TESTS") == "" {
				continue // whole fits
			}
			timed = slices.DeleteFunc(slices.Clone(all),
				func(c contender) bool { return onlyLosses(c, all) })
		}
		measured, err := measure(ctx, p, timed, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if slices.Contains(timed, c) || !c.supports(p) {
				continue
			}
			losses, _, err := c.prepare(ctx, p, p.arrays(), "")
			if err != nil {
				t.Fatal(err)
			}
			c.release()
			if err := equalLosses([]float64{measured[0].Loss}, losses[:1]); err != nil {
				t.Errorf("%s: %s: %v", p, label(c), err)
			}
		}
		if len(measured) == 0 && (p.runs == 1 || len(all) > 1) { // pure Go alone takes one run only
			t.Errorf("%s: no row", p)
		}
		for _, r := range measured {
			if !(r.Median > 0 && r.P10 <= r.Median && r.Median <= r.P90 && r.Loss > 0) {
				t.Errorf("%s: %+v", p, r)
			}
		}
		rows = append(rows, measured...)
	}
	if again := merge(slices.Clone(rows), rows[:1]); len(again) != len(rows) ||
		!reflect.DeepEqual(again[len(again)-1], rows[0]) {
		t.Errorf("a row measured again makes %d rows of %d", len(again), len(rows))
	}
	file := filepath.Join(o.out, "rows.json")
	if err := writeRows(file, rows); err != nil {
		t.Fatal(err)
	}
	read, err := readRows(file)
	if err != nil || len(read) != len(rows) {
		t.Errorf("read %d rows of %d: %v", len(read), len(rows), err)
	}
	var table strings.Builder
	if err := writeTable(&table, rows); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(table.String(), "\n"); got != len(rows)+2 {
		t.Errorf("a table of %d lines for %d rows:\n%s", got, len(rows), &table)
	}
	if err := report(o.out, rows); err != nil {
		t.Error(err)
	}
}

// onlyLosses reports whether c is on pure Go, which would take half a minute for a whole fit, and
// there are others to time.
func onlyLosses(c contender, all []contender) bool {
	_, name := c.name()
	return name == backend.Go && len(all) > 1
}

// The rows of a peer have the backend that it names; a peer that names none is an error.
func TestPeerNamesItsBackend(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the peers here are shell scripts")
	}
	for answer, want := range map[string]string{
		`{"ok": true, "impls": ["jax_jit"], "backend": "gpu"}`: "jax_jit (gpu)",
		`{"ok": true, "impls": ["jax_jit"]}`:                   "",
	} {
		script := filepath.Join(t.TempDir(), "peer.sh")
		text := "while read -r line; do echo '" + answer + "'; done\n"
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, closeAll, err := contenders(t.Context(), options{peers: []string{"sh " + script}})
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: no error", answer)
		case want != "" && (err != nil || label(all[len(all)-1]) != want):
			t.Errorf("%s: error %v; must be shown as %s", answer, err, want)
		}
		closeAll()
	}
}

// Other losses than those of the first contender are an error.
func TestEqualLosses(t *testing.T) {
	want := []float64{2, 1.5}
	for _, got := range [][]float64{{2}, {2, 1.5001}, {math.NaN(), 1.5}} {
		if equalLosses(want, got) == nil {
			t.Errorf("%v passes for %v", got, want)
		}
	}
	if err := equalLosses(want, []float64{2.00001, 1.5}); err != nil {
		t.Error(err)
	}
}

// The counts of a training step at the paper's size, by hand: 100 samples of
// 1024 positions, 3 taps of 16 to 16 channels and 2 outputs of 16 channels, each
// three times; 1024 positions of 3 taps of 2 to 16 channels and of 3 taps of 16
// to 16 for 2 outputs, each three times; 10 passes over 16 channels.
func TestRequirementsCountedByHand(t *testing.T) {
	need, ok := problem{kind: rfTrainStep, d: 2, runs: 1, shape: []int{1024}}.requirements()
	gflop := 2 * 3 * (100*1024*(768+32) + 1024*(96+1536)) / 1e9
	gb := 4 * 10 * 100 * 1024 * 16 / 1e9
	if !ok || math.Abs(need.gflop-gflop) > 1e-12 || math.Abs(need.gb-gb) > 1e-12 {
		t.Errorf("%+v, want %g and %g", need, gflop, gb)
	}
}

func TestCommandErrors(t *testing.T) {
	for _, args := range [][]string{{"--smoke", "--peer", "", "--out", t.TempDir()}, {"extra"}} {
		cmd := command()
		cmd.SetArgs(args)
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		if err := cmd.Execute(); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
