package network

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// A Difference is a mean difference of code lengths in nats per position, with its standard
// error.
type Difference = evidence.Difference

// scorePast returns the log-likelihoods of the signal z at the held-out positions under a model
// with its past and under one without, both fitted to the training positions.
func scorePast(z []float64, lags, train, held []int, components int) (with, without []float64) {
	with, without = make([]float64, len(held)), make([]float64, len(held))
	source.Fit(z, lags, train, components).LogDensities(z, lags, held, with)
	source.Fit(z, nil, train, components).LogDensities(z, nil, held, without)
	return with, without
}

// A Pair says by how much the code of signals I and J gets longer if they are rotated by 45°, at
// equal innovation variance, and their models are fitted anew. Without a significant Loss their
// rotation isn't identified.
type Pair struct {
	I    int
	J    int
	Loss Difference
}

// innovationScaled returns z with mean 0 and innovations of variance 1.
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

// glancePairs is the number of positions at which every two of many signals are rotated first. Only
// pairs without a significant loss there are rotated at all positions. A loss of 0.05 nats with a
// standard deviation of 0.5 is six standard errors at them. At half of them it is four; twice take
// twice the time.
const glancePairs = 4096

// rotatePairs returns the losses by rotation of every two signals of z. It stops with ctx's error
// when ctx ends.
func rotatePairs(
	ctx context.Context, z *mat.Dense, lags, positions []int, components int,
) ([]Pair, error) {
	d, _ := z.Dims()
	if d <= fewSignals || len(positions) <= glancePairs {
		return rotateSelected(ctx, z, lags, positions, components, nil)
	}
	glance := subsample(positions, glancePairs)
	pairs, err := rotateSelected(ctx, z, lags, glance, components, nil)
	if err != nil {
		return nil, err
	}
	undecided := make(map[[2]int]bool)
	for _, p := range pairs {
		undecided[[2]int{p.I, p.J}] = !p.Loss.Significant()
	}
	accurate, err := rotateSelected(ctx, z, lags, positions, components, undecided)
	if err != nil {
		return nil, err
	}
	for _, p := range accurate {
		k := slices.IndexFunc(pairs, func(q Pair) bool { return q.I == p.I && q.J == p.J })
		pairs[k] = p
	}
	return pairs, nil
}

// rotateSelected is rotatePairs of the selected pairs i < j, nil for all, at the given positions.
func rotateSelected(
	ctx context.Context, z *mat.Dense, lags, positions []int, components int,
	selected map[[2]int]bool,
) ([]Pair, error) {
	d, n := z.Dims()
	addScores := func(row, scores []float64) {
		source.Fit(row, lags, positions, components).LogDensities(row, lags, positions, scores)
	}
	cached := make([][]float64, d)
	scores := func(i int) []float64 {
		if cached[i] == nil {
			cached[i] = make([]float64, len(positions))
			addScores(z.RawRowView(i), cached[i])
		}
		return cached[i]
	}
	var pairs []Pair
	sum, difference := make([]float64, n), make([]float64, n)
	for i := range d {
		for j := i + 1; j < d; j++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if selected != nil && !selected[[2]int{i, j}] {
				continue
			}
			evidence.Rotate(sum, z.RawRowView(i), z.RawRowView(j), 1)
			evidence.Rotate(difference, z.RawRowView(i), z.RawRowView(j), -1)
			unrotated, rotated := make([]float64, len(positions)), make([]float64, len(positions))
			for k := range unrotated {
				unrotated[k] = scores(i)[k] + scores(j)[k]
			}
			addScores(sum, rotated)
			addScores(difference, rotated)
			pairs = append(pairs, Pair{i, j, evidence.NewDifference(unrotated, rotated)})
		}
	}
	return pairs, nil
}

// groups joins the signals of pairs without a significant loss, and returns the groups of more than
// one signal.
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

// nearestRotation returns the rotation, d×d, of the signals z of each group that brings them as
// near as possible to the reference signals with which they correlate most. Other signals stay.
func nearestRotation(z, reference *mat.Dense, groups [][]int) *mat.Dense {
	d, _ := z.Dims()
	all := rotation.Identity(d)
	for _, group := range groups {
		n := len(group)
		cross := mat.NewDense(n, d, nil) // covariances of the group with the reference
		for k, g := range group {
			for i := range d {
				cross.Set(k, i, stat.Covariance(reference.RawRowView(i), z.RawRowView(g), nil))
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
				all.Set(i, j, q.At(a, b))
			}
		}
	}
	return all
}

// rotateNearest returns the signals z, standardised and rotated as near as possible to the
// reference.
func rotateNearest(z, reference *mat.Dense) *mat.Dense {
	d, n := z.Dims()
	standardised := innovationScaled(z, nil, grid.Range(n))
	y := mat.NewDense(d, n, nil)
	y.Mul(nearestRotation(standardised, reference, [][]int{grid.Range(d)}), standardised)
	return y
}
