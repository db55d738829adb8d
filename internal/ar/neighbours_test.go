package ar

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
)

// A sine is the mean of its two neighbours over cos ω, so that its prediction is nearly exact; the
// prediction of independent values is nearly 0.
func TestPredictSineAndNoise(t *testing.T) {
	const n = 2000
	neighbours, err := grid.Neighbours(1, n)
	if err != nil {
		t.Fatal(err)
	}
	sine := make([]float64, n)
	for k := range sine {
		sine[k] = math.Sin(0.3 * float64(k))
	}
	prediction := Predict(Weights(sine, neighbours), sine, neighbours)
	for k := 1; k < n-1; k++ {
		if math.Abs(prediction[k]-sine[k]) > 0.01 {
			t.Fatalf("position %d: predicted %g, is %g", k, prediction[k], sine[k])
		}
	}
	noise := make([]float64, n)
	r := rand.New(rand.NewPCG(6, 0))
	for k := range noise {
		noise[k] = r.NormFloat64()
	}
	power := 0.0
	for _, v := range Predict(Weights(noise, neighbours), noise, neighbours) {
		power += v * v / n
	}
	if power > 0.01 { // 2 coefficients of n positions: about 2/n
		t.Errorf("independent values are predicted with a power of %g", power)
	}
}

// The prediction of an AR(1) process from both neighbours has the closed form
// φ/(1+φ²)·(z_{t−1}+z_{t+1}).
func TestPredictAR1(t *testing.T) {
	const phi, n = 0.7, 20000
	s, err := datasets.AR(rand.New(rand.NewPCG(7, 0)), n, datasets.ARProcess{Coefficients: []float64{phi}, Scale: 1, Innovation: datasets.Normal})
	if err != nil {
		t.Fatal(err)
	}
	neighbours, err := grid.Neighbours(1, n)
	if err != nil {
		t.Fatal(err)
	}
	z := s.RawRowView(0)
	prediction := Predict(Weights(z, neighbours), z, neighbours)
	for k := 1; k < n-1; k += 997 {
		want := phi / (1 + phi*phi) * (z[k-1] + z[k+1])
		if math.Abs(prediction[k]-want) > 0.03*(math.Abs(z[k-1])+math.Abs(z[k+1])) {
			t.Errorf("position %d: predicted %g, want %g", k, prediction[k], want)
		}
	}
}
