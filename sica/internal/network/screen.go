package network

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/quantile"
)

// A Screening is a test of the recovered signals of a linear demixing: whether they are reason to
// fit a network.
type Screening struct {
	// Network is whether they are: whether they are Predicted, and depend on each other in a way
	// that neither sensor noise nor surplus sources explain.
	Network bool
	// Dependent is whether the signals depend on each other significantly, by the Pairs.
	Dependent bool
	Pairs     []Dependence
	// Curvature says how much their mixing varies with their values. Predicted is whether at least
	// one signal is predicted by its own past. Otherwise no nonlinear demixing could be identified.
	// Neither is measured for signals that aren't Dependent, and Curvature is nil then and for images.
	Curvature *Curvature
	Predicted bool
	// Why says the result in a sentence.
	Why string
}

// Screen tests whether the signals z, d×n, of a linear demixing are reason to fit a network. It is
// an error if there are too few positions for the test. It stops with ctx's error when ctx ends.
func Screen(ctx context.Context, z *mat.Dense, o Options) (*Screening, error) {
	o, x, err := o.indexed(ctx, z)
	if err != nil {
		return nil, err
	}
	return x.screen(ctx, z, o)
}

// screen is Screen for signals with the index x.
func (x *index) screen(ctx context.Context, z *mat.Dense, o Options) (s *Screening, err error) {
	o.report(Measuring, 0)
	s = &Screening{}
	if s.Pairs, err = dependences(ctx, z, x, o.Components); err != nil {
		return nil, err
	}
	_, s.Dependent = Worst(s.Pairs)
	if !s.Dependent {
		s.Why = s.explain(false)
		return s, nil
	}
	if err := s.measure(ctx, z, x, o); err != nil {
		return nil, err
	}
	if s.isPredictable() {
		s.Pairs, s.Dependent = nil, false
		s.Why = "The signals are predicted too well for their innovations to be examined."
		return s, nil
	}
	nonlinear := true
	if d, _ := z.Dims(); s.Curvature != nil {
		nonlinear = s.Curvature.callsForNetwork()
		if o.many(d) {
			nonlinear = s.Curvature.Deviation > manyCurvatureSigmas
		}
	}
	s.Network = nonlinear && s.Predicted
	s.Why = s.explain(nonlinear)
	return s, nil
}

// measure sets the Curvature of the signals z, whose index is x, and whether they are Predicted if they
// aren't Predictable.
func (s *Screening) measure(ctx context.Context, z *mat.Dense, x *index, o Options) (err error) {
	if x.Sequence() {
		if s.Curvature, err = MeasureCurvature(ctx, selectSuspects(z, s.Pairs)); err != nil {
			return err
		}
		if s.Curvature.Predictable {
			return nil
		}
	}
	s.Predicted, err = x.anyPredicted(ctx, z, o)
	return err
}

// isPredictable reports whether the signals are Predictable, so that their pasts say nothing of the
// mixing.
func (s *Screening) isPredictable() bool { return s.Curvature != nil && s.Curvature.Predictable }

// explain returns the result in a sentence. Nonlinear is whether there is evidence of a nonlinear
// mixture.
func (s *Screening) explain(nonlinear bool) string {
	if !s.Dependent {
		return "The signals don't depend on each other significantly."
	}
	switch {
	case !s.Predicted:
		return s.dependence() + ". Signals that their pasts don't predict can't show why."
	case !nonlinear:
		return "Sensor noise or more sources than channels may explain how the signals depend on " +
			"each other."
	}
	return s.dependence() + "."
}

// dependence says which signals depend on each other most significantly, and how much.
func (s *Screening) dependence() string {
	worst, _ := Worst(s.Pairs)
	return fmt.Sprintf("Signals %d and %d depend on each other (mutual information of their "+
		"innovations, in nats per position: %.3f, SE %.3f)",
		worst.I+1, worst.J+1, worst.Nats, worst.SE)
}

// isWeak reports whether the reason for a network may be chance: whether no curvature is evident,
// and the signals don't depend on each other beyond doubt. At n = 1,024 that was so for 15 of 304
// linear mixtures with noise or surplus sources, and for 5 of 384 nonlinear ones. Conditional
// normalisation had a shorter code for all five of these, and for none of the linear ones on which
// it was tried.
func (s *Screening) isWeak() bool {
	return s.Curvature != nil && !s.Curvature.Evident() && !s.isCertain()
}

