package fastica_test

import (
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	"gonum.org/v1/gonum/mat"
)

// mixed is d signals at n positions, mixed by a. Every other source is uniform;
// the rest are fifth powers of that, which have heavier tails than a Gaussian.
func mixed(d, n int) (x, a *mat.Dense) {
	_, a, x = baselinetest.Problem(d, n, baselinetest.Odd)
	return x, a
}

var start = baselinetest.Start
