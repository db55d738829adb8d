package flows_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/regularizer"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/ml/train/optimizer/cosineschedule"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
)

// A nil backend is that of Open(Go): a store that was trained on one can be used on the other.
func TestNilBackendIsThatOfOpen(t *testing.T) {
	opened, err := backend.Open(backend.Go)
	if err != nil {
		t.Fatal(err)
	}
	layer := func(scope *model.Scope, x *Node) *Node { return layers.Dense(scope, x, 3) }
	loss := func(scope *model.Scope, _, batch []*Node) *Node {
		return ReduceMean(Square(layer(scope, batch[0])), -1, -2)
	}
	velocity := func(scope *model.Scope, y, _ *Node, _ []*Node) *Node { return layer(scope, y) }
	matrix := shapes.Make(dtypes.Float64, 2, 1, 4, 3)
	for _, test := range []struct{ trained, used compute.Backend }{{opened, nil}, {nil, opened}} {
		store := model.NewStore()
		trainer, err := flows.NewTrainer(test.trained, store, torchAdam(1), loss, nil, []shapes.Shape{matrix})
		if err != nil {
			t.Fatal(err)
		}
		defer trainer.Finalize()
		losses, err := trainer.Train(t.Context(), nil, []*tensors.Tensor{tensors.FromShape(matrix)}, 2)
		if err != nil || len(losses) != 2 {
			t.Errorf("losses %v, error %v", losses, err)
		}
		if _, err := flows.Follow(test.used, store, velocity, [][][]float64{{{1, 2, 3}}}); err != nil {
			t.Error(err)
		}
	}
}

// Arguments that NewTrainer and Train can't use give one error that names them: no panic, no error
// of XLA's compiler, and no training on other data.
func TestTrainerNamesWhatIsWrong(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	matrix := shapes.Make(dtypes.Float64, regressionSteps, 1, 3)
	square := func(scope *model.Scope, _, batch []*Node) *Node {
		return ReduceMean(Square(layers.Dense(scope, batch[0], 1)), -1)
	}
	for want, make := range map[string]func() (*flows.Trainer, error){
		"the store is nil": func() (*flows.Trainer, error) {
			return flows.NewTrainer(b, nil, torchAdam(1), square, nil, []shapes.Shape{matrix})
		},
		"the optimizer is nil": func() (*flows.Trainer, error) {
			return flows.NewTrainer(b, model.NewStore(), nil, square, nil, []shapes.Shape{matrix})
		},
		"the loss is nil": func() (*flows.Trainer, error) {
			return flows.NewTrainer(b, model.NewStore(), torchAdam(1), nil, nil, []shapes.Shape{matrix})
		},
		"batchShapes[1] is": func() (*flows.Trainer, error) {
			return flows.NewTrainer(b, model.NewStore(), torchAdam(1), square, nil, []shapes.Shape{matrix, shapes.Make(dtypes.Float64, 7)})
		},
		"dataShapes[0] is": func() (*flows.Trainer, error) {
			return flows.NewTrainer(b, model.NewStore(), torchAdam(1), square, []shapes.Shape{{}}, []shapes.Shape{matrix})
		},
		"the loss is shaped (Float64)[1, 3]": func() (*flows.Trainer, error) {
			return flows.NewTrainer(b, model.NewStore(), torchAdam(1), func(_ *model.Scope, _, batch []*Node) *Node { return batch[0] }, nil, []shapes.Shape{matrix})
		},
		"uses no trainable variable": func() (*flows.Trainer, error) {
			return flows.NewTrainer(b, model.NewStore(), torchAdam(1), func(_ *model.Scope, _, batch []*Node) *Node { return ReduceAllSum(batch[0]) }, nil, []shapes.Shape{matrix})
		},
	} {
		if _, err := make(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("NewTrainer: %v, want %q", err, want)
		}
	}

	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		p := newGathered(t, b, torchAdam(.05))
		x := tensors.FromShape(shapes.Make(dtypes.Float64, 3))
		finalized := tensors.FromShape(p.batches[1].Shape())
		finalized.MustFinalizeAll()
		single := tensors.FromShape(shapes.Make(dtypes.Float32, p.batches[1].Shape().Dimensions...))
		for _, test := range []struct {
			data, batches []*tensors.Tensor
			want          string
		}{
			{nil, p.batches, "data: are 0 tensors; must be 2"},
			{p.data, nil, "batches: are 0 tensors; must be 2"},
			{p.data, append(p.batches[:2:2], x), "batches: are 3 tensors; must be 2"},
			{p.data, []*tensors.Tensor{p.batches[0], nil}, "batches[1] is nil"},
			{p.data, []*tensors.Tensor{p.batches[0], finalized}, "batches[1] is finalized; must be"},
			{p.data, []*tensors.Tensor{p.batches[0], single}, "batches[1] is shaped (Float32)"},
			{[]*tensors.Tensor{p.data[0], x}, p.batches, "data[1] is shaped (Float64)[3]; must be (Float64)[4, 1]"},
		} {
			if _, err := p.trainer.Train(t.Context(), test.data, test.batches, 1); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Train: %v, want %q", err, test.want)
			}
		}
		if n := p.trainer.Compilations(); n != 0 {
			t.Errorf("%d compilations of what can't be trained", n)
		}
		p.trainer.Finalize()
		p.trainer.Finalize()
		if _, err := p.trainer.Train(t.Context(), p.data, p.batches, 1); err == nil || !strings.Contains(err.Error(), "the trainer is finalized") {
			t.Errorf("after Finalize: %v", err)
		}
	})
}

