package past

import (
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"
)

// minTransform is the least length of the Fourier transforms of LaggedProducts, and transformLags
// the least length relative to the largest lag. Both affect only time: with half, more of a block
// is transformed twice; with twice, transforms exceed the first-level cache.
const minTransform, transformLags = 512, 4

// LaggedProducts are Σ_t z_t·z_{t−l}ᵀ for all lags l up to a largest one. They are computed from
// Fourier transforms of blocks of positions, and of these blocks with the positions before. For 16
// signals and 100 lags this takes a tenth of the time of direct products.
type LaggedProducts struct {
	d, reach    int
	fft         *fourier.FFT
	line        []float64
	now, before [][]complex128 // transforms of each block, without and with what precedes it
	sums        [][]complex128 // [d·d]
}

// NewLaggedProducts returns products of d signals for lags up to reach, over no positions yet.
func NewLaggedProducts(d, reach int) *LaggedProducts {
	size := minTransform
	for size < transformLags*reach {
		size *= 2
	}
	rows := func(n int) [][]complex128 {
		all := make([][]complex128, n)
		for i := range all {
			all[i] = make([]complex128, size/2+1)
		}
		return all
	}
	return &LaggedProducts{
		d: d, reach: reach, fft: fourier.NewFFT(size), line: make([]float64, size),
		now: rows(d), before: rows(d), sums: rows(d * d),
	}
}

// Add adds the products at the positions first, …, end − 1 of the signals z. Values before position
// 0 count as 0.
func (p *LaggedProducts) Add(z *mat.Dense, first, end int) {
	length := p.fft.Len() - p.reach
	for ; first < end; first += length {
		last := min(first+length, end)
		for i := range p.d {
			row := z.RawRowView(i)
			p.transform(p.now[i], row[first:last], 0)
			begin := max(first-p.reach, 0)
			p.transform(p.before[i], row[begin:last], begin-(first-p.reach))
		}
		for i, a := range p.now {
			for j, b := range p.before {
				addProduct(p.sums[i*p.d+j], a, b)
			}
		}
	}
}

// transform sets to to the transform of values after skipped zeros.
func (p *LaggedProducts) transform(to []complex128, values []float64, skipped int) {
	clear(p.line[:skipped])
	clear(p.line[skipped+copy(p.line[skipped:], values):])
	p.fft.Coefficients(to, p.line)
}

// addProduct adds conj(a)·b to the sum.
func addProduct(sum, a, b []complex128) {
	a, b = a[:len(sum)], b[:len(sum)]
	for f, v := range a {
		w := b[f]
		re := real(v)*real(w) + imag(v)*imag(w)
		im := real(v)*imag(w) - imag(v)*real(w)
		sum[f] += complex(re, im)
	}
}

// Sums returns Σ_t z_t·z_{t−l}ᵀ, d×d, for each lag l from 0 on.
func (p *LaggedProducts) Sums() []*mat.Dense {
	all := make([]*mat.Dense, p.reach+1)
	for l := range all {
		all[l] = mat.NewDense(p.d, p.d, nil)
	}
	for i := range p.d {
		for j := range p.d {
			p.fft.Sequence(p.line, p.sums[i*p.d+j])
			for l, sum := range all {
				sum.Set(i, j, p.line[p.reach-l]/float64(p.fft.Len()))
			}
		}
	}
	return all
}
