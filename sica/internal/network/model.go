package network

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/invertible"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// judge compares the runs of one problem, which all have the same signals.
type judge struct {
	problem *problem
	index   *index
	d, k    int // signals, components of a source's mixture
	earlier int // runs that were evaluated before, which the choice pays for, too

	train, held [][]int     // positions of each fold
	whitened    [][]float64 // log-likelihood of the whitened signals at each fold's held-out positions
	runs        []Run
	maps        []*mapping.Invertible // of the whitened signals
	z           []*mat.Dense
}

// model chooses among the runs of problem i and says what the choice is worth.
func (t *training) model(ctx context.Context, i int, p *problem) (*Model, error) {
	n := t.options.Restarts * t.options.Folds
	j := &judge{problem: p, index: t.index, d: t.d, k: t.options.Components,
		earlier: t.earlier}
	for fold := range t.options.Folds {
		train, held := t.index.split(fold)
		j.train, j.held = append(j.train, train), append(j.held, held)
		j.whitened = append(j.whitened, source.Scores(p.whitened, t.index.lags, train, held, j.k))
	}
	m := &Model{}
	for r, b := range t.best[i*n : (i+1)*n] {
		_, restart, fold := t.of(i*n + r)
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
	m.OverWhitening = evidence.NewDifference(paid(best, (len(j.runs)+j.earlier)*len(chosen.Curve)),
		j.whitened[chosen.Fold])
	if m.PastGain, err = j.pastGain(m.Chosen); err != nil {
		return err
	}

	scaled := innovationScaled(z, lags, j.index.scored)
	if m.Pairs, err = turnedPairs(ctx, scaled, lags, j.index.scored, j.k); err != nil {
		return err
	}
	m.Groups = groups(j.d, m.Pairs)
	rotation := rotationBack(scaled, j.problem.whitened, m.Groups)
	m.Map = between(j.problem.whitening, j.maps[m.Chosen], finish(z, scaled, rotation))

	for fold := range j.held {
		l, err := j.likelihoods(j.bestOf(fold))
		if err != nil {
			return err
		}
		choices := (len(j.runs) + j.earlier) / len(j.held) * len(chosen.Curve)
		m.likelihoods = append(m.likelihoods, l.paid(choices))
	}

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
		if r == m.Chosen {
			continue
		}
		good, err := j.equallyGood(r, chosen.Fold, best)
		if err != nil {
			return err
		}
		if good {
			a, err := agreement(aligned(z), aligned(j.z[r]))
			if err != nil {
				return err
			}
			m.Agreement = min(m.Agreement, a)
			m.Agreeing++
		}
	}
	return nil
}

// scores is the log-likelihood of run r at its fold's held-out positions, the
// sources fitted anew.
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

// likelihoods are those of the mixed signals under run r at its fold's held-out positions.
func (j *judge) likelihoods(r int) (likelihoods, error) {
	fold := j.runs[r].Fold
	logDet, err := j.logDet(r)
	if err != nil {
		return likelihoods{}, err
	}
	floats.AddConst(j.problem.logDet, logDet)
	l := likelihoodsOf(j.z[r], j.index.lags, j.train[fold], j.held[fold], j.k, source.Autoregressive)
	return l.plus(logDet), nil
}

// logDet is that of run r at its fold's held-out positions.
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

