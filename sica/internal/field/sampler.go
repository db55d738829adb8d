package field

import "math/rand/v2"

// sampler draws the training batches of one network in one iteration: items
// that pair a joint sample, all signals at position t, with a product sample,
// each signal at a position of its own from an independent permutation
// (paper, Algorithm 2, the sets D and D′_i).
type sampler struct {
	positions []int32 // to train on
	signals   int
	fresh     bool // new permutations every pass
	order     *rand.Rand
	products  *rand.Rand

	items    []int     // the order of this pass
	permuted [][]int32 // [signals][items]
	next     int
}

func newSampler(positions []int32, signals int, fresh bool, order, products *rand.Rand) *sampler {
	s := &sampler{positions: positions, signals: signals, fresh: fresh, order: order, products: products}
	s.permuted = permutations(products, positions, signals)
	s.items = make([]int, len(positions))
	for i := range s.items {
		s.items[i] = i
	}
	s.shuffle()
	return s
}

// permutations are n independent permutations of positions.
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

// draw fills joint [B] and product [B][signals] and returns how many of the B
// places it filled: where whole is set the batches go on across passes and are
// always full; else the last batch of a pass is cut short, as PyTorch's
// DataLoader does, and the places left repeat its first item.
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

// foldPositions splits T positions into those that network fold of folds
// trains on and those that it holds out: every folds-th block of block
// consecutive positions. Without folds it trains on all.
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
