package sica

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A DivergenceReport is how far signals are from self-sufficient, by two measures
// that have little in common but the question. Their intervals come from drawing
// blocks of positions again, nothing is fitted anew: that of Dependence is for the
// pair, the predictions and the whitening found on all positions, that of Judged
// for the networks as they were trained.
type DivergenceReport struct {
	// Dependence is the total of MeasureDependence, for the most dependent
	// pair: a sum of squared correlations, not nats. It is what Default chooses
	// its start by. It sees little of signals that networks tell apart only
	// together, and sees dependences that only nonlinear predictions from the
	// signals' own contexts would explain.
	Dependence Interval `json:"dependence"`
	// Pair is the most dependent pair, counted from 0.
	Pair [2]int `json:"pair"`
	// Judged is Judge's Conditional in nats, of all signals together: what
	// small networks learn of z_t and the contexts, beyond what they learn of
	// the contexts alone, to tell the signals from independent ones at positions
	// that they weren't trained on. Nil where an axis of the index is too short
	// for Judge.
	Judged *Interval `json:"judged"`
}

// reportDivergences measures several signals, all d×T with positions of one
// shape.
func reportDivergences(ctx context.Context, backend compute.Backend, signals []*mat.Dense, shape []int, seed uint64) ([]DivergenceReport, error) {
	reports := make([]DivergenceReport, len(signals))
	positions := newBlocks(shape)
	for k, z := range signals {
		if err := reports[k].measure(z, shape, positions, seed); err != nil {
			return nil, err
		}
	}
	judged, err := judgeTogether(ctx, backend, signals, shape, seed)
	if err != nil {
		return nil, err
	}
	for k, j := range judged {
		shares := make([]float64, len(j.joint))
		for t := range shares {
			shares[t] = j.joint[t] - j.context[t]
		}
		interval := positions.meanInterval(shares, stream(seed, 0, 1, drawBootstrap)).atLeast(0)
		reports[k].Judged = &interval
	}
	return reports, nil
}

// judgeTogether judges signals in one program. It returns nil if their positions
// can't be judged.
func judgeTogether(ctx context.Context, backend compute.Backend, signals []*mat.Dense, shape []int, seed uint64) ([]judged, error) {
	cfg := judgeConfig(shape)
	d, t := signals[0].Dims()
	if cfg.validate(d, t) != nil {
		return nil, nil
	}
	var runs []Run
	for _, z := range signals {
		runs = append(runs, Run{X: z, Seed: seed})
	}
	return judgeRuns(ctx, backend, cfg, runs)
}

// measure adds the dependence of z.
func (r *DivergenceReport) measure(z *mat.Dense, shape []int, positions *blocks, seed uint64) error {
	neighbours, err := selfNeighbours(shape)
	if err != nil {
		return err
	}
	worst, f, err := mostDependent(z, neighbours, dependenceBlocks)
	if err != nil {
		return fmt.Errorf("measuring dependence: %w", err)
	}
	r.Pair = [2]int{worst.j, worst.i}
	r.Dependence = worst.interval(f, positions, seed)
	return nil
}

// interval is that of the pair's total dependence, which is above chance already.
// A resample's features are correlated by chance once more, so that its values
// are moved to have the estimate as their mean. The predictions, the whitening
// and the features are the sample's.
func (p signalPair) interval(f *features, positions *blocks, seed uint64) Interval {
	parts := []*resampled{
		newResampled(f.white[p.i], f.white[p.j], positions),
		newResampled(f.residual[p.i], f.prediction[p.j], positions),
		newResampled(f.residual[p.j], f.prediction[p.i], positions),
	}
	rng := stream(seed, 0, 0, drawBootstrap)
	values := make([]float64, replicates)
	mean := 0.0
	for k := range values {
		times := positions.resample(rng)
		for _, part := range parts {
			values[k] += part.correlation(times)
		}
		mean += values[k] / replicates
	}
	for k := range values {
		values[k] += p.dependence.Total() - mean
	}
	return percentiles(p.dependence.Total(), values).atLeast(0)
}

// resampled are two sets of features, as sums over blocks of positions.
type resampled struct {
	positions *blocks
	a, b      []moments     // of each feature
	products  [][][]float64 // of each feature of one with each of the other
}

// moments are the sums of values and of their squares.
type moments struct{ values, squares []float64 }

func newResampled(a, b [][]float64, positions *blocks) *resampled {
	r := &resampled{positions: positions, a: blockMoments(a, positions), b: blockMoments(b, positions)}
	for _, u := range a {
		var row [][]float64
		for _, v := range b {
			row = append(row, positions.sums(multiplied(u, v)))
		}
		r.products = append(r.products, row)
	}
	return r
}

func blockMoments(features [][]float64, positions *blocks) []moments {
	var m []moments
	for _, u := range features {
		m = append(m, moments{positions.sums(u), positions.sums(multiplied(u, u))})
	}
	return m
}

func multiplied(u, v []float64) []float64 {
	w := make([]float64, len(u))
	for t := range w {
		w[t] = u[t] * v[t]
	}
	return w
}

// correlation is the sum of the squared correlations in a resample in which each
// block is that many times.
func (r *resampled) correlation(times []float64) float64 {
	n := r.positions.positions(times)
	meansA, variancesA := resampledMoments(r.a, times, n)
	meansB, variancesB := resampledMoments(r.b, times, n)
	sum := 0.0
	for i, row := range r.products {
		for j, products := range row {
			if scale := variancesA[i] * variancesB[j]; scale > 0 {
				c := floats.Dot(times, products)/n - meansA[i]*meansB[j]
				sum += c * c / scale
			}
		}
	}
	return sum
}

func resampledMoments(of []moments, times []float64, n float64) (means, variances []float64) {
	for _, m := range of {
		mean := floats.Dot(times, m.values) / n
		means = append(means, mean)
		variances = append(variances, max(0, floats.Dot(times, m.squares)/n-mean*mean))
	}
	return means, variances
}
