package sobi

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// blockWidth is how many positions are worked on at a time, so that for all lags
// they are read from a fast cache: of ten signals 160 KiB.
const blockWidth = 2048

// lagged returns the covariances of the centred signals z, d×T, at each lag τ,
//
//	1/(T−τ)·Σ z(t)·z(t+τ)ᵀ,
//
// or rather the mean of that matrix and its transpose, which for independent
// sources are the same but for chance.
func lagged(ctx context.Context, z *mat.Dense, lags []int) ([]*mat.SymDense, error) {
	d, n := z.Dims()
	sums := make([]*mat.Dense, len(lags))
	for k := range sums {
		sums[k] = mat.NewDense(d, d, nil)
	}
	var product mat.Dense
	for first := 0; first < n; first += blockWidth {
		for k, lag := range lags {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			end := min(first+blockWidth, n-lag)
			if end <= first {
				continue
			}
			product.Mul(z.Slice(0, d, first, end), z.Slice(0, d, first+lag, end+lag).T())
			sums[k].Add(sums[k], &product)
		}
	}
	covariances := make([]*mat.SymDense, len(lags))
	for k, lag := range lags {
		covariances[k] = mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				covariances[k].SetSym(i, j, (sums[k].At(i, j)+sums[k].At(j, i))/2/float64(n-lag))
			}
		}
	}
	return covariances, nil
}
