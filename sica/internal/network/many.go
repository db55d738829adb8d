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
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// fewSignals is the largest number of signals whose restarts are trained together, in one program.
// Networks of more signals are trained as "many": they are deeper, train longer, have matrices
// instead of their factors as variables, and are restarted until they recover the same signals. So
// are networks of fewer signals if no other network recovers the same (see deepened).
const fewSignals = 8

// many reports whether networks of d signals are trained as many.
func (o Options) many(d int) bool { return o.deep || d > fewSignals }

// The settings for training many signals, chosen by the log-likelihood at held-out positions after
// three leaky-ReLU layers.
const (
	// The first restart has firstLayers layers, enough for mixings of one or two layers. Later ones
	// have layersPerSignal layers for each signal, between firstLayers and maxLayers.
	firstLayers                = 16
	layersPerSignal, maxLayers = 1.6, 32
	manySteps                  = 12000 // per run; fewer end before the optimum
	// manyRate is the learning rate times d. Twice that makes the training of 20 signals diverge.
	manyRate        = 0.18
	manyRestarts    = 3    // three of ten signals take about a minute
	manyBeta1       = 0.95 // decay of the first moment of Adam
	manyEvaluations = 50   // per training; more take time on the host
)

// stages are the ends of the stages of a run, as shares of its steps. The signals are demixed
// linearly after each stage.
var stages = [...]float64{1.0 / 8, 1.0 / 2, 4.0 / 5, 1}

// trainMany trains one restart after the other, each in all problems and folds in parallel, until
// the best networks of the folds, which differ in their start and training positions, recover the
// same signals. A run that diverges returns to the state at the beginning of its stage and
// continues at half the rate. Training ends after the first stage, with errFutile, if the codes of
// all networks are longer than the linear codes by more than futileSigmas standard errors.
func (t *training) trainMany(ctx context.Context) error {
	cost := t.options.expectedCost(t.problems[0].whitened.Dims())
	cost.seconds *= float64(len(t.problems))
	t.doing = fmt.Sprintf("%s (about %s)", fitting, cost)
	t.options.report(t.doing, 0)
	var done atomic.Int64
	for restart := range t.options.restarts {
		if err := t.trainRestart(ctx, restart, &done); err != nil {
			return err
		}
		if same, err := t.foldsAgree(); same || err != nil {
			return err
		}
	}
	return nil
}

