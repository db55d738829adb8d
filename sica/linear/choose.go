package linear

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// shortest returns the explanation with the shortest code at each time scale.
func (c *channels) shortest(all []*explanation) []*explanation {
	best := make([]*explanation, len(c.scales))
	for k := range best {
		for _, e := range all {
			if best[k] == nil || e.lengths[k] < best[k].lengths[k] {
				best[k] = e
			}
		}
	}
	return best
}

// tolerance returns the excess over the shortest code, in nats, that may be due to chance. For two
// channels it is that of three pairs, since the shortest of a dozen codes is short by chance, too.
func (c *channels) tolerance() float64 { return tolerance(c.d) }

func tolerance(d int) float64 { return rejection * max(float64(d*(d-1))/2, 3) }

// excess returns how many nats longer the code of e is than the shortest of all at each time scale.
func (c *channels) excess(e *explanation, all []*explanation) []float64 {
	nats := slices.Clone(e.lengths)
	for k, best := range c.shortest(all) {
		nats[k] -= best.lengths[k]
	}
	return nats
}

// choose returns the explanation with the smallest score, and the index of the time scale at which
// its code is nearest to the shortest.
func (c *channels) choose(all []*explanation) (*explanation, int) {
	scores := make([]float64, len(all))
	for k, e := range all {
		scores[k] = c.score(e, all)
	}
	chosen := all[floats.MinIdx(scores)]
	return chosen, floats.MinIdx(c.excess(chosen, all))
}

// score returns the score of e in nats, less being better: its prior plus its distance.
func (c *channels) score(e *explanation, all []*explanation) float64 {
	return c.prior(e, all[0]) + c.distance(e, all)
}

// distance returns the Euclidean norm of the excess of e over the time scales, in nats. So a scale
// with a clear difference decides, and small differences add up. A coarse scale has fewer
// frequencies than the finest, but isn't misled by model errors at the others.
func (c *channels) distance(e *explanation, all []*explanation) float64 {
	return floats.Norm(c.excess(e, all), 2)
}

// prior returns how many nats e must gain to be chosen: none for the rule's explanation, a
// tolerance for others. If the rule's explanation is doubted, explanations with noise need no gain,
// and those without noise need nearlyAsGood, regardless of the number of channels.
func (c *channels) prior(e, rule *explanation) float64 {
	switch {
	case rule.doubted && floats.Sum(e.model.noise) == 0:
		return nearlyAsGood
	case !rule.doubted && e != rule:
		return c.tolerance()
	}
	return 0
}
