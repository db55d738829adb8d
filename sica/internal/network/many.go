package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/parallel"
)

// fewSignals is the largest number of signals whose restarts are trained together. Networks of more
// signals are trained as "many": they are deeper, are trained longer, have matrices instead of
// their factors for variables, and are restarted until they recover the same. It is a choice: up to
// it all restarts take seconds, and fit into one program.
const fewSignals = 8

// many reports whether networks of d signals are trained as many.
func (o Options) many(d int) bool { return d > fewSignals }

// The settings of the training of many signals, measured on Laplace AR(1) sources, coefficients of
// 0.4 to 0.9, after three leaky-ReLU layers. A gap is the mean difference of the held-out
// log-likelihood to that of the true inverse, in nats per position.
const (
	// There are layersPerSignal layers for each signal, from minLayers to maxLayers. For ten signals the
	// gaps of single runs were −3.7 and −3.5 with 10 layers, −0.2 and −1.3 with 16 (the better of
	// four, two seeds); for 20 (n = 65,536), −13 and −4.5 with 16 and 32, and no better with 48.
	layersPerSignal, minLayers, maxLayers = 1.6, 16, 32
	// There are stepsPerSignal steps for each signal, at most maxManySteps. For ten signals, 800 and
	// 1200 for each took gaps of −0.65 ± 0.15 and −0.30 ± 0.11 (five seeds, restarts as below).
	stepsPerSignal, maxManySteps = 1200, 16000
	// manyRate is the learning rate times d. For ten signals, 0.18 and 0.3 are as good; for 20 the
	// training diverges with 0.36.
	manyRate = 0.18
	// restartedSteps is the number of steps of all restarts of a fold together, of which there are at
	// least two. It is a choice: three restarts of ten signals take about a minute.
	restartedSteps = 36000
	// manyBeta1 is the decay of the first moment of Adam. For ten signals after three layers, gaps
	// were −2.8 and −1.6 with 0.9 and 0.95 (two seeds).
	manyBeta1 = 0.95
	// manyEvaluations is the number of evaluations in a training. It is a choice: twice of it takes
	// twice the time on the host; with half of it the network that is kept may be a twenty-fifth of
	// the steps from the best.
	manyEvaluations = 50
)

// stages are the ends of the stages of a run, as shares of its steps. After each, its signals are
// demixed linearly.
var stages = [...]float64{1.0 / 8, 1.0 / 2, 4.0 / 5, 1}

// trainMany trains one restart after the other, in all problems and folds beside each other, until
// the best networks of the folds, which begin with others and see other positions, recover the same
// signals. A run that diverges begins its stage again at half the rate. It ends after the first
// stage, with errFutile, if all networks are behind their rivals by more than futileSigmas.
func (t *training) trainMany(ctx context.Context) error {
	cost, err := t.options.Cost(t.signals[0].Dims())
	if err != nil {
		return err
	}
	cost.Seconds *= float64(len(t.signals))
	t.options.cost = &cost
	defer func() { t.options.cost = nil }()
	t.options.report(Fitting, 0)
	var done atomic.Int64
	slots := make([]*slot, len(t.signals)*t.options.Folds)
	err = inSlots(slots, func(k int) (err error) {
		slots[k], err = t.newSlot(ctx, k/t.options.Folds, k%t.options.Folds, &done)
		return err
	})
	if err == nil {
		err = t.trainSlots(ctx, slots)
	}
	for _, s := range slots {
		switch {
		case s == nil:
		case err != nil && ctx.Err() == nil && !errors.Is(err, errFutile):
			s.discard()
		default:
			s.release()
		}
	}
	return err
}

// trainSlots is trainMany with the slots' programs.
func (t *training) trainSlots(ctx context.Context, slots []*slot) error {
	for restart := range t.options.Restarts {
		from := 0
		for k, to := range stageEnds(t.options.Steps) {
			err := inSlots(slots, func(k int) error {
				return slots[k].stage(ctx, slots[k].runs[restart], from, to)
			})
			if err != nil {
				return err
			}
			if restart == 0 && k == 0 && !slices.ContainsFunc(slots, (*slot).isPromising) {
				return errFutile
			}
			from = to
		}
		if same, err := t.foldsAgree(); same || err != nil {
			return err
		}
	}
	return nil
}

// inSlots calls do for the places of all slots, shared among the processors.
func inSlots(slots []*slot, do func(k int) error) error {
	errs := make([]error, len(slots))
	// What is done sees itself that its context has ended.
	parallel.Do(context.Background(), parallel.Workers(len(slots)), len(slots), func(_, k int) {
		errs[k] = do(k)
	})
	return errors.Join(errs...)
}

