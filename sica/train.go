package sica

import (
	"context"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// streams are the random streams of every lane for one purpose of iteration j.
// Networks of one fold share everything but their weights, so that they are
// compared on equal samples.
func (s *separation) streams(j int, p purpose) []*rand.Rand {
	var rngs []*rand.Rand
	for _, run := range s.runs {
		for network := range s.cfg.networks() {
			if p != drawWeights {
				network %= s.cfg.folds()
			}
			rngs = append(rngs, stream(run.seed, network, j, p))
		}
	}
	return rngs
}

// train makes the training steps of iteration j in chunks (see Config.chunk),
// between which ctx may end it, and returns every lane's mean loss.
func (s *separation) train(ctx context.Context, data []*tensors.Tensor, j int) ([]float64, error) {
	draws := s.newDraws(j)
	total := s.cfg.steps(s.t)
	losses := make([]float64, s.field.lanes)
	for done := 0; done < total; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		steps := min(s.cfg.chunk(s.t, s.field.lanes), total-done)
		batches := draws.next(steps)
		chunk, err := s.field.train(ctx, data, batches, steps)
		if err != nil {
			return nil, err
		}
		finalize(batches)
		for lane, loss := range chunk {
			losses[lane] += loss * float64(steps) / float64(total)
		}
		done += steps
	}
	return losses, nil
}

// draws makes the batch tensors of an iteration. Networks of one fold draw the
// same, so only the first of them does (see separation.streams).
type draws struct {
	s        *separation
	samplers []*sampler // nil for the other networks of a fold
	time     []*rand.Rand
	noise    []*rand.Rand
}

func (s *separation) newDraws(j int) *draws {
	d := &draws{s: s, time: s.streams(j, drawTime), noise: s.streams(j, drawNoise), samplers: make([]*sampler, s.field.lanes)}
	order, products := s.streams(j, drawOrder), s.streams(j, drawProducts)
	for lane := range d.samplers {
		if d.first(lane) == lane {
			train, _ := foldPositions(s.t, s.cfg.block(s.t), s.fold(lane), s.cfg.Folds)
			d.samplers[lane] = newSampler(train, s.d, s.cfg.FreshProduct, order[lane], products[lane])
		}
	}
	return d
}

// first is the first lane of the same run and fold.
func (d *draws) first(lane int) int {
	network := lane % d.s.cfg.networks()
	return lane - network + network%d.s.cfg.folds()
}

// next draws the batches of the next steps; see field.batchShapes.
func (d *draws) next(steps int) []*tensors.Tensor {
	f, cfg := d.s.field, d.s.cfg
	chunk, b := cfg.chunk(f.t, f.lanes), cfg.batch(f.t)
	joint := make([]int32, chunk*f.lanes*b)
	product := make([]int32, chunk*f.lanes*b*f.d)
	weights := make([]float64, chunk*f.lanes*b)
	for place := range steps * f.lanes {
		lane := place % f.lanes
		if first := place - lane + d.first(lane); first != place {
			copy(joint[place*b:][:b], joint[first*b:])
			copy(product[place*b*f.d:][:b*f.d], product[first*b*f.d:])
			copy(weights[place*b:][:b], weights[first*b:])
			continue
		}
		filled := d.samplers[lane].draw(joint[place*b:][:b], product[place*b*f.d:][:b*f.d], cfg.Steps > 0)
		for k := range filled {
			weights[place*b+k] = 1
		}
	}
	batches := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(joint, chunk, f.lanes, b),
		tensors.FromFlatDataAndDimensions(product, chunk, f.lanes, b, f.d),
		host.Tensor(weights, f.dtype, chunk, f.lanes, b),
	}
	switch {
	case cfg.Flow == RF:
		batches = append(batches, d.fill(steps, chunk, []int{b}, func(lane int) float64 { return d.time[lane].Float64() }))
	case cfg.Noise > 0:
		batches = append(batches, d.fill(steps, chunk, []int{2 * b, f.noisy()}, func(lane int) float64 { return cfg.Noise * d.noise[lane].NormFloat64() }))
	}
	return batches
}

// fill draws a tensor [chunk, lanes, dims…] lane by lane for the first steps.
func (d *draws) fill(steps, chunk int, dims []int, draw func(lane int) float64) *tensors.Tensor {
	f := d.s.field
	size := 1
	for _, n := range dims {
		size *= n
	}
	values := make([]float64, chunk*f.lanes*size)
	for place := range steps * f.lanes {
		lane := place % f.lanes
		if first := place - lane + d.first(lane); first != place {
			copy(values[place*size:][:size], values[first*size:])
			continue
		}
		for k := range size {
			values[place*size+k] = draw(lane)
		}
	}
	return host.Tensor(values, f.dtype, append([]int{chunk, f.lanes}, dims...)...)
}
