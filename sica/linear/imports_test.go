package linear_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A program that imports package linear alone gets gonum's matrices with it: no GoMLX, plots, fonts,
// command lines or reader of recordings.
func TestImports(t *testing.T) {
	allowed := []string{
		"gonum.org/v1/gonum/",
		"github.com/seed-47b1e431/gosica/",
	}
	const format = "{{if not .Standard}}{{.ImportPath}}{{end}}"
	list, err := exec.Command("go", "list", "-deps", "-f", format, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(list))
	if len(names) < 10 {
		t.Fatalf("go list names %q: want more", names)
	}
	for _, name := range names {
		known := false
		for _, prefix := range allowed {
			known = known || strings.HasPrefix(name, prefix)
		}
		if !known {
			t.Errorf("linear imports %s, want none but %q", name, allowed)
		}
	}
}
