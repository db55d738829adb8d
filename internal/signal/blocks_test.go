package signal

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestSpreadBlocks(t *testing.T) {
	const n, blocks, length = 100_000, 4, 8192
	x := mat.NewDense(1, n, nil)
	for k := range n {
		x.Set(0, k, float64(k))
	}
	y := SpreadBlocks(x, blocks, length)
	_, positions := y.Dims()
	if positions != blocks*length || y.At(0, 0) != 0 || y.At(0, positions-1) != n-1 {
		t.Errorf("%d positions from %g to %g", positions, y.At(0, 0), y.At(0, positions-1))
	}
	seams := 0
	for k := 1; k < positions; k++ {
		if y.At(0, k) != y.At(0, k-1)+1 {
			seams++
		}
	}
	if seams != blocks-1 {
		t.Errorf("%d seams, want %d", seams, blocks-1)
	}
	if short := mat.NewDense(1, 500, nil); SpreadBlocks(short, blocks, length) != short {
		t.Error("a short one was cut")
	}
}
