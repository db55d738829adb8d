package field

import "math"

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

// influence is what each position adds to the divergence that logits of these
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

// losses are log(1 + e^(sign·x)) of the weighted sums x of the logits.
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
