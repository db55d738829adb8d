package flows_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/contexttest"
	"github.com/seed-47b1e431/gosica/layers"
)

// torchAdam has the constants of PyTorch's Adam.
func torchAdam(lr float64) optimizer.Interface {
	return optimizer.Adam().LearningRate(lr).Epsilon(1e-8).Done()
}

// Five steps on Σ c·(w − m)² with c = (1, 10, 0.01), m = (0, 1, 3) from
// w = (1, −2, 0.5), float32. The numbers are those of torch.optim.Adagrad and
// torch.optim.Adam of PyTorch 2.15.0 (CPU), printed with nine digits.
func TestOptimizersAgainstPyTorch(t *testing.T) {
	for _, test := range []struct {
		name string
		make func() optimizer.Interface
		want [][]float64
	}{
		{"Adagrad lr 0.1", func() optimizer.Interface { return flows.Adagrad().LearningRate(0.1).Done() }, [][]float64{
			{0.899999976, -1.89999998, 0.600000024},
			{0.833103538, -1.83049774, 0.66925323},
			{0.780456185, -1.77435935, 0.725060701},
			{0.736223102, -1.72615063, 0.772895634},
			{0.697714806, -1.68334007, 0.815304995}}},
		{"Adagrad lr 1e-5", func() optimizer.Interface { return flows.Adagrad().LearningRate(1e-5).Done() }, [][]float64{
			{0.999989986, -1.99998999, 0.500010014},
			{0.999982893, -1.99998295, 0.500017107},
			{0.999977112, -1.99997723, 0.500022888},
			{0.999972105, -1.99997222, 0.500027895},
			{0.999967635, -1.99996769, 0.500032365}}},
		{"Adam lr 0.1", func() optimizer.Interface { return torchAdam(0.1) }, [][]float64{
			{0.900000036, -1.89999998, 0.599999964},
			{0.800412238, -1.80010271, 0.699872732},
			{0.701586306, -1.70038152, 0.799525976},
			{0.603939116, -1.60091352, 0.898861468},
			{0.507963717, -1.50177944, 0.997775197}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			backendtest.Each(t, func(t *testing.T, b compute.Backend) {
				store := model.NewStore()
				loss := func(scope *model.Scope, data, batch []*Node) *Node {
					w := scope.VariableWithShape("w", shapes.Make(dtypes.Float32, 3)).NodeValue(data[0].Graph())
					c, m := data[0], data[1]
					return Add(Reshape(ReduceAllSum(Mul(c, Square(Sub(w, m)))), 1), batch[0])
				}
				data := []*tensors.Tensor{tensors.FromValue([]float32{1, 10, 0.01}), tensors.FromValue([]float32{0, 1, 3})}
				batch := tensors.FromShape(shapes.Make(dtypes.Float32, 1, 1)) // one step a call, and nothing to draw
				trainer, err := flows.NewTrainer(b, store, test.make(), loss,
					[]shapes.Shape{data[0].Shape(), data[1].Shape()}, []shapes.Shape{batch.Shape()})
				if err != nil {
					t.Fatal(err)
				}
				w := store.GetVariable("/w")
				if err := w.SetValue(tensors.FromValue([]float32{1, -2, 0.5})); err != nil {
					t.Fatal(err)
				}
				for step, want := range test.want {
					if _, err := trainer.Train(t.Context(), data, []*tensors.Tensor{batch}, 1); err != nil {
						t.Fatalf("%+v", err)
					}
					for i, v := range w.MustValue().Value().([]float32) {
						// float32 holds 7 digits, and the two round in another order.
						if math.Abs(float64(v)-want[i]) > 5e-6*math.Abs(want[i]) {
							t.Errorf("step %d: w[%d] = %.9g, PyTorch has %.9g", step+1, i, v, want[i])
						}
					}
				}
			})
		})
	}
}

