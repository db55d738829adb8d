package flows_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
)

// Shapes that would broadcast and offsets to later positions are errors.
func TestLossesNameWhatIsWrong(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	zeros := func(g *Graph, dims ...int) *Node { return Zeros(g, shapes.Make(dtypes.Float32, dims...)) }
	for want, build := range map[string]func(scope *model.Scope, g *Graph) *Node{
		"flows: LogisticLoss: product is (Float32)[1, 10]; must be (Float32)[10, 1], like joint": func(_ *model.Scope, g *Graph) *Node {
			return flows.LogisticLoss(zeros(g, 10, 1), zeros(g, 1, 10))
		},
		"flows: RectifiedLoss: y1 is (Float32)[1, 2]; must be (Float32)[10, 2], like y0": func(_ *model.Scope, g *Graph) *Node {
			return flows.RectifiedLoss(zeros(g, 10, 2), zeros(g, 10, 2), zeros(g, 1, 2))
		},
		"flows: RectifiedLoss: v is (Float32)[1, 2]": func(_ *model.Scope, g *Graph) *Node {
			return flows.RectifiedLoss(zeros(g, 1, 2), zeros(g, 10, 2), zeros(g, 10, 2))
		},
		"flows: StraightPath: tau is (Float32)[5]; must have": func(_ *model.Scope, g *Graph) *Node {
			return flows.StraightPath(zeros(g, 10, 2), zeros(g, 10, 2), zeros(g, 5))
		},
		"flows: StraightPath: y1 is (Float32)[2]": func(_ *model.Scope, g *Graph) *Node {
			return flows.StraightPath(zeros(g, 10, 2), zeros(g, 2), zeros(g, 10))
		},
		"flows: RatioVelocity: the logit is (Float32)[10, 2]; must be [10], one for each sample of y (Float32)[10, 2]": func(_ *model.Scope, g *Graph) *Node {
			return flows.RatioVelocity(Square, zeros(g, 10, 2))
		},
		"flows: RatioVelocity: the logit is (Float32)[10, 1]; must be [10]": func(_ *model.Scope, g *Graph) *Node {
			return flows.RatioVelocity(func(y *Node) *Node { return ReduceAndKeep(y, ReduceSum, -1) }, zeros(g, 10, 2))
		},
		"flows: RatioVelocity: y is (Float32); must be": func(_ *model.Scope, g *Graph) *Node {
			return flows.RatioVelocity(Square, zeros(g))
		},
		"flows: offset [1] isn't into the past": func(s *model.Scope, g *Graph) *Node {
			return flows.Autoregressive(s, zeros(g, 1, 2, 9)).Past([][]int{{1}}).Done()
		},
		"flows: offset [0 0] isn't into the past": func(s *model.Scope, g *Graph) *Node {
			return flows.Autoregressive(s, zeros(g, 1, 2, 9, 9)).Past([][]int{{0, 0}}).Done()
		},
		"flows: Autoregressive: z is (Float32)[2, 9]; must be": func(s *model.Scope, g *Graph) *Node {
			return flows.Autoregressive(s, zeros(g, 2, 9)).Done()
		},
		"flows: Autoregressive: z is (Float32)[5, 2, 9]; must be [R, d, p…] with one or more axes p… with R = 1": func(s *model.Scope, g *Graph) *Node {
			return flows.Autoregressive(s, zeros(g, 5, 2, 9)).Done()
		},
		"flows: Autoregressive: ParamRuns is 0; must be at least 1": func(s *model.Scope, g *Graph) *Node {
			s.SetParam(layers.ParamRuns, 0)
			return flows.Autoregressive(s, zeros(g, 1, 2, 9)).Done()
		},
		"flows: Autoregressive: z is (Float32)[1, 2, 3]; must have more than 3 positions": func(s *model.Scope, g *Graph) *Node {
			return flows.Autoregressive(s, zeros(g, 1, 2, 3)).Past(flows.Past(3, 1)).Done()
		},
		"flows: LogLikelihood: logDet is (Float32)[4, 2]; must have more than 2 positions along axis 1": func(_ *model.Scope, g *Graph) *Node {
			return flows.LogLikelihood(zeros(g, 4, 2), zeros(g, 4, 2), flows.Past(2, 1))
		},
		"flows: LogLikelihood: sources is (Float32)[1, 9]; must be (Float32)[1, 7]": func(_ *model.Scope, g *Graph) *Node {
			return flows.LogLikelihood(zeros(g, 1, 9), zeros(g, 1, 9), flows.Past(2, 1))
		},
	} {
		store := model.NewStore()
		_, err := model.CallOnce(b, store, func(scope *model.Scope, x *Node) *Node { return build(scope, x.Graph()) }, float32(0))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		store.Finalize()
	}
}

