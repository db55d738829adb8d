package layers_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/regularizer"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train"

	"github.com/seed-47b1e431/gosica/layers"
)

// executed is what a model of x, on pure Go, gives with the variables that it
// begins with.
func executed(t *testing.T, store *model.Store, x *tensors.Tensor, build func(scope *model.Scope, x *Node) []*Node) ([]*tensors.Tensor, error) {
	t.Helper()
	if model.GetParamOr(store.RootScope(), layers.ParamRuns, 0) == 0 {
		store.SetParam(layers.ParamRuns, x.Shape().Dim(0))
	}
	exec, err := model.NewExec(openGo(t), store, build)
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	return exec.Call(x)
}

// seeded is an empty store.
func seeded(t *testing.T) *model.Store {
	t.Helper()
	store := model.NewStore()
	t.Cleanup(store.Finalize)
	if err := store.SetRNGStateFromSeed(1); err != nil {
		t.Fatal(err)
	}
	return store
}

func variance(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v / float64(len(values))
	}
	return sum
}

// Without Initialise the weights of each run have the variance 2/fan-in of GoMLX's default, He's
// initializer, for any number of runs, and biases are 0. An initializer of the scope is used in the
// same way.
func TestInitialValuesAreGoMLXs(t *testing.T) {
	glorot := func(s *model.Scope) *model.Scope { return s.WithInitializer(initializer.GlorotUniformFn(s)) }
	he := func(s *model.Scope) *model.Scope { return s }
	for _, test := range []struct {
		name     string
		scope    func(*model.Scope) *model.Scope
		build    network
		dims     []int
		variance float64
	}{
		{"Dense", he, func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 500) }, []int{1, 1, 8}, 2. / 8},
		{"Dense of 3 runs", he, func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 500) }, []int{3, 1, 8}, 2. / 8},
		{"Dense by Glorot", glorot, func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 500) }, []int{2, 1, 8}, 2. / 508},
		{"Conv of 2 runs", he, func(s *model.Scope, x *Node) *Node { return layers.Conv(s, x, 50) }, []int{2, 1, 5, 5, 4}, 2. / 36},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := seeded(t)
			x := normal(rand.New(rand.NewPCG(1, 1)), test.dims...)
			if _, err := executed(t, store, x, func(s *model.Scope, x *Node) []*Node { return []*Node{test.build(test.scope(s), x)} }); err != nil {
				t.Fatal(err)
			}
			for v := range store.IterVariables() {
				switch v.Name() {
				case "weights":
					values := flat(t, v.MustValue())
					each := len(values) / test.dims[0]
					for r := range test.dims[0] { // 1600 values or more: a standard error of 4 % or less
						if got := variance(values[r*each : (r+1)*each]); math.Abs(got/test.variance-1) > .15 {
							t.Errorf("run %d's weights have the variance %g, want %g", r, got, test.variance)
						}
					}
				case "biases":
					if got := variance(flat(t, v.MustValue())); got != 0 {
						t.Errorf("biases have the variance %g, want zeros", got)
					}
				}
			}
		})
	}
}

// With its initial values a map has its inverse and its log-Jacobian, also without
// InitialiseInvertible, and is near the identity.
func TestInvertibleIsInvertibleAtFirst(t *testing.T) {
	const runs, d, n = 2, 3, 50
	for name, m := range invertibles {
		t.Run(name, func(t *testing.T) {
			x := normal(rand.New(rand.NewPCG(2, 2)), runs, n, d)
			out, err := executed(t, seeded(t), x, func(scope *model.Scope, x *Node) []*Node {
				z, _ := m.forward(scope, x)
				return []*Node{z, m.inverse(scope.ResetVisited(), z)}
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := maxDifference(flat(t, out[1]), flat(t, x)); !(diff < 1e-6) {
				t.Errorf("the inverse differs by %g", diff)
			}
			moved := make([]float64, runs*n*d)
			for i, z := range flat(t, out[0]) {
				moved[i] = z - flat(t, x)[i]
			}
			if far := math.Sqrt(variance(moved)); !(far < 1.5) {
				t.Errorf("the map begins %g away from x", far)
			}
		})
	}
}

// Two layers in one scope are an error, as in GoMLX. Weights are shared by ResetVisited.
func TestTwoLayersInOneScopeAreAnError(t *testing.T) {
	for name, layer := range map[string]network{
		"Dense":      func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 2) },
		"Conv":       func(s *model.Scope, x *Node) *Node { return layers.Conv(s, InsertAxes(x, 2), 2) },
		"MLP":        func(s *model.Scope, x *Node) *Node { return layers.MLP(s, x).Done() },
		"CNN":        func(s *model.Scope, x *Node) *Node { return layers.CNN(s, InsertAxes(x, 2)).Done() },
		"Invertible": func(s *model.Scope, x *Node) *Node { y, _ := layers.Invertible(s, x).Done(); return y },
	} {
		x := normal(rand.New(rand.NewPCG(3, 3)), 1, 2, 2)
		twice := func(again func(*model.Scope) *model.Scope) ([]*tensors.Tensor, error) {
			return executed(t, seeded(t), x, func(s *model.Scope, x *Node) []*Node {
				return []*Node{layer(s, x), layer(again(s), x)}
			})
		}
		if _, err := twice(func(s *model.Scope) *model.Scope { return s }); err == nil || !strings.Contains(err.Error(), "already visited") {
			t.Errorf("%s: two in one scope: %v", name, err)
		}
		out, err := twice((*model.Scope).ResetVisited)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !reflect.DeepEqual(out[0].Value(), out[1].Value()) {
			t.Errorf("%s: shared weights give two outputs", name)
		}
	}
}

