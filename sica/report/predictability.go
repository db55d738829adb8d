package report

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/bootstrap"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
)

// Predictability is how well linear predictions from neighbours, without the value itself,
// explain a recovered signal: the shares R² of its variance that ridge regressions explain at
// held-out positions. Each of some tens of contiguous blocks is held out in turn. R² is
// negative for a prediction that is worse than the mean.
type Predictability struct {
	// Own is R² from the signal's own neighbours, those of dependence.Measure.
	Own float64 `json:"own"`
	// All is R² from the neighbours of all signals.
	All float64 `json:"all"`
	// SE is the standard error of All − Own, from its variation between blocks.
	SE float64 `json:"se"`
}

// isSelfSufficient reports whether the contexts of other signals don't improve the prediction: All
// − Own is at most 0.01 or at most three standard errors.
func (p Predictability) isSelfSufficient() bool {
	return p.All-p.Own <= max(maxGain, maxGainErrors*p.SE)
}

// predictability returns the predictability of each of the signals z, d×n.
func predictability(ctx context.Context, z *mat.Dense, g *grid.Grid) ([]Predictability, error) {
	z, err := mapping.Standardised(z)
	if err != nil {
		return nil, err
	}
	r := newRegressions(z, g.Own(), bootstrap.NewPartition(g.Shape()))
	d, _ := z.Dims()
	own, all := make([][]float64, d), make([][]float64, d) // squared errors in each block
	for block := range r.positions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		held := r.holdOut(block)
		for i := range d {
			own[i] = append(own[i], held.squaredError(i, i, i+1))
			all[i] = append(all[i], held.squaredError(i, 0, d))
		}
	}
	predictabilities := make([]Predictability, d)
	for i := range predictabilities {
		power := floats.Dot(z.RawRowView(i), z.RawRowView(i))
		predictabilities[i] = comparePredictions(own[i], all[i], power)
	}
	return predictabilities, nil
}

// comparePredictions returns the predictability of a signal with the power Σ value², from the
// squared errors of both predictions in each block. The standard error of the total gain follows
// from its variation between blocks.
func comparePredictions(own, all []float64, power float64) Predictability {
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

// regressions holds the products for ridge regressions of each of d signals of variance 1 on its
// own k neighbours, or on the neighbours of all signals.
type regressions struct {
	z          *mat.Dense    // d×n
	neighbours [][]int32     // [position][k]
	positions  [][]int       // [block]
	gram       *mat.SymDense // products of neighbours, summed over all positions, d·k×d·k
	cross      *mat.Dense    // products of neighbours with the signals, d·k×d
}

func newRegressions(z *mat.Dense, neighbours [][]int32, p *bootstrap.Partition) *regressions {
	d, _ := z.Dims()
	size := d * len(neighbours[0])
	r := &regressions{
		z: z, neighbours: neighbours, positions: make([][]int, len(p.Sizes)),
		gram: mat.NewSymDense(size, nil), cross: mat.NewDense(size, d, nil),
	}
	for t, block := range p.Block {
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

// block returns the neighbours, signal by signal, at each position of a block, positions×d·k,
// and the signals there, positions×d.
func (r *regressions) block(block int) (near, values *mat.Dense) {
	d, _ := r.z.Dims()
	k := len(r.neighbours[0])
	positions := r.positions[block]
	near, values = mat.NewDense(len(positions), d*k, nil), mat.NewDense(len(positions), d, nil)
	for row, t := range positions {
		for i := range d {
			own := mat.NewVecDense(k, near.RawRowView(row)[i*k:(i+1)*k])
			ar.Gather(r.z.RawRowView(i), r.neighbours[t], own)
			values.Set(row, i, r.z.At(i, t))
		}
	}
	return near, values
}

// heldOut is a held-out block, with the regression products of all other blocks.
type heldOut struct {
	near, values *mat.Dense    // the block's; see regressions.block
	neighbours   int           // k
	gram         *mat.SymDense // of the other blocks, as in regressions
	cross        *mat.Dense    // of the other blocks, as in regressions
	others       int           // the number of positions of the other blocks
}

// holdOut returns a block, and the products of the other blocks, as the total less those of the
// block.
func (r *regressions) holdOut(block int) *heldOut {
	near, values := r.block(block)
	_, n := r.z.Dims()
	h := &heldOut{
		near: near, values: values, neighbours: len(r.neighbours[0]),
		others: n - len(r.positions[block]),
		gram:   mat.NewSymDense(r.gram.SymmetricDim(), nil), cross: new(mat.Dense),
	}
	h.gram.SymRankK(r.gram, -1, near.T())
	h.cross.Mul(near.T(), values)
	h.cross.Sub(r.cross, h.cross)
	return h
}

// squaredError returns the sum of the squared prediction errors of signal i in the block. The
// prediction is from the neighbours of the signals [first, end), with weights fitted to the other
// blocks.
func (h *heldOut) squaredError(i, first, end int) float64 {
	begin, size := first*h.neighbours, (end-first)*h.neighbours
	gram := mat.NewSymDense(size, nil)
	gram.CopySym(h.gram.SliceSym(begin, begin+size))
	cross := mat.NewVecDense(size, mat.Col(nil, i, h.cross)[begin:begin+size])
	weights := ar.Solve(gram, cross, ar.Ridge*float64(h.others))
	sum := 0.0
	for row := range h.values.RawMatrix().Rows {
		residual := h.values.At(row, i)
		if weights != nil {
			near := h.near.RawRowView(row)[begin : begin+size]
			residual -= floats.Dot(weights.RawMatrix().Data, near)
		}
		sum += residual * residual
	}
	return sum
}
