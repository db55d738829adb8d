package linear

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/window"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/dct"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

const (
	// maxBands is the largest number of frequency bands. Fewer hide narrow peaks, more have too few
	// coefficients in short recordings.
	maxBands = 40
	// skippedCoefficients is the number of coefficients left out at the lowest frequencies: trends
	// aren't noise, and so few coefficients don't determine a power. It is a choice.
	skippedCoefficients = 8
)

// A cosine is the orthonormal cosine transform (DCT-II) of signals along their positions; in an
// image or video, along each axis. It is the same linear map for each signal, so it commutes with
// an instantaneous mixing, and white noise stays white.
type cosine struct {
	shape        []int
	coefficients *mat.Dense // d×n
	first        int        // coefficients below the first band
}

// taper is the share of a sequence that is faded before spectra are computed, half of it at the
// beginning and half at the end: a split cosine bell (P. Bloomfield, Fourier Analysis of Time
// Series, 1976). Without it strong lines, such as noiseless sinusoids, leak into all bands and
// appear correlated there. It is a choice: twice as much does the same, half leaves some leakage.
const taper = 0.1

// newCosine transforms the signals z, d×n, whose positions have the given shape.
func newCosine(z *mat.Dense, shape []int) *cosine {
	c := &cosine{shape, mat.DenseCopyOf(z), firstCoefficient(grid.Product(shape))}
	transformLines(c.coefficients, shape, (*dct.Transform).Forward)
	return c
}

// tapered returns the transform of the sequences x after tapering. c is the transform of x.
func (c *cosine) tapered(x *mat.Dense) *cosine {
	t := &cosine{c.shape, windowed(x, window.Tukey{Alpha: taper}.Transform), c.first}
	transformLines(t.coefficients, t.shape, (*dct.Transform).Forward)
	return t
}

// windowed returns the rows of x times the weights that weigh makes of ones, scaled so that white
// noise keeps its mean power.
func windowed(x *mat.Dense, weigh func(ones []float64) []float64) *mat.Dense {
	d, n := x.Dims()
	weights := weigh(slices.Repeat([]float64{1}, n))
	floats.Scale(math.Sqrt(float64(n))/floats.Norm(weights, 2), weights)
	y := mat.DenseCopyOf(x)
	for i := range d {
		floats.Mul(y.RawRowView(i), weights)
	}
	return y
}

// scaled returns the signals low-passed and decimated to the given shape, no side of which may be
// longer than before: they have the same coefficients up to that shape.
func (c *cosine) scaled(shape []int) *mat.Dense {
	d, _ := c.coefficients.Dims()
	z := mat.NewDense(d, grid.Product(shape), nil)
	index := make([]int, len(shape))
	for t := range grid.Product(shape) {
		from := 0
		for a, v := range index {
			from = from*c.shape[a] + v
		}
		for i := range d {
			z.RawRowView(i)[t] = c.coefficients.RawRowView(i)[from]
		}
		grid.Next(index, shape)
	}
	transformLines(z, shape, (*dct.Transform).Inverse)
	return z
}

// transformLines applies a transform in place to each line of each signal along each axis, two
// lines at a time.
func transformLines(z *mat.Dense, shape []int, apply func(t *dct.Transform, a, b []float64)) {
	d, n := z.Dims()
	stride := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		side := shape[axis]
		number := n / side // of lines in a signal
		// line returns the k-th of all lines, with a value at each multiple of stride.
		line := func(k int) []float64 {
			v, k := z.RawRowView(k/number), k%number
			return v[k/stride*stride*side+k%stride:]
		}
		lines := d * number
		pairs := (lines + 1) / 2
		transforms := make([]*dct.Transform, parallel.Workers(pairs))
		buffers := make([][2][]float64, len(transforms))
		parallel.Do(context.Background(), len(transforms), pairs, func(worker, k int) {
			if transforms[worker] == nil {
				transforms[worker] = dct.New(side)
				buffers[worker] = [2][]float64{make([]float64, side), make([]float64, side)}
			}
			u, v := line(2*k), line(min(2*k+1, lines-1))
			a, b := buffers[worker][0], buffers[worker][1]
			if 2*k+1 == lines { // the last line of an odd number
				b = a
			}
			for t := range a {
				a[t], b[t] = u[t*stride], v[t*stride]
			}
			apply(transforms[worker], a, b)
			for t := range a {
				u[t*stride], v[t*stride] = a[t], b[t]
			}
		})
		stride *= side
	}
}

// firstCoefficient returns where the first band of n coefficients begins without a high-pass
// filter.
func firstCoefficient(n int) int { return min(skippedCoefficients, n/4) }

