package linear

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/joint"
)

// A start is a demixing to begin with. They only have to lie in the right basin:
// each knows one way in which sources differ.
type start struct {
	name string
	b    *mat.Dense
	nats float64 // description length, a position
}

// sobiLags are those whose covariances the start from spectra makes diagonal: the
// nearest, and some that reach further. (A. Belouchrani, K. Abed-Meraim, J.-F.
// Cardoso, E. Moulines, IEEE Trans. Signal Processing 45(2), 1997.)
var sobiLags = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 24, 32, 48, 64, 100}

const (
	fasticaIterations = 100
	mostPredictors    = 512 // of the prediction from all signals' pasts
)

// starts returns those for the signals z of s.
func (s *separator) starts(ctx context.Context, seed uint64) ([]start, error) {
	all := []start{{name: "whitening", b: rotation.Identity(s.d)}}
	if s.d == 1 {
		return all, nil
	}
	add := func(name string, b *mat.Dense, err error) error {
		if err == nil && b != nil {
			all = append(all, start{name: name, b: b})
		}
		return err
	}
	if len(s.past.Lags) > 0 {
		b, err := s.spectra(ctx)
		if err := add("spectra", b, err); err != nil {
			return nil, err
		}
	}
	b, err := nonGaussian(ctx, s.z, seed)
	if err := add("FastICA", b, err); err != nil {
		return nil, err
	}
	innovations := s.innovations()
	if innovations != s.z {
		b, err := nonGaussian(ctx, innovations, seed)
		if err := add("FastICA of innovations", b, err); err != nil {
			return nil, err
		}
	}
	b, err = joint.VariancesDiagonal(ctx, innovations)
	if err := add("variances", b, err); err != nil {
		return nil, err
	}
	return all, nil
}

// spectra makes covariances with the past diagonal.
func (s *separator) spectra(ctx context.Context) (*mat.Dense, error) {
	_, positions := s.z.Dims()
	lags := sobiLags
	if !s.past.Sequence() {
		lags = s.past.Lags
	}
	var all []*mat.SymDense
	for _, lag := range lags {
		if lag < positions/4 {
			all = append(all, joint.Covariance(s.z, 0, lag, positions-lag))
		}
	}
	return joint.Diagonalise(ctx, all)
}

// nonGaussian is FastICA's demixing of z, nil if it finds none.
func nonGaussian(ctx context.Context, z *mat.Dense, seed uint64) (*mat.Dense, error) {
	cfg := fastica.Default()
	cfg.MaxIterations = fasticaIterations
	cfg.Seed = seed
	m, err := ica.Separate(ctx, cfg, z)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("the start from FastICA: %w", err)
		}
		return nil, nil // a start less
	}
	unmixing, _, _ := m.Matrix()
	return unmixing, nil
}

// innovations are what the past of all signals together doesn't tell about z, at
// the scored positions; z itself if there is no past.
func (s *separator) innovations() *mat.Dense {
	_, positions := s.z.Dims()
	order := min(len(s.past.Lags), positions/(positionsPerWeight*s.d), mostPredictors/s.d)
	if len(s.past.Lags) > 0 {
		order = max(order, 1)
	}
	if order == 0 {
		return s.z
	}
	size := order * s.d
	gram, cross := mat.NewSymDense(size, nil), mat.NewDense(size, s.d, nil)
	for k := range order {
		copyBlock(cross, k*s.d, 0, s.moments.Between(0, k+1).T())
		for l := k; l < order; l++ {
			c := s.moments.Between(k+1, l+1)
			for i := range s.d {
				for j := range s.d {
					if k*s.d+i <= l*s.d+j {
						gram.SetSym(k*s.d+i, l*s.d+j, c.At(i, j))
					}
				}
			}
		}
	}
	weights := ar.Solve(gram, cross, ar.MomentRidge) // [order·d, d]; z has variance 1
	if weights == nil {
		return s.z
	}
	r := mat.NewDense(s.d, s.past.N, nil)
	at := 0
	for _, run := range s.past.Runs {
		block := blas64.General{Rows: s.d, Cols: run.End - run.First, Stride: s.past.N, Data: r.RawMatrix().Data[at:]}
		before := s.z.RawMatrix()
		before.Cols = block.Cols
		for i := range s.d {
			copy(block.Data[i*block.Stride:][:block.Cols], s.z.RawRowView(i)[run.First:])
		}
		for k := range order {
			w := weights.RawMatrix()
			w.Rows, w.Data = s.d, w.Data[k*s.d*w.Stride:]
			before.Data = s.z.RawMatrix().Data[run.First-s.past.Lags[k]:]
			blas64.Gemm(blas.Trans, blas.NoTrans, -1, w, before, 1, block)
		}
		at += block.Cols
	}
	return r
}

func copyBlock(to *mat.Dense, i, j int, from mat.Matrix) {
	r, c := from.Dims()
	to.Slice(i, i+r, j, j+c).(*mat.Dense).Copy(from)
}
