package flows_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// twoDevices is XLA with two devices or more. OpenXLA's CPU plugin shows four,
// which share the machine's cores.
func twoDevices(t *testing.T) compute.Backend {
	t.Helper()
	var why []string
	for _, name := range []string{backend.CUDA, backend.CPU} {
		b, err := backend.Open(name)
		if err == nil && b.NumDevices() >= 2 {
			return b
		}
		if err == nil {
			err = fmt.Errorf("backend %s shows %d device", name, b.NumDevices())
		}
		why = append(why, err.Error())
	}
	t.Skipf("no XLA backend with two devices: %q", why)
	return nil
}

// The sizes of a gathered problem. The runs are as many as the positions, so
// that the table, which has no runs axis, looks as if it had.
const (
	gatheredRuns, gatheredSignals, gatheredPositions = 4, 2, 4
	gatheredSteps, gatheredBatch                     = 25, 8
)

// gathered learns Σ z² of signals taken at random positions plus a number from
// a table that all runs share: data and batches of every kind that sica has.
type gathered struct {
	store         *model.Store
	trainer       *flows.Trainer
	data, batches []*tensors.Tensor
}

func newGathered(t *testing.T, b compute.Backend, opt optimizer.Interface, devices int) *gathered {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	normal := func(dims ...int) *tensors.Tensor {
		flat := make([]float64, shapes.Make(dtypes.Float64, dims...).Size())
		for i := range flat {
			flat[i] = float64(rng.NormFloat64())
		}
		return tensors.FromFlatDataAndDimensions(flat, dims...)
	}
	positions := make([]int32, gatheredSteps*gatheredRuns*gatheredBatch*gatheredSignals)
	for i := range positions {
		positions[i] = rng.Int32N(gatheredPositions)
	}
	p := &gathered{
		store: model.NewStore(),
		data: []*tensors.Tensor{
			normal(gatheredRuns, gatheredSignals, gatheredPositions),
			normal(gatheredPositions, 1),
		},
		batches: []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(positions, gatheredSteps, gatheredRuns, gatheredBatch, gatheredSignals),
			normal(gatheredSteps, gatheredRuns, gatheredBatch),
		},
	}
	loss := func(scope *model.Scope, data, batch []*Node) *Node {
		y := layers.GatherSignals(data[0], batch[0])                                   // [R, B, d]
		shared := Squeeze(ReduceSum(Gather(data[1], InsertAxes(batch[0], -1)), 2), -1) // [R, B]
		target := Add(Add(ReduceSum(Square(y), -1), shared), batch[1])
		prediction := Squeeze(layers.MLP(scope.In("net"), y).Hidden(6).Done(), -1) // [R, B]
		return ReduceMean(Square(Sub(prediction, target)), -1)                     // [R]
	}
	var err error
	p.trainer, err = flows.NewTrainer(b, p.store, opt, loss,
		[]shapes.Shape{p.data[0].Shape(), p.data[1].Shape()}, []shapes.Shape{p.batches[0].Shape(), p.batches[1].Shape()})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.trainer.SetDevices(devices); err != nil {
		t.Fatal(err)
	}
	p.renew(t)
	return p
}

func (p *gathered) renew(t *testing.T) {
	t.Helper()
	var rngs []*rand.Rand
	for r := range gatheredRuns {
		rngs = append(rngs, rand.New(rand.NewPCG(uint64(r), 99)))
	}
	if err := layers.Initialise(p.store.Scope("/net"), rngs); err != nil {
		t.Fatal(err)
	}
	if err := p.trainer.ResetOptimizer(); err != nil {
		t.Fatal(err)
	}
}

func (p *gathered) train(t *testing.T, steps int) [][]float64 {
	t.Helper()
	losses, err := p.trainer.Train(t.Context(), p.data, p.batches, steps)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return losses
}

// The losses and all variables of four runs on two devices and on four are
// what they are on one, over two calls, and each device holds its own runs. A
// fresh start gives the same losses bit for bit, without a new compilation.
func TestDevicesAgreeWithOne(t *testing.T) {
	b := twoDevices(t)
	one := newGathered(t, b, torchAdam(0.05), 1)
	want := append(one.train(t, gatheredSteps), one.train(t, 7)...)
	for _, n := range []int{2, 4} {
		if n > b.NumDevices() || n > 2 && testing.Short() {
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			several := newGathered(t, b, torchAdam(0.05), n)
			first := several.train(t, gatheredSteps)
			got := append(first[:len(first):len(first)], several.train(t, 7)...)
			for step := range want {
				for r := range want[step] {
					if !near(got[step][r], want[step][r]) {
						t.Fatalf("step %d, run %d: loss %g, on one device %g", step, r, got[step][r], want[step][r])
					}
				}
			}
			for v := range one.store.IterVariables() {
				other := several.store.GetVariable(v.Path())
				if !v.Shape().IsScalar() { // the optimizer's rate and step counts
					checkParts(t, other, n)
				}
				if !v.DType().IsFloat() {
					continue
				}
				want, got := values(t, v), values(t, other)
				for i := range want {
					if !near(got[i], want[i]) {
						t.Errorf("%s: entry %d is %g, on one device %g", v.Path(), i, got[i], want[i])
					}
				}
			}
			several.renew(t)
			if again := several.train(t, gatheredSteps); !reflect.DeepEqual(first, again) {
				t.Error("after a fresh start the losses differ")
			}
			if c := several.trainer.Compilations(); c != 1 {
				t.Errorf("%d compilations, want 1", c)
			}
		})
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(b)) }

func values(t *testing.T, v *model.Variable) []float64 {
	t.Helper()
	flat, err := tensors.CopyFlatData[float64](v.MustValue())
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// checkParts tests that device k of n holds the k-th part of the runs of v.
func checkParts(t *testing.T, v *model.Variable, n int) {
	t.Helper()
	value, err := v.DistributedValue()
	if err != nil {
		t.Fatal(err)
	}
	for k, part := range value.Shards() {
		device, err := part.Device()
		if err != nil {
			t.Fatal(err)
		}
		if runs := part.Shape().Dim(0); int(device) != k || runs != gatheredRuns/n {
			t.Errorf("%s: part %d has %d runs on device %d, want %d on device %d", v.Path(), k, runs, device, gatheredRuns/n, k)
		}
	}
}

func TestSetDevicesErrors(t *testing.T) {
	onBackends(t, func(t *testing.T, b compute.Backend) {
		p := newGathered(t, b, torchAdam(0.05), 1)
		for _, n := range []int{-1, 0, 3, b.NumDevices() + 1} { // 3 doesn't divide the 4 runs
			if err := p.trainer.SetDevices(n); err == nil {
				t.Errorf("%d devices gave no error", n)
			}
		}
		if backend.NameOf(b) != backend.Go {
			return // don't wait for XLA's compiler
		}
		p.train(t, 1)
		if err := p.trainer.SetDevices(1); err == nil {
			t.Error("SetDevices after Train gave no error")
		}
	})
}

func TestOnTwoDevicesErrors(t *testing.T) {
	p := newGathered(t, twoDevices(t), torchAdam(0.05), 2)
	if err := p.trainer.SetDevices(2); err == nil {
		t.Error("a second SetDevices gave no error")
	}
	if _, err := p.trainer.Train(t.Context(), p.data[:1], p.batches, 1); err == nil {
		t.Error("a missing data tensor gave no error")
	}
}
