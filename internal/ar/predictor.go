package ar

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A Predictor finds the weights that predict a signal from its P past values with the shortest
// code. It allocates its memory once, and its methods overwrite it.
type Predictor struct {
	factor    []float64 // [P, P], lower triangular Cholesky factor of the past's moments
	projected []float64 // [P], moments of signal and past, solved by the factor
	distance  []float64 // [P], distance of each past value
}

// NewPredictor returns a predictor from past values at the given distances, in positions.
func NewPredictor(distance []float64) *Predictor {
	lags := len(distance)
	return &Predictor{make([]float64, lags*lags), make([]float64, lags), distance}
}

// Fit returns the weights of the prediction from the first order past values; nil if the signal is
// 0 or the moments are singular. A negative order means the order with the shortest code,
// n/2·log(variance) + order/2·log n. q, [P+1, P+1], has the moments of the signal and its past over
// n positions.
func (p *Predictor) Fit(q []float64, n, order int) []float64 {
	lags := len(p.projected)
	size := lags + 1
	power := q[0]
	if lags == 0 || order == 0 || power <= 0 {
		return nil
	}
	for k := range lags {
		copy(p.factor[k*lags:][:k+1], q[(k+1)*size+1:])
		p.factor[k*lags+k] += MomentRidge * power
		p.projected[k] = q[(k+1)*size]
	}
	_, ok := lapack64.Potrf(blas64.Symmetric{N: lags, Stride: lags, Data: p.factor, Uplo: blas.Lower})
	if !ok {
		return nil
	}
	p.solve(blas.NoTrans, lags)
	if order < 0 {
		order = p.order(power, n)
	}
	p.solve(blas.Trans, order)
	return append([]float64(nil), p.projected[:order]...)
}

// order returns the order of the shortest code. One factorisation gives the prediction errors of
// all orders: the k-th value reduces their variance by projected[k]².
func (p *Predictor) order(power float64, n int) (order int) {
	variance, shortest := power, math.Inf(1)
	for k := 0; ; k++ {
		length := float64(n)/2*math.Log(variance) + float64(k)/2*math.Log(float64(n))
		if length < shortest {
			order, shortest = k, length
		}
		if k == len(p.projected) {
			return order
		}
		variance = max(variance-p.projected[k]*p.projected[k], MomentRidge*power)
	}
}

// solve solves the triangular system of the first order rows for projected, in place.
func (p *Predictor) solve(trans blas.Transpose, order int) {
	if order == 0 {
		return
	}
	blas64.Trsv(trans,
		blas64.Triangular{
			N: order, Stride: len(p.projected), Data: p.factor, Uplo: blas.Lower, Diag: blas.NonUnit,
		},
		blas64.Vector{N: order, Inc: 1, Data: p.projected})
}

// Cost returns the code length of the weights in nats, for n positions of a signal with the moments
// q and innovations of the given power. It is the shorter of log(n)/2 for each weight, and the
// Occam factor of a Gaussian prior with a standard deviation of 1/distance for each weight (R.
// Litterman, Journal of Business & Economic Statistics 4(1), 1986). With the prior, the many
// weights of a smooth signal, which the data hardly determine, cost little.
func (p *Predictor) Cost(q, weights []float64, power float64, n int) float64 {
	order := len(weights)
	if order == 0 {
		return 0
	}
	size := len(p.projected) + 1
	sum := 0.0
	for k, w := range weights {
		sum += w * w * p.distance[k] * p.distance[k] / 2
		for l := range k + 1 {
			scale := float64(n) / power * q[(k+1)*size+l+1]
			p.factor[k*order+l] = scale / (p.distance[k] * p.distance[l])
		}
		p.factor[k*order+k]++
	}
	_, ok := lapack64.Potrf(blas64.Symmetric{
		N: order, Stride: order, Data: p.factor[:order*order], Uplo: blas.Lower,
	})
	for k := range order {
		sum += math.Log(p.factor[k*order+k])
	}
	if half := float64(order) / 2 * math.Log(float64(n)); !ok || half < sum {
		return half
	}
	return sum
}

// ErrorPower returns the mean squared error of predicting a signal with the moments q, [size,
// size], by the weights.
func ErrorPower(q, weights []float64, size int) float64 {
	sum := q[0]
	for k, w := range weights {
		row := q[(k+1)*size:]
		sum -= 2 * w * row[0]
		for l, v := range weights {
			sum += w * v * row[l+1]
		}
	}
	return sum
}