// GoMLX's hyperparameters regularize weights but no biases, as in its own Dense.
func TestWeightsAreRegularized(t *testing.T) {
	for name, layer := range map[string]network{
		"Dense": func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 3) },
		"MLP":   func(s *model.Scope, x *Node) *Node { return layers.MLP(s, x).Done() },
		"CNN":   func(s *model.Scope, x *Node) *Node { return layers.CNN(s, InsertAxes(x, 2)).Done() },
		"GoMLX": func(s *model.Scope, x *Node) *Node { return gomlx.Dense(s, x, true, 3) },
	} {
		store := seeded(t)
		store.SetParams(map[string]any{regularizer.ParamL2: .5, regularizer.ParamL1: .25})
		out, err := executed(t, store, normal(rand.New(rand.NewPCG(4, 4)), 2, 3, 4), func(s *model.Scope, x *Node) []*Node {
			y := layer(s, x)
			loss := train.GetRegularizationLoss(x.Graph())
			if loss == nil {
				loss = Const(x.Graph(), 0.)
			}
			return []*Node{loss, y}
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := 0.0
		for v := range store.IterVariables() {
			if v.Name() == "weights" {
				for _, w := range flat(t, v.MustValue()) {
					want += .5*w*w + .25*math.Abs(w)
				}
			}
		}
		if got := tensors.ToScalar[float64](out[0]); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: regularization loss %g, want %g", name, got, want)
		}
	}
}

// Initialise keeps the variables of GoMLX's layers, which have the same names, those of this
// package's other layers, and frozen ones.
func TestInitialiseKeepsOtherVariables(t *testing.T) {
	store := seeded(t)
	if _, err := executed(t, store, normal(rand.New(rand.NewPCG(5, 5)), 1, 3, 1), func(s *model.Scope, x *Node) []*Node {
		y, _ := layers.Invertible(s, x).Layers(0).Done()
		y = gomlx.Dense(s.In("gomlx"), y, true, 4)
		y = layers.Dense(s.In("frozen"), y, 4)
		return []*Node{layers.MLP(s.In("own"), y).Done()}
	}); err != nil {
		t.Fatal(err)
	}
	for v := range store.Scope("/frozen").IterVariables() {
		v.SetTrainable(false)
	}
	before := map[string]any{}
	for v := range store.IterVariables() {
		before[v.Path()] = v.MustValue().Value()
	}
	if err := layers.Initialise(store.RootScope(), []*rand.Rand{rand.New(rand.NewPCG(6, 6))}); err != nil {
		t.Fatal(err)
	}
	for v := range store.IterVariables() {
		own := strings.HasPrefix(v.Path(), "/own/")
		if changed := !reflect.DeepEqual(v.MustValue().Value(), before[v.Path()]); changed != own {
			t.Errorf("%s: drawn anew: %t, want %t", v.Path(), changed, own)
		}
	}
}

func TestInitialiseErrors(t *testing.T) {
	rngs := []*rand.Rand{rand.New(rand.NewPCG(7, 7))}
	empty := model.NewStore()
	if err := layers.Initialise(empty.Scope("/net"), rngs); err == nil || !strings.Contains(err.Error(), `"/net"`) {
		t.Errorf("no variables: %v", err)
	}
	if err := layers.InitialiseInvertible(empty.Scope("/map"), rngs, nil); err == nil || !strings.Contains(err.Error(), `"/map"`) {
		t.Errorf("no variables of a map: %v", err)
	}
	store := seeded(t)
	if _, err := executed(t, store, normal(rngs[0], 2, 3, 4), func(s *model.Scope, x *Node) []*Node {
		y, _ := layers.Invertible(s, x).Layers(0).Done()
		return []*Node{layers.Dense(s, y, 1)}
	}); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{layers.Initialise(store.RootScope(), rngs), layers.InitialiseInvertible(store.RootScope(), rngs, nil)} {
		if err == nil || !strings.Contains(err.Error(), "1 random streams for the 2 runs") {
			t.Errorf("one stream for two runs: %v", err)
		}
	}
}

// The error for an input of a wrong shape has the shape.
func TestShapeErrorsNameTheShape(t *testing.T) {
	for name, layer := range map[string]network{
		"Dense": func(s *model.Scope, x *Node) *Node { return layers.Dense(s, x, 1) },
		"Conv":  func(s *model.Scope, x *Node) *Node { return layers.Conv(s, x, 1) },
		"CNN":   func(s *model.Scope, x *Node) *Node { return layers.CNN(s, x).Done() },
	} {
		_, err := executed(t, seeded(t), tensors.FromShape(shapes.Make(dtypes.Float64, 3)), func(s *model.Scope, x *Node) []*Node {
			return []*Node{layer(s, x)}
		})
		if err == nil || !strings.Contains(err.Error(), "layers: "+name) || !strings.Contains(err.Error(), "must be [R, ") {
			t.Errorf("%s of a vector: %v", name, err)
		}
	}
}
