package jade

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// cumulants returns the matrices that the cumulants of the white signals z, d×T,
// make for each pair of signals k ≥ l: entry i, j is
//
//	cum(zᵢ, zⱼ, zₖ, zₗ) = mean zᵢzⱼzₖzₗ − δᵢⱼδₖₗ − δᵢₖδⱼₗ − δᵢₗδⱼₖ,
//
// times √2 where k > l, as such a matrix stands for that of l and k too.
func cumulants(ctx context.Context, z *mat.Dense) ([]*mat.SymDense, error) {
	d, _ := z.Dims()
	moments, err := fourthMoments(ctx, z)
	if err != nil {
		return nil, err
	}
	all := make([]*mat.SymDense, 0, pairs(d))
	for k := range d {
		for l := range k + 1 {
			q := mat.NewSymDense(d, nil)
			scale := math.Sqrt2
			if k == l {
				scale = 1
			}
			for i := range d {
				for j := range i + 1 {
					gaussian := one(i == j && k == l) + one(i == k && j == l) + one(i == l && j == k)
					q.SetSym(i, j, scale*(moments.At(place(i, j), place(k, l))-gaussian))
				}
			}
			all = append(all, q)
		}
	}
	return all, nil
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// pairs is how many pairs i ≥ j there are of d signals, and place is where a
// pair is among them.
func pairs(d int) int    { return d * (d + 1) / 2 }
func place(i, j int) int { return pairs(i) + j }

// blockWidth is how many positions are worked on at a time, so that those of all
// pairs are read from a fast cache: of ten signals 55 KiB.
const blockWidth = 128

// fourthMoments returns the mean of zᵢzⱼzₖzₗ for all pairs i ≥ j by k ≥ l.
func fourthMoments(ctx context.Context, z *mat.Dense) (*mat.SymDense, error) {
	d, n := z.Dims()
	moments := mat.NewSymDense(pairs(d), nil)
	space := make([]float64, pairs(d)*blockWidth)
	for first := 0; first < n; first += blockWidth {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(first+blockWidth, n)
		products := mat.NewDense(pairs(d), end-first, space[:pairs(d)*(end-first)])
		for i := range d {
			for j := range i + 1 {
				floats.MulTo(products.RawRowView(place(i, j)), z.RawRowView(i)[first:end], z.RawRowView(j)[first:end])
			}
		}
		moments.SymRankK(moments, 1/float64(n), products)
	}
	return moments, nil
}
