package main

import (
	"bytes"
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// An interrupted command leaves no goroutine behind.
func TestInterruptedCommandsEnd(t *testing.T) {
	dir := generate(t)
	mixed, out := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "out")
	for _, test := range []struct {
		at   string // what the command has printed then
		args []string
	}{
		{"iteration 1/",
			[]string{"separate", "--in", mixed, "--out", out + ".csv", "--iterations", "2",
				"--backend", "go"}},
		{"\n", []string{"demo", "--out", out, "--backend", "go"}},
	} {
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(t.Context())
		var stderr bytes.Buffer
		if code := run(ctx, test.args, &cancelling{cancel: cancel, at: test.at},
			&stderr); code != exitInterrupted {
			t.Errorf("%s: exit %d, %q", test.args[0], code, stderr.String())
		}
		cancel()
		for deadline := time.Now().Add(5 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d goroutines before, %d after", test.args[0], before,
					runtime.NumGoroutine())
			}
		}
	}
}
