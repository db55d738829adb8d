package layers

import (
	"fmt"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// SelectRun returns a new store with only run r, counted from 0, of a store whose root has
// ParamRuns = R, such as the best of R trained networks. The new store has ParamRuns 1 and
// otherwise the same hyperparameters. Float variables whose first axis has R entries, including
// those of optimizers, are cut to [1, …]; other variables are copied. With the new store, graphs
// take [1, B, …] and compute what run r did. Variables of a checkpoint that no graph has used are
// omitted.
//
// It is an error if r isn't one of the runs or if a variable has no value.
func SelectRun(store *model.Store, r int) (*model.Store, error) {
	if store == nil {
		return nil, fmt.Errorf("layers: SelectRun: store is nil; must be one of model.NewStore")
	}
	runs := model.GetParamOr(store.RootScope(), ParamRuns, 1)
	if r < 0 || r >= runs {
		return nil, fmt.Errorf("layers: SelectRun: r is %d; must be 0 to %d, as ParamRuns is %d",
			r, runs-1, runs)
	}
	one := model.NewStore()
	for path, value := range store.IterParams() {
		if strings.HasSuffix(path, "/"+ParamRuns) {
			value = 1
		}
		one.SetParam(path, value)
	}
	for v := range store.IterVariables() {
		value, err := valueOfRun(v, r, runs)
		if err != nil {
			return nil, fmt.Errorf("layers: SelectRun: variable %q: %w", v.Path(), err)
		}
		created, err := one.CreateVariable(v.Path(), value)
		if err != nil {
			return nil, fmt.Errorf("layers: SelectRun: %w", err)
		}
		created.SetTrainable(v.Trainable)
	}
	return one, nil
}

// valueOfRun returns a copy of the value of v, or only of run r if the first axis of v is the runs
// axis.
func valueOfRun(v *model.Variable, r, runs int) (*tensors.Tensor, error) {
	value, err := v.Value()
	if err != nil {
		return nil, err
	}
	shape := value.Shape().Clone()
	if !shape.DType.IsFloat() || shape.Rank() == 0 || shape.Dim(0) != runs {
		return value.LocalClone()
	}
	shape.Dimensions[0] = 1
	part := tensors.FromShape(shape)
	var inner error
	err = value.ConstBytes(func(all []byte) {
		inner = part.MutableBytes(func(bytes []byte) { copy(bytes, all[r*len(bytes):]) })
	})
	if err == nil {
		err = inner
	}
	return part, err
}
