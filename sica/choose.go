package sica

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/internal/rotate"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Candidate is a start that a fit considered.
type Candidate struct {
	Start []preprocess.Transform `json:"start"`
	// Rotated says that the start's signals were rotated, see
	// Preparation.Rotations.
	Rotated    bool                  `json:"rotated,omitempty"`
	Dependence dependence.Dependence `json:"dependence"`
	// Gain is, of a rotation of more than three signals, by how much it lowers the
	// entropies of the signals' residuals, in nats, whichever sixteenth of the
	// positions is left out. Chance is what one of Gaussian signals of one spectrum
	// hardly ever gains. Both are 0 where that isn't looked at.
	Gain   float64 `json:"gain,omitempty"`
	Chance float64 `json:"chance,omitempty"`
	// Failed says why the start gave no signals, if it didn't.
	Failed string `json:"failed,omitempty"`
}

// String names the start.
func (c Candidate) String() string {
	name := startName(c.Start)
	if c.Rotated {
		name += ", rotated"
	}
	return name
}

// How starts are compared. The smallest change of the signals wins unless
// another takes away most of the dependence that it leaves. The numbers were chosen on
// the paper's three data sets (scripts/quality).
const (
	// maxDependenceRatio is the share of the dependence of the start taken so far
	// that another's may have to be taken instead.
	maxDependenceRatio = 0.5
	// linearDependence is the dependence of a linear start above which others are
	// looked at: below it, a linear map explains the signals by and large.
	linearDependence = 0.1
	// maxAlternativeDependence is the most dependence that a start of
	// Preparation.Alternatives may leave. Such starts suit many signals, and that they
	// lower the dependence says little; that they all but end it says that they fit.
	maxAlternativeDependence = 0.25
)

// choice is the start of a run.
type choice struct {
	z          *mat.Dense
	maps       []preprocess.Map // that made z
	taken      Candidate
	candidates []Candidate
	analysis   *dependence.Analysis // of z; nil until it is asked for
}

// least is the dependence that z is left with, with no block of positions left out.
func (c *choice) least(ctx context.Context, g *grid.Grid) (dependence.Dependence, error) {
	if c.analysis == nil {
		var err error
		if c.analysis, err = dependence.Analyse(c.z, g); err != nil {
			return dependence.Dependence{}, fmt.Errorf("sica: measuring dependence: %w", err)
		}
	}
	worst, err := c.analysis.Worst(ctx, 0)
	return worst.Dependence, err
}

// consider measures the start that like describes.
func consider(ctx context.Context, z *mat.Dense, maps []preprocess.Map, like Candidate, g *grid.Grid) (choice, error) {
	analysis, err := dependence.Analyse(z, g)
	if err != nil {
		return choice{}, err
	}
	worst, err := analysis.Worst(ctx, dependence.JackknifeBlocks)
	if err != nil {
		return choice{}, err
	}
	like.Dependence = worst.Dependence
	return choice{z: z, maps: maps, taken: like, analysis: analysis}, nil
}

// chooseStart compares the config's starts for the mixed signals x, without
// training. It looks no further once a start is settled, or ctx has ended: then the
// first start that wasn't measured to the end is left out, or if it is the only one
// taken as it is.
func (c Config) chooseStart(ctx context.Context, x *mat.Dense, g *grid.Grid, seed uint64) (choice, error) {
	z, maps, first, err := preprocess.Begin(ctx, x, c.Start)
	if err != nil {
		return choice{}, fmt.Errorf("sica: %w", err)
	}
	best, err := consider(ctx, z, maps, Candidate{Start: first}, g)
	if ctx.Err() != nil {
		return choice{z: z, maps: maps, taken: Candidate{Start: first}}, nil
	}
	if err != nil {
		return choice{}, fmt.Errorf("sica: %w", err)
	}
	candidates := []Candidate{best.taken}
	try := func(z *mat.Dense, maps []preprocess.Map, like Candidate, fits func(other *choice) bool) {
		other, err := consider(ctx, z, maps, like, g)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			like.Failed = err.Error()
			candidates = append(candidates, like)
			return
		}
		taken := fits(&other)
		candidates = append(candidates, other.taken)
		if taken {
			best = other
		}
	}
	// The dependence of the start taken so far falls by enough.
	falls := func(other *choice) bool {
		return other.taken.Dependence.Total() < maxDependenceRatio*best.taken.Dependence.Total()
	}
	d, _ := z.Dims()
	if c.Rotations > 0 && (d > rotate.Pairwise || !c.settled(best.taken)) {
		rotated, by := rotate.LeastEntropy(ctx, z, g, c.Rotations, seed)
		turned := append(slices.Clone(maps), preprocess.Map(preprocess.LinearMap(by, make([]float64, d))))
		try(rotated, turned, Candidate{Start: first, Rotated: true}, func(other *choice) bool {
			if d <= rotate.Pairwise {
				return falls(other)
			}
			unclear := best.taken.Dependence.Total() >= linearDependence && !falls(other)
			var beats bool
			other.taken.Gain, other.taken.Chance, beats = rotate.BeatsNull(ctx, z, rotated, best.analysis, other.analysis, g, unclear, c.Rotations, seed)
			return beats
		})
	}
	for _, start := range c.Alternatives {
		if best.taken.Dependence.Total() < max(linearDependence, c.Settled) || ctx.Err() != nil {
			break
		}
		z, maps, start, err := preprocess.Begin(ctx, x, start)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			candidates = append(candidates, Candidate{Start: start, Failed: err.Error()})
			continue
		}
		try(z, maps, Candidate{Start: start}, func(other *choice) bool {
			return falls(other) && other.taken.Dependence.Total() < maxAlternativeDependence
		})
	}
	best.candidates = candidates
	return best, nil
}

// settled tells whether a start leaves too little dependence to be moved from.
func (c Config) settled(taken Candidate) bool { return taken.Dependence.Total() < c.Settled }

// explain adds to r the dependence that its signals are left with, and why its
// start was taken.
func (r *Result) explain(ctx context.Context, c choice, g *grid.Grid) error {
	r.Dependence = c.taken.Dependence
	r.Why += "; " + c.explain()
	if r.Best == 0 || ctx.Err() != nil { // whoever ended it doesn't wait for this
		return nil
	}
	analysis, err := dependence.Analyse(r.Z, g)
	if err != nil {
		return fmt.Errorf("sica: measuring dependence: %w", err)
	}
	worst, err := analysis.Worst(ctx, dependence.JackknifeBlocks)
	if err != nil {
		return nil // ctx ended
	}
	r.Dependence = worst.Dependence
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

func startName(start []preprocess.Transform) string {
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
func white(start []preprocess.Transform) bool {
	return len(start) > 0 && slices.Contains([]preprocess.Transform{preprocess.ZCA, preprocess.Conditional}, start[len(start)-1])
}