// filtered returns the cosine transform of filtered signals, with a d×d filter for each band. The
// coefficients below the first band have the filter of the first band.
func (c *cosine) filtered(filters []*mat.Dense) *cosine {
	d, n := c.coefficients.Dims()
	out := &cosine{c.shape, mat.NewDense(d, n, nil), c.first}
	order, edges := c.bands()
	edges[0] = 0 // the first band with the coefficients below it
	for k, f := range filters {
		band := order[edges[k]:edges[k+1]]
		for i := range d {
			to := out.coefficients.RawRowView(i)
			for l := range d {
				from, w := c.coefficients.RawRowView(l), f.At(i, l)
				for _, t := range band {
					to[t] += w * from[t]
				}
			}
		}
	}
	return out
}

// scaledShape returns the shape at the time scale at which k positions become one.
func scaledShape(shape []int, k int) []int {
	share := math.Pow(float64(k), 1/float64(len(shape)))
	scaled := make([]int, len(shape))
	for a, side := range shape {
		scaled[a] = max(1, int(float64(side)/share+1e-9))
	}
	return scaled
}

// smoothLength returns the largest multiple of 8 up to n that has no prime factor above 7, or n
// itself below 8. Transforms of such lengths are fast. From n = 200 on at most one position in ten
// is lost.
func smoothLength(n int) int {
	for m := n - n%8; m >= 8; m -= 8 {
		rest := m
		for _, p := range []int{2, 3, 5, 7} {
			for rest%p == 0 {
				rest /= p
			}
		}
		if rest == 1 {
			return m
		}
	}
	return n
}

// A spectrum holds the covariances of signals in bands of frequencies.
type spectrum struct {
	d           int
	first       float64     // coefficients below the first band
	covariances [][]float64 // d×d of each band, row-major
	weights     []float64   // coefficients in each band
}

// end returns the number of all coefficients, those below the first band included.
func (s *spectrum) end() float64 { return s.first + floats.Sum(s.weights) }

// spectrum returns the covariances of the bands.
func (c *cosine) spectrum() *spectrum {
	d, _ := c.coefficients.Dims()
	order, edges := c.bands()
	s := &spectrum{d: d, first: float64(edges[0])}
	for k, end := range edges[1:] {
		places := order[edges[k]:end]
		band, cov := c.coefficients.Slice(0, d, edges[k], end).(*mat.Dense), mat.NewDense(d, d, nil)
		if len(c.shape) > 1 {
			band = signal.Columns(c.coefficients, places)
		}
		signal.Products(cov, band, band)
		cov.Scale(1/float64(len(places)), cov)
		s.covariances = append(s.covariances, cov.RawMatrix().Data)
		s.weights = append(s.weights, float64(len(places)))
	}
	return s
}

// transformed returns the spectrum of b·x, where s is that of x.
func (s *spectrum) transformed(b *mat.Dense) *spectrum {
	out := &spectrum{d: s.d, first: s.first, weights: s.weights}
	var c mat.Dense
	for _, cov := range s.covariances {
		c.Product(b, mat.NewDense(s.d, s.d, cov), b.T())
		out.covariances = append(out.covariances, slices.Clone(c.RawMatrix().Data))
	}
	return out
}

// bands returns the indices of the coefficients by frequency, and the edges of the bands in order.
func (c *cosine) bands() (order, edges []int) {
	d, n := c.coefficients.Dims()
	order = make([]int, n)
	radius := make([]float64, n) // squared frequency
	for t := range order {
		order[t] = t
		rest := t
		for a := len(c.shape) - 1; a >= 0; a-- {
			u := float64(rest%c.shape[a]) / float64(c.shape[a])
			radius[t] += u * u
			rest /= c.shape[a]
		}
	}
	if len(c.shape) > 1 {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(radius[a], radius[b]) })
	}
	return order, bandEdges(c.first, n, d)
}

// bandEdges returns the first coefficient of each band, from first on, and n, for n coefficients of
// d signals. Half of the edges are at equal distances, half in equal ratios. Each band has at least
// 2·d coefficients, if there are as many.
func bandEdges(first, n, d int) []int {
	edges := []int{first, n}
	lowest := float64(max(first, 1))
	for k := range maxBands / 2 {
		share := float64(k) / (maxBands / 2)
		edges = append(edges,
			first+int(share*float64(n-first)),
			int(lowest*math.Pow(float64(n)/lowest, share)))
	}
	slices.Sort(edges)
	kept := edges[:1]
	for _, e := range edges[1:] {
		if e >= kept[len(kept)-1]+2*d && (e == n || e <= n-2*d) {
			kept = append(kept, e)
		}
	}
	if kept[len(kept)-1] < n {
		kept = append(kept, n)
	}
	return kept
}
