package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// A training fits the networks of all runs, ordered by problem, then restart, then fold.
type training struct {
	options  Options
	index    *index
	problems []*problem
	d        int    // number of signals of a problem
	doing    string // the activity to report; for many signals with the cost

	*program
	lease       *programs.Lease[*program]
	active      []int        // the runs that the program trains
	rows        int          // number of rows of a piece of a batch
	pieces      int          // number of pieces of a batch
	pieceStarts [][]int      // for each fold, the rows at which a piece can start
	batches     []*rand.Rand // for each run, the source of its batches

	best []record // for each run
}

// A record is what is kept of a run: its network at the evaluation with the highest log-likelihood
// at held-out positions.
type record struct {
	value   float64 // that log-likelihood, in nats per position of the whitened signals
	network *mapping.Invertible
	curve   klflow.Curve // negative log-likelihoods of all evaluations, NaN if not finite
}

// add adds an evaluation of the run: a network and its log-likelihood.
func (r *record) add(value float64, network *mapping.Invertible) {
	length := -value
	if !signal.Finite(value) {
		length = math.NaN()
	}
	r.curve = append(r.curve, length)
	if value > r.value {
		r.value, r.network = value, network
	}
}

func (t *training) runs() int { return len(t.problems) * t.options.restarts * folds }

// locate returns the problem, restart and fold of run r.
func (t *training) locate(r int) (problem, restart, fold int) {
	restarts := t.options.restarts
	return r / (restarts * folds), r / folds % restarts, r % folds
}

func newTraining(
	ctx context.Context, problems []*problem, x *index, o Options,
) (*training, error) {
	d, _ := problems[0].whitened.Dims()
	t := &training{options: o, index: x, problems: problems, d: d, doing: fitting}
	t.best = make([]record, t.runs())
	for r := range t.best {
		t.best[r].value = math.Inf(-1)
	}
	t.choosePieces()
	for r := range t.runs() {
		_, restart, fold := t.locate(r)
		t.batches = append(t.batches, t.stream(batchStream, restart, fold))
	}

	for _, p := range problems {
		for fold := range folds {
			p.heldOut = append(p.heldOut, newHeldOut(p.whitened, x, fold))
		}
	}
	if o.many(d) {
		return t, nil // each slot acquires a program
	}
	t.active = grid.Range(t.runs())
	if err := t.acquire(ctx); err != nil {
		return nil, err
	}
	if err := t.initialise(); err != nil {
		t.discard()
		return nil, err
	}
	return t, nil
}

// acquire acquires the program of the active runs for batches [R, d, K, p…], with its optimizer
// reset. A program compiled earlier is reused.
func (t *training) acquire(ctx context.Context) error {
	l, batchDims, o := t.likelihood(), t.batchDims(), t.options
	key := programs.Key{Backend: o.Backend, Spec: fmt.Sprint(l, batchDims, o.Steps, o.learningRate)}
	lease, err := idle.Acquire(ctx, key, func() (*program, error) { return newProgram(l, batchDims, o) })
	if err != nil {
		return err
	}
	if lease.Reused {
		if err := lease.Program.trainer.ResetOptimizer(); err != nil {
			lease.Discard()
			return err
		}
	}
	t.lease, t.program = lease, lease.Program
	return nil
}

func (t *training) likelihood() likelihood {
	past := make([][]int, len(t.index.Offsets))
	for k, offset := range t.index.Offsets {
		past[k] = append([]int{0}, offset...) // the past is in the same piece
	}
	full := t.options.many(t.d)
	return likelihood{len(t.active), t.options.layersOf(0, t.d), full, past}
}

// choosePieces sets the pieces of a batch: their number, their rows, and where they can start. The
// rows of a piece cover pieceLength positions and the past of the first of these, or as many as the
// training segments of all folds have room for.
func (t *training) choosePieces() {
	x := t.index
	width := x.stride
	t.rows = (pieceLength+width-1)/width + x.Before[0]
	for { // the longest training segment may be shorter
		t.pieceStarts = nil
		enough := true
		for fold := range folds {
			t.pieceStarts = append(t.pieceStarts, x.pieceStarts(fold, t.rows))
			enough = enough && len(t.pieceStarts[fold]) > 0
		}
		if enough {
			break
		}
		t.rows--
	}
	t.pieces = max(1, t.options.batch/((t.rows-x.Before[0])*width))
}

