package network

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/layers"
)

// Scopes of the variables.
const (
	mapScope    = "/map"
	sourceScope = "/sources"
)

// likelihood is the log-likelihood of the networks and sources of all runs, as a graph.
type likelihood struct {
	runs, layers, components int
	past                     [][]int // offsets in pieces, the first axis
}

// graph is that of each position with a whole past of K pieces x [R, d, K, p…]:
// [R, K, p′…].
func (l likelihood) graph(scope *model.Scope, x *Node) *Node {
	dims := x.Shape().Dimensions
	flat := Reshape(x, dims[0], dims[1], -1)                                      // [R, d, N]
	z, logDet := layers.Invertible(scope.In("map"), flat).Layers(l.layers).Done() // [R, d, N], [R, N]
	sources := flows.Autoregressive(scope.In("sources"), Reshape(z, dims...)).
		Past(l.past).Components(l.components).Done() // [R, K, p′…]
	return flows.LogLikelihood(sources, Reshape(logDet, append([]int{dims[0]}, dims[2:]...)...), l.past)
}

// A program is the compiled step that trains all runs, and their variables.
type program struct {
	key     programs.Key
	store   *model.Store
	trainer *flows.Trainer
}

var idle = programs.NewPool((*program).finalize)

// newProgram returns a program for batches [R, d, K, p…] whose optimizer begins anew, of
// those that were compiled before if there is one.
func newProgram(backend compute.Backend, l likelihood, batchDims []int, o Options) (*program, error) {
	key := programs.Key{Backend: backend, Spec: fmt.Sprint(l, batchDims, o.Steps, o.LearningRate)}
	if p, ok := idle.Take(key); ok {
		if err := p.trainer.ResetOptimizer(); err != nil {
			p.finalize()
			return nil, err
		}
		return p, nil
	}
	p := &program{key: key, store: model.NewStore()}
	opt := flows.RunsAdam().Betas(.9, beta2).Clip(clipNorm).
		Schedule(mapScope, flows.Schedule{Rate: o.LearningRate, Wait: waitSteps, Ramp: rampSteps, Steps: o.Steps}).
		Schedule(sourceScope, flows.Schedule{Rate: 2 * o.LearningRate, Steps: o.Steps}).
		Done()
	loss := func(scope *model.Scope, _, batch []*Node) *Node {
		likelihood := l.graph(scope, batch[0]) // [R, K, p′…]
		return Neg(ReduceMean(Reshape(likelihood, l.runs, -1), -1))
	}
	batch := shapes.Make(dtypes.Float32, append([]int{evaluateEvery}, batchDims...)...)
	var err error
	if p.trainer, err = flows.NewTrainer(backend, p.store, opt, loss, nil, []shapes.Shape{batch}); err != nil {
		p.store.Finalize()
		return nil, err
	}
	return p, nil
}

// release leaves a program that did its work to the next fit.
func (p *program) release() { idle.Put(p.key, p) }

func (p *program) finalize() {
	p.trainer.Finalize()
	p.store.Finalize()
}
