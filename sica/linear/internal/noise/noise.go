// Package noise makes the noise of the resolution.
package noise

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// Spherical makes, of white noise, that of so many standard deviations in each of d signals.
func Spherical(d int, deviations float64) *mat.Dense {
	s := rotation.Identity(d)
	s.Scale(deviations, s)
	return s
}

// Add adds to the signals z, d×T, what shape, d×d, makes of white noise.
func Add(z, shape *mat.Dense, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x6c696e656172)) // "linear"
	d, n := z.Dims()
	drawn := make([]float64, n)
	for j := range d {
		for t := range drawn {
			drawn[t] = rng.NormFloat64()
		}
		for i := range d {
			if shape.At(i, j) != 0 {
				floats.AddScaled(z.RawRowView(i), shape.At(i, j), drawn)
			}
		}
	}
}
