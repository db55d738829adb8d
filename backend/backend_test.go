package backend

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func TestAvailableBackendsCompute(t *testing.T) {
	names := Available()
	if names[len(names)-1] != Go {
		t.Fatalf("Available() = %q, which doesn't end with %q", names, Go)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			b, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			double, err := graph.NewExec(b, func(x *graph.Node) *graph.Node { return graph.Add(x, x) })
			if err != nil {
				t.Fatal(err)
			}
			got, err := double.Call([]float64{1, -2})
			if err != nil {
				t.Fatal(err)
			}
			if want := []float64{2, -4}; !slices.Equal(got[0].Value().([]float64), want) {
				t.Errorf("x + x = %v, want %v", got[0].Value(), want)
			}
			if NameOf(b) != name {
				t.Errorf("NameOf = %q, want %q", NameOf(b), name)
			}
		})
	}
}

func TestOpenIsProcessWide(t *testing.T) {
	for _, name := range Available() {
		first, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		second, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if first != second {
			t.Errorf("Open(%q) gave two backends", name)
		}
	}
}

func TestOpenReplacesFinalized(t *testing.T) {
	first, err := Open(Go)
	if err != nil {
		t.Fatal(err)
	}
	first.Finalize()
	second, err := Open(Go)
	if err != nil {
		t.Fatal(err)
	}
	if second.IsFinalized() {
		t.Error("Open gave a finalized backend")
	}
}

func TestAutoIsFastestAvailable(t *testing.T) {
	b, err := Open(Auto)
	if err != nil {
		t.Fatal(err)
	}
	if want := Available()[0]; NameOf(b) != want {
		t.Errorf("Open(%q) opened %q, want %q", Auto, NameOf(b), want)
	}
}

// A lazy backend has the same name before and after its first use.
func TestLazyBackendHasItsNameBeforeFirstUse(t *testing.T) {
	lazily, err := Open(Auto, Lazily)
	if err != nil {
		t.Fatal(err)
	}
	before := NameOf(lazily)
	capabilities := lazily.Capabilities() // opens it
	b, err := Open(Auto)
	if err != nil {
		t.Fatal(err)
	}
	if want := NameOf(b); before != want || NameOf(lazily) != want {
		t.Errorf("%s, then %s; want %s", before, NameOf(lazily), want)
	}
	if PluginSHA256(lazily) != PluginSHA256(b) ||
		len(capabilities.Operations) != len(b.Capabilities().Operations) {
		t.Error("it isn't the backend that Auto opens")
	}
}

func TestOpenUnknown(t *testing.T) {
	for _, name := range []string{"", "xla", "xla:tpu", "GO"} {
		_, err := Open(name)
		if err == nil {
			t.Errorf("Open(%q) gave no error", name)
			continue
		}
		for _, valid := range Names() {
			if !strings.Contains(err.Error(), valid) {
				t.Errorf("Open(%q): %q doesn't name %q", name, err, valid)
			}
		}
	}
}

func TestOpenUnavailable(t *testing.T) {
	available := Available()
	for _, name := range Names() {
		if name == Auto || slices.Contains(available, name) {
			continue
		}
		_, err := Open(name)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Open(%q) = %v, want an error that names it", name, err)
		}
	}
}

// Independent matrix products of one graph, executed at once, waited for one another's cores,
// sometimes without end.
func TestGoDoesNotHang(t *testing.T) {
	b, err := Open(Go)
	if err != nil {
		t.Fatal(err)
	}
	exec, err := graph.NewExec1(b, func(x *graph.Node) *graph.Node {
		sum := x
		for k := range 8 {
			y := graph.AddScalar(x, k)
			sum = graph.Add(sum, graph.Einsum("ij,jk->ik", y, y))
		}
		return sum
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	done := make(chan error, 1)
	go func() {
		x := tensors.FromShape(shapes.Make(dtypes.Float32, 256, 256))
		for range 60 {
			if _, err := exec.Call(x); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Minute): // a second alone on a machine
		t.Fatal("60 calls hang")
	}
}

// Portable limits the instructions of XLA's compiler and of the kernels that it calls, and keeps
// other flags of the environment. It is an error after a backend was opened.
func TestPortableLimitsInstructions(t *testing.T) {
	t.Setenv("XLA_FLAGS", "--xla_dump_to=x")
	t.Setenv("ONEDNN_MAX_CPU_ISA", "")
	opened.Lock()
	defer opened.Unlock()
	before := opened.byName
	defer func() { opened.byName = before }()

	opened.byName = map[string]compute.Backend{CPU: nil}
	if err := portable(); err == nil || os.Getenv("ONEDNN_MAX_CPU_ISA") != "" {
		t.Errorf("after Open: %v, ONEDNN_MAX_CPU_ISA %q", err, os.Getenv("ONEDNN_MAX_CPU_ISA"))
	}
	opened.byName = nil
	for range 2 { // the second time there is nothing to do
		if err := portable(); err != nil {
			t.Error(err)
		}
		if flags := os.Getenv("XLA_FLAGS"); flags != "--xla_dump_to=x --xla_cpu_max_isa=AVX2" {
			t.Errorf("XLA_FLAGS is %q", flags)
		}
		if kernels := os.Getenv("ONEDNN_MAX_CPU_ISA"); kernels != "AVX2" {
			t.Errorf("ONEDNN_MAX_CPU_ISA is %q", kernels)
		}
	}
	opened.byName = map[string]compute.Backend{CPU: nil}
	if err := portable(); err != nil {
		t.Errorf("portable already: %v", err)
	}
}
