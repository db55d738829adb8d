// Package direct WIP
package direct

import (
	"context"
	"errors"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// FitRaw is WIP.
func FitRaw(ctx context.Context, backend compute.Backend, xs []*mat.Dense, o Options) ([][]Raw, error) {
	if len(xs) == 0 {
		return nil, errors.New("direct: no signals")
	}
	_, T := xs[0].Dims()
	o, err := o.withDefaults(T)
	if err != nil {
		return nil, err
	}
	x, err := newIndex(o.Shape, o.Past)
	if err != nil {
		return nil, err
	}
	var whitened []*mat.Dense
	for _, m := range xs {
		if err := checkSignals(m); err != nil {
			return nil, err
		}
		mean, w, err := whiten(m)
		if err != nil {
			return nil, err
		}
		wb := mat.NewVecDense(len(mean), nil)
		wb.MulVec(w, mat.NewVecDense(len(mean), mean))
		for i := range mean {
			mean[i] = -wb.AtVec(i)
		}
		whitened = append(whitened, affineMap(w, mean, m))
	}
	t, err := newTraining(backend, whitened, x, o)
	if err != nil {
		return nil, err
	}
	defer t.finalize()
	if err := t.train(ctx); err != nil {
		return nil, err
	}
	out := make([][]Raw, len(xs))
	for r, b := range t.best {
		p, restart, fold := t.of(r)
		z, _ := newNetwork(t.d, b.parameters).forward(whitened[p])
		train, held := x.split(fold)
		base := 0.
		for _, v := range scoreSignals(whitened[p], x.lags, train, held, o.Components) {
			base += v / float64(len(held))
		}
		out[p] = append(out[p], Raw{Z: z, HeldOut: b.heldOut, Base: base, Step: b.step, Restart: restart, Fold: fold, Curve: b.curve})
	}
	return out, nil
}

// Raw is WIP.
type Raw struct {
	Z             *mat.Dense
	HeldOut, Base float64
	Step          int
	Restart, Fold int
	Curve         []Evaluation
}
