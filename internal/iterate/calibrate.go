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

// heldOutProducts is the number of permutations of the held-out positions over which the divergence
// is averaged. It is a choice: the time of a calibration is proportional to 1 + heldOutProducts.
const heldOutProducts = 4

// calibration is the result of weighting a run's networks on held-out positions.
type calibration struct {
	// divergence is an estimate of twice the Jensen–Shannon divergence, in nats.
	divergence float64
	// weights multiply the log-ratio, and so the velocity, of the networks of each kind; see
	// Config.kinds.
	weights []float64
	// influence holds the contribution of each position to the divergence, which is their mean; nil
	// unless the contexts are weighted alone.
	influence []float64
	// context is the calibration of the contexts alone; nil unless the contexts are weighted alone.
	context *calibration
}

// calibrate estimates, for each run, the divergence of its signals from self-sufficient ones, and
// how far each learned log-ratio generalises beyond its training positions. Over the weights α ≥ 0
// of the kinds it minimises the logistic loss of Σ α·logit on the held-out positions of all folds
// together (stacking: D. Wolpert, 1992). The divergence is 2·log 2 minus that minimum. Networks
// that fit noise get weights near 0, and move nothing.
//
// Without folds there are no held-out positions: α is 1 and the divergence NaN.
func (e *ensemble) calibrate(
	ctx context.Context, data []*tensors.Tensor, seeds []uint64, j int,
) ([]calibration, error) {
	calibrations := make([]calibration, e.runs)
	if e.cfg.Folds == 0 {
		for r := range calibrations {
			calibrations[r] = calibration{divergence: math.NaN(), weights: []float64{1}}
		}
		return calibrations, nil
	}
	idx, joint := e.drawHeldOut(seeds, j)
	logits, err := e.logits(ctx, data, padEqual(idx))
	if err != nil {
		return nil, err
	}
	n := e.cfg.Networks()
	for r := range calibrations {
		run := r * n // its first network
		calibrations[r] = e.calibrateRun(logits[run:run+n], idx[run:run+n], joint[run:run+n])
	}
	return calibrations, nil
}

// drawHeldOut draws the held-out samples of each network, [networks][samples·d], beginning with
// joint[network] joint samples; see heldOutSamples. Networks of one fold share their samples.
func (e *ensemble) drawHeldOut(seeds []uint64, j int) (idx [][]int32, joint []int) {
	rngs := e.streams(seeds, j, stream.HeldOut)
	idx, joint = make([][]int32, e.count), make([]int, e.count)
	for network := range idx {
		if first := e.first(network); first < network {
			idx[network], joint[network] = slices.Clip(idx[first]), joint[first]
			continue
		}
		_, positions := foldPositions(e.t, e.cfg.block(e.t), e.fold(network), e.cfg.Folds)
		joint[network] = len(positions)
		idx[network] = heldOutSamples(positions, e.d, rngs[network])
	}
	return idx, joint
}

// calibrateRun weights the networks of one run by their logits, [networks][samples], at the samples
// of drawHeldOut.
func (e *ensemble) calibrateRun(logits [][]float64, idx [][]int32, joint []int) calibration {
	folds := e.cfg.folds()
	kinds := len(logits) / folds // 1 for a whole sequence
	jointLogits, productLogits := make([][]float64, kinds), make([][]float64, kinds)
	for k, values := range logits {
		kind, n := k/folds, joint[k]
		jointLogits[kind] = append(jointLogits[kind], values[:n]...)
		productLogits[kind] = append(productLogits[kind], values[n:n*(1+heldOutProducts)]...)
	}
	if !e.cfg.contextsAlone() {
		return fitWeights(jointLogits, productLogits)
	}
	samples, last := newHeldOut(idx[:folds], joint, e.d), kinds-1
	fit := func(joint, product [][]float64) calibration {
		c := fitWeights(joint, product)
		c.influence = samples.influence(c.weights, joint, product)
		return c
	}
	context := fit(jointLogits[last:], productLogits[last:]) // the last kind sees the contexts alone
	c := fit(jointLogits[:last], productLogits[:last])
	c.context = &context
	return c
}

// heldOutSamples returns the joint samples at the positions, followed by heldOutProducts times as
// many product samples, as [samples·d].
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

// maxWeight bounds the weights of a calibration. A weight above 1 corrects a log-ratio that
// training has left too small. It is a choice: 1 corrects nothing; with a weight of 4 a wrong
// log-ratio moves signals twice as far.
const maxWeight = 2

// fitWeights minimises mean softplus(−Σ α·joint) + mean softplus(Σ α·product) over the weights 0 ≤
// α ≤ maxWeight, one for each kind, for the logits joint and product, [kinds][samples]. The loss is
// convex, so minimising over one weight at a time converges.
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
		// The loss with weights 0 is 2·log 2: the minimum exceeds it only by rounding.
		divergence: max(0, 2*math.Ln2-meanSoftplus(sumJoint, -1)-meanSoftplus(sumProduct, 1)),
		weights:    weights,
	}
}

// fitWeight minimises the loss of the logits sumJoint + (α−weight)·joint and sumProduct +
// (α−weight)·product over 0 ≤ α ≤ maxWeight. It uses Newton's method within the interval that the
// signs of the slope allow.
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

// slopeAt returns the slope and the curvature of the loss after a step along joint and product from
// the sums.
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

// padEqual appends zeros to rows shorter than the longest.
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

// softplus returns log(1 + e^x).
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// meanSoftplus returns the mean of log(1 + e^(sign·x)).
func meanSoftplus(x []float64, sign float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += softplus(sign * v)
	}
	return sum / float64(len(x))
}

// heldOut holds the positions of the held-out samples of a run, of all folds together.
type heldOut struct {
	signals int
	joint   []int32 // [T]
	product []int32 // [samples·signals]
}

// newHeldOut returns the positions of the samples of each fold. The first joint[fold] of them are
// joint samples; see heldOutSamples.
func newHeldOut(idx [][]int32, joint []int, d int) heldOut {
	h := heldOut{signals: d}
	for fold, samples := range idx {
		n := joint[fold]
		for k := range n {
			h.joint = append(h.joint, samples[k*d])
		}
		h.product = append(h.product, samples[n*d:n*d*(1+heldOutProducts)]...)
	}
	return h
}

// influence returns the contribution of each position to the divergence, for the logits of the
// samples, [kinds][samples], and the weights. The mean of the contributions is the divergence.
// Their mean over a resample of the positions is, to first order, the divergence of the resample.
// The loss of a product sample, whose signals have different positions, is shared among these: the
// contribution of t is the mean over the samples with a signal at t, minus the mean over all.
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
		for kind, weight := range weights {
			x += weight * logits[kind][k]
		}
		losses[k] = softplus(sign * x)
	}
	return losses
}