// Samples may have any axes: τ has those of the batch, and the loss sums over the sample's.
func TestRectifiedFlowOfImages(t *testing.T) {
	y0 := [][][]float64{{{1, 2}, {3, 4}}, {{0, 0}, {0, 0}}} // [B=2, H=2, W=2]
	y1 := [][][]float64{{{1, 0}, {3, 0}}, {{8, 8}, {8, 8}}}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		exec, err := model.NewExec(b, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
			path := flows.StraightPath(in[0], in[1], in[2])
			return []*Node{path, flows.RectifiedLoss(ZerosLike(path), in[0], in[1], 1, 2)}
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(y0, y1, []float64{.5, .25})
		if err != nil {
			t.Fatal(err)
		}
		want := [][]float64{{1, 1, 3, 2, 2, 2, 2, 2}, {4 + 16, 4 * 64}}
		for k := range want {
			for i, v := range doubles(t, out[k]) {
				if math.Abs(v-want[k][i]) > 1e-12 {
					t.Errorf("result %d: %v, want %v", k, doubles(t, out[k]), want[k])
					break
				}
			}
		}
	})
}

// A loss of shape [B], of samples, isn't accepted as a loss of B runs.
func TestLossOfSamplesIsNotOfRuns(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x := shapes.Make(dtypes.Float32, 5, 8, 3) // 5 steps of 8 samples
	loss := func(scope *model.Scope, _, batch []*Node) *Node {
		return ReduceSum(Square(gomlx.Dense(scope, batch[0], true, 2)), -1) // [B]
	}
	_, err := flows.NewTrainer(b, model.NewStore(), optimizer.Adam().Done(), loss, nil, []shapes.Shape{x})
	if err == nil || !strings.Contains(err.Error(), "one for each of 8 runs, not samples") || !strings.Contains(err.Error(), "ReduceAllMean") {
		t.Errorf("%v", err)
	}
}

// Integrate refuses the same graphs on every backend.
func TestIntegrateRefusesSameGraphsOnEveryBackend(t *testing.T) {
	triple := func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return MulScalar(y, 3) }
	follow := func(scope *model.Scope, y *Node) *Node { return flows.Integrate(scope, triple, y).Steps(2).Done() }
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		for want, build := range map[string]func(scope *model.Scope, y *Node) *Node{
			"must be passed by Hold": func(scope *model.Scope, y *Node) *Node {
				rate := Exp(y)
				return flows.Integrate(scope, func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return Mul(rate, y) }, y).Done()
			},
			"shares a scalar": func(scope *model.Scope, y *Node) *Node { return follow(scope, MulScalar(y, 3)) },
			"second in its graph": func(scope *model.Scope, y *Node) *Node {
				return follow(scope, follow(scope, y))
			},
			"can't be differentiated": func(scope *model.Scope, y *Node) *Node {
				return Gradient(ReduceAllSum(follow(scope, y)), y)[0]
			},
		} {
			_, err := model.CallOnce(b, model.NewStore(), build, []float64{1, 2})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
		_, err := flows.NewTrainer(b, model.NewStore(), optimizer.Adam().Done(), func(scope *model.Scope, _, batch []*Node) *Node {
			return ReduceAllSum(follow(scope, gomlx.Dense(scope, batch[0], true, 2)))
		}, nil, []shapes.Shape{shapes.Make(dtypes.Float64, 5, 8, 3)})
		if err == nil || !strings.Contains(err.Error(), "in the loss of a Trainer") {
			t.Errorf("in a StepLoss: %v", err)
		}
	})
}

// A scalar that both share is refused only if the velocity shares it, not if it makes its own.
func TestIntegrateAfterOtherScalars(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		out, err := model.CallOnce(b, model.NewStore(), func(scope *model.Scope, y *Node) *Node {
			half := MulScalar(y, .5) // h of Integrate is .5, too
			return flows.Integrate(scope, func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return MulScalar(y, 3) }, half).Steps(2).Done()
		}, []float64{4})
		if err != nil {
			t.Fatal(err)
		}
		if got := doubles(t, out)[0]; got != 2*2.5*2.5 {
			t.Errorf("%g, want 12.5", got)
		}
	})
}

// A scalar that an operation after Integrate shares with the velocity is right in pure Go and an
// error on XLA, as documented, never another number: GoMLX keeps one of each for a whole graph.
func TestIntegrateBeforeOtherScalars(t *testing.T) {
	triple := func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return MulScalar(y, 3) }
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		out, err := model.CallOnce(b, model.NewStore(), func(scope *model.Scope, y *Node) *Node {
			return MulScalar(flows.Integrate(scope, triple, y).Steps(2).Done(), 3)
		}, []float64{4})
		switch {
		case backend.NameOf(b) != backend.Go:
			if err == nil || !strings.Contains(err.Error(), "closure") {
				t.Errorf("%v, error %v; want that of a node of the closure", out, err)
			}
		case err != nil:
			t.Error(err)
		case doubles(t, out)[0] != 3*4*2.5*2.5:
			t.Errorf("%v, want 75", out)
		}
	})
}

