package network

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// A pairLoss is the increase of the code length of signals i and j if they are rotated by 45°, at
// equal innovation variance, and their models are fitted anew. Without a significant loss their
// rotation isn't identified.
type pairLoss struct {
	i    int
	j    int
	loss nonlinear.Difference
}

// innovationScaled returns z scaled to mean 0 and innovations of variance 1.
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

// glancePairs is the number of positions at which all pairs of many signals are rotated first. Only
// pairs without a significant loss there are rotated at all positions. With a larger number the
// first rotations take longer; with a smaller one more pairs are rotated twice.
const glancePairs = 4096

// rotatePairs returns the losses by rotation of all pairs of signals of z. If ctx ends, it returns
// the error of ctx.
func rotatePairs(ctx context.Context, z *mat.Dense, lags, positions []int) ([]pairLoss, error) {
	d, _ := z.Dims()
	first := positions
	if d > fewSignals {
		first = subsample(positions, glancePairs)
	}
	var pairs []pairLoss
	glance := newPairRotations(z, lags, first)
	for i := range d {
		for j := i + 1; j < d; j++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			pairs = append(pairs, pairLoss{i, j, glance.loss(ctx, i, j)})
		}
	}
	if len(first) == len(positions) {
		return pairs, ctx.Err()
	}
	all := newPairRotations(z, lags, positions)
	for k, p := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !p.loss.Significant() {
			pairs[k].loss = all.loss(ctx, p.i, p.j)
		}
	}
	return pairs, ctx.Err()
}

// pairRotations compares the code of signals with the code of their rotations by 45° in pairs.
type pairRotations struct {
	z               *mat.Dense // d×n
	lags, positions []int
	scores          [][]float64 // log-likelihoods of each signal; nil until computed
}

func newPairRotations(z *mat.Dense, lags, positions []int) *pairRotations {
	d, _ := z.Dims()
	return &pairRotations{z, lags, positions, make([][]float64, d)}
}

// loss returns the increase of the code length of signals i and j if they are rotated. If ctx ends,
// the result is meaningless.
func (r *pairRotations) loss(ctx context.Context, i, j int) nonlinear.Difference {
	for _, k := range []int{i, j} {
		if r.scores[k] == nil {
			r.scores[k] = make([]float64, len(r.positions))
			r.addScores(ctx, r.z.RawRowView(k), r.scores[k])
		}
	}
	unrotated := floats.AddTo(make([]float64, len(r.positions)), r.scores[i], r.scores[j])
	rotated := make([]float64, len(r.positions))
	signal := make([]float64, len(r.z.RawRowView(i)))
	for _, sign := range []float64{1, -1} { // the sum and the difference, over √2
		evidence.Rotate(signal, r.z.RawRowView(i), r.z.RawRowView(j), sign)
		r.addScores(ctx, signal, rotated)
	}
	return newDifference(unrotated, rotated)
}

// addScores adds the log-likelihoods of a signal at the positions under a model fitted there.
func (r *pairRotations) addScores(ctx context.Context, signal, scores []float64) {
	source.Fit(ctx, signal, r.lags, r.positions).
		LogDensities(signal, r.lags, r.positions, scores)
}

// groups joins the signals of pairs without a significant loss, and returns the groups of two or
// more signals.
func groups(d int, pairs []pairLoss) [][]int {
	joined := map[[2]int]bool{}
	for _, p := range pairs {
		joined[[2]int{p.j, p.i}] = !p.loss.Significant()
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

// nearestRotation returns the d×d rotation of the signals z that brings each group as near as
// possible to the reference signals with which it correlates most. Other signals stay.
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
