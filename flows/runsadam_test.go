package flows_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
)

// descend makes steps on Σ c·(w − m)² of each run, and returns w after each.
func descend(t *testing.T, b compute.Backend, opt optimizer.Interface, c, m, start [][]float64, steps int) [][]float64 {
	t.Helper()
	store := model.NewStore()
	defer store.Finalize()
	runs := len(start)
	loss := func(scope *model.Scope, data, _ []*Node) *Node {
		w := scope.In("net").VariableWithShape("w", shapes.Make(dtypes.Float64, runs, len(start[0]))).NodeValue(data[0].Graph())
		return ReduceSum(Mul(data[0], Square(Sub(w, data[1]))), -1) // [R]
	}
	data := []*tensors.Tensor{tensors.FromValue(c), tensors.FromValue(m)}
	batch := tensors.FromShape(shapes.Make(dtypes.Float64, 1, runs))
	trainer, err := flows.NewTrainer(b, store, opt, loss, []shapes.Shape{data[0].Shape(), data[1].Shape()}, []shapes.Shape{batch.Shape()})
	if err != nil {
		t.Fatalf("%+v", err)
	}
	defer trainer.Finalize()
	w := store.GetVariable("/net/w")
	if err := w.SetValue(tensors.FromValue(start)); err != nil {
		t.Fatal(err)
	}
	var path [][]float64
	for range steps {
		if _, err := trainer.Train(t.Context(), data, []*tensors.Tensor{batch}, 1); err != nil {
			t.Fatalf("%+v", err)
		}
		values, err := tensors.CopyFlatData[float64](w.MustValue())
		if err != nil {
			t.Fatal(err)
		}
		path = append(path, values)
	}
	return path
}

// With a schedule that hardly changes, RunsAdam is Adam: the numbers are those of torch.optim.Adam
// in TestOptimizersAgainstPyTorch.
func TestRunsAdamAgainstPyTorch(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		opt := flows.RunsAdam().Schedule("/", flows.Schedule{Rate: .1, Steps: 1e6}).Done()
		path := descend(t, b, opt, [][]float64{{1, 10, .01}}, [][]float64{{0, 1, 3}}, [][]float64{{1, -2, .5}}, 5)
		for i, want := range []float64{0.507963717, -1.50177944, 0.997775197} {
			if got := path[4][i]; math.Abs(got-want) > 1e-6 {
				t.Errorf("w[%d] = %.9g, PyTorch has %.9g", i, got, want)
			}
		}
	})
}

// Adam's first step is the rate, whatever the gradient, and so is every step if both moments decay
// at once.
func TestScheduleSetsEachStep(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		half := func(k int) float64 { return (1 + math.Cos(math.Pi*min(float64(k)/10, 1))) / 2 }
		for name, test := range map[string]struct {
			s    flows.Schedule
			want func(k int) float64 // as a share of Rate
		}{
			"all":     {flows.Schedule{Rate: .1, Wait: 2, Ramp: 4, Steps: 10}, func(k int) float64 { return min(max(float64(k-2)/4, 0), 1) * half(k) }},
			"no ramp": {flows.Schedule{Rate: .1, Wait: 2, Steps: 10}, func(k int) float64 { return min(float64(k/2), 1) * half(k) }},
			"a rate":  {flows.Schedule{Rate: .1}, func(int) float64 { return 1 }},
		} {
			opt := flows.RunsAdam().Betas(0, 0).Schedule("/net", test.s).Done()
			path := descend(t, b, opt, [][]float64{{1}}, [][]float64{{-100}}, [][]float64{{0}}, 12)
			w := 0.
			for k, after := range path {
				w -= .1 * test.want(k)
				if math.Abs(after[0]-w) > 1e-6 {
					t.Errorf("%s: after step %d: %.7f, want %.7f", name, k, after[0], w)
				}
			}
		}
	})
}

