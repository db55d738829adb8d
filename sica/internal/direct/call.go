package direct

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Call is whether the recovered signals of a linear demixing call for a network.
type Call struct {
	// Network tells whether they do: if they depend on each other and are Predicted.
	Network bool `json:"network"`
	// Predicted is whether the past predicts one of them, without which no nonlinear
	// demixing could be known for right.
	Predicted bool `json:"predicted"`
	// Pairs are what they depend on each other by.
	Pairs []Dependence `json:"pairs"`
	// Why says it in a sentence.
	Why string `json:"why"`
}

// Called tells whether the signals z, d×T, of a linear demixing call for a network.
func Called(ctx context.Context, z *mat.Dense, o Options) (*Call, error) {
	call, err := called(ctx, z, o)
	if err != nil {
		return nil, fmt.Errorf("direct: %w", err)
	}
	return call, nil
}

func called(ctx context.Context, z *mat.Dense, o Options) (*Call, error) {
	if err := checkSignals(z); err != nil {
		return nil, err
	}
	d, T := z.Dims()
	o, err := o.withDefaults(T)
	if err != nil {
		return nil, err
	}
	x, err := o.index([]*mat.Dense{z})
	if err != nil {
		return nil, err
	}
	o.report(Measuring, 0, nil)
	c := &Call{}
	if c.Pairs, err = dependences(ctx, z, x); err != nil {
		return nil, err
	}
	for i := 0; i < d && !c.Predicted; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// A mixture's density can have edges that only a model without a past
		// follows: in normal quantiles there are none.
		normal := mat.Row(nil, i, z)
		preprocess.NormalQuantiles(normal)
		var with, without []float64
		for fold := range o.Folds {
			train, held := x.split(fold)
			a, b := pastScores(normal, x.lags, train, held, o.Components)
			with, without = append(with, a...), append(without, b...)
		}
		c.Predicted = newDifference(with, without).Evident()
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