// trainRestart trains one restart in all problems and folds.
func (t *training) trainRestart(ctx context.Context, restart int, done *atomic.Int64) error {
	slots := make([]*slot, len(t.problems)*folds)
	err := inParallel(len(slots), func(k int) (err error) {
		problem, fold := k/folds, k%folds
		run := (problem*t.options.restarts+restart)*folds + fold
		slots[k], err = t.newSlot(ctx, run, done)
		return err
	})
	from := 0
	for k, to := range stageEnds(t.options.Steps) {
		if err != nil {
			break
		}
		err = inParallel(len(slots), func(k int) error { return slots[k].stage(ctx, from, to) })
		if err == nil && restart == 0 && k == 0 && !slices.ContainsFunc(slots, (*slot).isPromising) {
			err = errFutile
		}
		from = to
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

// inParallel calls do for 0 to n−1, distributed over the processors.
func inParallel(n int, do func(k int) error) error {
	errs := make([]error, n)
	// The calls themselves notice the end of their context.
	parallel.Do(context.Background(), parallel.Workers(n), n, func(_, k int) {
		errs[k] = do(k)
	})
	return errors.Join(errs...)
}

// foldsAgree reports whether, in each problem, the best networks of all folds recover the same
// signals.
func (t *training) foldsAgree() (bool, error) {
	for k, p := range t.problems {
		var all []*mat.Dense
		for _, network := range t.bestNetworks(k) {
			if network == nil {
				return false, nil
			}
			z, err := network.Apply(p.whitened)
			if err != nil {
				return false, err
			}
			all = append(all, z)
		}
		for _, z := range all[1:] {
			if a, err := agreement(all[0], z); a < nonlinear.MinAgreement || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// bestNetworks returns the best network of each fold of a problem; nil for a fold that diverged.
func (t *training) bestNetworks(problem int) []*mapping.Invertible {
	best := make([]*mapping.Invertible, folds)
	highest := slices.Repeat([]float64{math.Inf(-1)}, folds)
	for r, b := range t.best {
		if p, _, fold := t.locate(r); p == problem && b.value > highest[fold] {
			best[fold], highest[fold] = b.network, b.value
		}
	}
	return best
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

// A slot trains one run, in a separate program.
type slot struct {
	training               // with one active run
	run      int           // the active run
	begin    state         // at the beginning of the stage
	rate     float64       // factor of the learning rate
	sample   *mat.Dense    // the whitened signals at which the metric of steps is measured
	behind   float64       // of the last evaluation
	done     *atomic.Int64 // steps made by all slots together
}

// A state holds the values of the variables of a run and of its optimizer, by path.
type state map[string][]float64

// newSlot returns the slot of a run, with its initial network in a program. The caller must release
// or discard the slot.
func (t *training) newSlot(ctx context.Context, run int, done *atomic.Int64) (*slot, error) {
	problem, restart, fold := t.locate(run)
	sampled := subsample(t.index.train[fold], metricPositions)
	s := &slot{training: *t, run: run, rate: 1, done: done,
		sample: signal.Columns(t.problems[problem].whitened, sampled)}
	s.active = []int{run}
	s.options.layers = t.options.layersOf(restart, t.d)
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	if err := s.initialise(); err != nil {
		s.discard()
		return nil, err
	}
	return s, nil
}

// stage trains the run from one step to another, and then demixes its signals.
func (sl *slot) stage(ctx context.Context, from, to int) (err error) {
	if sl.begin, err = sl.state(); err != nil {
		return err
	}
	every := max(1, sl.options.Steps/manyEvaluations)
	for step := from; step < to; {
		n := min(evaluateEvery, to-step)
		if err := sl.setMetric(); err != nil {
			return err
		}
		if err := sl.advance(ctx, n); err != nil {
			return err
		}
		step += n
		sl.done.Add(int64(n))
		if step/every > (step-n)/every || step == to {
			if err := sl.evaluateOrRestore(); err != nil {
				return err
			}
		}
	}
	return sl.demix(ctx)
}

// evaluateOrRestore evaluates the run. If the run diverged, it returns to the beginning of its
// stage, and continues at half the rate.
func (sl *slot) evaluateOrRestore() error {
	behind, err := sl.evaluate()
	if err != nil {
		return err
	}
	sl.behind = behind
	sl.reportStep()
	if !math.IsInf(sl.lastValue(), 0) {
		return nil
	}
	sl.rate /= 2
	return sl.restore(sl.begin)
}

// isPromising reports whether the code of the run isn't much longer than the problem's linear code.
func (sl *slot) isPromising() bool { return sl.behind <= futileSigmas }

// lastValue returns the last held-out log-likelihood of the run; −∞ if it diverged.
func (sl *slot) lastValue() float64 {
	curve := sl.best[sl.run].curve
	if length := curve[len(curve)-1]; !math.IsNaN(length) {
		return -length
	}
	return math.Inf(-1)
}

// state returns the values of the program's variables.
func (sl *slot) state() (state, error) {
	values := make(state)
	err := sl.each(func(v *model.Variable) error {
		value, err := v.Value()
		if err != nil {
			return err
		}
		values[v.Path()], err = host.Values(value)
		return err
	})
	return values, err
}

// restore sets the program's variables to a state, and the rate of the run.
func (sl *slot) restore(values state) error {
	return sl.each(func(v *model.Variable) error {
		flat := values[v.Path()]
		if v.Path() == flows.RunsAdamRates {
			flat = []float64{sl.rate}
		}
		return v.SetValue(host.Tensor(flat, v.DType(), v.Shape().Dimensions...))
	})
}

// each calls f for each floating-point variable of the program.
func (sl *slot) each(f func(v *model.Variable) error) error {
	for v := range sl.store.IterVariables() {
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
func (sl *slot) reportStep() {
	total := sl.options.Steps * len(sl.best) // of all runs
	sl.options.report(sl.doing, float64(sl.done.Load())/float64(total))
}
