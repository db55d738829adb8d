package flows

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
	"github.com/gomlx/gomlx/ml/model"
)

// runsAxis is the one axis of the mesh of devices.
const runsAxis = "runs"

// devices says how the tensors of a Trainer lie on several devices: those with
// a runs axis in equal parts, the others whole on each. The layout changes where
// GoMLX's AutoSharding computes, not what, so one of the others that has R
// entries there by chance may be split too.
type devices struct {
	runs       int
	replicated *distributed.ShardingSpec
	byAxis     [2]*distributed.ShardingSpec // split along the first or the second axis

	inputs []*distributed.ShardingSpec // of the loop's program
	losses *distributed.ShardingSpec
}

// SetDevices splits the runs evenly over the first n devices of the backend.
// The default is one device. It must come before the first Train, and n must
// divide the number of runs; the pure-Go backend has one device only.
//
// A run's data, batches, weights and optimizer's moments then lie on the device
// of that run. The variables of the store may be set and read as on one device:
// Variable.Value puts their parts together. Devices exchange entries only where
// loss takes them from a tensor in which the runs are no axis of their own, as
// layers.GatherSignals does with the signals.
func (t *Trainer) SetDevices(n int) error {
	if t.devices != nil || t.compile > 0 {
		return errors.New("flows: SetDevices must be called once, before the first Train")
	}
	if available := t.backend.NumDevices(); n < 1 || n > available {
		return fmt.Errorf("flows: %d devices: want 1 to %d, what backend %s has", n, available, t.backend.Name())
	}
	runs := t.runs
	if runs%n != 0 {
		return fmt.Errorf("flows: %d devices: want a divisor of the number of runs, %d", n, runs)
	}
	if n == 1 {
		return nil
	}
	d, err := newDevices(n, runs)
	if err != nil {
		return fmt.Errorf("flows: %w", err)
	}

	d.inputs = []*distributed.ShardingSpec{d.replicated} // the number of steps
	for _, s := range t.dataShapes {
		d.inputs = append(d.inputs, d.split(s, 0))
	}
	for _, s := range t.batchShapes {
		d.inputs = append(d.inputs, d.split(s, 1))
	}
	for _, v := range t.variables {
		if err := v.SetShardingSpec(d.split(v.Shape(), 0)); err != nil {
			return fmt.Errorf("flows: %w", err)
		}
	}
	// Exec puts the variables that its graph changes before the graph's own outputs.
	var outputs []*distributed.ShardingSpec
	for _, v := range t.changed {
		outputs = append(outputs, d.split(v.Shape(), 0))
	}
	t.exec.AutoSharding(d.replicated.Mesh).
		WithInputShardingSpecs(d.inputs...).
		WithOutputShardingSpecs(append(outputs, d.losses)...)
	t.devices = d
	return nil
}

func newDevices(n, runs int) (*devices, error) {
	mesh, err := distributed.NewDeviceMesh([]int{n}, []string{runsAxis})
	if err != nil {
		return nil, err
	}
	d := &devices{runs: runs, replicated: distributed.NewReplicatedShardingSpec(mesh)}
	if d.byAxis[0], err = distributed.BuildSpec(mesh).S(runsAxis).Done(); err != nil {
		return nil, err
	}
	if d.byAxis[1], err = distributed.BuildSpec(mesh).R().S(runsAxis).Done(); err != nil {
		return nil, err
	}
	d.losses = d.byAxis[1] // [S, R]
	return d, nil
}

// split is the layout of a tensor whose runs axis, if it has one, is axis.
func (d *devices) split(s shapes.Shape, axis int) *distributed.ShardingSpec {
	if s.Rank() <= axis || s.Dim(axis) != d.runs {
		return d.replicated
	}
	return d.byAxis[axis]
}

// call runs the program of the loop, whose arguments are args, on all devices
// and returns the losses of all runs.
func (d *devices) call(exec *model.Exec, args []any) (*tensors.Tensor, error) {
	split := make([]any, len(args))
	for k, arg := range args {
		whole, err := tensors.FromAnyValue(arg)
		if err != nil {
			return nil, err
		}
		parts, err := dtensor.ShardTensor(d.inputs[k], whole)
		if err != nil {
			return nil, err
		}
		defer parts.Finalize()
		split[k] = parts
	}
	parts, err := exec.Call(split...)
	if err != nil {
		return nil, err
	}
	// Not Exec.DistributedExec: GoMLX 0.28.6 looks up the layouts of its outputs
	// without those of the variables that come before them.
	losses, err := dtensor.NewTensor(d.losses, parts)
	if err != nil {
		return nil, err
	}
	defer losses.Finalize()
	return losses.Merge()
}
