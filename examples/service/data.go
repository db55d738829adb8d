package main

import (
	"errors"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// example returns two mixed signals of the size that is asked for as a rule.
func example() *mat.Dense {
	sources := must(datasets.AR(rand.New(rand.NewPCG(1, 0)), 512,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1}))
	return must(datasets.LinearMix(mat.NewDense(2, 2, []float64{2, 1, -1, 1}), sources))
}

func matrix(rows [][]float64) (*mat.Dense, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, errors.New("no signals")
	}
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, errors.New("signals of several lengths")
		}
		x.SetRow(i, row)
	}
	return x, nil
}

func rowsOf(z *mat.Dense) [][]float64 {
	d, _ := z.Dims()
	rows := make([][]float64, d)
	for i := range rows {
		rows[i] = z.RawRowView(i)
	}
	return rows
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