// line is a problem of one run without a runs axis: y = w·x + c with w = 2 and a
// frozen c of .5, and any batch.
type line struct {
	store   *model.Store
	trainer *flows.Trainer
	batches []*tensors.Tensor
}

const lineSteps = 40

// lineLoss is the loss of a line as another program might write it: a scalar.
func lineLoss(scope *model.Scope, _, batch []*Node) *Node {
	scope = scope.In("line")
	g := batch[0].Graph()
	w := scope.VariableWithShape("w", shapes.Make(dtypes.Float64)).NodeValue(g)
	c := scope.VariableWithValue("c", .5).SetTrainable(false).NodeValue(g)
	return ReduceAllMean(Square(Sub(Add(Mul(w, batch[0]), c), batch[1])))
}

func newLine(t *testing.T, b compute.Backend, store *model.Store, opt optimizer.Interface, loss flows.StepLoss) *line {
	t.Helper()
	var x, y []float64
	for k := range 8 * lineSteps {
		v := math.Sin(float64(k))
		x, y = append(x, v), append(y, 2*v+.5)
	}
	p := &line{store: store, batches: []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(x, lineSteps, 8),
		tensors.FromFlatDataAndDimensions(y, lineSteps, 8),
	}}
	var err error
	p.trainer, err = flows.NewTrainer(b, store, opt, loss, nil, []shapes.Shape{p.batches[0].Shape(), p.batches[1].Shape()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.trainer.Finalize)
	return p
}

func (p *line) train(t *testing.T) [][]float64 {
	t.Helper()
	losses, err := p.trainer.Train(t.Context(), nil, p.batches, lineSteps)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return losses
}

func (p *line) set(t *testing.T, path string, value float64) {
	t.Helper()
	if err := p.store.GetVariable(path).SetValue(tensors.FromScalar(value)); err != nil {
		t.Fatal(err)
	}
}

func (p *line) get(path string) float64 {
	return tensors.ToScalar[float64](p.store.GetVariable(path).MustValue())
}

