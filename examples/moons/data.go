package main

import (
	"iter"
	"log"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
)

// samples is a data set without end: a cloud, moons and times, 256 of each.
type samples struct{}

func (samples) Name() string { return "moons" }

func (samples) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		for {
			moons, tau := make([][]float32, 256), make([]float32, 256)
			for i := range moons {
				moons[i], tau[i] = moon(), rng.Float32()
			}
			inputs := []*tensors.Tensor{
				tensors.FromValue(normal(256)), tensors.FromValue(moons), tensors.FromValue(tau),
			}
			if !yield(train.Batch{Inputs: inputs}, nil) {
				return
			}
		}
	}
}

var rng = rand.New(rand.NewPCG(1, 0))

func normal(n int) [][]float32 {
	points := make([][]float32, n)
	for i := range points {
		points[i] = []float32{float32(rng.NormFloat64()), float32(rng.NormFloat64())}
	}
	return points
}

// moon is a point near one of two half circles around (−½, −¼) and (½, ¼).
func moon() []float32 {
	sin, cos := math.Sincos(math.Pi * rng.Float64())
	x, y := cos-.5, sin-.25
	if rng.IntN(2) == 1 {
		x, y = .5-cos, .25-sin
	}
	return []float32{float32(x + .05*rng.NormFloat64()), float32(y + .05*rng.NormFloat64())}
}

// onMoons is which part of the points is within .15 of one of the half circles.
func onMoons(points [][]float32) float64 {
	on := 0.
	for _, p := range points {
		x, y := float64(p[0]), float64(p[1])
		upper := y > -.25 && math.Abs(math.Hypot(x+.5, y+.25)-1) < .15
		lower := y < .25 && math.Abs(math.Hypot(x-.5, y-.25)-1) < .15
		if upper || lower {
			on++
		}
	}
	return on / float64(len(points))
}

// must returns v, or ends the program with the error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatalf("%+v", err)
	}
	return v
}
