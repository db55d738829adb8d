package signal

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// CheckMixed returns an error unless x can be separated: it must pass Check and have more positions
// than signals.
func CheckMixed(x *mat.Dense) error {
	if err := Check("x", x); err != nil {
		return err
	}
	if d, n := x.Dims(); n <= d {
		return fmt.Errorf("x: has %d signals at %d positions; must have at least %d positions%s",
			d, n, d+1, Transposed("x", d > n))
	}
	return nil
}

// Lower returns the factor L of x = L·Q, where the rows of Q, d×n, are orthonormal. L is lower
// triangular, d×d. It has the singular values of x and their left singular vectors, and zeros if
// there are fewer positions than signals. Lower overwrites x.
func Lower(x *mat.Dense) *mat.Dense {
	d, n := x.Dims()
	tau, best := make([]float64, min(d, n)), make([]float64, 1)
	lapack64.Gelqf(x.RawMatrix(), tau, best, -1)
	work := make([]float64, int(best[0]))
	lapack64.Gelqf(x.RawMatrix(), tau, work, len(work))
	l := mat.NewDense(d, d, nil)
	for i := range d {
		copy(l.RawRowView(i)[:min(i+1, n)], x.RawRowView(i))
	}
	return l
}

// CheckRank returns an error if signals at n positions are linearly dependent to the precision of
// float64: if the smallest of the singular values of the centred signals, largest first, is no more
// than the rounding of the signals with the given means, or of the decomposition, which grows as
// √n.
func CheckRank(values, means []float64, n int) error {
	d, root := len(values), math.Sqrt(float64(n))
	rounding := 0x1p-52 * max(max(4, root)*values[0], 4*floats.Norm(means, math.Inf(1))*root)
	if smallest := values[d-1]; !(smallest > rounding) {
		return fmt.Errorf("the %d signals are linearly dependent to float64's precision "+
			"(their smallest singular value is %.1e of the largest): leave out a signal that "+
			"others determine, or standardise first if their scales or offsets differ much",
			d, smallest/values[0])
	}
	return nil
}
