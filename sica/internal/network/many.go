package network

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/host"
)

// Networks of more than fewSignals signals are trained as many: deeper, longer, their matrices
// themselves and not by factors, and by successive halving of the restarts. Of fewer signals all
// restarts take seconds, and more of them fit into one program.
const fewSignals = 8

// many reports whether networks of d signals are trained as of many.
func (o Options) many(d int) bool { return d > fewSignals }

// The training of many signals, by measurements of single runs on Laplace AR sources behind
// leaky-ReLU layers (n = 16,384, seeds 7201 to 7204, in development, by another program of the same
// steps). The gap is that of the reached log-likelihood to the one of the true inverse, in nats per
// position. Random starts alone made it −1.3 to −6.8 after three layers, so that the means have
// errors of about one nat, and restarts decide. All eight restarts of seeds 7202 and 7203 trained to
// the end came to −3.9 to −6.1 and −0.9 to −6.3: halving kept the best of the first and the second
// best of the second seed. See growRestarts for what is done about it.
const (
	// There are as many layers as signals, but minLayers to maxLayers. Ten signals behind three
	// layers came to mean gaps of −1.6, −1.9 and −2.0 with 10, 16 and 24 layers (four seeds), 20
	// behind two to −5.7 and −1.9 with 10 and 16 (one seed).
	minLayers, maxLayers = 10, 16
	// manySteps is a choice: twice of them brought ten signals after three layers no nearer.
	manySteps = 8000
	// manyRate is the learning rate times d. Ten signals after three layers came to mean gaps of
	// −2.7, −1.6, −1.3 and −2.1 by rates of 0.01, 0.015, 0.02 and 0.025; 20 behind two to −1.9 by
	// 0.01, and diverged at 0.012.
	manyRate = 0.18
	// manyRestarts is a choice: of them one goes on after half of the steps.
	manyRestarts = 8
	// manyBeta1 is the decay of the first moment of Adam. Ten signals after three layers came to
	// mean gaps of −2.8 and −1.6 with 0.9 and 0.95 (two seeds).
	manyBeta1 = 0.95
	// slowRate is the rate of every second restart, as a share.
	slowRate = 0.7
	// manyEvaluations is how many times in a training runs are evaluated, every 160 steps. Half of
	// them keep networks of 320 steps ago at worst, twice take twice the time on the host.
	manyEvaluations = 50
)

// stages are the shares of the steps after which half of the restarts go on, and what they have
// learned is unmixed. The last but one ends where the rate is a tenth of the highest, so that
// what was unmixed is only refined.
var stages = [...]float64{1. / 8, 1. / 4, 1. / 2, 4. / 5, 1}

// trainMany trains the restarts one after another in stages. After each stage the better half
// goes on, by the held-out log-likelihood, of each problem and fold. A run that diverges goes on
// from where its stage began, at half the rate. Training ends after the first stage if it is
// futile (see futileSigmas).
func (t *training) trainMany(ctx context.Context) error {
	cost, err := t.options.Cost(t.signals[0].Dims())
	if err != nil {
		return err
	}
	cost.Seconds *= float64(len(t.signals))
	t.options.cost = &cost
	defer func() { t.options.cost = nil }()
	t.options.report(t.doing(), 0, nil)
	h := &halving{training: t, states: make([]state, t.runs()), rates: make([]float64, t.runs())}
	h.takeSamples()
	h.entrants = make([][]int, len(t.active))
	for r := range t.runs() {
		problem, restart, fold := t.of(r)
		slot := problem*t.options.Folds + fold
		h.entrants[slot] = append(h.entrants[slot], r)
		h.rates[r] = []float64{1, slowRate}[restart%2]
	}
	ranked := slices.Clone(h.entrants) // halve sorts the runs in place
	from := 0
	for k, to := range stageEnds(t.options.Steps) {
		behind, err := h.stage(ctx, from, to)
		if err != nil || k == 0 && behind > futileSigmas {
			return err
		}
		h.halve()
		from = to
	}
	for _, runs := range ranked {
		var states []state
		for _, r := range runs {
			states = append(states, h.states[r])
		}
		t.ends = append(t.ends, states)
	}
	return nil
}

// doing is the stage of a fit.
func (t *training) doing() Stage {
	if t.begin != nil {
		return Growing
	}
	return Fitting
}

// takeSamples sets the samples.
func (h *halving) takeSamples() {
	for _, z := range h.signals {
		var folds []*mat.Dense
		for fold := range h.options.Folds {
			train, _ := h.index.split(fold)
			folds = append(folds, sample(z, train))
		}
		h.samples = append(h.samples, folds)
	}
}

// stageEnds returns the steps at which the stages end.
func stageEnds(steps int) []int {
	var ends []int
	from := 0
	for _, share := range stages {
		from = max(from+1, int(share*float64(steps)))
		ends = append(ends, from)
	}
	return ends
}

// halvedSteps is how many steps so many restarts make in all, of which one makes all steps.
func halvedSteps(steps, restarts int) int {
	total, from := 0, 0
	for _, to := range stageEnds(steps) {
		total += restarts * (to - from)
		restarts, from = (restarts+1)/2, to
	}
	return total
}

