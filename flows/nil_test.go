package flows_test

import (
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
)

// A nil argument of a function that builds graphs, here and in package layers, or of Follow and
// Train, is an error that names it.
func TestNilArgumentsAreNamed(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	still := func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return y }
	for want, build := range map[string]func(s *model.Scope, x *Node){
		"Dense: scope is nil":      func(_ *model.Scope, x *Node) { layers.Dense(nil, x, 1) },
		"Dense: x is nil":          func(s *model.Scope, _ *Node) { layers.Dense(s, nil, 1) },
		"MLP: scope is nil":        func(_ *model.Scope, x *Node) { layers.MLP(nil, x).Done() },
		"MLP: x is nil":            func(s *model.Scope, _ *Node) { layers.MLP(s, nil).Done() },
		"CNN: x is nil":            func(s *model.Scope, _ *Node) { layers.CNN(s, nil).Done() },
		"Conv: x is nil":           func(s *model.Scope, _ *Node) { layers.Conv(s, nil, 1) },
		"Invertible: scope is nil": func(_ *model.Scope, x *Node) { layers.Invertible(nil, x).Done() },
		"Invertible: x is nil":     func(s *model.Scope, _ *Node) { layers.Invertible(s, nil).Done() },
		"WholeCNN: z is nil":       func(s *model.Scope, x *Node) { layers.WholeCNN(s, nil, x, x) },
		"WholeContext: z is nil":   func(_ *model.Scope, x *Node) { layers.WholeContext(nil, x, x) },
		"WholeContext: y is nil": func(_ *model.Scope, x *Node) {
			layers.WholeContext(x, nil, positions(x))
		},
		"WholeContext: idx is nil": func(_ *model.Scope, x *Node) { layers.WholeContext(x, x, nil) },
		"WholeContextRF: time is nil": func(_ *model.Scope, x *Node) {
			layers.WholeContextRF(x, x, positions(x), positions(x), nil)
		},
		"WindowContext: neighbours is nil": func(_ *model.Scope, x *Node) {
			layers.WindowContext(x, positions(x), nil)
		},
		"GatherSignals: z is nil":   func(_ *model.Scope, x *Node) { layers.GatherSignals(nil, x) },
		"GatherSignals: idx is nil": func(_ *model.Scope, x *Node) { layers.GatherSignals(x, nil) },
		"Autoregressive: z is nil": func(s *model.Scope, _ *Node) {
			flows.Autoregressive(s, nil).Done()
		},
		"LogLikelihood: logDet is nil": func(_ *model.Scope, x *Node) {
			flows.LogLikelihood(x, nil, nil)
		},
		"LogLikelihood: sources is nil": func(_ *model.Scope, x *Node) {
			flows.LogLikelihood(nil, x, nil)
		},
		"LogisticLoss: joint is nil":   func(_ *model.Scope, x *Node) { flows.LogisticLoss(nil, x) },
		"LogisticLoss: product is nil": func(_ *model.Scope, x *Node) { flows.LogisticLoss(x, nil) },
		"StraightPath: y0 is nil":      func(_ *model.Scope, x *Node) { flows.StraightPath(nil, x, x) },
		"StraightPath: y1 is nil":      func(_ *model.Scope, x *Node) { flows.StraightPath(x, nil, x) },
		"StraightPath: tau is nil":     func(_ *model.Scope, x *Node) { flows.StraightPath(x, x, nil) },
		"RectifiedLoss: v is nil":      func(_ *model.Scope, x *Node) { flows.RectifiedLoss(nil, x, x) },
		"RatioVelocity: logit is nil":  func(_ *model.Scope, x *Node) { flows.RatioVelocity(nil, x) },
		"RatioVelocity: the logit is nil": func(_ *model.Scope, x *Node) {
			flows.RatioVelocity(func(*Node) *Node { return nil }, x)
		},
		"RatioVelocity: y is nil": func(*model.Scope, *Node) {
			flows.RatioVelocity(func(y *Node) *Node { return y }, nil)
		},
		"Integrate: scope is nil": func(_ *model.Scope, x *Node) {
			flows.Integrate(nil, still, x).Done()
		},
		"Integrate: velocity is nil": func(s *model.Scope, x *Node) { flows.Integrate(s, nil, x).Done() },
		"Integrate: y is nil": func(s *model.Scope, _ *Node) {
			flows.Integrate(s, still, nil).Done()
		},
		"Integrate: a node of Hold is nil": func(s *model.Scope, x *Node) {
			flows.Integrate(s, still, x).Hold(nil).Done()
		},
		"Integrate: the velocity's result is nil": func(s *model.Scope, x *Node) {
			flows.Integrate(s, func(*model.Scope, *Node, *Node, []*Node) *Node { return nil }, x).Done()
		},
	} {
		exec, err := model.NewExec(b, model.NewStore(), func(scope *model.Scope, x *Node) *Node {
			build(scope, x)
			return x
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		_, err = exec.Call1([][][]float32{{{1, 2}, {3, 4}}})
		if err == nil || !strings.Contains(err.Error(), want+"; must be") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, noY := flows.Follow(b, model.NewStore(), still, nil)
	_, noVelocity := flows.Follow(b, model.NewStore(), nil, []float32{1})
	_, noOption := flows.Follow(b, model.NewStore(), still, []float32{1}, nil)
	for want, err := range map[string]error{
		"Follow: store, velocity or y is nil":      noY,
		"Follow: store, velocity or y is nil; ":    noVelocity,
		"Follow: an option is nil":                 noOption,
		"Initialise: scope is nil":                 layers.Initialise(nil, nil),
		"InitialiseInvertible: scope is nil; must": layers.InitialiseInvertible(nil, nil, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// positions are those of samples of x, [R, B, d], all 0.
func positions(x *Node) *Node {
	return Zeros(x.Graph(), shapes.Make(dtypes.Int32, x.Shape().Dimensions...))
}
