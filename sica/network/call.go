package network

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Call is whether the recovered signals of a linear demixing call for a network.
type Call struct {
	// Network tells whether they do: if they depend on each other and are Predicted.
	Network bool `json:"network"`
	// Predicted is whether its own past predicts one of them, without which no
	// nonlinear demixing could be known for right.
	Predicted bool `json:"predicted"`
	// Pairs are what they depend on each other by.
	Pairs []Dependence `json:"pairs"`
	// Why says it in a sentence.
	Why string `json:"why"`
}

// MostSignals are the most that it is worth asking Called about: of ten behind two
// leaky-ReLU layers (T = 4096) networks found .92, and none that agreed, in minutes.
const MostSignals = 8

// Called tells whether the signals z, d×T, of a linear demixing call for a network.
func Called(ctx context.Context, z *mat.Dense, o Options) (*Call, error) {
	o, x, err := o.indexed(z)
	if err != nil {
		return nil, err
	}
	d, _ := z.Dims()
	o.report(Measuring, 0, nil)
	c := &Call{}
	if c.Pairs, err = dependences(ctx, z, x); err != nil {
		return nil, err
	}
	for i := 0; i < d && !c.Predicted; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.Predicted = x.predicted(mat.Row(nil, i, z), o)
	}
	worst, dependent := Worst(c.Pairs)
	if !dependent {
		c.Why = "The signals don't depend on each other beyond chance."
		return c, nil
	}
	c.Network = c.Predicted
	c.Why = fmt.Sprintf("Signals %d and %d depend on each other (%.3f ± %.3f nats)", worst.I+1, worst.J+1, worst.Nats, worst.SE)
	if c.Predicted {
		c.Why += "."
	} else {
		c.Why += ", but their pasts don't predict them, and without that no nonlinear demixing could be known for right."
	}
	return c, nil
}

// predicted tells whether its own past predicts a signal.
func (x *index) predicted(z []float64, o Options) bool {
	// A mixture's density can have edges that only a model without a past
	// follows: in normal quantiles there are none.
	preprocess.NormalQuantiles(z)
	n := float64(len(x.scored))
	_, left := ar.Regress(z, x.lags, x.scored)
	_, all := ar.Regress(z, nil, x.scored)
	if n*math.Log(all/left) < float64(len(x.lags))/2*math.Log(n) {
		return false // its coefficients would cost more nats than they save
	}
	var with, without []float64
	for fold := range o.Folds {
		train, held := x.split(fold)
		a, b := pastScores(z, x.lags, evenly(train, mostPositions), evenly(held, mostPositions), o.Components)
		with, without = append(with, a...), append(without, b...)
	}
	return evidence.NewDifference(with, without).Significant()
}
