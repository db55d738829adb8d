package filter

import (
	"math"
	"slices"
)

// A ZeroPhase is a high-pass filter of a signal that comes in pieces, forward and then backward: it
// shifts no wave. It is for signals that are written, not for those that are learned from. The zero
// value isn't valid.
type ZeroPhase struct {
	once    Filter // what is applied twice
	rate    float64
	forward *Stream
	ahead   int       // so many later values the backward filter needs
	raw     []float64 // not yet filtered: the beginning, until it is as long
	held    []float64 // filtered forward, not yet backward
}

// NewZeroPhase returns the filter that leaves half of the amplitude at a frequency of hz, for which
// Check has returned nil, and less below: 1/1800 at a tenth of it.
func NewZeroPhase(hz, rate float64) *ZeroPhase {
	// With x = tan(πf/rate)/tan(π·once/rate), once leaves x²/(1+x²), and twice its square: 1/2 if
	// x² = 1/(√2 − 1).
	once := math.Atan(math.Tan(math.Pi*hz/rate)*math.Sqrt(math.Sqrt2-1)) * rate / math.Pi
	z := &ZeroPhase{once: Filter{Highpass: once}, rate: rate}
	z.forward = z.once.Stream(rate)
	z.ahead = z.once.border(rate, math.MaxInt)
	return z
}

// Add filters the next piece, and returns the values that are done, none if later ones are needed first.
func (z *ZeroPhase) Add(piece []float64) (done []float64) {
	z.raw = append(z.raw, piece...)
	if !z.forward.begun && len(z.raw) < z.ahead {
		return nil
	}
	z.advance()
	if len(z.held) < 2*z.ahead { // so that each value is filtered twice at most
		return nil
	}
	done = z.backward()[:len(z.held)-z.ahead]
	z.held = slices.Clone(z.held[len(done):])
	return done
}

// Rest returns the values after the last piece that aren't done yet.
func (z *ZeroPhase) Rest() []float64 {
	z.advance()
	done := z.backward()
	z.held = nil
	return done
}

// advance filters forward what isn't yet.
func (z *ZeroPhase) advance() {
	if len(z.raw) > 1 || z.forward.begun {
		z.forward.Apply(z.raw)
	}
	z.held, z.raw = append(z.held, z.raw...), nil
}

// backward returns the held values after the filter from their end to their beginning.
func (z *ZeroPhase) backward() []float64 {
	values := slices.Clone(z.held)
	slices.Reverse(values)
	z.once.Apply(values, z.rate)
	slices.Reverse(values)
	return values
}
