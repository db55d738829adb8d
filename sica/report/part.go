package report

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// clearAgreement is the least correlation with which a separation of a part of the positions
// confirms the signals. Below it the separation is repeated with all positions, and minStability
// decides. It is halfway between minStability and 1. Nearer to 1, signals with weak evidence would
// often require all positions; nearer to minStability, there is no margin for the error of a part.
const clearAgreement = (1 + minStability) / 2

// A recording holds signals x, d×n, with the index of each position in the whole recording, and the
// shape of the positions.
type recording struct {
	x         *mat.Dense
	positions []int
	shape     []int
}

// slice returns the part [begin, end) along the leading axis.
func (r recording) slice(begin, end int) recording {
	d, _ := r.x.Dims()
	slice := grid.Product(r.shape[1:])
	return recording{
		mat.DenseCopyOf(r.x.Slice(0, d, begin*slice, end*slice)), r.positions[begin*slice : end*slice],
		r.long(end - begin),
	}
}

// withoutSlab returns r without the k-th slab of the given thickness along the leading axis.
func (r recording) withoutSlab(k, thickness int) recording {
	slab := thickness * grid.Product(r.shape[1:])
	begin, end := k*slab, (k+1)*slab
	return recording{
		signal.WithoutColumns(r.x, begin, end), slices.Concat(r.positions[:begin], r.positions[end:]),
		r.long(r.shape[0] - thickness),
	}
}

// long returns the shape with the given length of the leading axis.
func (r recording) long(length int) []int { return append([]int{length}, r.shape[1:]...) }

// part returns a part of the signals z by signal.Part. Images are returned as they are.
func part(z recording) recording {
	if len(z.shape) > 1 {
		return z
	}
	positions := signal.PartOf(z.positions, z.x)
	return recording{signal.Part(z.x), positions, []int{len(positions)}}
}

// agree reports whether all correlations are at least clearAgreement.
func agree(correlations []float64) bool { return slices.Min(correlations) >= clearAgreement }
