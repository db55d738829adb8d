package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// packages are those that pieces of programs on the pages may use, by name.
var packages = map[string]string{
	"stat": "gonum.org/v1/gonum/stat", "zca": ours + "sica/baseline/zca",
	"context": "context", "errors": "errors", "fmt": "fmt", "log": "log", "math": "math",
	"rand": "math/rand/v2", "os": "os", "slices": "slices", "strings": "strings", "time": "time",

	"mat": "gonum.org/v1/gonum/mat", "compute": "github.com/gomlx/compute",
	"dtypes": "github.com/gomlx/compute/dtypes", "shapes": "github.com/gomlx/compute/shapes",
	"graph":      "github.com/gomlx/gomlx/core/graph",
	"tensors":    "github.com/gomlx/gomlx/core/tensors",
	"activation": "github.com/gomlx/gomlx/ml/layers/activation",
	"fnn":        "github.com/gomlx/gomlx/ml/layers/fnn", "model": "github.com/gomlx/gomlx/ml/model",
	"optimizer":  "github.com/gomlx/gomlx/ml/train/optimizer",
	"train":      "github.com/gomlx/gomlx/ml/train",
	"checkpoint": "github.com/gomlx/gomlx/ml/model/checkpoint",

	"backend": ours + "backend", "datasets": ours + "datasets", "edf": ours + "datasets/internal/edf",
	"flows": ours + "flows", "layers": ours + "layers", "sicalayers": ours + "layers",
	"notebook": ours + "laboratory/notebook",
	"sica":     ours + "sica", "blockwise": ours + "sica/blockwise", "dependence": ours + "sica/dependence",
	"experiment": ours + "laboratory/experiment", "fastica": ours + "sica/baseline/fastica",
	"sobi": ours + "sica/baseline/sobi", "ica": ours + "sica/ica", "inspect": ours + "sica/inspect",
	"klflow": ours + "sica/klflow", "linear": ours + "sica/linear", "methods": ours + "sica/methods", "metric": ours + "sica/metric", "network": ours + "sica/internal/network",
	"plot": ours + "sica/plot", "preprocess": ours + "sica/preprocess", "report": ours + "sica/report",
	"html": ours + "sica/report/html",
}

const ours = "github.com/seed-47b1e431/gosica/"

// known are what pieces of programs take as given.
const known = `
var (
	ctx            context.Context
	b              compute.Backend
	store          *model.Store
	batches        []*tensors.Tensor
	inputs         [][]float32
	exec           *model.Exec
	x, more        *mat.Dense
	sources        *mat.Dense
	result         *sica.Result
	logs           preprocess.Fitter
	trained        func(*model.Scope, *graph.Node) *graph.Node
)

func check(error) {}

type logarithms struct{}

func (*logarithms) Apply(x *mat.Dense) (*mat.Dense, error) { return x, nil }
`

var (
	topLevel  = regexp.MustCompile(`(?m)^(func|type) `)
	declares  = regexp.MustCompile(`(?m)^(\w+(?:, \w+)*) :=`)
	qualified = regexp.MustCompile(`\b([a-z]+)\.[A-Z]`)
	dotted    = regexp.MustCompile(`\*Node\b|(?m:^|[^.\w])(?:Mul|InsertAxes|ReduceAllMean)\(`)
)

// Programs on the pages, and fragments of them, compile. A fragment may use the variables of known;
// it declares all others.
func TestProgramsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	// In the module, so that imports are found. For its dot it is neither in ./... nor in the module's
	// zip, whose size another test measures at the same time.
	folder, err := os.MkdirTemp(".", ".programs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	var names []string
	add := func(name, program string) {
		dir := filepath.Join(folder, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, "./"+filepath.ToSlash(dir))
	}
	for _, page := range pages(t) {
		name := strings.ReplaceAll(strings.TrimSuffix(page, ".md"), "/", "_")
		for i, block := range blocks(read(t, filepath.Join(root, page)), "go") {
			if !strings.HasPrefix(block, "package ") {
				block = program(block)
			}
			add(fmt.Sprintf("%s_%d", name, i+1), block)
		}
	}
	cmd := exec.Command("go", append([]string{"vet"}, names...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// program returns a program that has a piece of one.
func program(piece string) string {
	var body strings.Builder
	if topLevel.MatchString(piece) {
		body.WriteString(piece + "\nfunc main() {}\n")
	} else {
		body.WriteString("func main() {\n\tvar err error\n\t_ = err\n\t{\n" + piece)
		for _, found := range declares.FindAllStringSubmatch(piece, -1) {
			for name := range strings.SplitSeq(found[1], ",") {
				if name = strings.TrimSpace(name); name != "_" {
					fmt.Fprintf(&body, "\t_ = %s\n", name)
				}
			}
		}
		body.WriteString("\t}\n}\n")
	}
	body.WriteString(known)
	var imports []string
	for _, found := range qualified.FindAllStringSubmatch(body.String(), -1) {
		if path, ok := packages[found[1]]; ok {
			imports = append(imports, fmt.Sprintf("%s %q", found[1], path))
		}
	}
	if dotted.MatchString(piece) {
		imports = append(imports, `. "github.com/gomlx/gomlx/core/graph"`)
	}
	slices.Sort(imports)
	return "package main\n\nimport (\n\t" + strings.Join(slices.Compact(imports), "\n\t") + "\n)\n\n" +
		body.String()
}
