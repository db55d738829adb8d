package field

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/stream"
)

// draws makes the batch tensors of an iteration. Networks of one fold draw the
// same, so only the first of them does (see Ensemble.streams).
type draws struct {
	e        *Ensemble
	samplers []*sampler // nil for the other networks of a fold
	time     []*rand.Rand
	noise    []*rand.Rand
}

func (e *Ensemble) newDraws(seeds []uint64, j int) *draws {
	d := &draws{
		e: e, samplers: make([]*sampler, e.count),
		time: e.streams(seeds, j, stream.Time), noise: e.streams(seeds, j, stream.Noise),
	}
	order, products := e.streams(seeds, j, stream.Order), e.streams(seeds, j, stream.Products)
	for network := range d.samplers {
		if d.first(network) == network {
			train, _ := foldPositions(e.t, e.cfg.block(e.t), e.fold(network), e.cfg.Folds)
			d.samplers[network] = newSampler(train, e.d, e.cfg.FreshProduct, order[network], products[network])
		}
	}
	return d
}

// first is the first network of the same run and fold.
func (d *draws) first(network int) int {
	inRun := network % d.e.cfg.Networks()
	return network - inRun + inRun%d.e.cfg.folds()
}

// next draws the batches of the next steps; see networks.batchShapes.
func (d *draws) next(steps int) []*tensors.Tensor {
	f, cfg := d.e.networks, d.e.cfg
	chunk, b := cfg.Chunk(f.t, f.count), cfg.batch(f.t)
	joint := make([]int32, chunk*f.count*b)
	product := make([]int32, chunk*f.count*b*f.d)
	weights := make([]float64, chunk*f.count*b)
	for place := range steps * f.count {
		network := place % f.count
		if first := place - network + d.first(network); first != place {
			copy(joint[place*b:][:b], joint[first*b:])
			copy(product[place*b*f.d:][:b*f.d], product[first*b*f.d:])
			copy(weights[place*b:][:b], weights[first*b:])
			continue
		}
		filled := d.samplers[network].draw(joint[place*b:][:b], product[place*b*f.d:][:b*f.d], cfg.Steps > 0)
		for k := range filled {
			weights[place*b+k] = 1
		}
	}
	batches := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(joint, chunk, f.count, b),
		tensors.FromFlatDataAndDimensions(product, chunk, f.count, b, f.d),
		host.Tensor(weights, f.dtype, chunk, f.count, b),
	}
	switch {
	case cfg.Flow == RF:
		batches = append(batches, d.fill(steps, chunk, []int{b}, func(network int) float64 { return d.time[network].Float64() }))
	case cfg.Noise > 0:
		batches = append(batches, d.fill(steps, chunk, []int{2 * b, f.noisy()}, func(network int) float64 { return cfg.Noise * d.noise[network].NormFloat64() }))
	}
	return batches
}

// fill draws a tensor [chunk, networks, dims…] network by network for the first steps.
func (d *draws) fill(steps, chunk int, dims []int, draw func(network int) float64) *tensors.Tensor {
	f := d.e.networks
	size := 1
	for _, n := range dims {
		size *= n
	}
	values := make([]float64, chunk*f.count*size)
	for place := range steps * f.count {
		network := place % f.count
		if first := place - network + d.first(network); first != place {
			copy(values[place*size:][:size], values[first*size:])
			continue
		}
		for k := range size {
			values[place*size+k] = draw(network)
		}
	}
	return host.Tensor(values, f.dtype, append([]int{chunk, f.count}, dims...)...)
}
