package direct

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// model chooses among the runs of problem i and says what the choice is worth.
func (t *training) model(i int, p *problem) (*Model, error) {
	lags, k := t.index.lags, t.options.Components
	m := &Model{}
	perProblem := t.options.Restarts * t.options.Folds
	runs := t.best[i*perProblem : (i+1)*perProblem]

	// Of the whitened signals, the code length at each fold's held-out positions.
	train, held := make([][]int, t.options.Folds), make([][]int, t.options.Folds)
	whitened := make([][]float64, t.options.Folds)
	for f := range train {
		train[f], held[f] = t.index.split(f)
		whitened[f] = scoreSignals(p.whitened, lags, train[f], held[f], k)
	}
	for r, b := range runs {
		_, restart, fold := t.of(i*perProblem + r)
		if math.IsInf(b.heldOut, -1) {
			return nil, fmt.Errorf("direct: restart %d never had a finite likelihood", restart)
		}
		run := Run{Restart: restart, Fold: fold, Step: b.step, Curve: b.curve,
			CodeLength:    -b.heldOut - p.logDet,
			OverWhitening: b.heldOut - stat.Mean(whitened[fold], nil)}
		m.Runs = append(m.Runs, run)
		if run.OverWhitening > m.Runs[m.Chosen].OverWhitening {
			m.Chosen = r
		}
	}
	chosen := m.Runs[m.Chosen]
	m.CodeLength = chosen.CodeLength

	// What the chosen run recovers, and its code length at held-out positions.
	maps, zs := make([]*Map, len(runs)), make([]*mat.Dense, len(runs))
	scores := func(r int) []float64 {
		f := m.Runs[r].Fold
		score := scoreSignals(zs[r], lags, train[f], held[f], k)
		_, logDet := maps[r].forward(p.whitened)
		for j, t := range held[f] {
			score[j] += logDet[t]
		}
		return score
	}
	for r, b := range runs {
		maps[r] = newMap(t.d, b.parameters)
		zs[r], _ = maps[r].forward(p.whitened)
	}
	best := scores(m.Chosen)
	m.OverWhitening = newDifference(best, whitened[chosen.Fold])

	z := zs[m.Chosen]
	for i := range t.d {
		row := z.RawRowView(i)
		m.PastGain = append(m.PastGain, pastGain(row, lags, train[chosen.Fold], held[chosen.Fold], k))
	}
	scaled := innovationScaled(z, lags, t.index.scored)
	m.Pairs = turnedPairs(scaled, lags, t.index.scored, k)
	m.Groups = groups(t.d, m.Pairs)
	rotation := rotationBack(scaled, p.whitened, m.Groups)
	m.Map = *maps[m.Chosen].followed(finish(z, scaled, rotation)).preceded(p.whitening)

	final := z
	if len(m.Groups) > 0 {
		final = rotatedTo(z, p.whitened)
	}
	m.Agreement = 1
	bestOfFold := make([]int, t.options.Folds)
	for f := range bestOfFold {
		bestOfFold[f] = -1
	}
	for r, run := range m.Runs {
		if b := bestOfFold[run.Fold]; b < 0 || run.OverWhitening > m.Runs[b].OverWhitening {
			bestOfFold[run.Fold] = r
		}
	}
	for r, run := range m.Runs {
		switch {
		case r == m.Chosen:
			continue
		case run.Fold == chosen.Fold:
			if newDifference(best, scores(r)).Evident() {
				continue
			}
		case r != bestOfFold[run.Fold]:
			continue
		}
		other := zs[r]
		if len(m.Groups) > 0 {
			other = rotatedTo(other, p.whitened)
		}
		m.Agreement = min(m.Agreement, MeanCorrelation(final, other))
		m.Agreeing++
	}
	return m, nil
}

// finish is the affine map from z to the rotated signals at variance 1 and mean
// 0; scaled is z in innovation scale.
func finish(z, scaled *mat.Dense, rotation *mat.Dense) Affine {
	d, _ := z.Dims()
	scale := mat.NewDense(d, d, nil)
	offset := make([]float64, d)
	for i := range d {
		s := stat.StdDev(scaled.RawRowView(i), nil) / stat.StdDev(z.RawRowView(i), nil)
		scale.Set(i, i, s)
		offset[i] = -s * stat.Mean(z.RawRowView(i), nil)
	}
	a := newAffine(rotation, make([]float64, d)).after(newAffine(scale, offset))
	out := a.apply(z)
	unit := mat.NewDense(d, d, nil)
	for i := range d {
		unit.Set(i, i, 1/stat.PopStdDev(out.RawRowView(i), nil))
	}
	return newAffine(unit, make([]float64, d)).after(a)
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

// minAgreement TODO measure.
const minAgreement = .95