// isCertain reports whether the signals depend on each other beyond doubt.
func (s *Screening) isCertain() bool {
	worst, _ := Worst(s.Pairs)
	return worst.Nats > certainErrors*worst.SE
}

// selectSuspects returns at most fewSignals of the signals z, in their order: those in the most
// significant dependences of the pairs. The time to measure a Curvature grows with the fourth power
// of the number of signals.
//
// Curvature's null hypothesis stays the same: if z is a linear mixture of any number of sources
// with noise, so are any of its signals.
func selectSuspects(z *mat.Dense, pairs []Dependence) *mat.Dense {
	d, n := z.Dims()
	if d <= fewSignals || len(pairs) == 0 {
		return z
	}
	pairs = slices.Clone(pairs)
	slices.SortStableFunc(pairs, func(a, b Dependence) int {
		return cmp.Compare(b.Nats/b.SE, a.Nats/a.SE)
	})
	var chosen []int
	for _, p := range pairs {
		for _, i := range []int{p.I, p.J} {
			if len(chosen) < fewSignals && !slices.Contains(chosen, i) {
				chosen = append(chosen, i)
			}
		}
	}
	slices.Sort(chosen)
	suspects := mat.NewDense(len(chosen), n, nil)
	for k, i := range chosen {
		suspects.SetRow(k, z.RawRowView(i))
	}
	return suspects
}

// anyPredicted reports whether at least one of the signals z is predicted by its own past.
func (x *index) anyPredicted(ctx context.Context, z *mat.Dense, o Options) (bool, error) {
	d, _ := z.Dims()
	for i := range d {
		if x.isPredicted(ctx, mat.Row(nil, i, z), o) {
			return true, ctx.Err()
		}
	}
	return false, ctx.Err()
}

// firstScored is how many positions are scored first for whether a signal is predicted. It is a choice:
// most signals that are predicted are so at as many.
const firstScored = 2048

// anyCorrelated reports whether an autoregression saves more than the code of its coefficients for one
// of the signals z. If it doesn't, none is predicted.
func (x *index) anyCorrelated(z *mat.Dense) bool {
	d, _ := z.Dims()
	for i := range d {
		values := mat.Row(nil, i, z)
		quantile.Normal(values)
		if x.isCorrelated(values) {
			return true
		}
	}
	return false
}

// isCorrelated reports whether an autoregression saves more than the code of its coefficients for z.
func (x *index) isCorrelated(z []float64) bool {
	n := float64(len(x.scored))
	_, residualStd := ar.Regress(z, x.lags, x.scored)
	_, std := ar.Regress(z, nil, x.scored)
	return n*math.Log(std/residualStd) >= float64(len(x.lags))/2*math.Log(n)
}

// isPredicted reports whether the signal z is predicted by its own past: whether a model with the
// past gives it a significantly shorter code at held-out positions. It overwrites z by its normal
// scores. If ctx ends, the answer means nothing.
func (x *index) isPredicted(ctx context.Context, z []float64, o Options) bool {
	// A mixture's density can have edges, which a model with a past would blur. The density of
	// normal scores has none.
	quantile.Normal(z)
	if !x.isCorrelated(z) {
		return false
	}
	return len(x.scored) > firstScored && x.pastShortens(ctx, z, o, firstScored) ||
		x.pastShortens(ctx, z, o, maxPositions)
}

// pastShortens reports whether the past makes the code of z significantly shorter. It fits to and scores
// at most the given number of positions of each fold. If ctx ends, the answer means nothing.
func (x *index) pastShortens(ctx context.Context, z []float64, o Options, positions int) bool {
	var with, without []float64
	for fold := range o.Folds {
		train, held := x.split(fold)
		a, b := scorePast(ctx, z, x.lags, subsample(train, positions), subsample(held, positions),
			o.Components) // by the past, without it
		with, without = append(with, a...), append(without, b...)
	}
	return evidence.NewDifference(with, without).Significant()
}
