package linear

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Smooth signals jump where stretches of a long recording are joined, all at once. With the joints known
// they are as independent as those of one stretch.
func TestJoints(t *testing.T) {
	const n, length = 200_000, 2048
	s := mat.NewDense(3, n, nil)
	for i, hz := range []float64{0.004, 0.007, 0.013} { // per position
		r, c := 0.999, 2*math.Cos(2*math.Pi*hz)
		row := laplaceAR(uint64(i), n, 0).RawRowView(0) // innovations
		for k := 2; k < n; k++ {
			row[k] += r*c*row[k-1] - r*r*row[k-2]
		}
		s.SetRow(i, row)
	}
	var x mat.Dense
	x.Mul(mat.NewDense(3, 3, []float64{1, 0.6, -0.3, 0.4, 1, 0.5, -0.2, 0.7, 1}), s)
	part := signal.SpreadBlocks(&x, 8, length)
	var joints []int
	for b := 1; b < 8; b++ {
		joints = append(joints, b*length)
	}
	for _, known := range []bool{false, true} {
		signals, err := ica.New(part)
		if err != nil {
			t.Fatal(err)
		}
		if known {
			if signals, err = signals.WithJoints(joints); err != nil {
				t.Fatal(err)
			}
		}
		sol, err := Separate(t.Context(), signals, Config{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if identified := len(sol.Groups) == 3; identified != known {
			t.Errorf("joints are known: %v: independence %.2g, %s", known, sol.Independence, sol.Why)
		}
	}
}
