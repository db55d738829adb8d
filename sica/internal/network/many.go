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

// fewSignals is the largest number of signals whose restarts are trained together. Networks of more
// signals are trained as "many": they are deeper, are trained longer, have matrices instead of
// their factors for variables, and drop restarts by successive halving. It is a choice: up to it
// all restarts take seconds, and fit into one program.
const fewSignals = 8

// many reports whether networks of d signals are trained as many.
func (o Options) many(d int) bool { return d > fewSignals }

// The settings of the training of many signals. Measurements are of single runs on Laplace AR
// sources after leaky-ReLU layers (n = 16,384, seeds 7201 to 7204, in development, by another
// program with the same steps). A gap is the mean difference of the log-likelihood to that of the
// true inverse, in nats per position.
//
// After three layers the gaps of single runs with other initial networks are −1.3 to −6.8. So means
// have errors of about one nat, and the number of restarts matters most. Of eight restarts that
// were all trained to the end, the gaps were −3.9 to −6.1 (seed 7202) and −0.9 to −6.3 (seed 7203).
// Halving kept the best run of the first and the second best of the second seed. growRestarts is
// the remedy.
const (
	// There are as many layers as signals, but at least minLayers and at most maxLayers. For ten
	// signals after three layers, gaps were −1.6, −1.9 and −2.0 with 10, 16 and 24 layers (four
	// seeds); for 20 after two, −5.7 and −1.9 with 10 and 16 (one seed).
	minLayers, maxLayers = 10, 16
	// manySteps is the number of steps. It is a choice: twice of it left the gap of ten signals
	// after three layers as it was.
	manySteps = 8000
	// manyRate is the learning rate times d. For ten signals after three layers, gaps were −2.7,
	// −1.6, −1.3 and −2.1 with rates of 0.01, 0.015, 0.02 and 0.025. For 20 after two the gap was
	// −1.9 with 0.01; with 0.012 the training diverged.
	manyRate = 0.18
	// manyRestarts is the number of restarts. It is a choice: one of them is left after half of the
	// steps.
	manyRestarts = 8
	// manyBeta1 is the decay of the first moment of Adam. For ten signals after three layers, gaps
	// were −2.8 and −1.6 with 0.9 and 0.95 (two seeds).
	manyBeta1 = 0.95
	// slowRate is the learning rate of every second restart, as a share of the others'. It is a
	// choice.
	slowRate = 0.7
	// manyEvaluations is the number of evaluations in a training, one every 160 steps. It is a
	// choice: twice of it takes twice the time on the host; with half of it the network that is
	// kept may be 320 steps from the best.
	manyEvaluations = 50
)

// stages are the ends of the stages, as shares of the steps. After each, the better half of the
// restarts goes on, and the signals of each are demixed linearly. The last stage but one ends where
// the learning rate is a tenth of the highest, so that the last only refines.
var stages = [...]float64{1.0 / 8, 1.0 / 4, 1.0 / 2, 4.0 / 5, 1}

// trainMany trains the restarts in stages, one after the other. After each stage the better half of
// each problem's and fold's restarts goes on, by the held-out log-likelihood. A run that diverges
// begins its stage again at half the rate. It ends after the first stage, with errFutile, if all
// networks are behind their rivals by more than futileSigmas.
func (t *training) trainMany(ctx context.Context) error {
	cost, err := t.options.Cost(t.signals[0].Dims())
	if err != nil {
		return err
	}
	cost.Seconds *= float64(len(t.signals))
	t.options.cost = &cost
	defer func() { t.options.cost = nil }()
	t.options.report(t.stageName(), 0)
	h := &halving{training: t, states: make([]state, t.runs()), rates: make([]float64, t.runs())}
	h.drawSamples()
	h.entrants = make([][]int, len(t.active))
	for r := range t.runs() {
		problem, restart, fold := t.locate(r)
		slot := problem*t.options.Folds + fold
		h.entrants[slot] = append(h.entrants[slot], r)
		h.rates[r] = []float64{1, slowRate}[restart%2]
	}
	ranked := slices.Clone(h.entrants) // halve sorts the runs in place
	from := 0
	for k, to := range stageEnds(t.options.Steps) {
		behind, err := h.stage(ctx, from, to)
		if err != nil {
			return err
		}
		if k == 0 && behind > futileSigmas {
			return errFutile
		}
		h.halve()
		from = to
	}
	for _, runs := range ranked {
		var states []state
		for _, r := range runs {
			states = append(states, h.states[r])
		}
		t.final = append(t.final, states)
	}
	return nil
}

