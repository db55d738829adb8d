package preprocess

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Whitened returns the symmetric whitening of x. With the singular value
// decomposition x − mean = U·S·Vᵀ it is √T·U·Vᵀ. It costs O(T·d²).
func Whitened(x *mat.Dense) (*mat.Dense, error) {
	z, _, err := whitening(x)
	return z, err
}

// whitening is Whitened with the decomposition that it is made from.
func whitening(x *mat.Dense) (*mat.Dense, *decomposition, error) {
	p, err := principal(x)
	if err != nil {
		return nil, nil, err
	}
	_, n := x.Dims()
	var z mat.Dense
	z.Mul(p.axes, p.scores.T())
	z.Scale(math.Sqrt(float64(n)), &z)
	return &z, p, nil
}

// A decomposition of centred signals is centred = axes·S·scoresᵀ, S diagonal
// and decreasing.
type decomposition struct {
	means   []float64
	centred *mat.Dense // d×T
	axes    *mat.Dense // d×d, the principal axes as orthonormal columns
	values  []float64  // of S
	scores  *mat.Dense // T×d, with orthonormal columns
}

// principal returns the principal axes of x, or an error if the signals are
// linearly dependent.
func principal(x *mat.Dense) (*decomposition, error) {
	d, n := x.Dims()
	if n <= d {
		return nil, fmt.Errorf("%d positions can't tell %d signals apart; at least %d are needed", n, d, d+1)
	}
	means := make([]float64, d)
	for i := range means {
		means[i] = stat.Mean(x.RawRowView(i), nil)
	}
	centred := signal.Added(x, means, -1)

	// The signals are wide, and LAPACK's decomposition of a tall matrix begins
	// with a QR decomposition that leaves only a d×d problem.
	var svd mat.SVD
	if !svd.Factorize(centred.T(), mat.SVDThin) {
		return nil, errors.New("the singular value decomposition did not converge; standardise the signals first")
	}
	s := svd.Values(nil)

	if err := signal.CheckRank(s, means, n); err != nil {
		return nil, err
	}
	var scores, axes mat.Dense
	svd.UTo(&scores)
	svd.VTo(&axes)
	return &decomposition{means: means, centred: centred, axes: &axes, values: s, scores: &scores}, nil
}