// regression is a problem for two runs: fit y = x·W + b, W and b of each run.
type regression struct {
	store   *model.Store
	trainer *flows.Trainer
	batches []*tensors.Tensor
}

const regressionSteps, regressionBatch, regressionInputs = 60, 32, 3

func newRegression(t *testing.T, b compute.Backend, opt optimizer.Interface, runs ...int) *regression {
	t.Helper()
	var x, y []float64
	weights := [][]float64{{1, -2, 0.5}, {0, 3, -1}}
	for step := range regressionSteps {
		for _, r := range runs {
			rng := rand.New(rand.NewPCG(uint64(step), uint64(r)))
			for range regressionBatch {
				target := float64(r)
				for i := range regressionInputs {
					v := rng.NormFloat64()
					x = append(x, v)
					target += weights[r][i] * v
				}
				y = append(y, target)
			}
		}
	}
	p := &regression{store: model.NewStore()}
	p.store.SetParam(layers.ParamRuns, len(runs))
	p.batches = []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(x, regressionSteps, len(runs), regressionBatch, regressionInputs),
		tensors.FromFlatDataAndDimensions(y, regressionSteps, len(runs), regressionBatch),
	}
	loss := func(scope *model.Scope, _, batch []*Node) *Node {
		prediction := Squeeze(layers.Dense(scope.In("net"), batch[0], 1), -1) // [R, B]
		return ReduceMean(Square(Sub(prediction, batch[1])), -1)              // [R]
	}
	var err error
	p.trainer, err = flows.NewTrainer(b, p.store, opt, loss, nil, []shapes.Shape{p.batches[0].Shape(), p.batches[1].Shape()})
	if err != nil {
		t.Fatal(err)
	}
	p.renew(t, runs)
	return p
}

func (p *regression) renew(t *testing.T, runs []int) {
	t.Helper()
	var rngs []*rand.Rand
	for _, r := range runs {
		rngs = append(rngs, rand.New(rand.NewPCG(uint64(r), 99)))
	}
	if err := layers.Initialise(p.store.Scope("/net"), rngs); err != nil {
		t.Fatal(err)
	}
	if err := p.trainer.ResetOptimizer(); err != nil {
		t.Fatal(err)
	}
}

func (p *regression) train(t *testing.T, steps int) [][]float64 {
	t.Helper()
	losses, err := p.trainer.Train(t.Context(), nil, p.batches, steps)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return losses
}

// weights of a Dense layer as the store holds them.
func (p *regression) weights(t *testing.T) []float64 {
	t.Helper()
	w, err := tensors.CopyFlatData[float64](p.store.GetVariable("/net/dense/weights").MustValue())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Both plans, XLA's loop and the host's, converge to the weights that generated the data.
func TestTrainerLearns(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		p := newRegression(t, b, torchAdam(0.1), 0, 1)
		for range 6 {
			p.train(t, regressionSteps)
		}
		for i, want := range []float64{1, -2, 0.5, 0, 3, -1} {
			if got := p.weights(t)[i]; math.Abs(got-want) > 1e-3 {
				t.Errorf("weight %d = %g, want %g", i, got, want)
			}
		}
	})
}

// The losses and the weights don't depend on the plan, on the number of steps of a call, or on the
// other runs.
func TestTrainerPlansAgree(t *testing.T) {
	for name, opt := range map[string]func() optimizer.Interface{
		"adam":    func() optimizer.Interface { return torchAdam(0.05) },
		"adagrad": func() optimizer.Interface { return flows.Adagrad().LearningRate(0.3).Done() },
	} {
		t.Run(name, func(t *testing.T) {
			var want [][]float64
			backendtest.Each(t, func(t *testing.T, b compute.Backend) {
				together := newRegression(t, b, opt(), 0, 1).train(t, regressionSteps)
				if want == nil {
					want = together
				}
				for r := range 2 {
					alone := newRegression(t, b, opt(), r).train(t, regressionSteps)
					for step := range alone {
						for what, other := range map[string]float64{"another backend": want[step][r], "the run alone": alone[step][0]} {
							if got := together[step][r]; math.Abs(got-other) > 1e-6*(1+math.Abs(other)) {
								t.Fatalf("step %d, run %d: loss %g, on %s %g", step, r, got, what, other)
							}
						}
					}
				}
			})
		})
	}
}

