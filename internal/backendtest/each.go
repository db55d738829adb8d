package backendtest

import (
	"testing"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/backend"
)

// Each runs a test on every backend that opens here, in a subtest with the backend's name.
func Each(t *testing.T, test func(t *testing.T, b compute.Backend)) {
	t.Helper()
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) { test(t, Open(t, name)) })
	}
}

// Open opens the backend with the given name, or fails the test.
func Open(t testing.TB, name string) compute.Backend {
	t.Helper()
	b, err := backend.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