// stageName returns what the training is for: the first fit, or growing.
func (t *training) stageName() Stage {
	if t.initial != nil {
		return Growing
	}
	return Fitting
}

// drawSamples sets the samples by which the metric of steps is measured.
func (h *halving) drawSamples() {
	for _, z := range h.signals {
		var folds []*mat.Dense
		for fold := range h.options.Folds {
			train, _ := h.index.split(fold)
			folds = append(folds, sampleColumns(z, train))
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

// halvedSteps returns the number of steps that the restarts make together with successive halving.
func halvedSteps(steps, restarts int) int {
	total, from := 0, 0
	for _, to := range stageEnds(steps) {
		total += restarts * (to - from)
		restarts, from = (restarts+1)/2, to
	}
	return total
}

// A halving is the training of many signals by successive halving. Its program trains one run at a
// time for each slot: a problem and fold.
type halving struct {
	*training
	entrants [][]int   // of each slot, the runs that go on
	states   []state   // of each run, after its last stage; nil before
	rates    []float64 // of each run, as a share of the learning rate
	done     int       // steps made, of all runs in a slot together

	samples [][]*mat.Dense // of each problem and fold, the signals by which the metric is measured
}

// A state is the values of a run's variables and of its optimizer, by path.
type state map[string][]float64

// stage trains all entrants from one step to another. Behind is the least of their standings.
func (h *halving) stage(ctx context.Context, from, to int) (behind float64, err error) {
	behind = math.Inf(1)
	for k := range h.entrants[0] {
		for slot := range h.active {
			h.active[slot] = h.entrants[slot][k]
		}
		groupBehind, err := h.trainGroup(ctx, from, to)
		if err != nil {
			return 0, err
		}
		behind = min(behind, groupBehind)
	}
	return behind, nil
}

// trainGroup trains the active runs from one step to another, and demixes their signals. Behind is
// that of their last standing.
func (h *halving) trainGroup(ctx context.Context, from, to int) (behind float64, err error) {
	if from == 0 {
		if err := h.initialiseGroup(); err != nil {
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
		s, err := h.evaluate(step)
		if err != nil {
			return 0, err
		}
		behind = s.behind
		h.reportStep()
		if err := h.revive(); err != nil {
			return 0, err
		}
	}
	if h.states, err = h.currentStates(); err != nil {
		return behind, err
	}
	if to < h.options.Steps {
		err = h.demixActive(ctx)
	}
	return behind, err
}

// initialiseGroup sets the states of the active runs to those before their first step.
func (h *halving) initialiseGroup() (err error) {
	if err := h.trainer.ResetOptimizer(); err != nil {
		return err
	}
	if err := h.initialise(); err != nil {
		return err
	}
	h.states, err = h.currentStates()
	return err
}

// halve keeps the better half of the entrants of each slot, at least one.
func (h *halving) halve() {
	for slot, runs := range h.entrants {
		slices.SortStableFunc(runs, func(a, b int) int {
			return cmp.Compare(h.lastValue(b), h.lastValue(a))
		})
		h.entrants[slot] = runs[:(len(runs)+1)/2]
	}
}

// lastValue returns the last held-out log-likelihood of a run; −∞ if it diverged.
func (h *halving) lastValue(run int) float64 {
	curve := h.best[run].curve
	value := curve[len(curve)-1].HeldOut
	if math.IsNaN(value) {
		return math.Inf(-1)
	}
	return value
}

// revive sets the active runs that diverged back to the beginning of their stage, at half the rate.
func (h *halving) revive() error {
	diverged := false
	for _, r := range h.active {
		diverged = diverged || math.IsInf(h.lastValue(r), 0)
	}
	if !diverged {
		return nil
	}
	current, err := h.currentStates()
	if err != nil {
		return err
	}
	for _, r := range h.active {
		if math.IsInf(h.lastValue(r), 0) {
			h.rates[r] /= 2
			current[r] = h.states[r]
		}
	}
	return h.restore(current)
}

// currentStates returns the states of all runs: of the active runs, those of the program's
// variables.
func (h *halving) currentStates() ([]state, error) {
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
		size := len(flat) // of a run; all runs share a scalar
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

// restore sets the program's variables to the states of the active runs, and their rates.
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

// each calls f for each variable of the program that has floats.
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

// reportStep reports the progress of the training.
func (h *halving) reportStep() {
	total := halvedSteps(h.options.Steps, h.options.Restarts)
	h.options.report(h.stageName(), float64(h.done)/float64(total))
}