// One compilation serves all calls, also shorter ones, and training again from the initial values
// gives the same bits.
func TestTrainerCompilesOnceAndRestarts(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		p := newRegression(t, b, torchAdam(0.05), 0, 1)
		first := p.train(t, regressionSteps)
		p.train(t, 7)
		p.renew(t, []int{0, 1})
		if again := p.train(t, regressionSteps); !reflect.DeepEqual(first, again) {
			t.Error("after a fresh start the losses differ")
		}
		if short := p.train(t, 7); len(short) != 7 {
			t.Errorf("%d losses, want 7", len(short))
		}
		if n := p.trainer.Compilations(); n != 1 {
			t.Errorf("%d compilations, want 1", n)
		}
	})
}

// A context that ends while the program is compiled leaves the variables as they were.
func TestTrainerMakesNoStepAfterCompilation(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		if b.String() == "go" {
			t.Skip("pure Go looks at the context before each step, and compiles in milliseconds")
		}
		want := newRegression(t, b, torchAdam(0.05), 0).train(t, regressionSteps)
		p := newRegression(t, b, torchAdam(0.05), 0)
		ctx := contexttest.EndsAfter(t.Context(), 1)
		if losses, err := p.trainer.Train(ctx, nil, p.batches, regressionSteps); !errors.Is(err, context.Canceled) || losses != nil {
			t.Errorf("%d losses, error %v", len(losses), err)
		}
		if got := p.train(t, regressionSteps); !reflect.DeepEqual(got, want) || p.trainer.Compilations() != 1 {
			t.Errorf("steps were made, or %d compilations", p.trainer.Compilations())
		}
	})
}

func TestTrainerErrors(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		p := newRegression(t, b, torchAdam(0.05), 0)
		for _, steps := range []int{0, regressionSteps + 1} {
			if _, err := p.trainer.Train(t.Context(), nil, p.batches, steps); err == nil {
				t.Errorf("%d steps of %d gave no error", steps, regressionSteps)
			}
		}
		differ := func(_ *model.Scope, _, batch []*Node) *Node {
			return Add(batch[0], Reshape(batch[0], -1)) // panics: ranks differ
		}
		twice := func(scope *model.Scope, _, batch []*Node) *Node {
			y := layers.Dense(scope.In("velocity"), batch[0], 1)
			return ReduceAllMean(Add(y, layers.Dense(scope.In("velocity"), batch[0], 1)))
		}
		one := []shapes.Shape{shapes.Make(dtypes.Float32, 2, 1, 3, 4)}
		for _, test := range []struct {
			loss   flows.StepLoss
			shapes []shapes.Shape
			want   string
		}{
			{differ, one, "the loss gets 1 batch tensors, (Float32)[1, 3, 4]: the batch shapes without their first axis, that of the S = 2 steps"},
			{differ, nil, "the loss gets 0 batch tensors"},
			{twice, one, `"velocity" already visited from "/", use Shared() if this is intended; to use its weights twice, give each use after the first scope.ResetVisited()`},
		} {
			_, err := flows.NewTrainer(b, model.NewStore(), torchAdam(1), test.loss, nil, test.shapes)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("a loss that can't be built: %v, want %q", err, test.want)
			}
		}
	})
}

