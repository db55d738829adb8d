package network

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/network/internal/source"
)

// Difference is a mean difference of code lengths in nats a position, with its
// standard error.
type Difference struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

// evidentSigmas is how many standard errors a difference must be above 0 to count
// as more than chance: one of a thousand for a normal error.
const evidentSigmas = 3

// Evident tells whether the difference is above 0 beyond chance.
func (d Difference) Evident() bool { return d.Mean > evidentSigmas*d.SE }

// blockSize is how many neighbouring positions make one observation of a
// difference, so that what neighbours share doesn't pass for evidence. It is
// at least twice the past of signals, of 8 at most. Where there are few positions, it is less
// for minBlocks observations.
const blockSize, minBlocks = 16, 8

// newDifference is that of two scores of the same positions.
func newDifference(a, b []float64) Difference {
	size := min(blockSize, max(1, len(a)/minBlocks))
	var blocks []float64
	for begin := 0; begin+size <= len(a); begin += size {
		sum := 0.
		for i := begin; i < begin+size; i++ {
			sum += a[i] - b[i]
		}
		blocks = append(blocks, sum/float64(size))
	}
	mean, std := stat.MeanStdDev(blocks, nil)
	return Difference{mean, std / math.Sqrt(float64(len(blocks)))}
}

// pastScores are the log-likelihoods of z at the positions held out by models
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

// turnedPairs turns every two signals of z, unless ctx ends.
func turnedPairs(ctx context.Context, z *mat.Dense, lags, positions []int, components int) ([]Pair, error) {
	d, T := z.Dims()
	score := func(row, into []float64) {
		source.Fit(row, lags, positions, components).LogDensities(row, lags, positions, into)
	}
	alone := make([][]float64, d)
	for i := range alone {
		alone[i] = make([]float64, len(positions))
		score(z.RawRowView(i), alone[i])
	}
	var pairs []Pair
	sum, difference := make([]float64, T), make([]float64, T)
	for i := range d {
		for j := i + 1; j < d; j++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for t, v := range z.RawRowView(i) {
				w := z.At(j, t)
				sum[t], difference[t] = (v+w)/math.Sqrt2, (v-w)/math.Sqrt2
			}
			straight, turned := make([]float64, len(positions)), make([]float64, len(positions))
			for k := range straight {
				straight[k] = alone[i][k] + alone[j][k]
			}
			score(sum, turned)
			score(difference, turned)
			pairs = append(pairs, Pair{i, j, newDifference(straight, turned)})
		}
	}
	return pairs, nil
}

// groups joins the signals of pairs without evidence, and returns those of more
// than one signal.
func groups(d int, pairs []Pair) [][]int {
	group := make([]int, d)
	for i := range group {
		group[i] = i
	}
	for _, p := range pairs {
		if !p.Loss.Evident() {
			from, to := group[p.J], group[p.I]
			for i := range group {
				if group[i] == from {
					group[i] = to
				}
			}
		}
	}
	var joined [][]int
	for g := range d {
		var members []int
		for i := range d {
			if group[i] == g {
				members = append(members, i)
			}
		}
		if len(members) > 1 {
			joined = append(joined, members)
		}
	}
	return joined
}

// rotationBack rotates the signals z of each group as near as it can to those of
// start that they correlate with most. Other signals stay.
func rotationBack(z, start *mat.Dense, groups [][]int) *mat.Dense {
	d, _ := z.Dims()
	turn := rotation.Identity(d)
	for _, group := range groups {
		n := len(group)
		cross := mat.NewDense(d, n, nil) // of start with the group
		shares := make([]float64, d)
		for i := range d {
			for k, g := range group {
				r := stat.Covariance(start.RawRowView(i), z.RawRowView(g), nil)
				cross.Set(i, k, r)
				shares[i] += r * r
			}
		}
		nearest := make([]int, d)
		for i := range nearest {
			nearest[i] = i
		}
		slices.SortStableFunc(nearest, func(a, b int) int {
			switch {
			case shares[a] > shares[b]:
				return -1
			case shares[a] < shares[b]:
				return 1
			}
			return 0
		})
		nearest = nearest[:n]
		slices.Sort(nearest)
		chosen := mat.NewDense(n, n, nil)
		for k, i := range nearest {
			chosen.SetRow(k, cross.RawRowView(i))
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
