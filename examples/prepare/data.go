package main

import (
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// prices are the exponentials of mixed signals, in two halves, and what was mixed in the
// second.
func prices() (early, late, sources *mat.Dense) {
	s := must(datasets.AR(rand.New(rand.NewPCG(1, 0)), 1024,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1, Innovation: datasets.Normal},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1, Innovation: datasets.Normal}))
	x := must(datasets.LinearMix(mat.NewDense(2, 2, []float64{.1, .05, -.05, .1}), s))
	x.Apply(func(_, _ int, v float64) float64 { return 100 * math.Exp(v) }, x)
	half := func(x *mat.Dense, k int) *mat.Dense {
		return mat.DenseCopyOf(x.Slice(0, 2, k*512, k*512+512))
	}
	return half(x, 0), half(x, 1), half(s, 1)
}

// furthest is the largest difference between a and b in units of b.
func furthest(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	d.DivElem(&d, b)
	return floats.Norm(d.RawMatrix().Data, math.Inf(1))
}

// newFolder is a path for a new folder, and what removes it.
func newFolder() (path string, remove func()) {
	dir := must(os.MkdirTemp("", "prepare"))
	return filepath.Join(dir, "result"), func() { os.RemoveAll(dir) }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// must returns v, or ends the program with the error.
func must[T any](v T, err error) T {
	check(err)
	return v
}
