package fastica

import "math"

// tanhInPlace replaces each value by its hyperbolic tangent, in less than half
// the time of math.Tanh and to within 10⁻¹⁵ of the result. It uses the addition
// theorem
//
//	tanh(a + b) = (tanh a + tanh b) / (1 + tanh a·tanh b)
//
// with the nearest a of a table and with the Taylor polynomial of tanh b. There
// is no branch that depends on the values, unless one is large.
func tanhInPlace(values []float64) {
	for t, v := range values {
		if !(math.Abs(v) < tanhIsOne) { // or NaN
			values[t] = math.Tanh(v)
			continue
		}
		// Adding 1.5·2⁵² rounds to an integer and leaves it in the low bits.
		const rounder = 3 << 51
		rounded := v*tanhSteps + rounder
		tanhA := tanhTable[math.Float64bits(rounded)%tanhSize]
		b := v - (rounded-rounder)/tanhSteps // at most 1/256
		b2 := b * b
		tanhB := b - b*b2*(1./3-b2*(2./15))
		values[t] = (tanhA + tanhB) / (1 + tanhA*tanhB)
	}
}

const (
	tanhIsOne = 20   // from here on, in float64
	tanhSteps = 128  // of the table, to the unit
	tanhSize  = 8192 // a power of two that has room for both signs
)

// tanhTable holds tanh(k/tanhSteps) at k, and for negative k at tanhSize + k.
var tanhTable = func() (table [tanhSize]float64) {
	for k := 1; k <= tanhIsOne*tanhSteps; k++ {
		e := math.Expm1(2 * float64(k) / tanhSteps)
		table[k] = e / (e + 2) // nearer than math.Tanh
		table[tanhSize-k] = -table[k]
	}
	return table
}()
