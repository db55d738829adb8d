package direct

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// judge compares the runs of one problem, which all have the same signals.
type judge struct {
	problem *problem
	index   *index
	d, k    int // signals, components of a source's mixture

	train, held [][]int     // positions of each fold
	whitened    [][]float64 // log-likelihood of the whitened signals at each fold's held-out positions
	runs        []Run
	maps        []*Map // of the whitened signals
	z           []*mat.Dense
}

// model chooses among the runs of problem i and says what the choice is worth.
func (t *training) model(ctx context.Context, i int, p *problem) (*Model, error) {
	n := t.options.Restarts * t.options.Folds
	j := &judge{problem: p, index: t.index, d: t.d, k: t.options.Components}
	for fold := range t.options.Folds {
		train, held := t.index.split(fold)
		j.train, j.held = append(j.train, train), append(j.held, held)
		j.whitened = append(j.whitened, scoreSignals(p.whitened, t.index.lags, train, held, j.k))
	}
	m := &Model{}
	for r, b := range t.best[i*n : (i+1)*n] {
		_, restart, fold := t.of(i*n + r)
		if math.IsInf(b.heldOut, -1) {
			return nil, fmt.Errorf("restart %d never had a finite likelihood", restart)
		}
		run := Run{Restart: restart, Fold: fold, Step: b.step, Curve: b.curve,
			CodeLength:    -b.heldOut - p.logDet,
			OverWhitening: b.heldOut - stat.Mean(j.whitened[fold], nil)}
		j.runs = append(j.runs, run)
		j.maps = append(j.maps, newMap(t.d, b.parameters))
		z, _ := j.maps[r].forward(p.whitened)
		j.z = append(j.z, z)
		if run.OverWhitening > j.runs[m.Chosen].OverWhitening {
			m.Chosen = r
		}
	}
	m.Runs = j.runs
	return m, j.fill(ctx, m)
}

// fill sets what m says of the chosen run.
func (j *judge) fill(ctx context.Context, m *Model) error {
	chosen, z, lags := j.runs[m.Chosen], j.z[m.Chosen], j.index.lags
	m.CodeLength = chosen.CodeLength
	best := j.scores(m.Chosen)
	m.OverWhitening = newDifference(best, j.whitened[chosen.Fold])
	m.PastGain = j.pastGain(m.Chosen)

	scaled := innovationScaled(z, lags, j.index.scored)
	var err error
	if m.Pairs, err = turnedPairs(ctx, scaled, lags, j.index.scored, j.k); err != nil {
		return err
	}
	m.Groups = groups(j.d, m.Pairs)
	rotation := rotationBack(scaled, j.problem.whitened, m.Groups)
	m.Map = *j.maps[m.Chosen].followed(finish(z, scaled, rotation)).preceded(j.problem.whitening)

	m.Agreement = 1
	aligned := func(z *mat.Dense) *mat.Dense {
		if len(m.Groups) == 0 {
			return z
		}
		return rotatedTo(z, j.problem.whitened)
	}
	for r := range j.runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r != m.Chosen && j.equallyGood(r, chosen.Fold, best) {
			m.Agreement = min(m.Agreement, MeanCorrelation(aligned(z), aligned(j.z[r])))
			m.Agreeing++
		}
	}
	return nil
}

// scores is the log-likelihood of run r at its fold's held-out positions, the
// sources fitted anew.
func (j *judge) scores(r int) []float64 {
	fold := j.runs[r].Fold
	scores := scoreSignals(j.z[r], j.index.lags, j.train[fold], j.held[fold], j.k)
	_, logDet := j.maps[r].forward(j.problem.whitened)
	for i, t := range j.held[fold] {
		scores[i] += logDet[t]
	}
	return scores
}

// equallyGood tells whether run r is as good as one of that fold with these
// scores to within chance; a run of another fold, if it is that fold's best.
func (j *judge) equallyGood(r, fold int, best []float64) bool {
	if j.runs[r].Fold == fold {
		return !newDifference(best, j.scores(r)).Evident()
	}
	return r == j.bestOf(j.runs[r].Fold)
}

// bestOf is the best run of a fold.
func (j *judge) bestOf(fold int) int {
	best := -1
	for r, run := range j.runs {
		if run.Fold == fold && (best < 0 || run.OverWhitening > j.runs[best].OverWhitening) {
			best = r
		}
	}
	return best
}

// pastGain is what the past adds to the log-likelihood of each signal of the
// chosen run at the positions that were held out, in the other folds of the
// signal most like it in the best run.
func (j *judge) pastGain(chosen int) []Difference {
	with, without := make([][]float64, j.d), make([][]float64, j.d)
	for fold := range j.held {
		z := j.z[j.bestOf(fold)]
		like := assign(correlations(j.z[chosen], z))
		for i := range j.d {
			a, b := pastScores(z.RawRowView(like[i]), j.index.lags, j.train[fold], j.held[fold], j.k)
			with[i], without[i] = append(with[i], a...), append(without[i], b...)
		}
	}
	gains := make([]Difference, j.d)
	for i := range gains {
		gains[i] = newDifference(with[i], without[i])
	}
	return gains
}

// Identified tells whether the model's own evidence is that it has separated the
// sources: each signal's past predicts it, every pair would lose by a rotation,
// and what other runs recovered is the same to minAgreement.
func (m *Model) Identified() bool {
	for _, g := range m.PastGain {
		if !g.Evident() {
			return false
		}
	}
	return len(m.Groups) == 0 && m.Agreeing > 0 && m.Agreement >= minAgreement
}

// minAgreement is a prior: two maps that are each .975 from the sources agree to
// about that.
const minAgreement = .95