// Three steps of two runs are those of the formulas, with the gradient of each run clipped to the
// norm 3.
func TestRunsAdamClipsEachRun(t *testing.T) {
	const rate, beta1, beta2, epsilon, clip = .1, .8, .9, .5, 3.
	m := [][]float64{{-4, -3}, {0, -1}} // gradients 2w − 2m: norm 10 and 2 at first
	var want [][]float64
	w, first, second := make([]float64, 4), make([]float64, 4), make([]float64, 4)
	for k := 1; k <= 3; k++ {
		for r := range 2 {
			gradient := []float64{2 * (w[2*r] - m[r][0]), 2 * (w[2*r+1] - m[r][1])}
			scale := min(1, clip/math.Hypot(gradient[0], gradient[1]))
			for i, g := range gradient {
				g *= scale
				at := 2*r + i
				first[at] = beta1*first[at] + (1-beta1)*g
				second[at] = beta2*second[at] + (1-beta2)*g*g
				w[at] -= rate * first[at] / (1 - math.Pow(beta1, float64(k))) /
					(math.Sqrt(second[at]/(1-math.Pow(beta2, float64(k)))) + epsilon)
			}
		}
		want = append(want, append([]float64(nil), w...))
	}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		opt := flows.RunsAdam().Betas(beta1, beta2).Epsilon(epsilon).Clip(clip).
			Schedule("/net", flows.Schedule{Rate: rate, Steps: 1e9}).Done()
		got := descend(t, b, opt, [][]float64{{1, 1}, {1, 1}}, m, [][]float64{{0, 0}, {0, 0}}, 3)
		for k := range want {
			for i := range want[k] {
				if math.Abs(got[k][i]-want[k][i]) > 1e-9 {
					t.Errorf("step %d: w[%d] = %.12f, want %.12f", k+1, i, got[k][i], want[k][i])
				}
			}
		}
	})
}

// A variable without a learning rate is an error.
func TestRunsAdamWithoutRate(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		_, err := flows.NewTrainer(b, model.NewStore(), flows.RunsAdam().Schedule("/other", flows.Schedule{Rate: 1, Steps: 1}).Done(),
			func(scope *model.Scope, _, batch []*Node) *Node {
				return Add(batch[0], scope.In("net").VariableWithShape("w", shapes.Make(dtypes.Float64, 1)).NodeValue(batch[0].Graph()))
			}, nil, []shapes.Shape{shapes.Make(dtypes.Float64, 1, 1)})
		const want = `has no Schedule; must have one: call Schedule("/", …) for all variables, or ` +
			`with a path that begins with / (Schedules so far: ["/other"])`
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	})
}

// Settings that aren't numbers, or have values that make no sense, are errors that name them.
func TestOptimizerSettingsAreChecked(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	rate := func(s flows.Schedule) *flows.RunsAdamConfig { return flows.RunsAdam().Schedule("/", s) }
	adam := func() *flows.RunsAdamConfig { return rate(flows.Schedule{Rate: 1}) }
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		want string
		opt  interface{ Done() optimizer.Interface }
	}{
		{"", rate(flows.Schedule{Steps: 1})},
		{`Schedule "/": Rate: -1; must be finite and at least 0`, rate(flows.Schedule{Rate: -1})},
		{`Schedule "/": Rate: NaN; must be finite and`, rate(flows.Schedule{Rate: nan})},
		{`Schedule "/": Rate: +Inf; must be finite and`, rate(flows.Schedule{Rate: inf})},
		{`Schedule "/": Wait: -1; must be at least 0`, rate(flows.Schedule{Rate: 1, Wait: -1})},
		{`Schedule "/": Ramp: -2; must be at least 0`, rate(flows.Schedule{Rate: 1, Ramp: -2})},
		{`Schedule "/": Steps: -3; must be at least 0`, rate(flows.Schedule{Rate: 1, Steps: -3})},
		{"", adam().Betas(0, 0.999).Epsilon(0).Clip(0).Relative("w")},
		{"Betas: 1, 0.9; must be at least 0 and below 1", adam().Betas(1, 0.9)},
		{"Betas: 0.9, -1; must be", adam().Betas(0.9, -1)},
		{"Betas: NaN, 0.9; must be", adam().Betas(nan, 0.9)},
		{"Epsilon: -1; must be finite and at least 0", adam().Epsilon(-1)},
		{"Epsilon: NaN; must be", adam().Epsilon(nan)},
		{"Clip: -1; must be finite and at least 0", adam().Clip(-1)},
		{"Clip: +Inf; must be", adam().Clip(inf)},
		{`Relative: no variable is named "v"; must be one of ["w"]`, adam().Relative("w", "v")},
		{"", flows.Adagrad().LearningRate(0)},
		{"Adagrad: LearningRate: -0.1; must be finite and at", flows.Adagrad().LearningRate(-0.1)},
		{"Adagrad: LearningRate: NaN; must be", flows.Adagrad().LearningRate(nan)},
		{"Adagrad: LearningRate: +Inf; must be", flows.Adagrad().LearningRate(inf)},
	} {
		_, err := flows.NewTrainer(b, model.NewStore(), test.opt.Done(),
			func(scope *model.Scope, _, batch []*Node) *Node {
				w := scope.In("net").VariableWithShape("w", shapes.Make(dtypes.Float64, 1, 1, 1))
				return Add(batch[0], Reshape(w.NodeValue(batch[0].Graph()), 1))
			}, nil, []shapes.Shape{shapes.Make(dtypes.Float64, 1, 1)})
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// A network without the runs axis is an error that names two of its variables, whose first axes
// differ, and so is a variable without axes.
func TestRunsAdamNeedsTheRunsAxis(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	for last, dims := range map[string][]int{
		`"/net/b" (Float64)[7, 1]; must`: {7, 1},
		`"/net/b" (Float64); must`:       nil,
	} {
		loss := func(scope *model.Scope, _, batch []*Node) *Node {
			g, scope := batch[0].Graph(), scope.In("net")
			first := scope.VariableWithShape("a", shapes.Make(dtypes.Float64, 2, 7)).NodeValue(g)
			second := scope.VariableWithShape("b", shapes.Make(dtypes.Float64, dims...)).NodeValue(g)
			return Add(ReduceAllSum(first), Add(ReduceAllSum(second), ReduceAllSum(batch[0])))
		}
		opt := flows.RunsAdam().Schedule("/", flows.Schedule{Rate: 1}).Done()
		_, err := flows.NewTrainer(b, model.NewStore(), opt, loss, nil,
			[]shapes.Shape{shapes.Make(dtypes.Float64, 1, 1)})
		for _, words := range []string{`RunsAdam: variable "/net/a" is (Float64)[2, 7]`, last, "[R, …]"} {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("error %v; must say %s", err, words)
			}
		}
	}
}