// A scalar loss gives the bits of a loss of one run, [1].
func TestScalarLossIsThatOfOneRun(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		scalar := newLine(t, b, model.NewStore(), torchAdam(.1), lineLoss)
		scalar.set(t, "/line/w", 0)
		withAxis := newLine(t, b, model.NewStore(), torchAdam(.1), func(scope *model.Scope, data, batch []*Node) *Node {
			return Reshape(lineLoss(scope, data, batch), 1)
		})
		withAxis.set(t, "/line/w", 0)
		got := scalar.train(t)
		if want := withAxis.train(t); len(got) != lineSteps || len(got[0]) != 1 || !reflect.DeepEqual(got, want) {
			t.Errorf("losses %v, want %v", got, want)
		}
		if w := scalar.get("/line/w"); math.Abs(w-2) > .3 {
			t.Errorf("w = %g, want about 2", w)
		}
	})
}

// A second trainer on a trained store continues with the moments there, as GoMLX does after loading
// a checkpoint. After ResetOptimizer its steps are those on a new store; the learning rate that the
// caller set and frozen variables stay.
func TestResetOptimizerOnATrainedStore(t *testing.T) {
	optimizers := map[string]func() optimizer.Interface{
		"adam":    func() optimizer.Interface { return torchAdam(.1) },
		"adagrad": func() optimizer.Interface { return flows.Adagrad().LearningRate(.1).Done() },
		"runs adam": func() optimizer.Interface {
			return flows.RunsAdam().Schedule("/line", flows.Schedule{Rate: .1, Steps: 1000}).Done()
		},
	}
	runs := func(scope *model.Scope, _, batch []*Node) *Node { // RunsAdam's variables have runs
		scope = scope.In("line")
		g := batch[0].Graph()
		w := Reshape(scope.VariableWithShape("w", shapes.Make(dtypes.Float64, 1)).NodeValue(g))
		c := scope.VariableWithValue("c", .5).SetTrainable(false).NodeValue(g)
		return ReduceAllMean(Square(Sub(Add(Mul(w, batch[0]), c), batch[1])))
	}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		for name, opt := range optimizers {
			if name != "adam" && backend.NameOf(b) != backend.Go {
				continue // don't wait for XLA's compiler
			}
			start := func(p *line) {
				t.Helper()
				if err := p.store.GetVariable("/line/w").SetValue(tensors.FromValue([]float64{-1})); err != nil {
					t.Fatal(err)
				}
			}
			fresh := newLine(t, b, model.NewStore(), opt(), runs)
			start(fresh)
			want := fresh.train(t)

			second := newLine(t, b, fresh.store, opt(), runs)
			start(second)
			if onward := second.train(t); reflect.DeepEqual(onward, want) {
				t.Errorf("%s: a new trainer forgot the moments of the store", name)
			}
			second.set(t, "/line/c", 7)
			start(second)
			if err := second.trainer.ResetOptimizer(); err != nil {
				t.Fatal(err)
			}
			if c := second.get("/line/c"); c != 7 {
				t.Errorf("%s: ResetOptimizer set a frozen variable to %g, was 7", name, c)
			}
			second.set(t, "/line/c", .5)
			if again := second.train(t); !reflect.DeepEqual(again, want) {
				t.Errorf("%s: after ResetOptimizer the losses are %v, want %v", name, again[:3], want[:3])
			}
			if c := second.get("/line/c"); c != .5 {
				t.Errorf("%s: training moved a frozen variable to %g", name, c)
			}
		}
	})
}

// Training continues from a checkpoint of GoMLX with the losses of an uninterrupted one, and can be
// started again there.
func TestTrainingContinuesFromGoMLXCheckpoint(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	folder := t.TempDir()
	store := model.NewStore()
	saved, err := checkpoint.Build(store).Dir(folder).Done()
	if err != nil {
		t.Fatal(err)
	}
	p := newLine(t, b, store, torchAdam(.1), lineLoss)
	p.set(t, "/line/w", -1)
	first := p.train(t)
	if err := saved.Save(); err != nil {
		t.Fatal(err)
	}
	second := p.train(t)

	loaded := model.NewStore()
	if _, err := checkpoint.Build(loaded).Dir(folder).Done(); err != nil {
		t.Fatal(err)
	}
	onward := newLine(t, b, loaded, torchAdam(.1), lineLoss)
	if got := onward.train(t); !reflect.DeepEqual(got, second) {
		t.Errorf("from the checkpoint the losses are %v, want %v", got[:3], second[:3])
	}
	onward.set(t, "/line/w", -1)
	if err := onward.trainer.ResetOptimizer(); err != nil {
		t.Fatal(err)
	}
	if got := onward.train(t); !reflect.DeepEqual(got, first) {
		t.Errorf("begun anew the losses are %v, want %v", got[:3], first[:3])
	}
}

