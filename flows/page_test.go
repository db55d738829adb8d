package flows_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fragmentHead is what a fragment of the page needs to be a program: the imports of the page's
// program that it uses.
const fragmentHead = `package main

import (
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/fnn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	sicalayers "github.com/seed-47b1e431/gosica/layers"
)

func main() { _, _ = logits, trainDensity }

`

// The programs of docs/how-to/gomlx.md compile.
func TestPageCompiles(t *testing.T) {
	page, err := os.ReadFile("../docs/how-to/gomlx.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, block := range strings.Split(string(page), "```go\n")[1:] {
		code, _, _ := strings.Cut(block, "\n```")
		programs++
		if !strings.HasPrefix(code, "package") {
			code = fragmentHead + code
		}
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		// The program is as if it lay in this module.
		overlay, err := json.Marshal(map[string]map[string]string{
			"Replace": {filepath.Join(root, "page", "main.go"): file},
		})
		if err != nil {
			t.Fatal(err)
		}
		list := filepath.Join(t.TempDir(), "overlay.json")
		if err := os.WriteFile(list, overlay, 0o600); err != nil {
			t.Fatal(err)
		}
		// Of two packages nothing is linked.
		build := exec.CommandContext(t.Context(), "go", "build", "-overlay", list, "./page", "./flows")
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("program %d: %v\n%s", programs, err, out)
		}
	}
	if programs != 2 {
		t.Errorf("%d programs, want 2", programs)
	}
}
