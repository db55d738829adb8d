package iterate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/stream"
)

// heldOutProducts is the number of permutations of the held-out positions that
// the divergence is averaged over.
const heldOutProducts = 4

// calibration is what the held-out positions say of a run's networks.
type calibration struct {
	// divergence is the estimate of twice the Jensen–Shannon divergence.
	divergence float64
	// weights multiply the log-ratio, and so the velocity, of the networks of
	// each window.
	weights []float64
	// influence are what each position adds to the divergence, which is their mean;
	// nil unless the contexts are weighed alone.
	influence []float64
	// context is that of the contexts alone; nil unless the contexts are weighed alone.
	context *calibration
}

// calibrate estimates, for each run, how far its signals z are from
// self-sufficient, and how much of each learned log-ratio holds beyond the
// positions that it was trained on: over the weights α ≥ 0 of the windows it
// minimises the logistic loss of Σ α·logit on the held-out positions, all folds
// together (stacking: D. Wolpert, 1992). The divergence is 2·log 2 less that
// minimum. Networks that fit noise get weights near 0, and move nothing.
//
// Without folds there is nothing to hold against: α is 1 and the divergence
// NaN.
func (e *Ensemble) calibrate(
	ctx context.Context, data []*tensors.Tensor, seeds []uint64, j int,
) ([]calibration, error) {
	calibrations := make([]calibration, e.runs)
	if e.cfg.Folds == 0 {
		for r := range calibrations {
			calibrations[r] = calibration{divergence: math.NaN(), weights: []float64{1}}
		}
		return calibrations, nil
	}
	rngs := e.streams(seeds, j, stream.HeldOut)
	idx := make([][]int32, e.count)
	held := make([]int, e.count)
	for network := range idx {
		if k := network % e.cfg.Networks(); k >= e.cfg.folds() { // equal draws, see streams
			same := network - k + k%e.cfg.folds()
			idx[network], held[network] = slices.Clip(idx[same]), held[same]
			continue
		}
		_, positions := foldPositions(e.t, e.cfg.block(e.t), e.fold(network), e.cfg.Folds)
		held[network] = len(positions)
		idx[network] = heldOutSamples(positions, e.d, rngs[network])
	}
	logits, err := e.logits(ctx, data, padEqual(idx))
	if err != nil {
		return nil, err
	}
	windows := e.cfg.Networks() / e.cfg.folds()
	for r := range calibrations {
		joint, product := make([][]float64, windows), make([][]float64, windows)
		for k := range e.cfg.Networks() {
			network, window := r*e.cfg.Networks()+k, k/e.cfg.folds()
			n := held[network]
			joint[window] = append(joint[window], logits[network][:n]...)
			product[window] = append(product[window], logits[network][n:n*(1+heldOutProducts)]...)
		}
		if e.cfg.contextsAlone() { // the last view is the contexts alone
			first := r * e.cfg.Networks()
			samples := newHeldOut(idx[first:first+e.cfg.folds()], held[first:], e.d)
			context := fitWeights(joint[windows-1:], product[windows-1:])
			context.influence = samples.influence(context.weights, joint[windows-1:], product[windows-1:])
			joint, product := joint[:windows-1], product[:windows-1]
			c := fitWeights(joint, product)
			c.influence, c.context = samples.influence(c.weights, joint, product), &context
			calibrations[r] = c
			continue
		}
		calibrations[r] = fitWeights(joint, product)
	}
	return calibrations, nil
}

// heldOutSamples returns the joint samples at positions, then heldOutProducts
// times as many product samples, as [samples·d].
func heldOutSamples(positions []int32, d int, rng *rand.Rand) []int32 {
	var idx []int32
	for _, t := range positions {
		for range d {
			idx = append(idx, t)
		}
	}
	for range heldOutProducts {
		permuted := permutations(rng, positions, d)
		for k := range positions {
			for i := range d {
				idx = append(idx, permuted[i][k])
			}
		}
	}
	return idx
}

// maxWeight bounds the weights of a calibration. A network that is unsure of
// itself may be trusted more than it asks for, but not without limit.
const maxWeight = 2

