package flows

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/lazy"
	"github.com/seed-47b1e431/gosica/internal/purego"
)

// Follow takes y along a trained velocity and returns where it is at the end, in its shape. It is
// Integrate in a program of its own, compiled for this call: for many calls, or with nodes to
// Hold, make a model.Exec of Integrate. The variables are those of store; a velocity that uses one
// without a value is an error. y is a tensor of a float dtype, or what GoMLX makes one of, such
// as [][]float32. options, if any, set the solver, the times and the steps:
//
//	back, err := flows.Follow(b, store, velocity, y, func(c *flows.IntegrateConfig) {
//		c.Solver(flows.Heun).Between(1, 0)
//	})
//
// A nil backend is pure Go.
func Follow(
	backend compute.Backend, store *model.Store, velocity Velocity, y any,
	options ...func(*IntegrateConfig),
) (*tensors.Tensor, error) {
	if store == nil || velocity == nil {
		return nil, errors.New("flows: Follow: the store or the velocity is nil; must be those trained")
	}
	backend, err := purego.Or(backend)
	if err != nil {
		return nil, fmt.Errorf("flows: Follow: %w", err)
	}
	exec, err := model.NewExec(lazy.Opened(backend), store, func(scope *model.Scope, y *Node) *Node {
		c := Integrate(scope, velocity, y)
		for _, option := range options {
			option(c)
		}
		return c.Done()
	})
	if err != nil {
		return nil, fmt.Errorf("flows: Follow: %w", err)
	}
	defer exec.Finalize()
	end, err := exec.Call1(y)
	if err != nil {
		return nil, fmt.Errorf("flows: Follow: %w", err)
	}
	return end, nil
}