// The learning rate that the caller sets survives a reset.
func TestResetOptimizerKeepsTheRate(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	p := newLine(t, b, model.NewStore(), torchAdam(.1), lineLoss)
	const rate = "/" + optimizer.Scope + "/learning_rate"
	p.set(t, rate, 0)
	p.set(t, "/line/w", 1)
	if err := p.trainer.ResetOptimizer(); err != nil {
		t.Fatal(err)
	}
	if p.train(t); p.get(rate) != 0 || p.get("/line/w") != 1 {
		t.Errorf("with a rate of 0 w moved to %g at a rate of %g", p.get("/line/w"), p.get(rate))
	}
}

// SetLearningRate sets the rate of an optimizer that keeps it in the store. Nothing else changes it
// where the store has one: neither the optimizer of a second trainer nor the parameter.
func TestSetLearningRate(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		for name, opt := range map[string]func(rate float64) optimizer.Interface{
			"adam":    func(rate float64) optimizer.Interface { return optimizer.Adam().LearningRate(rate).Done() },
			"adagrad": func(rate float64) optimizer.Interface { return flows.Adagrad().LearningRate(rate).Done() },
		} {
			const rate = "/" + optimizer.Scope + "/learning_rate"
			store := model.NewStore()
			newLine(t, b, store, opt(.5), lineLoss)
			store.SetParam(optimizer.ParamLearningRate, .25)
			p := newLine(t, b, store, opt(1), lineLoss)
			if got := p.get(rate); got != .5 {
				t.Errorf("%s: the rate of a second trainer is %g, want the store's, 0.5", name, got)
			}
			if err := p.trainer.SetLearningRate(0); err != nil {
				t.Fatal(err)
			}
			p.set(t, "/line/w", 1)
			if p.train(t); p.get("/line/w") != 1 {
				t.Errorf("%s: at a rate of 0 w moved to %g", name, p.get("/line/w"))
			}
			if err := p.trainer.SetLearningRate(.125); err != nil {
				t.Fatal(err)
			}
			if p.train(t); p.get("/line/w") == 1 || p.get(rate) != .125 {
				t.Errorf("%s: at a rate of %g w stays", name, p.get(rate))
			}
		}
	})
	b := backendtest.Open(t, backend.Go)
	schedule := func(scope *model.Scope, data, batch []*Node) *Node {
		cosineschedule.New(scope, batch[0].Graph(), dtypes.Float64).LearningRate(.1).PeriodSteps(9).Done()
		return lineLoss(scope, data, batch)
	}
	for _, test := range []struct {
		opt  optimizer.Interface
		loss flows.StepLoss
		rate float64
		want string
	}{
		{torchAdam(1), lineLoss, -1, "rate is -1; must be at least 0 and finite"},
		{torchAdam(1), lineLoss, math.NaN(), "rate is NaN; must be at least 0 and finite"},
		{torchAdam(1), schedule, .1, "a schedule sets the rate in each step"},
		{noRate{}, lineLoss, .1, `the optimizer has no variable "/optimizers/learning_rate"`},
	} {
		p := newLine(t, b, model.NewStore(), test.opt, test.loss)
		if err := p.trainer.SetLearningRate(test.rate); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// noRate counts steps and keeps no rate, as RunsAdam.
type noRate struct{}

func (noRate) UpdateGraph(_ *model.Scope, g *Graph, _ *Node) {
	optimizer.IncrementGlobalStep(g, dtypes.Float64)
}

func (noRate) Clear(*model.Scope) error { return nil }

// Dropout is active in training: a loss that would be exact without it is not, and differs from
// step to step.
func TestDropoutIsActiveInTraining(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		if err := store.SetRNGStateFromSeed(3); err != nil {
			t.Fatal(err)
		}
		p := newLine(t, b, store, torchAdam(0), func(scope *model.Scope, _, batch []*Node) *Node {
			g := batch[0].Graph()
			w := scope.In("line").VariableWithShape("w", shapes.Make(dtypes.Float64)).NodeValue(g)
			ones := BroadcastToDims(w, 1000)
			return ReduceAllMean(Square(Sub(gomlx.DropoutStatic(scope, ones, .5), ones)))
		})
		p.set(t, "/line/w", 1)
		losses := p.train(t)
		for i, l := range losses {
			// An entry is 0 or 2, in place of 1.
			if math.Abs(l[0]-1) > 1e-9 {
				t.Fatalf("step %d: loss %g, want 1", i, l[0])
			}
		}
		varying := newLine(t, b, store, torchAdam(0), func(scope *model.Scope, _, batch []*Node) *Node {
			g := batch[0].Graph()
			w := scope.In("line").VariableWithShape("w", shapes.Make(dtypes.Float64)).NodeValue(g)
			return ReduceAllMean(gomlx.DropoutStatic(scope, BroadcastToDims(w, 1000), .5))
		})
		losses = varying.train(t)
		mean, square := 0., 0.
		for _, l := range losses {
			mean += l[0] / lineSteps
			square += (l[0] - 1) * (l[0] - 1) / lineSteps
		}
		// The mean of 1000 entries has the standard deviation 1/√1000 = .032.
		if std := math.Sqrt(square); math.Abs(mean-1) > .02 || std < .016 || std > .064 {
			t.Errorf("the loss is %g ± %g over the steps, want 1 ± .032", mean, std)
		}
	})
}