// foldsAgree reports whether the best networks of all folds recover the same signals, of each
// problem. One fold agrees with none.
func (t *training) foldsAgree() (bool, error) {
	for problem, x := range t.signals {
		z := make([]*mat.Dense, t.options.Folds)
		highest := slices.Repeat([]float64{math.Inf(-1)}, t.options.Folds)
		for r, b := range t.best {
			p, _, fold := t.locate(r)
			if p != problem || !(b.value > highest[fold]) {
				continue
			}
			var err error
			if z[fold], err = b.network.Apply(x); err != nil {
				return false, err
			}
			highest[fold] = b.value
		}
		for _, other := range z[1:] {
			if z[0] == nil || other == nil {
				return false, nil
			}
			if a, err := agreement(z[0], other); a < minAgreement || err != nil {
				return false, err
			}
		}
	}
	return t.options.Folds > 1, nil
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

// A slot trains the runs of one problem and fold, one at a time, in a program of its own.
type slot struct {
	training               // with one active run
	runs     []int         // of all restarts
	begin    state         // of the active run, before its stage
	rate     float64       // of the active run, as a share of the learning rate
	sample   *mat.Dense    // the signals by which the metric of steps is measured
	behind   float64       // the standing of the active run at its last evaluation
	done     *atomic.Int64 // steps made, of all slots together
}

// A state is the values of a run's variables and of its optimizer, by path.
type state map[string][]float64

// newSlot returns the slot of a problem and fold, with a program. The lease is to be ended.
func (t *training) newSlot(
	ctx context.Context, problem, fold int, done *atomic.Int64,
) (*slot, error) {
	train, _ := t.index.split(fold)
	s := &slot{training: *t, sample: sampleColumns(t.signals[problem], train), done: done}
	for r := range t.runs() {
		if p, _, f := t.locate(r); p == problem && f == fold {
			s.runs = append(s.runs, r)
		}
	}
	s.active = s.runs[:1]
	return s, s.acquire(ctx)
}

// stage trains a run from one step to another, where it was before, and demixes its signals.
func (s *slot) stage(ctx context.Context, run, from, to int) (err error) {
	s.active = []int{run}
	if from == 0 {
		if err := s.restart(); err != nil {
			return err
		}
	}
	if s.begin, err = s.state(); err != nil {
		return err
	}
	every := max(1, s.options.Steps/manyEvaluations)
	for step := from; step < to; {
		n := min(evaluateEvery, to-step)
		if err := s.setMetric(); err != nil {
			return err
		}
		if err := s.advance(ctx, n); err != nil {
			return err
		}
		step += n
		s.done.Add(int64(n))
		if step/every > (step-n)/every || step == to {
			if err := s.look(step); err != nil {
				return err
			}
		}
	}
	return s.demix(ctx)
}

// restart draws the network of the active run.
func (s *slot) restart() error {
	s.rate = 1
	if err := s.trainer.ResetOptimizer(); err != nil {
		return err
	}
	return s.initialise()
}

// look evaluates the active run. If it diverged it goes back to the beginning of its stage, at half
// the rate.
func (s *slot) look(step int) error {
	standing, err := s.evaluate(step)
	if err != nil {
		return err
	}
	s.behind = standing.behind
	s.reportStep()
	if !math.IsInf(s.lastValue(), 0) {
		return nil
	}
	s.rate /= 2
	return s.restore(s.begin)
}

// isPromising reports whether the active run isn't far behind the rival of the slot's problem.
func (s *slot) isPromising() bool { return s.behind <= futileSigmas }

// lastValue returns the last held-out log-likelihood of the active run; −∞ if it diverged.
func (s *slot) lastValue() float64 {
	curve := s.best[s.active[0]].curve
	value := curve[len(curve)-1].HeldOut
	if math.IsNaN(value) {
		return math.Inf(-1)
	}
	return value
}

// state returns the values of the program's variables.
func (s *slot) state() (state, error) {
	values := make(state)
	err := s.each(func(v *model.Variable) error {
		value, err := v.Value()
		if err != nil {
			return err
		}
		values[v.Path()], err = host.Values(value)
		return err
	})
	return values, err
}

// restore sets the program's variables to a state, and the active run's rate.
func (s *slot) restore(values state) error {
	return s.each(func(v *model.Variable) error {
		flat := values[v.Path()]
		if v.Path() == flows.RunsAdamRates {
			flat = []float64{s.rate}
		}
		return v.SetValue(host.Tensor(flat, v.DType(), v.Shape().Dimensions...))
	})
}

// each calls f for each variable of the program that has floats.
func (s *slot) each(f func(v *model.Variable) error) error {
	for v := range s.store.IterVariables() {
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
func (s *slot) reportStep() {
	total := s.options.Steps * len(s.best) // of all runs
	s.options.report(Fitting, float64(s.done.Load())/float64(total))
}