// A halving is the training of many signals. Its program has a slot for each problem and fold.
type halving struct {
	*training
	entrants [][]int // of each slot the runs that go on
	states   []state // of each run after its last stage, nil before
	rates    []float64
	done     int // steps of all runs in a slot

	samples [][]*mat.Dense // of each problem and fold, the signals that the metric is of
}

// A state is the values of a run's variables and of its optimizer, by path.
type state map[string][]float64

// stage trains all entrants from one step to another. It returns by how many standard errors the
// run that is least behind its rival is behind it.
func (h *halving) stage(ctx context.Context, from, to int) (behind float64, err error) {
	behind = math.Inf(1)
	for k := range h.entrants[0] {
		for slot := range h.active {
			h.active[slot] = h.entrants[slot][k]
		}
		least, err := h.group(ctx, from, to)
		if err != nil {
			return 0, err
		}
		behind = min(behind, least)
	}
	return behind, nil
}

// group trains the active runs from one step to another; see stage.
func (h *halving) group(ctx context.Context, from, to int) (behind float64, err error) {
	if from == 0 {
		if err := h.trainer.ResetOptimizer(); err != nil {
			return 0, err
		}
		if err := h.initialise(); err != nil {
			return 0, err
		}
		if h.states, err = h.saved(); err != nil {
			return 0, err
		}
	}
	if err := h.restore(h.states); err != nil {
		return 0, err
	}
	every := max(1, h.options.Steps/manyEvaluations)
	for step := from; step < to; {
		n := min(evaluateEvery, to-step)
		if err := h.setMetric(); err != nil {
			return 0, err
		}
		if err := h.advance(ctx, n); err != nil {
			return 0, err
		}
		step += n
		h.done += n
		if step/every == (step-n)/every && step < to {
			continue
		}
		if behind, err = h.evaluate(step); err != nil {
			return 0, err
		}
		h.reportStep()
		if err := h.revive(); err != nil {
			return 0, err
		}
	}
	if h.states, err = h.saved(); err != nil {
		return behind, err
	}
	if to < h.options.Steps {
		err = h.unmix(ctx)
	}
	return behind, err
}

// halve keeps the better half of the entrants of each slot, at least one.
func (h *halving) halve() {
	for slot, runs := range h.entrants {
		slices.SortStableFunc(runs, func(a, b int) int { return cmp.Compare(h.last(b), h.last(a)) })
		h.entrants[slot] = runs[:(len(runs)+1)/2]
	}
}

// last returns the last held-out log-likelihood of a run; −∞ if it diverged.
func (h *halving) last(run int) float64 {
	curve := h.best[run].curve
	value := curve[len(curve)-1].HeldOut
	if math.IsNaN(value) {
		return math.Inf(-1)
	}
	return value
}

// revive puts the active runs that diverged back to where their stage began, at half the rate.
func (h *halving) revive() error {
	diverged := false
	for _, r := range h.active {
		diverged = diverged || math.IsInf(h.last(r), 0)
	}
	if !diverged {
		return nil
	}
	now, err := h.saved()
	if err != nil {
		return err
	}
	for _, r := range h.active {
		if math.IsInf(h.last(r), 0) {
			h.rates[r] /= 2
			now[r] = h.states[r]
		}
	}
	return h.restore(now)
}

// saved returns the states with those of the active runs as they are now.
func (h *halving) saved() ([]state, error) {
	states := slices.Clone(h.states)
	for _, r := range h.active {
		states[r] = make(state)
	}
	err := h.each(func(v *model.Variable) error {
		value, err := v.Value()
		if err != nil {
			return err
		}
		flat, err := host.Values(value)
		if err != nil {
			return err
		}
		size := len(flat) // of a run; a scalar is all runs'
		if v.Shape().Rank() > 0 {
			size /= len(h.active)
		}
		for slot, r := range h.active {
			first := slot * size % len(flat)
			states[r][v.Path()] = flat[first : first+size]
		}
		return nil
	})
	return states, err
}

// restore sets the variables of the active runs to these states, and their rates.
func (h *halving) restore(states []state) error {
	return h.each(func(v *model.Variable) error {
		var values []float64
		for _, r := range h.active {
			switch part := states[r][v.Path()]; {
			case v.Path() == flows.RunsAdamRates:
				values = append(values, h.rates[r])
			case v.Shape().Rank() > 0:
				values = append(values, part...)
			default:
				values = part
			}
		}
		return v.SetValue(host.Tensor(values, v.DType(), v.Shape().Dimensions...))
	})
}

// each calls f for each variable of floats of the program.
func (h *halving) each(f func(v *model.Variable) error) error {
	for v := range h.store.IterVariables() {
		if !v.DType().IsFloat() {
			continue
		}
		if err := f(v); err != nil {
			return fmt.Errorf("variable %s: %w", v.Path(), err)
		}
	}
	return nil
}

// reportStep reports how far training has come.
func (h *halving) reportStep() {
	total := halvedSteps(h.options.Steps, h.options.Restarts)
	best := make([]float64, len(h.signals))
	for i := range best {
		best[i] = math.Inf(-1)
	}
	for r, b := range h.best {
		problem, _, _ := h.of(r)
		best[problem] = max(best[problem], b.value)
	}
	h.options.report(h.doing(), float64(h.done)/float64(total), best)
}
