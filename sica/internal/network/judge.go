package network

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// A judge compares the runs of one problem.
type judge struct {
	problem *problem
	index   *index
	d       int // signals

	// whitened are, for each fold, the log-likelihoods of the whitened signals at the held-out
	// positions.
	whitened [][]float64
	runs     []fittedRun
}

// models returns the models of all problems.
func (t *training) models(ctx context.Context) ([]*Model, error) {
	models := make([]*Model, len(t.problems))
	for i := range t.problems {
		t.options.report(judging, float64(i)/float64(len(t.problems)))
		var err error
		if models[i], err = t.model(ctx, i); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// model returns the model of problem i: its best run, and what the data say about it.
func (t *training) model(ctx context.Context, i int) (*Model, error) {
	p := t.problems[i]
	n := t.options.restarts * folds
	j := &judge{problem: p, index: t.index, d: t.d}
	for fold := range folds {
		l, err := t.index.likelihoods(ctx, p.whitened, fold)
		if err != nil {
			return nil, err
		}
		j.whitened = append(j.whitened, l.constant)
	}
	m := &Model{}
	for r, b := range t.best[i*n : (i+1)*n] {
		_, restart, fold := t.locate(i*n + r)
		if b.curve == nil {
			continue // the restart wasn't needed
		}
		if b.network == nil {
			return nil, fmt.Errorf("restart %d never had a finite likelihood", restart)
		}
		z, logDet, err := b.network.ApplyLogDet(p.whitened)
		if err != nil {
			return nil, err
		}
		run := fittedRun{record: b, fold: fold, z: z, logDet: valuesAt(logDet, t.index.held[fold]),
			overWhitening: b.value - stat.Mean(j.whitened[fold], nil)}
		j.runs = append(j.runs, run)
		if run.overWhitening > j.runs[m.chosen].overWhitening {
			m.chosen = len(j.runs) - 1
		}
	}
	m.runs = j.runs
	return m, j.fill(ctx, m)
}

// fill sets the fields of m that describe the chosen run.
func (j *judge) fill(ctx context.Context, m *Model) error {
	chosen, lags := j.runs[m.chosen], j.index.lags
	m.CodeLength = -chosen.value - j.problem.logDet
	best, err := j.scores(ctx, m.chosen)
	if err != nil {
		return err
	}
	choices := len(j.runs) * len(chosen.curve)
	m.OverWhitening = newDifference(chargeChoice(best, choices), j.whitened[chosen.fold])
	if m.PastGain, err = j.pastGain(ctx, m.chosen); err != nil {
		return err
	}

	scaled := innovationScaled(chosen.z, lags, j.index.scored)
	pairs, err := rotatePairs(ctx, scaled, lags, j.index.scored)
	if err != nil {
		return err
	}
	m.Groups = groups(j.d, pairs)
	nearest := nearestRotation(scaled, j.problem.whitened, m.Groups)
	m.Map = compose(j.problem.whitening, chosen.network, outputMap(chosen.z, scaled, nearest))

	for fold := range folds {
		l, err := j.likelihoods(ctx, j.bestRun(fold))
		if err != nil {
			return err
		}
		m.likelihoods = append(m.likelihoods, l.chargeChoice(choices/folds))
	}
	if err := j.compareRuns(ctx, m, best); err != nil {
		return err
	}
	m.Identified = len(m.Groups) == 0 && m.known()
	m.HeldOut = chosen.curve
	return nil
}

// compareRuns sets the Agreement of m. best are the scores of the chosen run.
func (j *judge) compareRuns(ctx context.Context, m *Model, best []float64) error {
	fold := j.runs[m.chosen].fold
	align := func(z *mat.Dense) *mat.Dense {
		if len(m.Groups) == 0 {
			return z
		}
		return rotateNearest(z, j.problem.whitened)
	}
	m.Agreement = 1
	for r := range j.runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r == m.chosen {
			continue
		}
		isGood, err := j.isEquallyGood(ctx, r, fold, best)
		if err != nil {
			return err
		}
		if isGood {
			a, err := agreement(align(j.runs[m.chosen].z), align(j.runs[r].z))
			if err != nil {
				return err
			}
			m.Agreement = min(m.Agreement, a)
			m.Agreeing++
		}
	}
	return nil
}

// scores returns the log-likelihoods of the whitened signals under run r at its fold's held-out
// positions. The source models are fitted anew.
func (j *judge) scores(ctx context.Context, r int) ([]float64, error) {
	run := j.runs[r]
	l, err := j.index.likelihoods(ctx, run.z, run.fold)
	if err != nil {
		return nil, err
	}
	return l.add(run.logDet).constant, nil
}

// likelihoods returns the log-likelihoods of the mixed signals under run r at its fold's held-out
// positions.
func (j *judge) likelihoods(ctx context.Context, r int) (likelihoods, error) {
	run := j.runs[r]
	l, err := j.index.likelihoods(ctx, run.z, run.fold, source.Varying)
	if err != nil {
		return likelihoods{}, err
	}
	logDet := slices.Clone(run.logDet)
	floats.AddConst(j.problem.logDet, logDet)
	return l.add(logDet), nil
}

// isEquallyGood reports whether the code of run r isn't significantly longer than that of the best
// run of a fold, which has these scores. A run of another fold is as good if it is the best there.
func (j *judge) isEquallyGood(
	ctx context.Context, r, fold int, best []float64,
) (bool, error) {
	if j.runs[r].fold != fold {
		return r == j.bestRun(j.runs[r].fold), nil
	}
	scores, err := j.scores(ctx, r)
	if err != nil {
		return false, err
	}
	return !newDifference(best, scores).Significant(), nil
}

// bestRun returns the run of a fold with the shortest code.
func (j *judge) bestRun(fold int) int {
	best := -1
	for r, run := range j.runs {
		if run.fold == fold && (best < 0 || run.overWhitening > j.runs[best].overWhitening) {
			best = r
		}
	}
	return best
}

// pastGain returns how much the past shortens the code of each signal of the chosen run, at the
// held-out positions of all folds; in another fold, of the matching signal of its best run.
func (j *judge) pastGain(ctx context.Context, chosen int) ([]nonlinear.Difference, error) {
	with, without := make([][]float64, j.d), make([][]float64, j.d)
	for fold := range folds {
		z := j.runs[j.bestRun(fold)].z
		match, err := metric.MCC(z, j.runs[chosen].z)
		if err != nil {
			return nil, err
		}
		for i := range j.d {
			a, b := scorePast(ctx, z.RawRowView(match.Assignment[i]), j.index.lags,
				j.index.train[fold], j.index.held[fold])
			with[i], without[i] = append(with[i], a...), append(without[i], b...)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	gains := make([]nonlinear.Difference, j.d)
	for i := range gains {
		gains[i] = newDifference(with[i], without[i])
	}
	return gains, nil
}

// agreement returns how well the signals of two models agree: the mean of the two smallest absolute
// correlations of matched signals. If one pair is rotated by θ, it is cos θ for any number of
// signals. The mean over all signals would hide one wrong signal of ten.
func agreement(a, b *mat.Dense) (float64, error) {
	match, err := metric.MCC(a, b)
	if err != nil {
		return 0, err
	}
	correlations := make([]float64, len(match.Correlation))
	for i, r := range match.Correlation {
		correlations[i] = math.Abs(r)
	}
	slices.Sort(correlations)
	return stat.Mean(correlations[:min(2, len(correlations))], nil), nil
}