func (t *training) batchDims() []int {
	return append([]int{len(t.active), t.d, t.pieces, t.rows}, t.index.Shape[1:]...)
}

// drawBatches draws the batches of evaluateEvery steps, [S, R, d, K, rows, …].
func (t *training) drawBatches() *tensors.Tensor {
	width := t.rows * t.index.stride
	values := make([]float32, 0, evaluateEvery*len(t.active)*t.d*t.pieces*width)
	starts := make([]int, t.pieces)
	for range evaluateEvery {
		for _, r := range t.active {
			problem, _, fold := t.locate(r)
			rng := t.batches[r]
			for k := range starts {
				starts[k] = t.pieceStarts[fold][rng.IntN(len(t.pieceStarts[fold]))] * t.index.stride
			}
			for i := range t.d {
				row := t.problems[problem].whitened.RawRowView(i)
				for _, start := range starts {
					for _, v := range row[start : start+width] {
						values = append(values, float32(v))
					}
				}
			}
		}
	}
	dims := append([]int{evaluateEvery}, t.batchDims()...)
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

// The purposes of the random streams.
const (
	weightStream = iota
	batchStream
	resolutionStream
)

func (t *training) stream(purpose, restart, fold int) *rand.Rand {
	key := uint64(purpose)<<32 | uint64(restart)<<8 | uint64(fold)
	return rand.New(rand.NewPCG(t.options.Seed, key))
}

// initialise draws the networks of the active runs, and fits the source models to their signals.
func (t *training) initialise() error {
	var rngs []*rand.Rand
	var rotations []*mat.Dense
	for _, r := range t.active {
		_, restart, fold := t.locate(r)
		rng := t.stream(weightStream, restart, fold)
		rngs = append(rngs, rng)
		rotations = append(rotations, initialRotation(rng, t.d, restart, t.options.restarts))
	}
	if err := layers.InitialiseInvertible(t.store.Scope(mapScope), rngs, rotations); err != nil {
		return err
	}
	drawn, err := t.maps()
	if err != nil {
		return err
	}
	var coefficients, densities []float64
	for k, r := range t.active {
		problem, _, fold := t.locate(r)
		z, err := drawn[k].Apply(t.problems[problem].whitened)
		if err != nil {
			return err
		}
		for i := range t.d {
			a, std := ar.Regress(z.RawRowView(i), t.index.lags, t.index.train[fold])
			coefficients = append(coefficients, a...)
			densities = append(densities, ar.InitialMixture(std, source.Components)...)
		}
	}
	set := func(name string, values []float64) error {
		v := t.store.GetVariable(sourceScope + "/" + name)
		return v.SetValue(host.Tensor(values, v.DType(), v.Shape().Dimensions...))
	}
	if err := set(flows.AutoregressiveCoefficients, coefficients); err != nil {
		return err
	}
	return set(flows.AutoregressiveMixture, densities)
}

// initialRotation returns the rotation with which a restart begins; nil for none, as in the first.
// Two signals are rotated by equal parts of 90°, since rotations by more only swap them.
func initialRotation(rng *rand.Rand, d, restart, restarts int) *mat.Dense {
	switch {
	case restart == 0 || d == 1:
		return nil
	case d == 2:
		return rotation.Plane(math.Pi / 2 * float64(restart) / float64(restarts))
	}
	return rotation.Random(rng, d)
}

// read returns the values of the named variables in scope, by name for each active run. It omits
// variables that the networks don't have.
func (t *training) read(scope string, names ...string) ([]map[string][]float64, error) {
	all := make([]map[string][]float64, len(t.active))
	for r := range all {
		all[r] = map[string][]float64{}
	}
	for _, name := range names {
		v := t.store.GetVariable(scope + "/" + name)
		if v == nil {
			continue
		}
		value, err := v.Value()
		if err != nil {
			return nil, err
		}
		flat, err := host.Values(value)
		if err != nil {
			return nil, err
		}
		size := len(flat) / len(all)
		for r := range all {
			all[r][name] = flat[r*size : (r+1)*size]
		}
	}
	return all, nil
}

// maps returns the networks of the active runs.
func (t *training) maps() ([]*mapping.Invertible, error) {
	variables, err := t.read(mapScope+"/invertible",
		"factors", "permutations", "matrices", "biases", "bends", "lower", "upper", "sharpness")
	if err != nil {
		return nil, err
	}
	maps := make([]*mapping.Invertible, len(variables))
	for r, v := range variables {
		maps[r] = mapOfVariables(t.d, v)
	}
	return maps, nil
}

// sources returns the source models of the active runs, one for each signal.
func (t *training) sources() ([][]*source.Model, error) {
	variables, err := t.read(sourceScope, flows.AutoregressiveCoefficients,
		flows.AutoregressiveMixture)
	if err != nil {
		return nil, err
	}
	sources := make([][]*source.Model, len(variables))
	for r, v := range variables {
		sources[r] = source.Models(t.d, v[flows.AutoregressiveCoefficients],
			v[flows.AutoregressiveMixture])
	}
	return sources, nil
}

// Training is futile, and ends early, if from futileSteps steps on the codes of all networks are
// longer than the linear ones by more than futileSigmas standard errors. It also is if between
// futileSteps and patientSteps, or later, no code ever was shorter than the linear one. With fewer
// steps some source models aren't fitted yet; more steps waste time.
const futileSteps, futileSigmas, patientSteps = 300, 10, 600

// errFutile is the error of futile training.
var errFutile = errors.New(
	"training ended early, as the code stayed longer than that of a linear demixing")

// train makes all steps. If they are futile, its error is errFutile. If ctx ends, it returns the
// error of ctx, and the best networks so far are kept.
func (t *training) train(ctx context.Context) error {
	if t.options.many(t.d) {
		return t.trainMany(ctx)
	}
	if _, err := t.evaluate(); err != nil {
		return err
	}
	t.options.report(t.doing, 0)
	closest := math.Inf(1) // the smallest behind so far
	for step := 0; step < t.options.Steps; {
		n := min(evaluateEvery, t.options.Steps-step)
		if err := t.advance(ctx, n); err != nil {
			return err
		}
		step += n
		behind, err := t.evaluate()
		if err != nil {
			return err
		}
		t.options.report(t.doing, float64(step)/float64(t.options.Steps))
		if step < futileSteps {
			continue
		}
		closest = min(closest, behind)
		if behind > futileSigmas || step >= patientSteps && closest > 0 {
			return errFutile
		}
	}
	return nil
}

// advance makes n steps, at most evaluateEvery, of the active runs.
func (t *training) advance(ctx context.Context, n int) error {
	batches := t.drawBatches()
	defer batches.FinalizeAll()
	_, err := t.trainer.Train(ctx, nil, []*tensors.Tensor{batches}, n)
	return err
}

// evaluate measures the active runs at the held-out positions, and keeps networks that are better
// than before. It returns by how many standard errors the code of a run is longer than the linear
// one, for the run with the smallest such number; −∞ without linear codes, +∞ if all runs diverged.
func (t *training) evaluate() (behind float64, err error) {
	maps, err := t.maps()
	if err != nil {
		return 0, err
	}
	sources, err := t.sources()
	if err != nil {
		return 0, err
	}
	scores, err := t.heldOutScores(maps, sources)
	if err != nil {
		return 0, err
	}
	for k, r := range t.active {
		t.best[r].add(stat.Mean(scores[k], nil), maps[k])
	}
	return t.behind(scores), nil
}

// behind is evaluate for the given log-likelihoods at the held-out positions.
func (t *training) behind(scores [][]float64) float64 {
	behind := math.Inf(1)
	for k, r := range t.active {
		problem, _, fold := t.locate(r)
		linearScores := t.problems[problem].linearScores
		if linearScores == nil {
			return math.Inf(-1)
		}
		gain := newDifference(scores[k], linearScores[fold])
		if signal.Finite(gain.Mean) { // else the run diverged
			behind = min(behind, -gain.Mean/gain.SE)
		}
	}
	return behind
}

// heldOutScores returns, for each active run, the log-likelihoods at its fold's held-out positions
// under the given networks and source models.
func (t *training) heldOutScores(
	maps []*mapping.Invertible, sources [][]*source.Model,
) ([][]float64, error) {
	scores := make([][]float64, len(t.active))
	err := inParallel(len(scores), func(k int) (err error) {
		problem, _, fold := t.locate(t.active[k])
		scores[k], err = t.problems[problem].heldOut[fold].logLikelihoods(maps[k], sources[k])
		return err
	})
	return scores, err
}

// The scopes of the variables.
const (
	mapScope    = "/map"
	sourceScope = "/sources"
)

// A likelihood is the graph of the log-likelihood of the networks and source models of all runs.
type likelihood struct {
	runs, layers int
	full         bool    // whether the variables are matrices instead of their factors
	past         [][]int // offsets in a batch, whose first axis is the axis of pieces
}

// graph returns the log-likelihood [R, K, p′…] at each position with a complete past in the pieces
// x, [R, d, K, p…].
func (l likelihood) graph(scope *model.Scope, x *Node) *Node {
	dims := x.Shape().Dimensions
	flat := Transpose(Reshape(x, dims[0], dims[1], -1), 1, 2) // [R, N, d]
	network := layers.Invertible(scope.In("map"), flat).Layers(l.layers)
	done := network.Done
	if l.full {
		done = network.FullMatrices().Done
	}
	z, logDet := done()                      // [R, N, d], [R, N]
	z = Reshape(Transpose(z, 1, 2), dims...) // [R, d, K, p…]
	sources := flows.Autoregressive(scope.In("sources"), z).
		Past(l.past).Components(source.Components).Done() // [R, K, p′…]
	return flows.LogLikelihood(sources, Reshape(logDet, append([]int{dims[0]}, dims[2:]...)...),
		l.past)
}

// A program is the compiled step that trains all active runs, with their variables.
type program struct {
	store   *model.Store
	trainer *flows.Trainer
}

var idle = programs.NewPool((*program).finalize)

func newProgram(l likelihood, batchDims []int, o Options) (*program, error) {
	p := &program{store: model.NewStore()}
	p.store.SetParam(layers.ParamRuns, l.runs)
	mapSchedule := flows.Schedule{
		Rate: o.learningRate, Wait: waitSteps, Ramp: rampSteps, Steps: o.Steps, PerRun: l.full,
	}
	sourceSchedule := flows.Schedule{Rate: 2 * o.learningRate, Steps: o.Steps, PerRun: l.full}
	beta1 := 0.9
	if l.full {
		beta1 = manyBeta1
	}
	opt := flows.RunsAdam().Betas(beta1, beta2).Clip(clipNorm).
		Schedule(mapScope, mapSchedule).Schedule(sourceScope, sourceSchedule)
	if l.full {
		opt.Relative("matrices")
	}
	loss := func(scope *model.Scope, _, batch []*Node) *Node {
		likelihood := l.graph(scope, batch[0]) // [R, K, p′…]
		return Neg(ReduceMean(Reshape(likelihood, l.runs, -1), -1))
	}
	batch := shapes.Make(dtypes.Float32, append([]int{evaluateEvery}, batchDims...)...)
	var err error
	if p.trainer, err = flows.NewTrainer(o.Backend, p.store, opt.Done(), loss, nil,
		[]shapes.Shape{batch}); err != nil {
		p.store.Finalize()
		return nil, err
	}
	return p, nil
}

// release returns the program, if any, to the pool, for the next fit.
func (t *training) release() {
	if t.lease != nil {
		t.lease.Release()
	}
}

// discard frees the program, if any, after an error.
func (t *training) discard() {
	if t.lease != nil {
		t.lease.Discard()
	}
}

func (p *program) finalize() {
	p.trainer.Finalize()
	p.store.Finalize()
}
