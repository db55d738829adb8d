package rotate

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// OverSurrogates measures n whitened surrogates, each with draws of its own, on all
// processors. The error, if any, is the first of theirs.
func OverSurrogates(ctx context.Context, amplitude []float64, d int, shape []int, n int, draws func(k int) *rand.Rand, measure func(white *mat.Dense) (float64, error)) ([]float64, error) {
	measured, errs := make([]float64, n), make([]error, n)
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), n) {
		wait.Go(func() {
			for k := range next {
				if errs[k] = ctx.Err(); errs[k] != nil {
					continue
				}
				var white *mat.Dense
				if white, errs[k] = preprocess.Whitened(surrogate(amplitude, d, shape, draws(k))); errs[k] == nil {
					measured[k], errs[k] = measure(white)
				}
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return measured, nil
}

// surrogate are independent Gaussian signals, d×T, whose spectrum is the square of
// amplitude: filtered noise (J. Theiler et al., Physica D, 1992).
func surrogate(amplitude []float64, d int, shape []int, rng *rand.Rand) *mat.Dense {
	z := mat.NewDense(d, len(amplitude), nil)
	for i := range d {
		noise := make([]complex128, len(amplitude))
		for t := range noise {
			noise[t] = complex(rng.NormFloat64(), 0)
		}
		transformAxes(noise, shape, (*fourier.CmplxFFT).Coefficients)
		for t, a := range amplitude {
			noise[t] *= complex(a, 0)
		}
		transformAxes(noise, shape, (*fourier.CmplxFFT).Sequence)
		for t, v := range noise {
			z.Set(i, t, real(v))
		}
	}
	return z
}

// PooledAmplitude is the root of the mean of the signals' spectra.
func PooledAmplitude(z *mat.Dense, shape []int) []float64 {
	d, t := z.Dims()
	amplitude := make([]float64, t)
	for i := range d {
		values := make([]complex128, t)
		for k, v := range z.RawRowView(i) {
			values[k] = complex(v, 0)
		}
		transformAxes(values, shape, (*fourier.CmplxFFT).Coefficients)
		for k, v := range values {
			amplitude[k] += (real(v)*real(v) + imag(v)*imag(v)) / float64(d)
		}
	}
	for k, power := range amplitude {
		amplitude[k] = math.Sqrt(power)
	}
	return amplitude
}

// transformAxes applies a one-dimensional Fourier transform along each axis of
// the row-major values, in place.
func transformAxes(values []complex128, shape []int, transform func(fft *fourier.CmplxFFT, to, from []complex128) []complex128) {
	stride := len(values)
	for _, n := range shape {
		stride /= n
		fft := fourier.NewCmplxFFT(n)
		line := make([]complex128, n)
		for first := range values {
			if first/stride%n > 0 {
				continue
			}
			for k := range line {
				line[k] = values[first+k*stride]
			}
			transform(fft, line, line)
			for k, v := range line {
				values[first+k*stride] = v
			}
		}
	}
}
