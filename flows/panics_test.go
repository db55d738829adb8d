package flows_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
)

// breaking are ways in which a function of the caller's stops, with what the error says of it.
var breaking = map[string]func(){
	"mine":                          func() { panic("mine") },
	"runtime error: invalid memory": func() { **new(*int) = 1 },
	"exited its goroutine":          runtime.Goexit,
}

// soon fails the test if f hasn't returned after 20 seconds.
func soon(t *testing.T, name string, f func() error) (err error) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = f()
	}()
	select {
	case <-ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: hangs", name)
		return nil
	}
}

// breakingOptimizer is an optimizer that stops in the nth graph.
type breakingOptimizer struct {
	optimizer.Interface
	stop func()
	left *int // graphs before it does
}

func (o breakingOptimizer) UpdateGraph(scope *model.Scope, g *Graph, loss *Node) {
	if *o.left--; *o.left < 0 {
		o.stop()
	}
	o.Interface.UpdateGraph(scope, g, loss)
}

// A function of the caller's that panics with anything, or exits its goroutine, gives an error that
// names it: whichever graph it is built in. GoMLX alone waits for ever for such a graph.
func TestPanicsOfCallersAreErrors(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	batch := shapes.Make(dtypes.Float32, 3, 1, 4, 2)
	train := func(loss flows.StepLoss, opt optimizer.Interface) error {
		trainer, err := flows.NewTrainer(b, model.NewStore(), opt, loss, nil, []shapes.Shape{batch})
		if err != nil {
			return err
		}
		defer trainer.Finalize()
		_, err = trainer.Train(t.Context(), nil, []*tensors.Tensor{tensors.FromShape(batch)}, 3)
		return err
	}
	loss := func(scope *model.Scope, _, batch []*Node) *Node {
		return ReduceAllMean(Square(layers.Dense(scope, batch[0], 1)))
	}
	adam := func() optimizer.Interface { return optimizer.Adam().Done() }
	follow := func(velocity flows.Velocity, options ...func(*flows.IntegrateConfig)) error {
		_, err := flows.Follow(b, model.NewStore(), velocity, [][]float32{{1, 2}}, options...)
		return err
	}
	still := func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return ZerosLike(y) }
	for want, stop := range breaking {
		for graphs := range 2 { // before the one in which it stops
			left := graphs
			checkNamed(t, "the loss", want, soon(t, "loss", func() error {
				return train(func(scope *model.Scope, data, batch []*Node) *Node {
					if left--; left < 0 {
						stop()
					}
					return loss(scope, data, batch)
				}, adam())
			}))
			leftSteps := graphs
			checkNamed(t, "the optimizer", want, soon(t, "optimizer", func() error {
				return train(loss, breakingOptimizer{adam(), stop, &leftSteps})
			}))
		}
		checkNamed(t, "the velocity", want, soon(t, "velocity", func() error {
			return follow(func(*model.Scope, *Node, *Node, []*Node) *Node { stop(); return nil })
		}))
		checkNamed(t, "an option", want, soon(t, "option", func() error {
			return follow(still, func(*flows.IntegrateConfig) { stop() })
		}))
		checkNamed(t, "the logit", want, soon(t, "logit", func() error {
			return calledOnce(b, func(_ *model.Scope, y *Node) *Node {
				return flows.RatioVelocity(func(*Node) *Node { stop(); return nil }, y)
			})
		}))
	}
}

// calledOnce returns the error of a program of a graph function.
func calledOnce(b compute.Backend, build func(*model.Scope, *Node) *Node) error {
	exec, err := model.NewExec(b, model.NewStore(), build)
	if err != nil {
		return err
	}
	defer exec.Finalize()
	_, err = exec.Call1([][]float32{{1, 2}})
	return err
}

// checkNamed fails the test unless err says that the function stopped so.
func checkNamed(t *testing.T, function, stopped string, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), function+" ") ||
		!strings.Contains(err.Error(), stopped) {
		t.Errorf("%v, want %q and %q", err, function, stopped)
	}
}
