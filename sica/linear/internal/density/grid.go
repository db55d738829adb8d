package density

import "math"

// Densities are stored at the points of a grid and are log-linear in between. The points are spaced
// like float64 itself: outwards from 0, the first 32 steps are 1/32 each, the next 32 twice that,
// and so on up to ±127. So the place of a value follows from its bits, without a logarithm.
const (
	stepBits   = 5 // 1/32 is about the resolution
	octaves    = 7 // up to 127: the largest of a million values with a heavy tail
	gridCentre = octaves << stepBits
	gridSize   = 2*gridCentre + 1
)

// gridLimit replaces values further out: it is just before the last grid point.
const gridLimit = 1<<octaves - 1 - 1e-9

// Place returns the indices of the grid points on both sides of u, and the interpolation weight of
// far. Values beyond the grid are placed at its end.
func Place(u float64) (near, far int, share float64) {
	const (
		shift    = 52 - stepBits
		fraction = 1<<shift - 1
	)
	bits := math.Float64bits(min(math.Abs(u), gridLimit) + 1)
	k := int(bits>>shift) - 1023<<stepBits
	share = float64(bits&fraction) * (1. / (1 << shift))
	side := 1 - 2*int(math.Float64bits(u)>>63)
	near = gridCentre + side*k
	return near, near + side, share
}

// gridPoints are the values of the grid points, and gridWidths their weights in the trapezium rule.
var gridPoints, gridWidths = func() (points, widths [gridSize]float64) {
	for k := 0; k <= gridCentre; k++ {
		octave, step := k>>stepBits, k&(1<<stepBits-1)
		v := math.Ldexp(1+float64(step)/(1<<stepBits), octave) - 1
		points[gridCentre+k], points[gridCentre-k] = v, -v
	}
	for g := range gridSize {
		widths[g] = (points[min(g+1, gridSize-1)] - points[max(g-1, 0)]) / 2
	}
	return points, widths
}()

// A histogram holds the share of the positions at each grid point.
type histogram [gridSize]float64

// Values are counted in integers, with one addition each. The upper bits count the values between a
// grid point and the next, and the lower bits sum the interpolation weights of the next point, in
// units of 2⁻³². countedAtOnce values fit these bits.
const (
	shareBits     = 32
	countBits     = 16
	countedAtOnce = 1<<countBits - 1
)

// count sets h to the histogram of the values u multiplied by factor.
func (h *histogram) count(u []float64, factor float64) {
	*h = histogram{}
	n := float64(len(u))
	for len(u) > 0 {
		part := u[:min(countedAtOnce, len(u))]
		u = u[len(part):]
		h.add(part, factor)
	}
	for g := range h {
		h[g] /= n
	}
}

// add adds at most countedAtOnce values u, multiplied by factor.
func (h *histogram) add(u []float64, factor float64) {
	const (
		shift    = 52 - stepBits
		fraction = 1<<shift - 1
		first    = 1023 << stepBits // the place of 0
		share    = 1 << (shareBits + countBits)
	)
	var counts [2][gridCentre]uint64 // of values above 0, and below
	for _, v := range u {
		bits := math.Float64bits(v * factor)
		side := &counts[bits>>63]
		v = math.Float64frombits(bits &^ (1 << 63))
		if v > gridLimit {
			v = gridLimit
		}
		bits = math.Float64bits(v + 1)
		side[bits>>shift-first] += share + bits&fraction>>(shift-shareBits)
	}
	for side, counts := range counts {
		step := 1 - 2*side
		for k, c := range counts {
			far := float64(c&(share-1)) / (1 << shareBits)
			h[gridCentre+step*k] += float64(c>>(shareBits+countBits)) - far
			h[gridCentre+step*(k+1)] += far
		}
	}
}

// A Curve has a value at each grid point and is linear in between.
type Curve [gridSize]float64

// At returns the value of c at u.
func (c *Curve) At(u float64) float64 {
	near, far, share := Place(u)
	return c[near] + share*(c[far]-c[near])
}

// Slope sets s to the derivative of c.
func (c *Curve) Slope(s *Curve) {
	for g := range c {
		a, b := max(g-1, 0), min(g+1, gridSize-1)
		s[g] = (c[b] - c[a]) / (gridPoints[b] - gridPoints[a])
	}
}

// A half is an even or odd curve at the grid points u ≥ 0.
type half [gridCentre + 1]float64

// fold sets sum and difference to the sums and differences of the values at u and −u; the value at
// 0 counts once.
func (c *Curve) fold(sum, difference *half) {
	sum[0], difference[0] = c[gridCentre], 0
	for g := 1; g <= gridCentre; g++ {
		above, below := c[gridCentre+g], c[gridCentre-g]
		sum[g], difference[g] = above+below, above-below
	}
}

// unfold sets c to the sum of an even and an odd curve.
func (c *Curve) unfold(even, odd *half) {
	for g := range even {
		c[gridCentre-g] = even[g] - odd[g]
		c[gridCentre+g] = even[g] + odd[g]
	}
}
