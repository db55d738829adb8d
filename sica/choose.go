package sica

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Candidate is a start that a fit considered.
type Candidate struct {
	Start []Transform `json:"start"`
	// Rotated says that the start's signals were rotated, see
	// Config.Rotations.
	Rotated    bool       `json:"rotated,omitempty"`
	Dependence Dependence `json:"dependence"`
	// Gain is, of a rotation of more than three signals, by how much it lowers the
	// entropies of the signals' residuals, in nats, whichever sixteenth of the
	// positions is left out. Chance is what one of Gaussian signals of one spectrum
	// hardly ever gains. Both are 0 where that isn't looked at.
	Gain   float64 `json:"gain,omitempty"`
	Chance float64 `json:"chance,omitempty"`
	// Failed says why the start gave no signals, if it didn't.
	Failed string `json:"failed,omitempty"`
}

func (c Candidate) String() string {
	name := startName(c.Start)
	if c.Rotated {
		name += ", rotated"
	}
	return name
}

// How starts are compared. The smallest change of the signals wins unless
// another takes away most of the dependence that it leaves.
const (
	// mustFall is the share of the dependence of the start taken so far that
	// another's may have to be taken instead.
	mustFall = 0.5
	// unexplained is the dependence of a linear start above which others are looked
	// at: below it, a linear map explains the signals by and large.
	unexplained = 0.1
	// explained is the most dependence that a start of Config.Alternatives may
	// leave. Such starts suit many signals, and that they lower the dependence
	// says little; that they all but end it says that they fit.
	explained = 0.25
)

// choice is the start of a run.
type choice struct {
	z          *mat.Dense
	stages     []stage // that made z
	taken      Candidate
	candidates []Candidate
	neighbours [][]int32 // of dependenceNeighbours, the same for all runs
}

// chooseStart compares the config's starts for the mixed signals x, without
// training. It looks no further once a start is settled.
func (c Config) chooseStart(ctx context.Context, x *mat.Dense, neighbours [][]int32, seed uint64) (choice, error) {
	z, stages, first, err := begin(x, c.Start)
	if err != nil {
		return choice{}, err
	}
	best := choice{z: z, stages: stages, neighbours: neighbours}
	if best.taken, err = candidate(z, Candidate{Start: first}, neighbours); err != nil {
		return choice{}, err
	}
	best.candidates = []Candidate{best.taken}

	consider := func(z *mat.Dense, stages []stage, like Candidate, fits func(*Candidate) bool) {
		other, err := candidate(z, like, neighbours)
		if err != nil {
			like.Failed = err.Error()
			best.candidates = append(best.candidates, like)
			return
		}
		fit := fits(&other)
		best.candidates = append(best.candidates, other)
		if fit {
			best.z, best.stages, best.taken = z, stages, other
		}
	}
	// The dependence of the start taken so far falls by enough.
	falls := func(other *Candidate) bool {
		return other.Dependence.Total() < mustFall*best.taken.Dependence.Total()
	}
	d, _ := z.Dims()
	if c.Rotations > 0 && (d > pairwise || !c.settled(best.taken)) {
		rotated, by := leastEntropyRotation(ctx, z, neighbours, c.Rotations, seed)
		turned := append(slices.Clone(stages), linearMap(by, make([]float64, d)))
		consider(rotated, turned, Candidate{Start: first, Rotated: true}, func(other *Candidate) bool {
			if d > pairwise {
				unclear := best.taken.Dependence.Total() >= unexplained && !falls(other)
				return c.gains(ctx, other, unclear, z, rotated, neighbours, seed)
			}
			return falls(other)
		})
	}
	for _, start := range c.Alternatives {
		if best.taken.Dependence.Total() < max(unexplained, c.Settled) || ctx.Err() != nil {
			break
		}
		z, stages, start, err := begin(x, start)
		if err != nil {
			best.candidates = append(best.candidates, Candidate{Start: start, Failed: err.Error()})
			continue
		}
		consider(z, stages, Candidate{Start: start}, func(other *Candidate) bool {
			return falls(other) && other.Dependence.Total() < explained
		})
	}
	return best, nil
}

// gains tells whether the rotated start gains plainly more than chance does, and
// where it is unclear whether a pair of the sources is dependent, more plainly and
// with a lower mean dependence. It notes both gains in other.
func (c Config) gains(ctx context.Context, other *Candidate, unclear bool, z, rotated *mat.Dense, neighbours [][]int32, seed uint64) bool {
	plainly := beyondChance
	if unclear {
		plainly = farBeyondChance
		before, err := meanDependence(z, neighbours)
		if err != nil {
			return false
		}
		if after, err := meanDependence(rotated, neighbours); err != nil || after > mostlyKept*before {
			return false
		}
	}
	_, t := z.Dims()
	chance, err := chanceGain(ctx, z, c.indexShape(t), c.Rotations, seed)
	if err != nil {
		return false
	}
	gain, err := rotationGain(z, rotated, neighbours)
	if err != nil {
		return false
	}
	other.Gain, other.Chance = gain, chance
	return gain > plainly*chance
}

// candidate is like with the dependence of its signals z.
func candidate(z *mat.Dense, like Candidate, neighbours [][]int32) (Candidate, error) {
	var err error
	like.Dependence, err = measureDependence(z, neighbours, dependenceBlocks)
	return like, err
}

// settled tells whether a start leaves too little dependence to be moved from.
func (c Config) settled(taken Candidate) bool { return taken.Dependence.Total() < c.Settled }

// explain adds to r the dependence that its signals are left with, and why its
// start was taken.
func (r *Result) explain(c choice) error {
	r.Dependence = c.taken.Dependence
	r.Why += "; " + c.explain()
	if r.Best == 0 {
		return nil
	}
	var err error
	if r.Dependence, err = measureDependence(r.Z, c.neighbours, dependenceBlocks); err != nil {
		return fmt.Errorf("sica: measuring dependence: %w", err)
	}
	r.Why += fmt.Sprintf("; the flow took it to %.3f", r.Dependence.Total())
	return nil
}

// explain says which start was taken, and what the others were like.
func (c choice) explain() string {
	said := make([]string, len(c.candidates))
	for k, other := range c.candidates {
		said[k] = fmt.Sprintf("%s leaves a dependence of %.3f", other, other.Dependence.Total())
		switch {
		case other.Failed != "":
			said[k] = fmt.Sprintf("%s failed: %s", other, other.Failed)
		case other.Chance > 0:
			said[k] += fmt.Sprintf(" and gains %.2f nats, chance %.2f", other.Gain, other.Chance)
		}
	}
	return fmt.Sprintf("took the start %s (%s)", c.taken, strings.Join(said, "; "))
}

func startName(start []Transform) string {
	if len(start) == 0 {
		return "as given"
	}
	names := make([]string, len(start))
	for i, t := range start {
		names[i] = string(t)
	}
	return strings.Join(names, "+")
}

// white tells whether a start ends with whitened signals, which can be rotated.
func white(start []Transform) bool {
	return len(start) > 0 && slices.Contains([]Transform{ZCA, Conditional}, start[len(start)-1])
}
