package network

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/invertible"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// A judge compares the runs of one problem.
type judge struct {
	problem     *problem
	index       *index
	d, k        int // signals, components of a source's mixture
	earlierRuns int // runs of the problem that were evaluated in an earlier training

	train, held [][]int     // positions of each fold
	whitened    [][]float64 // log-likelihoods of the whitened signals at held, of each fold
	runs        []Run
	maps        []*mapping.Invertible // of each run, from the whitened signals
	z           []*mat.Dense          // of each run, its signals
}

// model returns the model of problem i: the best of its runs, and what the data say about it.
func (t *training) model(ctx context.Context, i int, p *problem) (*Model, error) {
	n := t.options.Restarts * t.options.Folds
	j := &judge{problem: p, index: t.index, d: t.d, k: t.options.Components,
		earlierRuns: t.earlierRuns}
	for fold := range t.options.Folds {
		train, held := t.index.split(fold)
		j.train, j.held = append(j.train, train), append(j.held, held)
		j.whitened = append(j.whitened, source.Scores(p.whitened, t.index.lags, train, held, j.k))
	}
	m := &Model{}
	for r, b := range t.best[i*n : (i+1)*n] {
		_, restart, fold := t.locate(i*n + r)
		if b.network == nil {
			return nil, fmt.Errorf("restart %d never had a finite likelihood", restart)
		}
		run := Run{Restart: restart, Fold: fold, Step: b.step, Curve: b.curve,
			CodeLength:    -b.value - p.logDet,
			OverWhitening: b.value - stat.Mean(j.whitened[fold], nil)}
		j.runs = append(j.runs, run)
		j.maps = append(j.maps, b.network)
		z, err := j.maps[r].Apply(p.whitened)
		if err != nil {
			return nil, err
		}
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
	best, err := j.scores(m.Chosen)
	if err != nil {
		return err
	}
	choices := (len(j.runs) + j.earlierRuns) * len(chosen.Curve)
	m.OverWhitening = evidence.NewDifference(chargeChoice(best, choices), j.whitened[chosen.Fold])
	if m.PastGain, err = j.pastGain(m.Chosen); err != nil {
		return err
	}

	scaled := innovationScaled(z, lags, j.index.scored)
	if m.Pairs, err = rotatePairs(ctx, scaled, lags, j.index.scored, j.k); err != nil {
		return err
	}
	m.Groups = groups(j.d, m.Pairs)
	rotation := nearestRotation(scaled, j.problem.whitened, m.Groups)
	m.Map = compose(j.problem.whitening, j.maps[m.Chosen], outputMap(z, scaled, rotation))

	for fold := range j.held {
		l, err := j.likelihoods(j.bestRun(fold))
		if err != nil {
			return err
		}
		m.likelihoods = append(m.likelihoods, l.chargeChoice(choices/len(j.held)))
	}
	return j.compareRuns(ctx, m, best)
}

// compareRuns sets the Agreement of m. Best are the scores of the chosen run.
func (j *judge) compareRuns(ctx context.Context, m *Model, best []float64) error {
	fold := j.runs[m.Chosen].Fold
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
		if r == m.Chosen {
			continue
		}
		isGood, err := j.isEquallyGood(r, fold, best)
		if err != nil {
			return err
		}
		if isGood {
			a, err := agreement(align(j.z[m.Chosen]), align(j.z[r]))
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
func (j *judge) scores(r int) ([]float64, error) {
	fold := j.runs[r].Fold
	logDet, err := j.logDet(r)
	if err != nil {
		return nil, err
	}
	scores := source.Scores(j.z[r], j.index.lags, j.train[fold], j.held[fold], j.k)
	floats.Add(scores, logDet)
	return scores, nil
}

// likelihoods returns those of the mixed signals under run r at its fold's held-out positions.
func (j *judge) likelihoods(r int) (likelihoods, error) {
	fold := j.runs[r].Fold
	logDet, err := j.logDet(r)
	if err != nil {
		return likelihoods{}, err
	}
	floats.AddConst(j.problem.logDet, logDet)
	l := fitLikelihoods(j.z[r], j.index.lags, j.train[fold], j.held[fold], j.k,
		true, source.Autoregressive)
	return l.add(logDet), nil
}

// logDet returns the log-determinants of run r's map at its fold's held-out positions.
func (j *judge) logDet(r int) ([]float64, error) {
	all, err := j.maps[r].LogDet(j.problem.whitened)
	if err != nil {
		return nil, err
	}
	var held []float64
	for _, t := range j.held[j.runs[r].Fold] {
		held = append(held, all[t])
	}
	return held, nil
}

// isEquallyGood reports whether the code of run r isn't significantly longer than that of the best
// run of a fold, with these scores. A run of another fold is as good if it is that fold's best.
func (j *judge) isEquallyGood(r, fold int, best []float64) (bool, error) {
	if j.runs[r].Fold != fold {
		return r == j.bestRun(j.runs[r].Fold), nil
	}
	scores, err := j.scores(r)
	if err != nil {
		return false, err
	}
	return !evidence.NewDifference(best, scores).Significant(), nil
}

// bestRun returns the run of a fold with the shortest code.
func (j *judge) bestRun(fold int) int {
	best := -1
	for r, run := range j.runs {
		if run.Fold == fold && (best < 0 || run.OverWhitening > j.runs[best].OverWhitening) {
			best = r
		}
	}
	return best
}

// pastGain returns by how much the past shortens the code of each signal of the chosen run at the
// held-out positions of all folds. In another fold the signal is the matching one of its best run.
func (j *judge) pastGain(chosen int) ([]Difference, error) {
	with, without := make([][]float64, j.d), make([][]float64, j.d)
	for fold := range j.held {
		z := j.z[j.bestRun(fold)]
		match, err := metric.MCC(z, j.z[chosen])
		if err != nil {
			return nil, err
		}
		for i := range j.d {
			a, b := scorePast(z.RawRowView(match.Assignment[i]), j.index.lags, j.train[fold],
				j.held[fold], j.k)
			with[i], without[i] = append(with[i], a...), append(without[i], b...)
		}
	}
	gains := make([]Difference, j.d)
	for i := range gains {
		gains[i] = evidence.NewDifference(with[i], without[i])
	}
	return gains, nil
}

// Identified reports whether the model's signals are the sources, as far as the data say: each is
// predicted by its own past, every pair would have a longer code if it were rotated, and other runs
// recovered the same signals (see Reproduced).
func (m *Model) Identified() bool {
	return len(m.Groups) == 0 && m.Known()
}

// Known reports whether the model's signals are the sources, as far as the data say, up to
// rotations that are not identified: each is predicted by its own past, and other runs recovered
// the same signals.
func (m *Model) Known() bool {
	return len(Unpredicted(m.PastGain)) == 0 && m.Reproduced()
}

// Reproduced reports whether other runs whose code is as short recovered the same signals.
func (m *Model) Reproduced() bool { return Reproduced(m.Agreeing, m.Agreement) }

// Reproduced reports whether there are other networks, and all agree by at least minAgreement.
func Reproduced(agreeing int, agreement float64) bool {
	return agreeing > 0 && agreement >= minAgreement
}

// Unpredicted returns the signals, counted from 0, without a significant gain by their own past.
func Unpredicted(gains []Difference) []int {
	var signals []int
	for i, g := range gains {
		if !g.Significant() {
			signals = append(signals, i)
		}
	}
	return signals
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

// minAgreement is the agreement from which two models have recovered the same signals. It is that
// of models in which a pair is rotated by 18°, and a choice: two models whose signals correlate by
// 0.975 with the sources agree by about as much.
const minAgreement = 0.95

// Why says in a sentence what the evidence is.
func (m *Model) Why() string {
	if signals := Unpredicted(m.PastGain); len(signals) > 0 {
		// Without numbers: signals of Groups were rotated since.
		gain := m.PastGain[signals[0]]
		return fmt.Sprintf("Its signals aren't identified: one of them isn't predicted by its own "+
			"past (%.3f ± %.3f nats a position).", gain.Mean, gain.SE)
	}
	if len(m.Groups) > 0 {
		return fmt.Sprintf("The rotation of signals %s is not identified by the data; the one "+
			"nearest to the whitened signals was kept.", text.Groups(m.Groups))
	}
	switch {
	case m.Agreeing == 0:
		return "No other run is as good, so nothing says that its signals are the only ones."
	case m.Agreement < minAgreement:
		return fmt.Sprintf("Its signals aren't identified: as good a run recovered others "+
			"(agreement %.2f).", m.Agreement)
	}
	others := "1 other run"
	if m.Agreeing > 1 {
		others = fmt.Sprintf("%d other runs", m.Agreeing)
	}
	return fmt.Sprintf("Its signals are identified: each is predicted by its own past, every pair "+
		"would lose by a rotation, and %s recovered the same (agreement at least %.3f).",
		others, m.Agreement)
}

// mapOfVariables returns the map of layers.Invertible with the variables of one run, in the order
// of the store. Leaky ReLUs of any two slopes become those of mapping.Invertible, with slopes 1±c:
// their scales go into the affine maps around them.
func mapOfVariables(d int, variables map[string][]float64) *mapping.Invertible {
	m := &mapping.Invertible{}
	layer := func(name string, l, n int) []float64 { return variables[name][l*n : (l+1)*n] }
	for l := range len(variables["biases"]) / d {
		var w *mat.Dense
		if variables["matrices"] != nil {
			w = mat.NewDense(d, d, slices.Clone(layer("matrices", l, d*d)))
		} else {
			w, _ = invertible.Product(layer("factors", l, d*d), layer("permutations", l, d*d), d)
		}
		a := mapping.LinearMap(w, make([]float64, d))
		copy(a.Offset, layer("biases", l, d))
		m.Linear = append(m.Linear, a)
	}
	for l := range len(variables["lower"]) / d {
		m.Asymmetries = append(m.Asymmetries, make([]float64, d))
		before, after := m.Linear[l], m.Linear[l+1]
		for i := range d {
			c, gain, k := invertible.LeakyOf(layer("lower", l, d)[i], layer("upper", l, d)[i],
				layer("sharpness", l, d)[i])
			m.Asymmetries[l][i] = c
			floats.Scale(k, before.Matrix[i*d:(i+1)*d])
			before.Offset[i] *= k
			for j := range d {
				after.Matrix[j*d+i] *= gain / k
			}
		}
	}
	for l := range len(variables["bends"]) / d {
		asymmetries := make([]float64, d)
		for i, b := range layer("bends", l, d) {
			asymmetries[i] = max(-invertible.MaxAsymmetry, min(math.Tanh(b), invertible.MaxAsymmetry))
		}
		m.Asymmetries = append(m.Asymmetries, asymmetries)
	}
	return m
}

// compose returns the map that applies first, then m, then last.
func compose(
	first *mapping.Affine, m *mapping.Invertible, last *mapping.Affine,
) *mapping.Invertible {
	n := len(m.Asymmetries)
	linear := append([]*mapping.Affine(nil), m.Linear...)
	linear[0] = first.Then(linear[0])
	linear[n] = linear[n].Then(last)
	return &mapping.Invertible{Linear: linear, Asymmetries: m.Asymmetries}
}

// outputMap returns the affine map from the signals z to rotated signals of mean 0 and variance 1.
// The rotation applies to scaled, which is z with innovations of variance 1.
func outputMap(z, scaled, rotation *mat.Dense) *mapping.Affine {
	var rotated mat.Dense
	rotated.Mul(rotation, scaled)
	d, _ := z.Dims()
	// From variance 1 to innovations of variance 1: the inverse of standardising scaled.
	standardisation := mapping.Standardisation(scaled)
	scale := mat.NewDense(d, d, nil)
	for i := range d {
		scale.Set(i, i, 1/standardisation.Dense().At(i, i))
	}
	zero := make([]float64, d)
	return mapping.Standardisation(z).Then(mapping.LinearMap(scale, zero)).
		Then(mapping.LinearMap(rotation, zero)).Then(mapping.Standardisation(&rotated))
}
