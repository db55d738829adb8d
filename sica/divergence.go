package sica

import (
	"math"

	"github.com/gomlx/gomlx/core/tensors"
)

// heldOutProducts is the number of permutations of the held-out positions that
// the divergence is averaged over.
const heldOutProducts = 4

// calibration is what the held-out positions say of a run's networks.
type calibration struct {
	// divergence is the estimate of twice the Jensen–Shannon divergence.
	divergence float64
	// scale multiplies the log-ratio, and so the velocity.
	scale float64
}

// calibrate estimates, for each run, how far its signals z are from
// self-sufficient, and how much of the learned log-ratio holds beyond the
// positions that it was trained on: over the scales α ≥ 0 it minimises the
// logistic loss of α·logit on the held-out positions, all folds together. The
// divergence is 2·log 2 less that minimum. A network that fits noise gets α
// near 0, and moves nothing.
//
// Without folds there is nothing to hold against: α is 1 and the divergence
// NaN.
func (s *separation) calibrate(z *tensors.Tensor, j int) ([]calibration, error) {
	calibrations := make([]calibration, len(s.runs))
	if s.cfg.Folds == 0 {
		for r := range calibrations {
			calibrations[r] = calibration{divergence: math.NaN(), scale: 1}
		}
		return calibrations, nil
	}
	rngs := s.streams(j, drawHeldOut)
	idx := make([][]int32, s.field.lanes)
	held := make([]int, s.field.lanes)
	for lane := range idx {
		_, positions := foldPositions(s.t, s.cfg.Block, lane%s.cfg.Folds, s.cfg.Folds)
		held[lane] = len(positions)
		for _, t := range positions {
			for range s.d {
				idx[lane] = append(idx[lane], t)
			}
		}
		for range heldOutProducts {
			permuted := permutations(rngs[lane], positions, s.d)
			for k := range positions {
				for i := range s.d {
					idx[lane] = append(idx[lane], permuted[i][k])
				}
			}
		}
	}
	logits, err := s.field.logits(z, padEqual(idx))
	if err != nil {
		return nil, err
	}
	for r := range calibrations {
		var joint, product []float64
		for fold := range s.cfg.Folds {
			lane := r*s.cfg.Folds + fold
			n := held[lane]
			joint = append(joint, logits[lane][:n]...)
			product = append(product, logits[lane][n:n*(1+heldOutProducts)]...)
		}
		calibrations[r] = fitScale(joint, product)
	}
	return calibrations, nil
}

// fitScale minimises mean softplus(−α·joint) + mean softplus(α·product) over
// 0 ≤ α ≤ 2. The loss is convex in α, so that halving the interval by the sign
// of its slope finds the minimum.
func fitScale(joint, product []float64) calibration {
	slope := func(a float64) float64 {
		sum := 0.0
		for _, v := range joint {
			sum -= v / (1 + math.Exp(a*v)) / float64(len(joint))
		}
		for _, v := range product {
			sum += v / (1 + math.Exp(-a*v)) / float64(len(product))
		}
		return sum
	}
	low, high := 0.0, 2.0
	for range 20 {
		middle := (low + high) / 2
		if slope(middle) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	scale := low
	return calibration{
		divergence: 2*math.Ln2 - meanSoftplus(joint, -scale) - meanSoftplus(product, scale),
		scale:      scale,
	}
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

// meanSoftplus is the mean of log(1 + e^(scale·x)).
func meanSoftplus(x []float64, scale float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Max(scale*v, 0) + math.Log1p(math.Exp(-math.Abs(scale*v)))
	}
	return sum / float64(len(x))
}

// plateau tells when the held-out divergence has stopped falling.
type plateau struct {
	patience int // 0 for never
	lowest   float64
	since    int
	started  bool
}

func (p *plateau) reached(divergence float64) bool {
	if p.patience == 0 {
		return false
	}
	if !p.started || divergence < p.lowest {
		p.lowest, p.since, p.started = divergence, 0, true
		return false
	}
	p.since++
	return p.since >= p.patience
}
