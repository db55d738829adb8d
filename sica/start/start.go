// Package start chooses what a fit begins with: what the caller's transforms make of the
// mixed signals, a linear demixing of them, or what an invertible network makes of them,
// by the fewest nats that describe the mixed signals. By sica.Default that is the
// separation.
package start

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Options say what a start may be.
type Options struct {
	// Transforms are those of the mixed signals before the rule, in order.
	Transforms []preprocess.Transform
	// Rule separates what they leave, which it whitens itself.
	Rule Rule
	// Own are transforms of a caller's own, which LinearRule and AnyRule compare with
	// their linear demixing; see sica.Preparation.Starts.
	Own []preprocess.Fitter
	// NetworkSteps are the training steps of networks; 0 is enough of them.
	NetworkSteps int
	// Shape is that of the positions, row-major; nil for a sequence.
	Shape []int
	// Seed gives every random draw.
	Seed uint64
	// OnProgress, if set, is told what is being done and how much of it is done, 0 to 1.
	OnProgress func(doing string, done float64)
}

// A Start is what a fit begins with.
type Start struct {
	// Z are its signals, d×T, and Maps what made them of the mixed ones.
	Z    *mat.Dense
	Maps []preprocess.Map
	// Taken is what it is, and Candidates all that were considered.
	Taken      Candidate
	Candidates []Candidate
	// Linear is what the data say about the linear rule's demixing and Network about a
	// network's signals, nil for other starts.
	Linear  *linear.Findings
	Network *Network
	// Outliers are the positions, from 0, of what was taken for accidents, so that the rule
	// learned nothing from it: of sequences, what moves their covariance by more than
	// chance and is in one channel only or alone in its direction.
	Outliers []int
	// Why explains the choice in sentences; it is empty without a rule.
	Why string
}

// chooser chooses the start of the mixed signals x.
type chooser struct {
	Options
	backend compute.Backend
	x       *mat.Dense
	grid    *grid.Grid
}

// Choose chooses the start of the mixed signals x, d×T, which it doesn't change; networks
// are trained on the backend. If ctx ends, it is whitening, or as far as the rule had
// come, without an error. It is an error if the options or the signals aren't valid.
func Choose(ctx context.Context, backend compute.Backend, x *mat.Dense, o Options) (Start, error) {
	if err := signal.Check("x", x); err != nil {
		return Start{}, err
	}
	if !slices.Contains(Rules, o.Rule) {
		return Start{}, fmt.Errorf("Options.Rule is %q; it must be one of %q", o.Rule, Rules)
	}
	_, t := x.Dims()
	g, err := grid.New(o.Shape, t)
	if err != nil {
		return Start{}, err
	}
	o.Shape = g.Shape()
	if o.Rule == NoRule {
		return chooser{o, backend, x, g}.choose(ctx)
	}
	outliers := outlier.Find(x, g)
	s, err := chooser{o, backend, outlier.Mend(x, outliers), g}.choose(ctx)
	if err != nil || outliers == nil {
		return s, err
	}
	s.Outliers = outliers
	s.Why = strings.TrimSpace(s.Why + mendedFirst(outliers))
	s.Z, err = preprocess.ApplyAll(x, s.Maps)
	return s, err
}

// mendedFirst says which positions were mended, counted from 1, in a sentence to add.
func mendedFirst(outliers []int) string {
	const most = 5 // that are named
	var names []string
	for _, t := range outliers[:min(len(outliers), most)] {
		names = append(names, fmt.Sprint(t+1))
	}
	if more := len(outliers) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	at := "position " + names[0]
	if last := len(names) - 1; last > 0 {
		at = "positions " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return fmt.Sprintf(" What is at %s stands out and is in one channel only or alone in its direction: taken for an accident, nothing was learned from it.", at)
}

func (c chooser) choose(ctx context.Context) (Start, error) {
	switch c.Rule {
	case NoRule:
		z, maps, taken, err := preprocess.Begin(ctx, c.x, c.Transforms)
		return Start{Z: z, Maps: maps, Taken: Candidate{Start: taken}}, err
	case NetworkRule:
		return c.network(ctx)
	}
	white, err := c.whiten(ctx)
	if err != nil {
		return Start{}, err
	}
	demixed, err := c.demix(ctx, white)
	if err == nil && ctx.Err() == nil && len(c.Own) > 0 {
		var own bool
		if demixed, own, err = c.orOwn(ctx, white, demixed); own {
			return demixed, err
		}
	}
	if err != nil || c.Rule == LinearRule || ctx.Err() != nil {
		return demixed, err
	}
	return c.orNetwork(ctx, white, demixed)
}

// whiten is the start of every rule.
func (c chooser) whiten(ctx context.Context) (Start, error) {
	z, maps, taken, err := preprocess.Begin(ctx, c.x, append(slices.Clone(c.Transforms), preprocess.ZCA))
	return Start{Z: z, Maps: maps, Taken: Candidate{Start: taken}}, err
}

// demix is the start by the linear rule. It is given the signals before they are
// whitened, as its symmetric form is one of them.
func (c chooser) demix(ctx context.Context, white Start) (Start, error) {
	if c.OnProgress != nil {
		c.OnProgress("separating linearly", 0)
	}
	x, err := preprocess.ApplyAll(c.x, white.Maps[:len(white.Maps)-1])
	if err != nil {
		return Start{}, err
	}
	signals, err := ica.New(x, c.Shape...)
	if err != nil {
		return Start{}, err
	}
	found, err := linear.Separate(ctx, signals, linear.Options{Seed: c.Seed})
	if ctx.Err() != nil {
		return white, nil
	}
	if err != nil {
		return Start{}, err
	}
	turn := preprocess.LinearMap(found.FromWhite, make([]float64, len(found.Mean)))
	z, err := turn.Apply(white.Z)
	if err != nil {
		return Start{}, err
	}
	taken := Candidate{Start: white.Taken.Start, Rule: LinearRule}
	maps := append(slices.Clone(white.Maps), turn)
	return Start{Z: z, Maps: maps, Taken: taken, Candidates: []Candidate{taken}, Linear: &found.Findings, Why: found.Why}, nil
}
