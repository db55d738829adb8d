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

// A Call is whether the recovered signals of a linear demixing call for a network.
type Call struct {
	// Network is whether they do: whether they are Predicted, and depend on each other in a
	// way that neither sensor noise nor surplus sources explain.
	Network bool `json:"network"`
	// Dependent is whether they depend on each other significantly, by the Pairs.
	Dependent bool         `json:"dependent"`
	Pairs     []Dependence `json:"pairs"`
	// Curvature is how much their mixing varies with their values; nil for images.
	Curvature *Curvature `json:"curvature,omitempty"`
	// Predicted is whether its own past predicts one of them, without which no nonlinear
	// demixing could be identified.
	Predicted bool `json:"predicted"`
	// Why says it in a sentence.
	Why string `json:"why"`
}

// Called returns whether the signals z, d×n, of a linear demixing call for a network. It is an
// error if there are too few positions for that. It stops with ctx's error when ctx ends.
func Called(ctx context.Context, z *mat.Dense, o Options) (*Call, error) {
	o, x, err := o.indexed(z)
	if err != nil {
		return nil, err
	}
	o.report(Measuring, 0, nil)
	d, _ := z.Dims()
	c := &Call{}
	if c.Pairs, err = dependences(ctx, z, x); err != nil {
		return nil, err
	}
	if x.Sequence() {
		if c.Curvature, err = MeasureCurvature(ctx, suspects(z, c.Pairs)); err != nil {
			return nil, err
		}
		if c.Curvature.Predictable {
			c.Pairs = nil
			c.Why = "The signals are predicted too well for their innovations to be examined."
			return c, nil
		}
	}
	worst, dependent := Worst(c.Pairs)
	c.Dependent = dependent
	nonlinear := dependent
	if c.Curvature != nil {
		nonlinear = c.Curvature.suspect(dependent)
		if o.many(d) {
			nonlinear = c.Curvature.Deviation > manyCurvatureSigmas
		}
	}
	if c.Predicted, err = x.anyPredicted(ctx, z, o); err != nil {
		return nil, err
	}
	c.Network = nonlinear && c.Predicted
	switch {
	case dependent && c.Predicted && !nonlinear:
		c.Why = "Sensor noise or more sources than channels explain how the signals depend on each other"
	case dependent:
		c.Why = fmt.Sprintf("Signals %d and %d depend on each other (%.3f ± %.3f nats)",
			worst.I+1, worst.J+1, worst.Nats, worst.SE)
	case nonlinear:
		c.Why = "How the signals are mixed varies with their values"
	default:
		c.Why = "The signals don't depend on each other significantly"
	}
	if (dependent || nonlinear) && !c.Predicted {
		c.Why += ", but their pasts don't predict them, and without that no nonlinear demixing " +
			"could be identified"
	}
	c.Why += "."
	return c, nil
}

// suspects returns the fewSignals of the signals z that are in the most evident dependences of the
// pairs, in their order; z if there are no more. Of a linear mixture with noise and any number of
// sources any of the signals are one, too, so that Curvature's null hypothesis holds for them. The
// time to measure it grows with the fourth power of their number.
func suspects(z *mat.Dense, pairs []Dependence) *mat.Dense {
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
	some := mat.NewDense(len(chosen), n, nil)
	for k, i := range chosen {
		some.SetRow(k, z.RawRowView(i))
	}
	return some
}

// anyPredicted reports whether its own past predicts one of the signals z.
func (x *index) anyPredicted(ctx context.Context, z *mat.Dense, o Options) (bool, error) {
	d, _ := z.Dims()
	for i := range d {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if x.predicted(mat.Row(nil, i, z), o) {
			return true, nil
		}
	}
	return false, nil
}

// predicted reports whether its own past predicts a signal z, which it changes.
func (x *index) predicted(z []float64, o Options) bool {
	// A mixture's density can have edges that only a model without a past
	// follows: in normal quantiles there are none.
	quantile.Normal(z)
	n := float64(len(x.scored))
	_, left := ar.Regress(z, x.lags, x.scored)
	_, all := ar.Regress(z, nil, x.scored)
	if n*math.Log(all/left) < float64(len(x.lags))/2*math.Log(n) {
		return false // its coefficients would cost more nats than they save
	}
	var with, without []float64
	for fold := range o.Folds {
		train, held := x.split(fold)
		a, b := pastScores(z, x.lags, evenly(train, mostPositions), evenly(held, mostPositions),
			o.Components)
		with, without = append(with, a...), append(without, b...)
	}
	return evidence.NewDifference(with, without).Significant()
}
