// Package tanh has a fast hyperbolic tangent.
package tanh

import (
	"math"
	"sync"
)

// InPlace replaces each value by its hyperbolic tangent, in less than half the time of
// math.Tanh and with a relative error below 10⁻¹⁵. It uses the addition theorem
//
//	tanh(a + b) = (tanh a + tanh b) / (1 + tanh a·tanh b)
//
// with the nearest a of a table and the Taylor polynomial of tanh b. No branch depends on the
// values, unless one is large.
func InPlace(values []float64) {
	table := tabulated()
	for i, v := range values {
		if !(math.Abs(v) < saturation) { // or NaN
			values[i] = math.Tanh(v)
			continue
		}
		// Adding 1.5·2⁵² rounds to an integer and leaves it in the low bits.
		const rounder = 3 << 51
		rounded := v*steps + rounder
		tanhA := table[math.Float64bits(rounded)%size]
		b := v - (rounded-rounder)/steps // at most 1/256
		b2 := b * b
		tanhB := b - b*b2*(1./3-b2*(2./15))
		values[i] = (tanhA + tanhB) / (1 + tanhA*tanhB)
	}
}

const (
	// saturation is a value from which tanh is 1 in float64, rounded up.
	saturation = 20
	// steps is the number of table entries in an interval of length 1. The error of the Taylor
	// polynomial is 17/315·b⁷ with b = 1/(2·steps): below 10⁻¹⁸. Half as many steps would make it
	// 10⁻¹⁶; twice as many would exceed the fastest caches.
	steps = 128
	// size is a power of two with room for both signs.
	size = 8192
)

// tabulated returns tanh(k/steps) at index k, and for negative k at size + k. It is computed once,
// when it is first needed.
var tabulated = sync.OnceValue(func() *[size]float64 {
	var t [size]float64
	for k := 1; k <= saturation*steps; k++ {
		e := math.Expm1(2 * float64(k) / steps)
		t[k] = e / (e + 2) // more exact than math.Tanh
		t[size-k] = -t[k]
	}
	return &t
})
