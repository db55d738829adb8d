package main

import (
	"runtime"
	"strings"
	"testing"
)

// --version says what a report of a bug needs: the module's version, Go's, GoMLX's and the backends.
func TestVersion(t *testing.T) {
	out := must(t, "--version")
	for _, want := range []string{"sica ", runtime.Version(), "\nGoMLX ", "\nbackends: "} {
		if !strings.Contains(out, want) {
			t.Errorf("printed %q, want %q in it", out, want)
		}
	}
	if !strings.HasSuffix(out, "go\n") { // which every build has
		t.Errorf("printed %q, want the backend go last", out)
	}
}
