package main

import (
	"math"
	"math/rand/v2"
)

// mixed draws n points [n, d], a mixture of Laplace signals after a leaky ReLU, and the mean of
// their true log-density. The mixing is the same for every seed.
func mixed(seed uint64, n int) (points []float32, logDensity float64) {
	matrices := rand.New(rand.NewPCG(7, 7))
	first, logFirst := rotations(matrices)
	second, logSecond := rotations(matrices)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range n {
		s := make([]float64, d)
		for i := range s {
			s[i] = rng.ExpFloat64()
			logDensity -= s[i] + math.Log(2)
			if rng.IntN(2) == 0 {
				s[i] = -s[i]
			}
		}
		u := apply(first, s)
		for i := range u {
			if u[i] < 0 {
				u[i] *= .2
				logDensity -= math.Log(.2)
			}
		}
		for _, v := range apply(second, u) {
			points = append(points, float32(v))
		}
	}
	return points, logDensity/float64(n) - logFirst - logSecond
}

// rotations returns a product of rotations of pairs and a scale, and the logarithm of its
// determinant.
func rotations(rng *rand.Rand) (m [][]float64, logDet float64) {
	m = make([][]float64, d)
	for i := range m {
		m[i] = make([]float64, d)
		m[i][i] = .5 + rng.Float64()
		logDet += math.Log(m[i][i])
	}
	for i := range d {
		for j := range i {
			sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
			for k := range d {
				m[i][k], m[j][k] = cos*m[i][k]-sin*m[j][k], sin*m[i][k]+cos*m[j][k]
			}
		}
	}
	return m, logDet
}

func apply(m [][]float64, s []float64) []float64 {
	y := make([]float64, d)
	for i := range y {
		for k, v := range s {
			y[i] += m[i][k] * v
		}
	}
	return y
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
