package baselinetest

import (
	"context"
	"errors"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// keepsDeadlines checks that a fit whose context ends during any of its compilations doesn't wait
// for it, and that the next fit on the backend, while the abandoned one ends, gives the same result
// as alone. method returns the method for a backend.
func keepsDeadlines(t *testing.T, x *mat.Dense, method func(b compute.Backend) ica.Method) {
	t.Helper()
	counting := backendtest.Count(backendtest.Open(t, backend.Go), nil)
	want, err := ica.Separate(t.Context(), method(counting), x)
	if err != nil {
		t.Fatal(err)
	}
	if counting.Compilations() == 0 {
		t.Fatal("the fit compiled nothing")
	}
	for hanging := range counting.Compilations() {
		slow := backendtest.Count(backendtest.Open(t, backend.Go), nil)
		compiling, goOn := make(chan struct{}), make(chan struct{})
		slow.OnCompile(func(n int64) {
			if n == hanging+1 {
				close(compiling)
				<-goOn
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-compiling
			cancel()
		}()
		// This hangs if the fit waits for the compilation.
		if _, err := ica.Separate(ctx, method(slow), x); !errors.Is(err, context.Canceled) {
			t.Fatalf("compilation %d: error %v, want that of the context", hanging+1, err)
		}
		close(goOn)
		got, err := ica.Separate(t.Context(), method(slow), x)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(got.Signals, want.Signals) {
			t.Errorf("compilation %d: the next fit is another than the one alone", hanging+1)
		}
	}
}
