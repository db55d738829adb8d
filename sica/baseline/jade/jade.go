// Package jade separates linearly mixed signals by their fourth-order cumulants: joint
// approximate diagonalisation of eigenmatrices. It ignores the order of the positions and has
// no random start.
//
// The names to know are Default and Config, which is an ica.Method:
//
//	model, err := ica.Separate(ctx, jade.Default(), x)
//
// The cross-cumulants of independent sources are 0, and the method rotates the whitened signals to
// approach this. Like the authors' program for real signals (1999), it uses all cumulant matrices.
// This is the same criterion as with all eigenmatrices, of which the first article uses the d
// largest to save work.
//
// References: J.-F. Cardoso and A. Souloumiac, "Blind beamforming for non-Gaussian signals",
// IEE Proceedings F 140(6), 362–370, 1993; J.-F. Cardoso, "High-order contrasts for
// independent component analysis", Neural Computation 11(1), 157–192, 1999.
package jade

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/rival"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Config holds the settings of JADE. It is an ica.Method. Begin with Default.
type Config struct {
	// Tolerance is an angle in radians: a sweep that rotates each pair of signals by less is the
	// last. 0 means 0.01/√n, a hundredth of the standard error of an angle.
	Tolerance float64

	// MaxSweeps is the maximum number of sweeps over all pairs of signals, at least 1.
	MaxSweeps int
}

// Default returns the tolerance of the authors' program and at most 100 sweeps.
func Default() Config { return Config{MaxSweeps: 100} }

// Name returns "jade".
func (Config) Name() string { return "jade" }

// Fit separates the mixed signals. It rotates the whitened signals so that their d(d+1)/2
// cumulant matrices are jointly as diagonal as possible. The recovered signals have variance
// 1. It takes O(d⁴·n) operations, O(d⁵) for each sweep, and 10·d⁴ bytes: it is for up to
// about fifty signals.
//
// It is an error if a setting is out of range, if x can't be whitened, or if ctx ends. The
// model is linear, and its iterations are sweeps.
func (c Config) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	return rival.Demix(ctx, c.Name(), rival.CheckSweeps(c.Tolerance, c.MaxSweeps), x, c.demix)
}

func (c Config) demix(ctx context.Context, white *mat.Dense) (*mat.Dense, ica.Convergence, error) {
	_, n := white.Dims()
	matrices, err := cumulants(ctx, white)
	if err != nil {
		return nil, ica.Convergence{}, err
	}
	return rival.Diagonalise(ctx, "JADE", matrices, n, c.Tolerance, c.MaxSweeps)
}

// cumulants returns the cumulant matrices of the white signals z, d×n, one for each pair of
// signals k ≥ l, with the entries
//
//	cum(zᵢ, zⱼ, zₖ, zₗ) = mean zᵢzⱼzₖzₗ − δᵢⱼδₖₗ − δᵢₖδⱼₗ − δᵢₗδⱼₖ,
//
// times √2 if k > l, since the matrix also represents the pair (l, k).
func cumulants(ctx context.Context, z *mat.Dense) ([]*mat.SymDense, error) {
	d, _ := z.Dims()
	moments, err := fourthMoments(ctx, z)
	if err != nil {
		return nil, err
	}
	matrices := make([]*mat.SymDense, 0, pairCount(d))
	for k := range d {
		for l := range k + 1 {
			q := mat.NewSymDense(d, nil)
			scale := math.Sqrt2
			if k == l {
				scale = 1
			}
			for i := range d {
				for j := range i + 1 {
					gaussian := delta(i, j)*delta(k, l) + delta(i, k)*delta(j, l) +
						delta(i, l)*delta(j, k)
					q.SetSym(i, j, scale*(moments.At(pairIndex(i, j), pairIndex(k, l))-gaussian))
				}
			}
			matrices = append(matrices, q)
		}
	}
	return matrices, nil
}

// delta returns Kronecker's δᵢⱼ.
func delta(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// pairCount returns the number of pairs i ≥ j of d signals, and pairIndex the index of a pair among
// these.
func pairCount(d int) int    { return d * (d + 1) / 2 }
func pairIndex(i, j int) int { return pairCount(i) + j }

// blockWidth is the number of positions that are processed at a time, so that the products of
// all pairs stay in a fast cache: 55 KiB for ten signals. Twice or half of it makes no
// difference to the result.
const blockWidth = 128

// fourthMoments returns the means of zᵢzⱼzₖzₗ for all pairs i ≥ j by all pairs k ≥ l.
func fourthMoments(ctx context.Context, z *mat.Dense) (*mat.SymDense, error) {
	d, n := z.Dims()
	size := pairCount(d)
	moments := mat.NewSymDense(size, nil)
	space := make([]float64, size*blockWidth)
	for first := 0; first < n; first += blockWidth {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(first+blockWidth, n)
		products := mat.NewDense(size, end-first, space[:size*(end-first)]) // [pairs, block]
		for i := range d {
			for j := range i + 1 {
				floats.MulTo(products.RawRowView(pairIndex(i, j)),
					z.RawRowView(i)[first:end], z.RawRowView(j)[first:end])
			}
		}
		moments.SymRankK(moments, 1/float64(n), products)
	}
	return moments, nil
}
