package iterate

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// sampler draws the training batches of one network in one iteration. An item pairs a joint sample,
// all signals at position t, with a product sample, each signal at a different position from an
// independent permutation (paper, Algorithm 2, the sets D and D′_i).
type sampler struct {
	positions []int32 // training positions
	signals   int
	fresh     bool // whether each pass has new permutations
	order     *rand.Rand
	products  *rand.Rand

	items    []int     // the order of this pass
	permuted [][]int32 // [signals][items]
	next     int
}

func newSampler(positions []int32, signals int, fresh bool, order, products *rand.Rand) *sampler {
	s := &sampler{
		positions: positions, signals: signals, fresh: fresh, order: order, products: products,
	}
	s.permuted = permutations(products, positions, signals)
	s.items = grid.Range(len(positions))
	s.shuffle()
	return s
}

// permutations returns n independent permutations of positions.
func permutations(rng *rand.Rand, positions []int32, n int) [][]int32 {
	permuted := make([][]int32, n)
	for i := range permuted {
		permuted[i] = append([]int32(nil), positions...)
		rng.Shuffle(len(positions), func(a, b int) {
			permuted[i][a], permuted[i][b] = permuted[i][b], permuted[i][a]
		})
	}
	return permuted
}

func (s *sampler) shuffle() {
	s.next = 0
	s.order.Shuffle(len(s.items), func(a, b int) { s.items[a], s.items[b] = s.items[b], s.items[a] })
}

// draw fills joint [B] and product [B][signals] and returns how many of the B places it filled. If
// whole is true, batches continue across passes and are always full. Otherwise the last batch of a
// pass is cut short, as by PyTorch's DataLoader, and the remaining places repeat its first item.
func (s *sampler) draw(joint, product []int32, whole bool) int {
	filled := 0
	for b := range joint {
		if s.next == len(s.items) && (whole || b == 0) {
			if s.fresh {
				s.permuted = permutations(s.products, s.positions, s.signals)
			}
			s.shuffle()
		}
		item := s.items[0]
		if s.next < len(s.items) {
			item = s.items[s.next]
			s.next++
			filled++
		}
		joint[b] = s.positions[item]
		for i := range s.signals {
			product[b*s.signals+i] = s.permuted[i][item]
		}
	}
	return filled
}

// foldPositions divides the positions into those that network fold of folds trains on and those
// that it holds out: every folds-th block of block consecutive positions. Without folds it trains
// on all.
func foldPositions(positions, block, fold, folds int) (train, heldOut []int32) {
	for t := range positions {
		if folds > 0 && t/block%folds == fold {
			heldOut = append(heldOut, int32(t))
		} else {
			train = append(train, int32(t))
		}
	}
	return train, heldOut
}

// draws makes the batch tensors of an iteration. Networks of one fold have the same draws, so only
// the first of them draws (see ensemble.streams).
type draws struct {
	e        *ensemble
	samplers []*sampler // nil for the other networks of a fold
	time     []*rand.Rand
	noise    []*rand.Rand
}

func (e *ensemble) newDraws(seeds []uint64, j int) *draws {
	d := &draws{
		e: e, samplers: make([]*sampler, e.count),
		time: e.streams(seeds, j, stream.Time), noise: e.streams(seeds, j, stream.Noise),
	}
	order, products := e.streams(seeds, j, stream.Order), e.streams(seeds, j, stream.Products)
	for network := range d.samplers {
		if e.first(network) == network {
			train, _ := foldPositions(e.t, e.cfg.block(e.t), e.fold(network), e.cfg.Folds)
			d.samplers[network] = newSampler(
				train, e.d, e.cfg.FreshProduct, order[network], products[network],
			)
		}
	}
	return d
}

// first returns the first network of the same run and fold.
func (e *ensemble) first(network int) int {
	inRun := network % e.cfg.Networks()
	return network - inRun + inRun%e.cfg.folds()
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
		if first := place - network + d.e.first(network); first != place {
			copy(joint[place*b:][:b], joint[first*b:])
			copy(product[place*b*f.d:][:b*f.d], product[first*b*f.d:])
			copy(weights[place*b:][:b], weights[first*b:])
			continue
		}
		filled := d.samplers[network].draw(
			joint[place*b:][:b], product[place*b*f.d:][:b*f.d], cfg.Steps > 0,
		)
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
	case cfg.Kind == klflow.RF:
		tau := func(network int) float64 { return d.time[network].Float64() }
		batches = append(batches, d.fill(steps, chunk, []int{b}, tau))
	case cfg.Noise > 0:
		noise := func(network int) float64 { return cfg.Noise * d.noise[network].NormFloat64() }
		batches = append(batches, d.fill(steps, chunk, []int{2 * b, f.noisy()}, noise))
	}
	return batches
}

// fill draws a tensor [chunk, networks, dims…], network by network, for the first steps.
func (d *draws) fill(steps, chunk int, dims []int, draw func(network int) float64) *tensors.Tensor {
	f := d.e.networks
	size := grid.Product(dims)
	values := make([]float64, chunk*f.count*size)
	for place := range steps * f.count {
		network := place % f.count
		if first := place - network + d.e.first(network); first != place {
			copy(values[place*size:][:size], values[first*size:])
			continue
		}
		for k := range size {
			values[place*size+k] = draw(network)
		}
	}
	return host.Tensor(values, f.dtype, append([]int{chunk, f.count}, dims...)...)
}
