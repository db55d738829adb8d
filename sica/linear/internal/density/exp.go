package density

import "math"

// expBits is the base-2 logarithm of the table length of exp: with less, exp is less exact; with
// more, the table outgrows the first-level cache.
const expBits = 8

// powers are the bits of 2^(k/256).
var powers = func() (all [1 << expBits]uint64) {
	for k := range all {
		all[k] = math.Float64bits(math.Exp2(float64(k) / (1 << expBits)))
	}
	return all
}()

// exp returns eˣ for x ≤ 0 with a relative error of 1e-14, and 0 for x < −50. It takes a third of
// the time of math.Exp, which would dominate the fit of a density.
func exp(x float64) float64 {
	const (
		step    = math.Ln2 / (1 << expBits)
		rounder = 3 << 51 // adding it rounds to an integer in the lowest bits
	)
	if x < -50 {
		return 0
	}
	shifted := x*(1/step) + rounder
	k := math.Float64bits(shifted)
	r := x - (shifted-rounder)*step // |r| ≤ step/2 = 0.0014
	r = 1 + r*(1+r*(1./2+r*(1./6+r*(1./24))))
	return r * math.Float64frombits(powers[k%(1<<expBits)]+k>>expBits<<52)
}