// A loss may be in half precision on every backend. Overflow gives an infinite loss, which is no
// error; in float32 or bfloat16 the same loss is finite.
func TestLossInHalfPrecision(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		for dtype, overflows := range map[dtypes.DType]bool{
			dtypes.Float16: true, dtypes.BFloat16: false, dtypes.Float32: false, dtypes.Float64: false,
		} {
			loss := func(scope *model.Scope, _, batch []*Node) *Node {
				w := scope.WithInitializer(initializer.One).VariableWithShape("w", shapes.Make(dtype))
				x := ConvertDType(batch[0], dtype)
				return Square(Mul(w.NodeValue(x.Graph()), x)) // 90000; float16 ends at 65504
			}
			shape := shapes.Make(dtypes.Float32, 2)
			sgd := optimizer.StochasticGradientDescent().WithLearningRate(1e-6).Done()
			trainer, err := flows.NewTrainer(b, model.NewStore(), sgd, loss, nil, []shapes.Shape{shape})
			if err != nil {
				t.Fatal(err)
			}
			losses, err := trainer.Train(t.Context(), nil,
				[]*tensors.Tensor{tensors.FromValue([]float32{300, 300})}, 2)
			trainer.Finalize()
			if err != nil {
				t.Fatalf("%s: %v", dtype, err)
			}
			if got := math.IsInf(losses[0][0], 1); got != overflows {
				t.Errorf("%s: losses %v", dtype, losses)
			}
		}
	})
}

// A trainer without batches makes any number of steps, those of a trainer whose batches are unused,
// by Train and by a loop. It stops when its context ends, and keeps the weights reached by then.
func TestTrainerWithoutBatches(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		const steps = 250 // three calls
		data := []*tensors.Tensor{tensors.FromValue([]float64{1, 3})}
		loss := func(scope *model.Scope, data, _ []*Node) *Node {
			w := scope.WithInitializer(initializer.Zero).VariableWithShape("w", shapes.Make(dtypes.Float64))
			return ReduceAllMean(Square(Sub(data[0], w.NodeValue(data[0].Graph()))))
		}
		newTrainer := func(batches []shapes.Shape) (*flows.Trainer, *model.Store) {
			store := model.NewStore()
			trainer, err := flows.NewTrainer(
				b, store, torchAdam(0.01), loss, []shapes.Shape{data[0].Shape()}, batches)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(trainer.Finalize)
			return trainer, store
		}
		unused := tensors.FromShape(shapes.Make(dtypes.Float32, steps))
		with, _ := newTrainer([]shapes.Shape{unused.Shape()})
		want, err := with.Train(t.Context(), data, []*tensors.Tensor{unused}, steps)
		if err != nil {
			t.Fatal(err)
		}
		without, _ := newTrainer(nil)
		got, err := without.Train(t.Context(), data, nil, steps)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d losses are others than the %d with batches", len(got), len(want))
		}
		if n := without.Compilations(); n != 1 {
			t.Errorf("%d compilations, want 1", n)
		}
		if _, err := without.Train(t.Context(), data, nil, 0); err == nil {
			t.Error("no steps gave no error")
		}

		looped, _ := newTrainer(nil)
		loop, endless := looped.Loop(t.Context(), data, nil)
		var losses [][]float64
		loop.OnStep("losses", 0, func(_ *train.Loop, metrics []*tensors.Tensor) error {
			losses = append(losses, []float64{tensors.ToScalar[float64](metrics[0])})
			return nil
		})
		if _, err := loop.RunSteps(endless, steps); err != nil {
			t.Fatalf("%+v", err)
		}
		if !reflect.DeepEqual(losses, want) {
			t.Errorf("%d losses of a loop are others than the %d of Train", len(losses), len(want))
		}

		stopped, store := newTrainer(nil)
		_, err = stopped.Train(contexttest.EndsAfter(t.Context(), 3), data, nil, steps)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
		if n := optimizer.GetGlobalStep(store); n != 3 && n != 200 { // in pure Go; on XLA, which looks once more after compiling
			t.Errorf("%d steps before the context ended", n)
		}
	})
}
