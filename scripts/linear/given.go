package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// given are sources that come together.
type given struct {
	shape []int // nil is a sequence
	draw  func(rng *rand.Rand) (*mat.Dense, error)
}

var digits = &given{
	shape: []int{datasets.MNISTSide, datasets.MNISTSide},
	draw: func(rng *rand.Rand) (*mat.Dense, error) {
		s, _, err := datasets.MNIST(rng, 3)
		return s, err
	},
}

// separate separates a mixture x of the sources by the linear rule.
func (k kind) separate(x *mat.Dense) (*linear.Solution, error) {
	var shape []int
	if k.given != nil {
		shape = k.given.shape
	}
	signals, err := ica.New(x, shape...)
	if err != nil {
		return nil, err
	}
	return linear.Separate(context.Background(), signals, linear.Options{})
}

// files are the sources in WAV files, of which the shortest says how long all are,
// or in images of one shape, at variance 1.
func files(paths []string) (kind, error) {
	k := kind{name: "files", given: &given{}}
	var s *mat.Dense
	var err error
	if datasets.IsImage(paths[0]) {
		if s, k.given.shape, err = datasets.ReadImages(paths...); err != nil {
			return k, err
		}
	} else {
		var rows [][]float64
		for _, path := range paths {
			z, err := datasets.ReadFile(path)
			if err != nil {
				return k, err
			}
			rows = append(rows, z.RawRowView(0))
		}
		shortest := len(rows[0])
		for _, r := range rows {
			shortest = min(shortest, len(r))
		}
		s = mat.NewDense(len(rows), shortest, nil)
		for i, r := range rows {
			s.SetRow(i, r[:shortest])
		}
	}
	k.d = len(paths)
	for i := range k.d {
		row := s.RawRowView(i)
		mean, sd := stat.MeanStdDev(row, nil)
		if sd == 0 {
			return k, fmt.Errorf("%s is constant", paths[i])
		}
		for t, v := range row {
			row[t] = (v - mean) / sd
		}
	}
	k.given.draw = func(*rand.Rand) (*mat.Dense, error) { return s, nil }
	return k, nil
}