// Each step of this package's optimizers counts for GoMLX, whose checkpoints are named by it, until
// ResetOptimizer.
func TestOptimizersCountGlobalSteps(t *testing.T) {
	loss := func(scope *model.Scope, _, batch []*Node) *Node {
		predicted := layers.Dense(scope, Reshape(batch[0], 1, -1, 1), 1)
		return ReduceAllMean(Square(Sub(predicted, Reshape(batch[1], 1, -1, 1))))
	}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		for name, opt := range map[string]optimizer.Interface{
			"Adagrad":  flows.Adagrad().Done(),
			"RunsAdam": flows.RunsAdam().Schedule("/", flows.Schedule{Rate: 0.01}).Done(),
		} {
			store := model.NewStore()
			p := newLine(t, b, store, opt, loss)
			p.train(t)
			if got := optimizer.GetGlobalStep(store); got != lineSteps {
				t.Errorf("%s: %d global steps after %d", name, got, lineSteps)
			}
			if err := p.trainer.ResetOptimizer(); err != nil || optimizer.GetGlobalStep(store) != 0 {
				t.Errorf("%s: after ResetOptimizer %d, error %v", name, optimizer.GetGlobalStep(store), err)
			}
		}
	})
}

// In half precision Adagrad and RunsAdam count their steps, follow their schedules and reach the
// minimum up to rounding.
func TestOptimizersInHalfPrecision(t *testing.T) {
	target := []float64{1, 2, -3}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		data := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(target, 1, 3)}
		for dtype, rounding := range map[dtypes.DType]float64{ // of numbers up to 4
			dtypes.Float16: 1. / (1 << 9), dtypes.BFloat16: 1. / (1 << 6),
		} {
			for name, opt := range map[string]optimizer.Interface{
				"RunsAdam": flows.RunsAdam().Clip(100).
					Schedule("/", flows.Schedule{Rate: 0.1, Steps: 550}).Done(),
				"Adagrad": flows.Adagrad().LearningRate(1).Done(),
			} {
				loss := func(scope *model.Scope, data, _ []*Node) *Node {
					w := scope.WithInitializer(initializer.Zero).
						VariableWithShape("w", shapes.Make(dtype, 1, 3))
					x := ConvertDType(data[0], dtype)
					return ReduceSum(Square(Sub(w.NodeValue(x.Graph()), x)), -1)
				}
				store := model.NewStore()
				trainer, err := flows.NewTrainer(b, store, opt, loss, []shapes.Shape{data[0].Shape()}, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer trainer.Finalize()
				if _, err := trainer.Train(t.Context(), data, nil, 600); err != nil {
					t.Fatal(err)
				}
				for i, w := range doubles(t, store.GetVariable("/w").MustValue()) {
					if math.Abs(w-target[i]) > 4*rounding {
						t.Errorf("%s in %s: w[%d] is %g, want %g", name, dtype, i, w, target[i])
					}
				}
				if v := store.GetVariable("/runs_adam/step"); v != nil && doubles(t, v.MustValue())[0] != 600 {
					t.Errorf("%s in %s: counts %v steps, want 600", name, dtype, v.MustValue())
				}
			}
		}
	})
}
