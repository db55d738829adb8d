// Package iterate implements the paper's Algorithm 2. In each iteration networks learn a vector
// field from the signals, are weighted by their loss at held-out positions, and move the signals.
//
// The names to know are Config (the settings), ensemble (the networks of several runs, which
// Iterate trains and applies) and Chain (the maps that the iterations have made).
package iterate

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// An ensemble is the networks of several runs of equal size, which are trained together. With N
// networks per run, network r·N + n is network n of run r.
type ensemble struct {
	runs  int
	ended chan struct{} // closed when the last background work has ended
	*networks
}

// newEnsemble returns the networks of the given number of runs of d signals. If ctx ends while
// programs are compiled in the background, it returns the error of ctx.
func newEnsemble(
	ctx context.Context, backend compute.Backend, cfg Config, d int, g *grid.Grid, runs int,
) (*ensemble, error) {
	n, err := acquire(ctx, true, backend, cfg, d, g, runs*cfg.Networks())
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	close(ended)
	return &ensemble{runs: runs, ended: ended, networks: n}, nil
}

// Close frees the networks, at once or when the background work has ended.
func (e *ensemble) Close() {
	select {
	case <-e.ended:
		e.releaseNetworks()
	default:
		go func() {
			<-e.ended
			e.releaseNetworks()
		}()
	}
}

// attend returns the results of work with the networks of e. If ctx ends, it returns the error of
// ctx, and the work may continue in the background; e can then only be closed.
func attend[T any](
	ctx context.Context, e *ensemble, work func(ctx context.Context) (T, error),
) (T, error) {
	ended := make(chan struct{})
	e.ended = ended
	return programs.Attend(ctx, func(ctx context.Context, _ func(func())) (T, error) {
		defer close(ended)
		value, err := work(ctx)
		e.failed = e.failed || err != nil && ctx.Err() == nil // ctx leaves the programs as they are
		return value, err
	})
}

// An Estimate is the result of an iteration for a run.
type Estimate struct {
	// Loss is the mean training loss.
	Loss float64
	// Divergence is that of the signals before the iteration; NaN without folds.
	Divergence float64
	// Move is the displacement of the signals by the field, d×T.
	Move *mat.Dense
	// Learned is Move as a step for any signals; nil unless Config.Family is klflow.Free.
	Learned *Step
}

// Iterate makes iteration j of each run: it trains the networks on the run's signals z, d×T, with
// draws from the run's seed, weights them on the held-out positions, and evaluates their field at
// z. If ctx ends, it returns the error of ctx; work may continue in the background, and e can then
// only be closed.
func (e *ensemble) Iterate(
	ctx context.Context, z []*mat.Dense, seeds []uint64, j int,
) ([]Estimate, error) {
	copies := make([]*mat.Dense, len(z)) // background work may read them later
	for r, signals := range z {
		copies[r] = mat.DenseCopyOf(signals)
	}
	return attend(ctx, e, func(ctx context.Context) ([]Estimate, error) {
		return e.iterate(ctx, copies, seeds, j)
	})
}

func (e *ensemble) iterate(
	ctx context.Context, z []*mat.Dense, seeds []uint64, j int,
) ([]Estimate, error) {
	values := e.values(z)
	data := e.data(values)
	defer e.release(data)

	if j == 1 || !e.cfg.WarmStart {
		if err := e.renew(e.streams(seeds, j, stream.Weights)); err != nil {
			return nil, err
		}
	}
	losses, err := e.train(ctx, data, seeds, j)
	if err != nil {
		return nil, err
	}
	calibrations, err := e.calibrate(ctx, data, seeds, j)
	if err != nil {
		return nil, err
	}
	moves, err := e.moves(ctx, data, values)
	if err != nil {
		return nil, err
	}
	var learned []Variable
	if e.cfg.Family == klflow.Free {
		if learned, err = storeVariables(e.store, "/"+Scope+"/"); err != nil {
			return nil, err
		}
	}
	estimates := make([]Estimate, e.runs)
	for r := range estimates {
		n := e.cfg.Networks()
		c := calibrations[r]
		estimates[r] = Estimate{
			Loss:       mean(losses[r*n : (r+1)*n]),
			Divergence: c.divergence,
			Move:       mat.NewDense(e.d, e.t, e.cfg.combine(moves[r*n:(r+1)*n], c.weights)),
		}
		if learned != nil {
			estimates[r].Learned = e.step(z[r], variablesOfRun(learned, r, n), c.weights)
		}
	}
	return estimates, nil
}

// step returns the step that the networks of a run learned from the signals z.
func (e *ensemble) step(z *mat.Dense, networks []Variable, weights []float64) *Step {
	s := &Step{Weights: weights, Networks: networks}
	if e.cfg.predicts() {
		for i := range e.d {
			s.Ridge = append(s.Ridge, ar.Weights(z.RawRowView(i), e.neighbours))
		}
	}
	return s
}

// values returns the signals of every network, row-major [networks][d·T]. The networks of a run
// share them.
func (e *ensemble) values(z []*mat.Dense) [][]float64 {
	var values [][]float64
	for _, signals := range z {
		flat := mat.DenseCopyOf(signals).RawMatrix().Data
		for range e.cfg.Networks() {
			values = append(values, flat)
		}
	}
	return values
}

// streams returns the random streams of every network for one purpose in iteration j. Networks of
// one fold share all draws but their weights, so that they are compared on equal samples.
func (e *ensemble) streams(seeds []uint64, j int, p stream.Purpose) []*rand.Rand {
	var rngs []*rand.Rand
	for _, seed := range seeds {
		for network := range e.cfg.Networks() {
			if p != stream.Weights {
				network %= e.cfg.folds()
			}
			rngs = append(rngs, stream.New(seed, network, j, p))
		}
	}
	return rngs
}

// fold returns the fold of a network.
func (e *ensemble) fold(network int) int { return network % e.cfg.Networks() % e.cfg.folds() }

// combine returns the move of a run: the mean over the folds of its networks' moves, weighted by
// kind.
func (c Config) combine(moves [][]float64, weights []float64) []float64 {
	combined := make([]float64, len(moves[0]))
	for network, move := range moves {
		weight := weights[network/c.folds()] / float64(c.folds())
		for k, v := range move {
			combined[k] += weight * v
		}
	}
	return combined
}

func mean(values []float64) float64 {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean
}

// train makes the training steps of iteration j and returns every network's mean loss. ctx can end
// it between chunks (see Config.Chunk).
func (e *ensemble) train(
	ctx context.Context, data []*tensors.Tensor, seeds []uint64, j int,
) ([]float64, error) {
	draws := e.newDraws(seeds, j)
	total := e.cfg.steps(e.t)
	losses := make([]float64, e.count)
	for done := 0; done < total; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		steps := min(e.cfg.Chunk(e.t, e.count), total-done)
		batches := draws.next(steps)
		chunk, err := e.trainSteps(ctx, data, batches, steps)
		finalize(batches)
		if err != nil {
			return nil, fmt.Errorf("training: %w", err)
		}
		for network, loss := range chunk {
			losses[network] += loss * float64(steps) / float64(total)
		}
		done += steps
	}
	return losses, nil
}
