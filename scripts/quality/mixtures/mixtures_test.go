package mixtures_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/scripts/quality/mixtures"
)

// Every mixture has a name of its own, and gives sources and mixed signals of one
// size, the same for one seed and others for another.
func TestMixtures(t *testing.T) {
	seen := make(map[string]bool)
	for _, m := range mixtures.All() {
		if seen[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		seen[m.Name] = true
		sources, mixed, err := m.Draw(5)
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		_, again, err := m.Draw(5)
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		_, other, err := m.Draw(6)
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		d, n := sources.Dims()
		if dx, nx := mixed.X().Dims(); d != dx || n != nx {
			t.Errorf("%s: sources %d×%d, mixed signals %d×%d", m.Name, d, n, dx, nx)
		}
		if !mat.Equal(mixed.X(), again.X()) || mat.Equal(mixed.X(), other.X()) {
			t.Errorf("%s: the mixed signals aren't those of their seed", m.Name)
		}
	}
}
