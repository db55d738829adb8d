package ar

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// JointResiduals returns the errors, d×(n − order), of predicting each of the centred signals z,
// d×n, from the last order values of all; the first is at position order. The order is the one of
// orders with the shortest Gaussian code, n/2·log|Σ| + d²·order/2·log n (G. Schwarz, Annals of
// Statistics 6(2), 1978). The ridge, MomentRidge, is meant for variances of about 1.
//
// The residuals are nil and the order is 0 if there is no unique solution, or if there are fewer
// positions than twice the number of values in the longest past.
//
// Any linear mixture of linear processes, with noise and more sources than signals, has such a
// prediction (H. Wold, A Study in the Analysis of Stationary Time Series, 1938).
func JointResiduals(z *mat.Dense, orders []int) (residuals *mat.Dense, order int) {
	d, n := z.Dims()
	longest := slices.Max(orders)
	if n-longest < 2*d*longest {
		return nil, 0
	}
	products := lagProducts(z, longest)
	count, shortest := float64(n-longest), math.Inf(1)
	var weights *mat.Dense
	for _, p := range orders {
		size := d * p
		gram := mat.NewSymDense(size, nil)
		gram.CopySym(products.SliceSym(d, d+size))
		cross := mat.DenseCopyOf(products).Slice(d, d+size, 0, d)
		w := Solve(gram, cross, MomentRidge*count)
		if w == nil {
			continue
		}
		var covariance mat.Dense
		covariance.Mul(w.T(), cross)
		covariance.Sub(products.SliceSym(0, d), &covariance)
		covariance.Scale(1/count, &covariance)
		logDet, sign := mat.LogDet(&covariance)
		length := count/2*logDet + float64(d*size)/2*math.Log(count)
		if sign > 0 && length < shortest {
			weights, order, shortest = w, p, length
		}
	}
	if weights == nil {
		return nil, 0
	}
	residuals = mat.DenseCopyOf(z.Slice(0, d, order, n))
	for k := range order {
		var part mat.Dense
		part.Mul(weights.Slice(k*d, (k+1)*d, 0, d).T(), z.Slice(0, d, order-1-k, n-1-k))
		residuals.Sub(residuals, &part)
	}
	return residuals, order
}

// lagProducts returns Σ u_t·u_tᵀ over the positions t ≥ lags, where u_t stacks z_t, z_{t−1}, …,
// z_{t−lags}.
func lagProducts(z *mat.Dense, lags int) *mat.SymDense {
	d, n := z.Dims()
	rows := mat.NewDense(d*(lags+1), n-lags, nil)
	for k := range lags + 1 {
		rows.Slice(k*d, (k+1)*d, 0, n-lags).(*mat.Dense).Copy(z.Slice(0, d, lags-k, n-k))
	}
	products := new(mat.SymDense)
	products.SymOuterK(1, rows)
	return products
}

// JointPrediction returns the weights, [order·d, d], that predict d signals from their nearest past
// values, by moments over n positions. gram has the moments of the past values with each other, the
// d nearest first, then the next d, and so on; cross has the moments of the past with the signals,
// and power, d×d, the moments of the signals. The order has the smallest n/2·log|Σ| + order·d² (H.
// Akaike, IEEE Trans. Automatic Control 19(6), 1974), where Σ is the covariance of the errors. The
// weights are nil if the order is 0 or there is no unique solution. JointPrediction adds the ridge,
// MomentRidge, to gram; it is meant for variances of about 1.
//
// One factorisation, gram = L·Lᵀ, gives the errors of all orders: the k-th d rows of P = L⁻¹·cross
// reduce their covariance by P_kᵀ·P_k.
func JointPrediction(gram *mat.SymDense, cross, power *mat.Dense, n int) *mat.Dense {
	size, d := cross.Dims()
	for i := range size {
		gram.SetSym(i, i, gram.At(i, i)+MomentRidge)
	}
	var factor mat.Cholesky
	if !factor.Factorize(gram) {
		return nil
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	projected := mat.DenseCopyOf(cross)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, lower.RawTriangular(), projected.RawMatrix())
	covariance := mat.DenseCopyOf(power)
	order, shortest := 0, math.Inf(1)
	for k := 0; ; k++ {
		logDet, sign := mat.LogDet(covariance)
		if sign <= 0 {
			break
		}
		if length := float64(n)/2*logDet + float64(k*d*d); length < shortest {
			order, shortest = k, length
		}
		if (k+1)*d > size {
			break
		}
		var reduction mat.Dense
		rows := projected.Slice(k*d, (k+1)*d, 0, d)
		reduction.Mul(rows.T(), rows)
		covariance.Sub(covariance, &reduction)
	}
	if order == 0 {
		return nil
	}
	weights := mat.DenseCopyOf(projected.Slice(0, order*d, 0, d))
	blas64.Trsm(blas.Left, blas.Trans, 1,
		lower.SliceTri(0, order*d).(*mat.TriDense).RawTriangular(), weights.RawMatrix())
	return weights
}