// fitWeights minimises mean softplus(−Σ α·joint) + mean softplus(Σ α·product)
// over weights 0 ≤ α ≤ maxWeight, one for each window: joint and product are
// [windows][samples] of logits. The loss is convex, so that minimising over one
// weight at a time converges.
func fitWeights(joint, product [][]float64) calibration {
	const tolerance = 1e-4
	weights := make([]float64, len(joint))
	sumJoint, sumProduct := make([]float64, len(joint[0])), make([]float64, len(product[0]))
	for moved := true; moved; {
		moved = false
		for w := range weights {
			weight := fitWeight(weights[w], sumJoint, joint[w], sumProduct, product[w])
			change := weight - weights[w]
			floats.AddScaled(sumJoint, change, joint[w])
			floats.AddScaled(sumProduct, change, product[w])
			weights[w] = weight
			moved = moved || len(weights) > 1 && math.Abs(change) > tolerance
		}
	}
	return calibration{
		// Weights of 0 give 0, so that the minimum isn't below but by rounding.
		divergence: max(0, 2*math.Ln2-meanSoftplus(sumJoint, -1)-meanSoftplus(sumProduct, 1)),
		weights:    weights,
	}
}

// fitWeight minimises the loss of the logits sumJoint + (α−weight)·joint and
// sumProduct + (α−weight)·product over 0 ≤ α ≤ maxWeight, by Newton's method
// within the interval that the signs of the slope leave.
func fitWeight(weight float64, sumJoint, joint, sumProduct, product []float64) float64 {
	const tolerance = 1e-5
	low, high := -tolerance, maxWeight+tolerance
	a := weight
	for {
		slope, curvature := slopeAt(a-weight, sumJoint, joint, sumProduct, product)
		if slope > 0 {
			high = a
		} else {
			low = a
		}
		next := min(max(a-slope/curvature, 0), maxWeight)
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if math.Abs(next-a) < tolerance {
			return a
		}
		a = next
	}
}

// slopeAt returns the slope of the loss, and its curvature, a step along joint and
// product away from the sums.
func slopeAt(
	step float64, sumJoint, joint, sumProduct, product []float64,
) (slope, curvature float64) {
	n := float64(len(joint))
	for k, v := range joint {
		p := 1 / (1 + math.Exp(sumJoint[k]+step*v))
		slope -= v * p / n
		curvature += v * v * p * (1 - p) / n
	}
	n = float64(len(product))
	for k, v := range product {
		p := 1 / (1 + math.Exp(-sumProduct[k]-step*v))
		slope += v * p / n
		curvature += v * v * p * (1 - p) / n
	}
	return slope, curvature
}

// padEqual repeats zeros at the end of shorter rows until all are as long as
// the longest.
func padEqual(rows [][]int32) [][]int32 {
	longest := 0
	for _, row := range rows {
		longest = max(longest, len(row))
	}
	for i, row := range rows {
		rows[i] = append(row, make([]int32, longest-len(row))...)
	}
	return rows
}

// meanSoftplus returns the mean of log(1 + e^(sign·x)).
func meanSoftplus(x []float64, sign float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Max(sign*v, 0) + math.Log1p(math.Exp(-math.Abs(v)))
	}
	return sum / float64(len(x))
}

// heldOut are the positions of the held-out samples of a run, all folds together.
type heldOut struct {
	signals int
	joint   []int32 // [T]
	product []int32 // [samples·signals]
}

// newHeldOut takes the positions from the samples of each fold, of which held are
// joint ones; see heldOutSamples.
func newHeldOut(idx [][]int32, held []int, d int) heldOut {
	h := heldOut{signals: d}
	for fold, samples := range idx {
		n := held[fold]
		for k := range n {
			h.joint = append(h.joint, samples[k*d])
		}
		h.product = append(h.product, samples[n*d:n*d*(1+heldOutProducts)]...)
	}
	return h
}

// influence returns what each position adds to the divergence that logits of these
// samples, [windows][samples], have with these weights: their mean is the
// divergence, and the mean over other positions, or over some of them twice, is
// to first order what it would be there. The loss of a product sample, in which
// each signal has a position of its own, is shared among these: the mean over
// the samples with a signal at t, less the mean over all, is what t adds to it.
func (h heldOut) influence(weights []float64, joint, product [][]float64) []float64 {
	influence := make([]float64, len(h.joint))
	for k, loss := range losses(weights, joint, -1) {
		influence[h.joint[k]] += 2*math.Ln2 - loss
	}
	productLosses := losses(weights, product, 1)
	mean := 0.0
	for _, loss := range productLosses {
		mean += loss / float64(len(productLosses))
	}
	for k, t := range h.product {
		influence[t] -= (productLosses[k/h.signals] - mean) / heldOutProducts
	}
	for t := range influence {
		influence[t] -= mean
	}
	return influence
}

// losses returns log(1 + e^(sign·x)) of the weighted sums x of the logits.
func losses(weights []float64, logits [][]float64, sign float64) []float64 {
	losses := make([]float64, len(logits[0]))
	for k := range losses {
		x := 0.0
		for window, weight := range weights {
			x += weight * logits[window][k]
		}
		losses[k] = meanSoftplus([]float64{x}, sign)
	}
	return losses
}
