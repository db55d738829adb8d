package network

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/quantile"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// A Screening is a test of the recovered signals of a linear demixing: whether they are reason to
// fit a network.
type Screening struct {
	// Network is whether they are: whether they are predicted and Dependent, and their curvature is
	// evident, which neither sensor noise nor surplus sources explain.
	Network bool
	// Dependent is whether the signals depend on each other significantly, by the pairs.
	Dependent bool
	pairs     []dependence
	// deviation is that of their curvature; 0 of signals that don't depend on each other.
	deviation float64
	// isPredictable is whether they depend on each other, but are predicted too well for their
	// innovations to be examined. Then no networks are compared, and curves are.
	isPredictable bool
	// predicted is whether at least one signal is predicted by its own past. Otherwise no nonlinear
	// demixing could be identified.
	predicted bool
	// why are sentences of the result, as in Improvement.
	why []string
}

// Screen tests whether the signals z of a linear demixing, d×n of a sequence, are reason to fit a
// network. Noisy is whether sensor noise or more sources than channels were found. The error for
// too few positions, or a signal that is constant there, wraps signal.ErrSignals. It stops with
// ctx's error when ctx ends.
func Screen(ctx context.Context, z *mat.Dense, noisy bool, o Options) (*Screening, error) {
	x, err := o.checkedIndex(ctx, z)
	if err != nil {
		return nil, err
	}
	o.report(measuring, 0)
	s := &Screening{}
	if s.pairs, err = dependences(ctx, z, x); err != nil {
		return nil, err
	}
	if _, s.Dependent = mostSignificant(s.pairs); s.Dependent {
		s.deviation, s.isPredictable, err = curvature(ctx, selectSuspects(z, s.pairs))
		if err != nil {
			return nil, err
		}
		if s.isPredictable {
			s.pairs, s.Dependent, s.predicted = nil, false, true
			s.why = []string{"The signals are predicted too well for their innovations to be examined."}
			return s, nil
		}
	}
	if s.predicted, err = x.anyPredicted(ctx, z); err != nil {
		return nil, err
	}
	limit := float64(evidentSigmas)
	if d, _ := z.Dims(); noisy || o.many(d) {
		limit = certainSigmas
	}
	s.Network = s.predicted && s.Dependent && s.deviation > limit
	s.why = s.explain()
	return s, nil
}

// explain returns the result in sentences, as in Improvement.
func (sc *Screening) explain() []string {
	switch {
	case !sc.Dependent:
		return []string{"The signals don't depend on each other significantly."}
	case !sc.predicted:
		return []string{Dependent, "Signals that their pasts don't predict can't show why."}
	case !sc.Network:
		return []string{"Sensor noise or more sources than channels may explain how the signals " +
			"depend on each other."}
	}
	return []string{Dependent}
}

// dependence returns which signals depend on each other most significantly, and how much.
func (sc *Screening) dependence() *linear.MutualInformation {
	worst, _ := mostSignificant(sc.pairs)
	return &linear.MutualInformation{I: worst.j, J: worst.i, Nats: worst.nats, SE: worst.se}
}

// isCertain reports whether the signals depend on each other beyond doubt.
func (sc *Screening) isCertain() bool {
	worst, _ := mostSignificant(sc.pairs)
	return worst.nats > errorsByChance(certainAlarm, len(sc.pairs))*worst.se
}

// selectSuspects returns at most fewSignals of the signals z, in their order: those in the most
// significant dependences of the pairs. The time to measure a curvature grows with the fourth power
// of the number of signals.
//
// The null hypothesis of curvature stays the same: if z is a linear mixture of any number of
// sources with noise, so are any of its signals.
func selectSuspects(z *mat.Dense, pairs []dependence) *mat.Dense {
	d, n := z.Dims()
	if d <= fewSignals || len(pairs) == 0 {
		return z
	}
	pairs = slices.Clone(pairs)
	slices.SortStableFunc(pairs, func(a, b dependence) int {
		return cmp.Compare(b.nats/b.se, a.nats/a.se)
	})
	var chosen []int
	for _, p := range pairs {
		for _, i := range []int{p.i, p.j} {
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
func (x *index) anyPredicted(ctx context.Context, z *mat.Dense) (bool, error) {
	d, _ := z.Dims()
	for i := range d {
		if x.isPredicted(ctx, mat.Row(nil, i, z)) {
			return true, ctx.Err()
		}
	}
	return false, ctx.Err()
}

// firstScored is how many positions are scored first for whether a signal is predicted.
const firstScored = 2048

// isCorrelated reports whether an autoregression saves more than the code of its coefficients for
// z.
func (x *index) isCorrelated(z []float64) bool {
	n := float64(len(x.scored))
	_, residualStd := ar.Regress(z, x.lags, x.scored)
	_, std := ar.Regress(z, nil, x.scored)
	return n*math.Log(std/residualStd) >= float64(len(x.lags))/2*math.Log(n)
}

// isPredicted reports whether the signal z is predicted by its own past: whether a model with the
// past gives it a significantly shorter code at held-out positions. It overwrites z by its normal
// scores. If ctx ends, the answer means nothing.
func (x *index) isPredicted(ctx context.Context, z []float64) bool {
	// A mixture's density can have edges, which a model with a past would blur. The density of
	// normal scores has none.
	quantile.Normal(z)
	if !x.isCorrelated(z) {
		return false
	}
	return len(x.scored) > firstScored && x.pastShortens(ctx, z, firstScored) ||
		x.pastShortens(ctx, z, maxPositions)
}

// pastShortens reports whether the past makes the code of z significantly shorter. It fits to and
// scores at most the given number of positions of each fold. If ctx ends, the answer means nothing.
func (x *index) pastShortens(ctx context.Context, z []float64, positions int) bool {
	var with, without []float64
	for fold := range folds {
		train, held := subsample(x.train[fold], positions), subsample(x.held[fold], positions)
		a, b := scorePast(ctx, z, x.lags, train, held)
		with, without = append(with, a...), append(without, b...)
	}
	return newDifference(with, without).Significant()
}

// scorePast returns the log-likelihoods of the signal z at the held-out positions under a model
// with its past and under one without, both fitted to the training positions. If ctx ends, they
// mean nothing.
func scorePast(
	ctx context.Context, z []float64, lags, train, held []int,
) (with, without []float64) {
	with, without = make([]float64, len(held)), make([]float64, len(held))
	source.Fit(ctx, z, lags, train).LogDensities(z, lags, held, with)
	source.Fit(ctx, z, nil, train).LogDensities(z, nil, held, without)
	return with, without
}
