package flows

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/internal/lazy"
	"github.com/seed-47b1e431/gosica/internal/purego"
)

// Follow moves y along a trained velocity and returns the end point, in y's shape. It runs
// [Integrate] in a separate program that is compiled for this call. For many calls, or with nodes
// to Hold, make a model.Exec of Integrate.
//
// The variables come from store, or from the checkpoint attached to it. It is an error if the
// velocity uses a variable without a value, because of a wrong name or missing training. y is a
// tensor of the float dtype that the velocity was trained with, or a value that GoMLX converts to
// one, such as [][]float32. Options set the solver, the times and the steps:
//
//	back, err := flows.Follow(b, store, velocity, y, func(c *flows.IntegrateConfig) {
//		c.Solver(flows.Heun).Between(1, 0)
//	})
//
// A nil backend means backend.Open(backend.Go). The backend must be the one on which store was
// trained; a checkpoint of the store loads on any backend.
func Follow(
	backend compute.Backend, store *model.Store, velocity Velocity, y any,
	options ...func(*IntegrateConfig),
) (*tensors.Tensor, error) {
	if store == nil || velocity == nil || y == nil {
		return nil, errors.New("flows: Follow: store, velocity or y is nil; must be the store and the " +
			"velocity that were trained, and floats")
	}
	backend, err := purego.Or(backend)
	if err != nil {
		return nil, fmt.Errorf("flows: Follow: %w", err)
	}
	backend = lazy.Opened(backend)
	var invalid error
	exec, err := model.NewExec(backend, store, func(scope *model.Scope, y *Node) *Node {
		defer func() { // GoMLX puts long names of functions before the cause
			reason := recover()
			if cause, ok := reason.(error); ok && invalid == nil {
				invalid = withDType(cause, store, y)
			}
			if reason != nil {
				panic(reason)
			}
		}()
		c := Integrate(scope, velocity, y)
		for _, option := range options {
			argument.Present("flows: Follow", "an option", option != nil, "a function")
			if err := guard.Call("an option", func() { option(c) }); err != nil {
				panic(err)
			}
		}
		end := c.Done()
		if invalid = checkUsed(store, y.Graph(), backend); invalid != nil {
			panic(invalid)
		}
		return end
	})
	if err != nil {
		return nil, fmt.Errorf("flows: Follow: %w", err)
	}
	defer exec.Finalize()
	end, err := exec.Call1(y)
	if invalid != nil {
		err = invalid
	}
	if err != nil {
		return nil, fmt.Errorf("flows: Follow: %w", err)
	}
	return end, nil
}

// checkUsed returns an error for the first variable that g uses but the backend can't.
func checkUsed(store *model.Store, g *Graph, backend compute.Backend) error {
	for v := range store.IterVariables() {
		if !v.InUseByGraph(g) {
			continue
		}
		if err := checkVariable(v, backend); err != nil {
			return err
		}
	}
	return nil
}

// withDType returns the cause of a failure, wrapped if y's dtype differs from the dtype of a
// variable of the velocity, which may be the reason. Variables of optimizers may have other dtypes.
func withDType(cause error, store *model.Store, y *Node) error {
	for v := range store.IterVariables() {
		if dtype := v.Shape().DType; !dtype.IsFloat() || dtype == y.DType() || ofOptimizer(v) {
			continue
		}
		return fmt.Errorf("y is %s, and variable %q is %s; must be the dtype that the velocity was "+
			"trained with: %w", y.DType(), v.Path(), v.Shape().DType, cause)
	}
	return cause
}

// ofOptimizer reports whether a variable is the state of an optimizer of GoMLX or of this package.
func ofOptimizer(v *model.Variable) bool {
	if v.Path() == "/"+optimizer.GlobalStepVariableName {
		return true
	}
	for _, scope := range []string{
		optimizer.Scope, optimizer.AdamDefaultScope, adagradScope, runsAdamScope,
	} {
		if strings.HasPrefix(v.Path(), "/"+scope+"/") {
			return true
		}
	}
	return false
}

// checkVariable returns an error unless the variable has a value that the backend can use.
func checkVariable(v *model.Variable, backend compute.Backend) error {
	if !v.HasValue() {
		return fmt.Errorf("variable %q has no value; must be trained or loaded before", v.Path())
	}
	value, err := v.Value()
	if err != nil {
		return err
	}
	// Backend returns an error for a value on the host, which any backend can use.
	if trainedOn, err := value.Backend(); err == nil && trainedOn != backend {
		return fmt.Errorf("the backend is %q, and variable %q was trained on another, %q; must be the "+
			"same, or load the store's checkpoint for it", backend.Name(), v.Path(), trainedOn.Name())
	}
	return nil
}