// Following from 0 to 1 and back from 1 to 0 gives the first points.
func TestFollowIsInvertible(t *testing.T) {
	velocity := func(_ *model.Scope, y, tau *Node, _ []*Node) *Node { return Mul(y, tau) } // y·exp(τ²/2)
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		defer store.Finalize()
		heun := func(start, end float64) func(*flows.IntegrateConfig) {
			return func(c *flows.IntegrateConfig) { c.Solver(flows.Heun).Between(start, end).Steps(200) }
		}
		there, err := flows.Follow(b, store, velocity, []float64{1, -2}, heun(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := doubles(t, there)[0], math.Exp(.5); math.Abs(got-want) > 1e-4 {
			t.Errorf("%g, want %g", got, want)
		}
		back, err := flows.Follow(b, store, velocity, there, heun(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		if got := doubles(t, back); math.Abs(got[0]-1) > 1e-4 || math.Abs(got[1]+2) > 1e-4 {
			t.Errorf("back at %v, want [1 -2]", got)
		}
	})
	if _, err := flows.Follow(nil, nil, velocity, []float64{1}); err == nil {
		t.Error("a nil store is no error")
	}
	if out, err := flows.Follow(nil, model.NewStore(), velocity, tensors.FromValue([]float32{1})); err != nil || out.Shape().Size() != 1 {
		t.Errorf("pure Go: %v", err)
	}
}

// A velocity whose weights have no value, as with another scope or without the checkpoint, is an
// error and isn't followed with random ones. So is one whose weights are on another backend.
func TestFollowNeedsTrainedVariables(t *testing.T) {
	velocity := func(scope *model.Scope, y, _ *Node, _ []*Node) *Node {
		w := scope.In("v").VariableWithShape("w", y.Shape())
		return Mul(y, w.NodeValue(y.Graph()))
	}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		store := model.NewStore()
		defer store.Finalize()
		_, err := flows.Follow(b, store, velocity, []float64{1, -2})
		if err == nil || !strings.Contains(err.Error(), `"/v/w" has no value`) {
			t.Errorf("%v, want an error that names the variable", err)
		}
		if err := store.GetVariable("/v/w").SetValue(tensors.FromValue([]float64{0, 0})); err != nil {
			t.Fatal(err)
		}
		end, err := flows.Follow(b, store, velocity, []float64{1, -2})
		if err != nil {
			t.Fatal(err)
		}
		if got := doubles(t, end); got[0] != 1 || got[1] != -2 {
			t.Errorf("%v, want [1 -2]", got)
		}
		_, err = flows.Follow(backendtest.Count(b, nil), store, velocity, []float64{1, -2})
		if err == nil || !strings.Contains(err.Error(), `variable "/v/w" was trained on another, "`) {
			t.Errorf("%v, want an error that the backend is another", err)
		}
	})
}

// Adagrad can be chosen by its name in GoMLX, and reads GoMLX's hyperparameters.
func TestAdagradByName(t *testing.T) {
	store := model.NewStore()
	store.SetParams(map[string]any{
		optimizer.ParamOptimizer: "adagrad", optimizer.ParamLearningRate: .25,
	})
	b := backendtest.Open(t, backend.Go)
	p := newLine(t, b, store, optimizer.FromScope(store.RootScope()), func(scope *model.Scope, _, batch []*Node) *Node {
		g := batch[0].Graph()
		w := scope.VariableWithValue("w", 3.).NodeValue(g)
		return ReduceAllSum(MulScalar(w, 4)) // gradient 4
	})
	if _, err := p.trainer.Train(t.Context(), nil, p.batches, 1); err != nil {
		t.Fatal(err)
	}
	if got, want := p.get("/w"), 3-.25; math.Abs(got-want) > 1e-6 {
		t.Errorf("w is %g after a step, want %g", got, want)
	}
}

// The error of a velocity that fails has its cause first, and names a wrong dtype.
func TestFollowNamesTheCause(t *testing.T) {
	store := model.NewStore()
	velocity := func(scope *model.Scope, y, _ *Node, _ []*Node) *Node {
		if y.Rank() != 2 {
			panic(fmt.Errorf("y has rank %d", y.Rank()))
		}
		return layers.Dense(scope.In("velocity"), InsertAxes(y, 0), 2)
	}
	train := func(scope *model.Scope, y *Node) *Node {
		optimizer.LearningRateVar(scope, dtypes.Float32, 1) // which isn't the velocity's
		return velocity(scope, y, nil, nil)
	}
	b := backendtest.Open(t, backend.Go)
	if _, err := model.CallOnce(b, store, train, [][]float32{{1, 2}}); err != nil {
		t.Fatal(err)
	}
	for want, y := range map[string]any{
		"flows: Follow: flows: Integrate: building the velocity at y (Float32)[1]: y has rank 1": []float32{1},
		`flows: Follow: y is Float64, and variable "/velocity/`:                                  [][]float64{{1, 2}},
	} {
		_, err := flows.Follow(b, store, velocity, y)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	wide := [][]float32{{1, 2, 3}}
	if _, err := flows.Follow(b, store, velocity, wide); err == nil ||
		!strings.Contains(err.Error(), "at y (Float32)[1, 3]") ||
		!strings.Contains(err.Error(), "the store was trained with") {
		t.Errorf("of another width: %v", err)
	}
}