// A schedule of GoMLX sets the learning rate of each step, and starts again when the optimizer is
// reset.
func TestScheduleOfGoMLXSetsRate(t *testing.T) {
	const period = 4 * lineSteps
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		store.SetParam(optimizer.ParamLearningRate, .1)
		p := newLine(t, b, store, optimizer.StochasticGradientDescent().WithDecay(false), func(scope *model.Scope, data, batch []*Node) *Node {
			cosineschedule.New(scope, batch[0].Graph(), dtypes.Float64).PeriodSteps(period).Done()
			return lineLoss(scope, data, batch)
		})
		p.set(t, "/line/w", 0)
		const rate = "/" + optimizer.Scope + "/learning_rate"
		for _, steps := range []float64{lineSteps, 2 * lineSteps, 0, lineSteps} {
			if steps == 0 {
				if err := p.trainer.ResetOptimizer(); err != nil {
					t.Fatal(err)
				}
				continue
			}
			p.train(t)
			want := .05 * (1 + math.Cos(math.Pi*(steps-1)/period))
			if got := p.get(rate); math.Abs(got-want) > 1e-9 {
				t.Errorf("after %g steps the rate is %g, want %g", steps, got, want)
			}
		}
	})
}

// Regularization is minimised with the loss, once for each run, and isn't part of
// what Train returns: (w − m)² + λw² has its minimum at w = m/(1+λ).
func TestRegularizationIsTrained(t *testing.T) {
	const lambda, steps = .25, 300
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		store.SetParam(regularizer.ParamL2, lambda)
		store.SetParam(layers.ParamRuns, 2)
		loss := func(scope *model.Scope, _, batch []*Node) *Node {
			w := layers.Dense(scope, batch[0], 1) // [R, 1, 1], the weight of an input of 1
			for v := range scope.Store().Scope("/dense").IterVariables() {
				v.SetTrainable(v.Name() == "weights")
			}
			m := AddScalar(Iota(w.Graph(), w.Shape(), 0), 1) // 1 and 2
			return Reshape(Square(Sub(w, m)), 2)
		}
		one := tensors.FromFlatDataAndDimensions(slices.Repeat([]float64{1}, 2*steps), steps, 2, 1, 1)
		trainer, err := flows.NewTrainer(b, store, torchAdam(.1), loss, nil, []shapes.Shape{one.Shape()})
		if err != nil {
			t.Fatal(err)
		}
		defer trainer.Finalize()
		losses, err := trainer.Train(t.Context(), nil, []*tensors.Tensor{one}, steps)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		w := values(t, store.GetVariable("/dense/weights"))
		for r := range w {
			m := float64(r + 1)
			want := m / (1 + lambda)
			if math.Abs(w[r]-want) > 1e-4 || math.Abs(losses[steps-1][r]-(want-m)*(want-m)) > 1e-3 {
				t.Errorf("run %d: w = %g with a loss of %g, want %g and %g", r, w[r], losses[steps-1][r], want, (want-m)*(want-m))
			}
		}
	})
}

