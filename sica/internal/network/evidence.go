package network

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// A Difference is a mean difference of code lengths in nats per position, with its standard
// error.
type Difference = evidence.Difference

// pastScores are the log-likelihoods of z at the held-out positions by models
// with and without the past, both fitted to the others.
func pastScores(z []float64, lags, train, held []int, components int) (with, without []float64) {
	with, without = make([]float64, len(held)), make([]float64, len(held))
	source.Fit(z, lags, train, components).LogDensities(z, lags, held, with)
	source.Fit(z, nil, train, components).LogDensities(z, nil, held, without)
	return with, without
}

// Pair is what signals I and J lose in log-likelihood when they are turned by
// 45° at equal innovation variance and their models fitted anew. Without
// evidence of a loss nothing tells them from their rotations.
type Pair struct {
	I    int        `json:"i"`
	J    int        `json:"j"`
	Loss Difference `json:"loss"`
}

// innovationScaled is z with mean 0 and innovations of variance 1.
func innovationScaled(z *mat.Dense, lags, positions []int) *mat.Dense {
	scaled := mat.DenseCopyOf(z)
	d, _ := z.Dims()
	for i := range d {
		row := scaled.RawRowView(i)
		mean := stat.Mean(row, nil)
		for t := range row {
			row[t] -= mean
		}
		_, std := ar.Regress(row, lags, positions)
		for t := range row {
			row[t] /= std
		}
	}
	return scaled
}

// glancePairs is at how many positions every two of many signals are rotated first. Only pairs
// without evidence there are rotated at all positions. A loss of 0.05 nats of a deviation of 0.5
// is of six standard errors at them; half of them would leave four, twice take twice as long.
const glancePairs = 4096

// turnedPairs rotates every two signals of z, unless ctx ends.
func turnedPairs(
	ctx context.Context, z *mat.Dense, lags, positions []int, components int,
) ([]Pair, error) {
	d, _ := z.Dims()
	if d <= fewSignals || len(positions) <= glancePairs {
		return turned(ctx, z, lags, positions, components, nil)
	}
	glance := evenly(positions, glancePairs)
	pairs, err := turned(ctx, z, lags, glance, components, nil)
	if err != nil {
		return nil, err
	}
	open := make(map[[2]int]bool)
	for _, p := range pairs {
		open[[2]int{p.I, p.J}] = !p.Loss.Significant()
	}
	closer, err := turned(ctx, z, lags, positions, components, open)
	if err != nil {
		return nil, err
	}
	for _, p := range closer {
		k := slices.IndexFunc(pairs, func(q Pair) bool { return q.I == p.I && q.J == p.J })
		pairs[k] = p
	}
	return pairs, nil
}

// turned rotates every two signals of z, or the given pairs, i < j.
func turned(
	ctx context.Context, z *mat.Dense, lags, positions []int, components int, only map[[2]int]bool,
) ([]Pair, error) {
	d, T := z.Dims()
	score := func(row, into []float64) {
		source.Fit(row, lags, positions, components).LogDensities(row, lags, positions, into)
	}
	scores := make([][]float64, d)
	alone := func(i int) []float64 {
		if scores[i] == nil {
			scores[i] = make([]float64, len(positions))
			score(z.RawRowView(i), scores[i])
		}
		return scores[i]
	}
	var pairs []Pair
	sum, difference := make([]float64, T), make([]float64, T)
	for i := range d {
		for j := i + 1; j < d; j++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if only != nil && !only[[2]int{i, j}] {
				continue
			}
			evidence.Rotate(sum, z.RawRowView(i), z.RawRowView(j), 1)
			evidence.Rotate(difference, z.RawRowView(i), z.RawRowView(j), -1)
			straight, turned := make([]float64, len(positions)), make([]float64, len(positions))
			for k := range straight {
				straight[k] = alone(i)[k] + alone(j)[k]
			}
			score(sum, turned)
			score(difference, turned)
			pairs = append(pairs, Pair{i, j, evidence.NewDifference(straight, turned)})
		}
	}
	return pairs, nil
}

// groups joins the signals of pairs without evidence, and returns those of more
// than one signal.
func groups(d int, pairs []Pair) [][]int {
	joined := map[[2]int]bool{}
	for _, p := range pairs {
		joined[[2]int{p.J, p.I}] = !p.Loss.Significant()
	}
	all := evidence.Groups(d, func(i, j int) bool { return joined[[2]int{i, j}] })
	var several [][]int
	for _, group := range all {
		if len(group) > 1 {
			several = append(several, group)
		}
	}
	return several
}

// rotationBack rotates the signals z of each group as near as it can to those of
// start that they correlate with most. Other signals stay.
func rotationBack(z, start *mat.Dense, groups [][]int) *mat.Dense {
	d, _ := z.Dims()
	turn := rotation.Identity(d)
	for _, group := range groups {
		n := len(group)
		cross := mat.NewDense(n, d, nil) // of the group with start
		for k, g := range group {
			for i := range d {
				cross.Set(k, i, stat.Covariance(start.RawRowView(i), z.RawRowView(g), nil))
			}
		}
		closest := evidence.Closest(cross, n)
		slices.Sort(closest)
		chosen := mat.NewDense(n, n, nil)
		for k, i := range closest {
			chosen.SetRow(k, mat.Col(nil, i, cross))
		}
		q, ok := rotation.Nearest(chosen)
		if !ok {
			continue
		}
		for a, i := range group {
			for b, j := range group {
				turn.Set(i, j, q.At(a, b))
			}
		}
	}
	return turn
}

// rotatedTo is z, standardised, rotated as near as it can to start.
func rotatedTo(z, start *mat.Dense) *mat.Dense {
	d, T := z.Dims()
	unit := innovationScaled(z, nil, seq(T))
	all := make([]int, d)
	for i := range all {
		all[i] = i
	}
	y := mat.NewDense(d, T, nil)
	y.Mul(rotationBack(unit, start, [][]int{all}), unit)
	return y
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}
