package filter

import (
	"math"
	"slices"
)

// A ZeroPhase is a high-pass filter of a signal that comes in pieces, applied forward and then
// backward, so that it shifts no phase. It is for output, not for signals that a separation is
// fitted to. The zero value isn't valid.
type ZeroPhase struct {
	once    Filter // filter that is applied twice
	rate    float64
	forward *Stream
	ahead   int       // number of later values that the backward filter needs
	raw     []float64 // not yet filtered: the first values, until there are ahead of them
	held    []float64 // filtered forward but not yet backward
}

// NewZeroPhase returns the filter that leaves half of the amplitude at hz, for which Check has
// returned nil, and less below: 1/1800 at a tenth of hz.
func NewZeroPhase(hz, rate float64) *ZeroPhase {
	// With x = tan(πf/rate)/tan(π·once/rate), once leaves x²/(1+x²), and twice its square: 1/2 if
	// x² = 1/(√2 − 1).
	once := math.Atan(math.Tan(math.Pi*hz/rate)*math.Sqrt(math.Sqrt2-1)) * rate / math.Pi
	z := &ZeroPhase{once: Filter{Highpass: once}, rate: rate}
	z.forward = z.once.Stream(rate)
	z.ahead = z.once.border(rate, math.MaxInt)
	return z
}

// Add filters the next piece, and returns the values that are done; none if later values are needed
// first.
func (z *ZeroPhase) Add(piece []float64) (done []float64) {
	z.raw = append(z.raw, piece...)
	if !z.forward.begun && len(z.raw) < z.ahead {
		return nil
	}
	z.advance()
	if len(z.held) < 2*z.ahead { // so that each value is filtered backward at most twice
		return nil
	}
	done = z.backward()[:len(z.held)-z.ahead]
	z.held = slices.Clone(z.held[len(done):])
	return done
}

// Rest returns the remaining values after the last piece.
func (z *ZeroPhase) Rest() []float64 {
	z.advance()
	done := z.backward()
	z.held = nil
	return done
}

// advance filters the raw values forward.
func (z *ZeroPhase) advance() {
	if len(z.raw) > 1 || z.forward.begun {
		z.forward.Apply(z.raw)
	}
	z.held, z.raw = append(z.held, z.raw...), nil
}

// backward returns the held values filtered from the last to the first.
func (z *ZeroPhase) backward() []float64 {
	values := slices.Clone(z.held)
	slices.Reverse(values)
	z.once.Apply(values, z.rate)
	slices.Reverse(values)
	return values
}