// Trainers with their own stores, on one backend at once, give what each gives alone.
func TestConcurrentTrainersAreIndependent(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		want := newRegression(t, b, torchAdam(.05), 0).train(t, regressionSteps)
		results := make([][][]float64, 4)
		var group sync.WaitGroup
		for k := range results {
			p := newRegression(t, b, torchAdam(.05), 0)
			group.Go(func() { results[k], _ = p.trainer.Train(t.Context(), nil, p.batches, regressionSteps) })
		}
		group.Wait()
		for k, got := range results {
			if !reflect.DeepEqual(got, want) {
				t.Errorf("trainer %d has other losses than alone", k)
			}
		}
	})
}

// The sizes of a gathered problem.
const (
	gatheredRuns, gatheredSignals, gatheredPositions = 4, 2, 4
	gatheredSteps, gatheredBatch                     = 25, 8
)

// gathered learns Σ z² of signals taken at random positions plus a number from
// a table that all runs share: data and batches of every kind that sica has.
type gathered struct {
	store         *model.Store
	trainer       *flows.Trainer
	data, batches []*tensors.Tensor
}

func newGathered(t *testing.T, b compute.Backend, opt optimizer.Interface) *gathered {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	normal := func(dims ...int) *tensors.Tensor {
		flat := make([]float64, shapes.Make(dtypes.Float64, dims...).Size())
		for i := range flat {
			flat[i] = float64(rng.NormFloat64())
		}
		return tensors.FromFlatDataAndDimensions(flat, dims...)
	}
	positions := make([]int32, gatheredSteps*gatheredRuns*gatheredBatch*gatheredSignals)
	for i := range positions {
		positions[i] = rng.Int32N(gatheredPositions)
	}
	p := &gathered{
		store: model.NewStore(),
		data: []*tensors.Tensor{
			normal(gatheredRuns, gatheredSignals, gatheredPositions),
			normal(gatheredPositions, 1),
		},
		batches: []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(positions, gatheredSteps, gatheredRuns, gatheredBatch, gatheredSignals),
			normal(gatheredSteps, gatheredRuns, gatheredBatch),
		},
	}
	p.store.SetParam(layers.ParamRuns, gatheredRuns)
	loss := func(scope *model.Scope, data, batch []*Node) *Node {
		y := layers.GatherSignals(data[0], batch[0])                                   // [R, B, d]
		shared := Squeeze(ReduceSum(Gather(data[1], InsertAxes(batch[0], -1)), 2), -1) // [R, B]
		target := Add(Add(ReduceSum(Square(y), -1), shared), batch[1])
		prediction := Squeeze(layers.MLP(scope.In("net"), y).Hidden(6).Done(), -1) // [R, B]
		return ReduceMean(Square(Sub(prediction, target)), -1)                     // [R]
	}
	var err error
	p.trainer, err = flows.NewTrainer(b, p.store, opt, loss,
		[]shapes.Shape{p.data[0].Shape(), p.data[1].Shape()}, []shapes.Shape{p.batches[0].Shape(), p.batches[1].Shape()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func values(t *testing.T, v *model.Variable) []float64 {
	t.Helper()
	flat, err := tensors.CopyFlatData[float64](v.MustValue())
	if err != nil {
		t.Fatal(err)
	}
	return flat
}
