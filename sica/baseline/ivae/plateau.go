package ivae

import "math"

// plateau lowers a learning rate where the loss has stopped falling, as PyTorch's
// ReduceLROnPlateau does by default with a factor of 0.1.
type plateau struct {
	rate     float64
	patience int
	best     float64
	bad      int // epochs since best
}

func newPlateau(rate float64, patience int) *plateau {
	return &plateau{rate: rate, patience: patience, best: math.Inf(1)}
}

// after notes the loss of an epoch and reports whether the rate was lowered.
func (p *plateau) after(loss float64) bool {
	const factor, threshold, least = 0.1, 1e-4, 1e-8
	if loss < p.best*(1-threshold) {
		p.best, p.bad = loss, 0
	} else {
		p.bad++
	}
	if p.bad <= p.patience {
		return false
	}
	p.bad = 0
	if p.rate*(1-factor) <= least {
		return false
	}
	p.rate *= factor
	return true
}
