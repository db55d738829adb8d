package density

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A basis is a family on points u ≥ 0: the grid points, or groups of them. The centre and the first
// evens features are even in u, the other features are odd.
type basis struct {
	f       [features][]float64 // values at each point; for a group, the mean
	logMass []float64           // log mass of the centre at each point, on one side
	largest []float64           // largest square of the features at each point
}

// newBasis returns the basis of the features f at points with the given masses of the centre.
func newBasis(f [features][]float64, mass []float64) basis {
	b := basis{f: f, largest: make([]float64, len(mass))}
	for g, m := range mass {
		b.logMass = append(b.logMass, math.Log(m))
		for k := range f {
			b.largest[g] = max(b.largest[g], f[k][g]*f[k][g])
		}
	}
	return b
}

// groupSizes returns the number of neighbouring grid points in each group, from u = 0 on. The tilt
// of a density hardly varies within a group: groups are 1/16 wide near 0, and less than 1 up to u =
// 31. Points further out aren't grouped: where the tail of the centre ends, a density may rise.
func groupSizes() (sizes []int) {
	for at := 0; at <= gridCentre; {
		size := 1
		switch {
		case at == 0:
		case at <= 2<<stepBits:
			size = 2
		case at <= 4<<stepBits:
			size = 4
		case at <= 5<<stepBits:
			size = 2
		}
		sizes = append(sizes, size)
		at += size
	}
	return sizes
}

// grouped returns the basis of groups of the points.
func (b *basis) grouped() basis {
	var f [features][]float64
	var mass []float64
	first := 0
	for _, size := range groupSizes() {
		end := first + size
		total := 0.0
		for _, log := range b.logMass[first:end] {
			total += math.Exp(log)
		}
		mass = append(mass, total)
		for k := range f {
			mean := 0.0
			for g := first; g < end; g++ {
				mean += b.f[k][g] / float64(size)
			}
			f[k] = append(f[k], mean)
		}
		first = end
	}
	return newBasis(f, mass)
}

// means sets means to the means of the features under t.
func (b *basis) means(means *[features]float64, t *tilted) {
	for k, f := range b.f {
		shares := &t.sum
		if k >= evens {
			shares = &t.difference
		}
		means[k] = floats.Dot(shares[:len(f)], f)
	}
}

// tilt sets even and odd to the even and the odd part of w·f.
func (b *basis) tilt(w *[features]float64, even, odd []float64) {
	clear(even)
	clear(odd)
	for k, f := range b.f {
		part := even
		if k >= evens {
			part = odd
		}
		floats.AddScaled(part, w[k], f)
	}
}

// covariance sets m to the covariance of the features under t. The product of two even or two odd
// features is even, so its mean needs the sums of the shares at u and −u; the product of an even
// and an odd feature is odd and needs the differences. Tails of negligible mass are left out. space
// has room for one value per point.
func (b *basis) covariance(m *matrix, t *tilted, space []float64) {
	points := len(b.logMass)
	for points > 1 && t.sum[points-1]*b.largest[points-1] < negligibleMoment {
		points--
	}
	sum, difference, weighted := t.sum[:points], t.difference[:points], space[:points]
	var means [features]float64
	for k, f := range b.f {
		f, row := f[:points], m[k][:k+1]
		shares, first := sum, 0
		if k >= evens {
			shares, first = difference, evens
			floats.MulTo(weighted, difference, f)
			for l := range evens {
				row[l] = floats.Dot(weighted, b.f[l][:points])
			}
		}
		means[k] = floats.Dot(shares, f)
		floats.MulTo(weighted, sum, f)
		for l := first; l <= k; l++ {
			row[l] = floats.Dot(weighted, b.f[l][:points])
		}
		floats.AddScaled(row, -means[k], means[:k+1])
	}
}

// A tilted is the centre of a basis tilted by weights w of the features: its shares of the mass at
// the points.
type tilted struct {
	basis     *basis
	weights   [features]float64
	even, odd half // parts of the tilt w·f
	// sum and difference of the shares of the mass at u and −u.
	sum, difference half
	logZ            float64 // logarithm of the mass before normalisation
}

// maxLength returns the largest fraction, at most 1, of the step from which t results, with which
// no share of the mass grows by more than a factor e, unless it stays below slope/2 over the change
// of its tilt. Beyond this the objective, which falls with slope along the step, would rise again:
// the curvature ignores tails without data, which could get most of the mass. logZ is the value
// before the step, and space is workspace.
func (t *tilted) maxLength(step *[features]float64, logZ, slope float64, space *[2]half) float64 {
	b := t.basis
	points := len(b.logMass)
	even, odd := space[0][:points], space[1][:points]
	b.tilt(step, even, odd)
	length := 1.0
	limit := func(change, log float64) {
		if change*length <= 1 {
			return
		}
		if room := max(1, math.Log(slope/2/change)-log+change); change*length > room {
			length = room / change
		}
	}
	for g, e := range even {
		log := t.even[g] + b.logMass[g] - logZ // log share without the odd tilt, after the step
		limit(e+odd[g], log+t.odd[g])
		limit(e-odd[g], log-t.odd[g])
	}
	return length
}

// set sets t to the centre of b tilted by the weights w.
func (t *tilted) set(b *basis, w *[features]float64) {
	if t.basis == b && t.weights == *w {
		return
	}
	t.basis, t.weights = b, *w
	points := len(b.logMass)
	even, odd := t.even[:points], t.odd[:points]
	b.tilt(w, even, odd)
	largest := math.Inf(-1)
	for g, e := range even {
		largest = max(largest, e+b.logMass[g]+math.Abs(odd[g]))
	}
	sum, difference := t.sum[:points], t.difference[:points]
	z := exp(even[0] + b.logMass[0] - largest)
	sum[0], difference[0] = z, 0
	for g := 1; g < points; g++ {
		e := even[g] + b.logMass[g] - largest
		above, below := exp(e+odd[g]), exp(e-odd[g])
		sum[g], difference[g] = above+below, above-below
		z += above + below
	}
	floats.Scale(1/z, sum)
	floats.Scale(1/z, difference)
	t.logZ = largest + math.Log(z)
}