// equallyGood tells whether run r is as good as one of that fold with these
// scores to within chance; a run of another fold, if it is that fold's best.
func (j *judge) equallyGood(r, fold int, best []float64) (bool, error) {
	if j.runs[r].Fold != fold {
		return r == j.bestOf(j.runs[r].Fold), nil
	}
	scores, err := j.scores(r)
	if err != nil {
		return false, err
	}
	return !evidence.NewDifference(best, scores).Significant(), nil
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
func (j *judge) pastGain(chosen int) ([]Difference, error) {
	with, without := make([][]float64, j.d), make([][]float64, j.d)
	for fold := range j.held {
		z := j.z[j.bestOf(fold)]
		match, err := metric.MCC(z, j.z[chosen])
		if err != nil {
			return nil, err
		}
		for i := range j.d {
			a, b := pastScores(z.RawRowView(match.Assignment[i]), j.index.lags, j.train[fold], j.held[fold],
				j.k)
			with[i], without[i] = append(with[i], a...), append(without[i], b...)
		}
	}
	gains := make([]Difference, j.d)
	for i := range gains {
		gains[i] = evidence.NewDifference(with[i], without[i])
	}
	return gains, nil
}

// Identified tells whether the model's own evidence is that it has separated the
// sources: each signal's past predicts it, every pair would lose by a rotation,
// and what other runs recovered is the same to minAgreement.
func (m *Model) Identified() bool {
	return len(m.Groups) == 0 && m.Known()
}

// Known tells whether the model's signals are the sources up to rotations that are not
// identified: each is predicted by its own past, and other runs recovered the same.
func (m *Model) Known() bool {
	return len(Unpredicted(m.PastGain)) == 0 && m.Reproduced()
}

// Reproduced tells whether other runs that are as good recovered the same signals.
func (m *Model) Reproduced() bool { return Reproduced(m.Agreeing, m.Agreement) }

// Reproduced tells whether there are networks that agree, to minAgreement.
func Reproduced(agreeing int, agreement float64) bool {
	return agreeing > 0 && agreement >= minAgreement
}

// Unpredicted are the signals, counted from 0, whose own past gains nothing significantly.
func Unpredicted(gains []Difference) []int {
	var signals []int
	for i, g := range gains {
		if !g.Significant() {
			signals = append(signals, i)
		}
	}
	return signals
}

// agreement returns how well two models' signals agree: the mean of the two least absolute
// correlations of matched signals. That of a pair rotated by θ is cos θ among any number of
// signals, where the mean over all of them hides one wrong signal of ten.
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

// minAgreement is the agreement of two models of which a pair is rotated by 18°. It is a choice:
// two models that are each 0.975 from the sources agree to about that.
const minAgreement = .95

// Why says in a sentence what the evidence is.
func (m *Model) Why() string {
	if signals := Unpredicted(m.PastGain); len(signals) > 0 { // their numbers may not be those of turned signals
		gain := m.PastGain[signals[0]]
		return fmt.Sprintf("Its signals aren't identified: one of them isn't predicted by its own past "+
			"(%.3f ± %.3f nats a position).", gain.Mean, gain.SE)
	}
	if len(m.Groups) > 0 {
		var names []string
		for _, group := range m.Groups {
			var members []string
			for _, i := range group {
				members = append(members, fmt.Sprint(i+1))
			}
			names = append(names, strings.Join(members, ", "))
		}
		return fmt.Sprintf("The rotation of signals %s is not identified by the data; the one nearest "+
			"to the start was kept.", strings.Join(names, "; and "))
	}
	switch {
	case m.Agreeing == 0:
		return "No other run is as good, so nothing says that its signals are the only ones."
	case m.Agreement < minAgreement:
		return fmt.Sprintf("Its signals aren't identified: as good a run recovered others (agreement %.2f).",
			m.Agreement)
	}
	others := "1 other run"
	if m.Agreeing > 1 {
		others = fmt.Sprintf("%d other runs", m.Agreeing)
	}
	return fmt.Sprintf("Its signals are identified: each is predicted by its own past, every pair "+
		"would lose by a rotation, and %s recovered the same (agreement at least %.3f).",
		others, m.Agreement)
}

// newMap is layers.Invertible with the variables of one run, as they lie in the store.
func newMap(d int, variables map[string][]float64) *mapping.Invertible {
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
		m.Bends = append(m.Bends, make([]float64, d))
		before, after := m.Linear[l], m.Linear[l+1]
		for i := range d {
			c, gain, k := invertible.LeakyOf(layer("lower", l, d)[i], layer("upper", l, d)[i],
				layer("sharpness", l, d)[i])
			m.Bends[l][i] = c
			floats.Scale(k, before.Matrix[i*d:(i+1)*d])
			before.Offset[i] *= k
			for j := range d {
				after.Matrix[j*d+i] *= gain / k
			}
		}
	}
	for l := range len(variables["bends"]) / d {
		bends := make([]float64, d)
		for i, b := range layer("bends", l, d) {
			bends[i] = max(-invertible.MaxBend, min(math.Tanh(b), invertible.MaxBend))
		}
		m.Bends = append(m.Bends, bends)
	}
	return m
}

// between is first, then m, then last.
func between(
	first *mapping.Affine, m *mapping.Invertible, last *mapping.Affine,
) *mapping.Invertible {
	n := len(m.Bends)
	linear := append([]*mapping.Affine(nil), m.Linear...)
	linear[0] = first.Then(linear[0])
	linear[n] = linear[n].Then(last)
	return &mapping.Invertible{Linear: linear, Bends: m.Bends}
}

// finish is the affine map from z to the rotated signals at variance 1 and mean 0;
// scaled is z in innovation scale.
func finish(z, scaled, rotation *mat.Dense) *mapping.Affine {
	var out mat.Dense
	out.Mul(rotation, scaled)
	d, _ := z.Dims()
	unscaled := mapping.Standardisation(scaled) // the inverse of its scales is that from variance 1 to innovation scale
	scale := mat.NewDense(d, d, nil)
	for i := range d {
		scale.Set(i, i, 1/unscaled.Dense().At(i, i))
	}
	zero := make([]float64, d)
	return mapping.Standardisation(z).Then(mapping.LinearMap(scale, zero)).
		Then(mapping.LinearMap(rotation, zero)).Then(mapping.Standardisation(&out))
}
