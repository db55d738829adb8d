package report

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/bootstrap"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/pairwise"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/stream"
)

// SelfSufficiency measures how far signals are from self-sufficient, by two independent methods.
// The intervals come from a bootstrap of blocks of positions without refitting: all resamples share
// the pair, the predictions, the whitening and the trained networks.
type SelfSufficiency struct {
	// Dependence is the total of dependence.Measure for the most dependent pair: a sum of squared
	// correlations, not nats. It detects less than networks that see all signals, and includes
	// dependence that nonlinear predictions would explain.
	Dependence Interval `json:"dependence"`
	// Pair is the most dependent pair, counted from 0.
	Pair [2]int `json:"pair"`
	// Classifier is Conditional of sica.EstimateDivergence, in nats, for all signals together:
	// small networks distinguish the signals from independent ones at held-out positions, from z_t
	// and the contexts and from the contexts alone, and Classifier is the difference. It is nil if
	// an axis is too short for the networks.
	Classifier *Interval `json:"classifier"`
	// Classified is the number of positions that the networks saw; 0 means all. In sequences of
	// 16,384 positions or more it is 8,192, in evenly spread blocks of 1,024.
	Classified int `json:"classified,omitempty"`
}

// An Interval is an estimate with its 95 % interval by the percentiles of a
// block bootstrap (H. Künsch, Annals of Statistics, 1989).
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// nonNegative returns the interval of a value that can't be negative.
func nonNegative(estimate, low, high float64) Interval {
	return Interval{max(estimate, 0), max(low, 0), max(high, 0)}
}

// String returns the estimate with its interval, to three decimals.
func (i Interval) String() string {
	return fmt.Sprintf("%.3f (%.3f–%.3f)", i.Estimate, i.Low, i.High)
}

// measure measures several sets of signals, all d×n at the positions of one grid. Both methods run
// at once, since neither keeps all processors busy.
func measure(
	ctx context.Context, backend compute.Backend, signals []*mat.Dense, g *grid.Grid, seed uint64,
) ([]SelfSufficiency, error) {
	measured := make([]SelfSufficiency, len(signals))
	methods := []func() error{
		func() error { return measureDependence(ctx, signals, g, seed, measured) },
		func() error { return classify(ctx, backend, signals, g, seed, measured) },
	}
	errs := make([]error, len(methods))
	err := parallel.Do(ctx, len(methods), len(methods),
		func(_, k int) { errs[k] = methods[k]() })
	for _, e := range errs {
		if e != nil {
			return nil, e
		}
	}
	return measured, err
}

// measureDependence sets Dependence and Pair of each set of signals.
func measureDependence(
	ctx context.Context, signals []*mat.Dense, g *grid.Grid, seed uint64,
	measured []SelfSufficiency,
) error {
	for k, z := range signals {
		analysis, err := pairwise.Analyse(ctx, z, g)
		if err != nil {
			return fmt.Errorf("measuring dependence: %w", err)
		}
		pair, err := analysis.Worst(ctx, pairwise.JackknifeBlocks)
		if err != nil {
			return err
		}
		measured[k].Pair = [2]int{pair.J, pair.I}
		low, high := analysis.Interval(pair, seed)
		measured[k].Dependence = nonNegative(pair.Total(), low, high)
	}
	return nil
}

// classify sets Classifier and Classified of each set of signals, if the networks can be trained.
func classify(
	ctx context.Context, backend compute.Backend, signals []*mat.Dense, g *grid.Grid, seed uint64,
	measured []SelfSufficiency,
) error {
	var inputs []iterate.Input
	var p recording
	for _, z := range signals {
		p = part(recording{z, grid.Range(g.Len()), g.Shape()})
		inputs = append(inputs, iterate.Input{Z: p.x, Seed: seed})
	}
	classified, err := grid.New(grid.WithoutOnes(p.shape), len(p.positions))
	if err != nil {
		return err
	}
	if iterate.CheckEstimate(classified) != nil {
		return nil // an axis is too short for the networks
	}
	estimates, err := iterate.EstimateDivergences(ctx, backend, inputs, classified)
	if err != nil {
		return err
	}
	partition := bootstrap.NewPartition(p.shape)
	for k, estimate := range estimates {
		draws := stream.New(seed, 0, 1, stream.Bootstrap)
		low, high := partition.MeanInterval(estimate.Influence, draws)
		interval := nonNegative(stat.Mean(estimate.Influence, nil), low, high)
		measured[k].Classifier = &interval
		if n := len(estimate.Influence); n < len(g.Own()) {
			measured[k].Classified = n
		}
	}
	return nil
}

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
