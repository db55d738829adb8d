package flows

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// dryRun builds a graph over the store that is never compiled. What build panics
// with is the error.
func dryRun(b compute.Backend, store *model.Store, build func(g *Graph)) error {
	g := NewGraph(b, "flows: dry run")
	defer g.Finalize()
	model.SetStore(g, store)
	return exceptions.TryCatch[error](func() { build(g) })
}

// initialise gives the variables that aren't trained the values of their
// initializers, where they have none yet: on the host, without XLA's compiler. The
// trainable ones are left to the caller or to the first step.
func (t *Trainer) initialise() error {
	var open, trainable []*model.Variable
	for v := range t.store.IterVariables() {
		switch {
		case v.HasValue():
		case v.Trainable:
			trainable = append(trainable, v)
		default:
			open = append(open, v)
		}
	}
	if len(open) == 0 {
		return nil
	}
	// Store.InitializeVariables passes over what has a value.
	for _, v := range trainable {
		if err := v.SetValue(tensors.FromShape(v.Shape())); err != nil {
			return err
		}
	}
	if err := t.store.InitializeVariables(gobackend.GetBackend(), nil); err != nil {
		return err
	}
	for _, v := range trainable {
		if err := v.SetValue(nil); err != nil {
			return err
		}
	}
	for _, v := range open {
		value, err := v.Value()
		if err != nil {
			return err
		}
		if value, err = value.LocalClone(); err != nil {
			return err
		}
		if err := v.SetValue(value); err != nil {
			return err
		}
	}
	return nil
}
