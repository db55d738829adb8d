package report

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/predict"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Predictability is how well a recovered signal's value is known from linear
// predictions by neighbours, the value itself left out: the shares R² of its
// variance that ridge regressions explain on positions that they weren't fitted
// to. Each of some tens of contiguous blocks is left out in turn. R² is below 0
// for a prediction that is worse than the mean.
type Predictability struct {
	// Own is R² from the signal's own neighbours, those that
	// dependence.Measure takes.
	Own float64 `json:"own"`
	// All is R² from the neighbours of all signals.
	All float64 `json:"all"`
	// SE is the standard error of All − Own, from block to block.
	SE float64 `json:"se"`
}

// What others may seem to add to a signal that doesn't need them.
const (
	selfSufficientGain   = 0.01
	selfSufficientErrors = 3
)

// SelfSufficient tells that the other signals' contexts add nothing to the
// signal's own: All − Own is at most 0.01 or at most three standard errors.
func (p Predictability) SelfSufficient() bool {
	return p.All-p.Own <= max(selfSufficientGain, selfSufficientErrors*p.SE)
}

// predictability looks at each of the signals z.
func predictability(ctx context.Context, z *mat.Dense, g *grid.Grid) ([]Predictability, error) {
	z, err := preprocess.Standardised(z)
	if err != nil {
		return nil, err
	}
	r := newRegressions(z, g.Own(), dependence.NewPartition(g.Shape()))
	d, _ := z.Dims()
	own, all := make([][]float64, d), make([][]float64, d) // squared errors in each block
	for block := range r.positions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		left := r.without(block)
		for i := range d {
			own[i] = append(own[i], left.squaredError(i, i, i+1))
			all[i] = append(all[i], left.squaredError(i, 0, d))
		}
	}
	var found []Predictability
	for i := range d {
		found = append(found, compare(own[i], all[i], floats.Dot(z.RawRowView(i), z.RawRowView(i))))
	}
	return found, nil
}

// compare is the predictability of a signal of this power Σ value² whose
// predictions have these squared errors in each block.
func compare(own, all []float64, power float64) Predictability {
	n := float64(len(own))
	gain := (floats.Sum(own) - floats.Sum(all)) / n
	squares := 0.0
	for k := range own {
		squares += math.Pow(own[k]-all[k]-gain, 2)
	}
	return Predictability{
		Own: 1 - floats.Sum(own)/power,
		All: 1 - floats.Sum(all)/power,
		SE:  math.Sqrt(n/max(n-1, 1)*squares) / power,
	}
}

// regressions predict d signals of variance 1, each from K neighbours of all.
type regressions struct {
	z          *mat.Dense
	neighbours [][]int32
	positions  [][]int       // of each block
	gram       *mat.SymDense // products of the neighbours, summed over all positions
	cross      *mat.Dense    // those with the signals, d·K×d
}

func newRegressions(z *mat.Dense, neighbours [][]int32, p *dependence.Partition) *regressions {
	d, _ := z.Dims()
	k := d * len(neighbours[0])
	r := &regressions{
		z: z, neighbours: neighbours, positions: make([][]int, len(p.Sizes)),
		gram: mat.NewSymDense(k, nil), cross: mat.NewDense(k, d, nil),
	}
	for t, block := range p.Of {
		r.positions[block] = append(r.positions[block], t)
	}
	for block := range r.positions {
		near, values := r.block(block)
		r.gram.SymRankK(r.gram, 1, near.T())
		var products mat.Dense
		products.Mul(near.T(), values)
		r.cross.Add(r.cross, &products)
	}
	return r
}

// block are the neighbours, signal by signal, at each position of a block,
// positions×d·K, and the signals there, positions×d.
func (r *regressions) block(block int) (near, values *mat.Dense) {
	d, _ := r.z.Dims()
	k := len(r.neighbours[0])
	positions := r.positions[block]
	near, values = mat.NewDense(len(positions), d*k, nil), mat.NewDense(len(positions), d, nil)
	for row, t := range positions {
		for i := range d {
			predict.Gather(r.z.RawRowView(i), r.neighbours[t], mat.NewVecDense(k, near.RawRowView(row)[i*k:(i+1)*k]))
			values.Set(row, i, r.z.At(i, t))
		}
	}
	return near, values
}

// leftOut is a block with the products of all others.
type leftOut struct {
	near, values *mat.Dense
	neighbours   int // of a signal
	gram         *mat.SymDense
	cross        *mat.Dense
	others       int // positions
}

func (r *regressions) without(block int) *leftOut {
	near, values := r.block(block)
	_, t := r.z.Dims()
	left := &leftOut{near: near, values: values, neighbours: len(r.neighbours[0]), others: t - len(r.positions[block])}
	left.gram = mat.NewSymDense(r.gram.SymmetricDim(), nil)
	left.gram.SymRankK(r.gram, -1, near.T())
	left.cross = new(mat.Dense)
	left.cross.Mul(near.T(), values)
	left.cross.Sub(r.cross, left.cross)
	return left
}

// squaredError is that of signal i in the block, as the neighbours of the signals
// from ≤ s < to predict it by weights of the other blocks.
func (l *leftOut) squaredError(i, from, to int) float64 {
	first, n := from*l.neighbours, (to-from)*l.neighbours
	gram := mat.NewSymDense(n, nil)
	gram.CopySym(l.gram.SliceSym(first, first+n))
	cross := mat.NewVecDense(n, mat.Col(nil, i, l.cross)[first:first+n])
	weights := predict.RidgeWeights(gram, cross, float64(l.others))
	sum := 0.0
	for row, positions := 0, l.values.RawMatrix().Rows; row < positions; row++ {
		residual := l.values.At(row, i)
		if weights != nil {
			residual -= floats.Dot(weights, l.near.RawRowView(row)[first:first+n])
		}
		sum += residual * residual
	}
	return sum
}
