package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// Fit fits a network to the mixed signals x, d×n. If ctx ends, it returns the error of ctx.
func Fit(ctx context.Context, x *mat.Dense, o Options) (*Model, error) {
	models, err := fitAll(ctx, []*mat.Dense{x}, nil, o)
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	return models[0], nil
}

// fitAll fits networks to several x of the same size in one program. Each model equals the model of
// Fit, up to the precision of float32. linearScores, which may be nil, are for each x and fold the
// log-likelihoods of x under a linear model at the held-out positions. The error is errFutile if no
// network has higher ones (see futileSteps).
func fitAll(
	ctx context.Context, xs []*mat.Dense, linearScores [][][]float64, o Options,
) ([]*Model, error) {
	problems, all := make([]*problem, len(xs)), make([]*mat.Dense, len(xs))
	for i, x := range xs {
		p, err := newProblem(x, o.Seed)
		if err != nil {
			return nil, err
		}
		if linearScores != nil {
			p.addLinearScores(linearScores[i])
		}
		problems[i], all[i] = p, p.whitened
	}
	index, err := o.index(ctx, all)
	if err != nil {
		return nil, err
	}
	d, n := xs[0].Dims()
	// When ctx ends while XLA compiles, the compilation goes on in the background.
	models, err := programs.Attend(ctx, func(
		ctx context.Context, foreground func(func()),
	) ([]*Model, error) {
		return fitProblems(ctx, problems, index, o.withDefaults(d, n).reportVia(foreground))
	})
	if err != nil || !o.deepens(d) {
		return models, err
	}
	return deepened(ctx, models, xs, linearScores, o)
}

// deepened replaces the first model by a deeper network, trained like networks of many signals, if
// its signals are predictable but no other run reproduced them, and the code of the deeper network
// is shorter. Networks that were reproduced are nearer to the sources than deeper ones.
func deepened(
	ctx context.Context, models []*Model, xs []*mat.Dense, linearScores [][][]float64, o Options,
) ([]*Model, error) {
	first := models[0]
	if first.Reproduced() || len(first.Unpredicted()) > 0 {
		return models, nil
	}
	o.deep = true
	deep, err := fitAll(ctx, xs[:1], linearScores[:min(len(linearScores), 1)], o)
	switch {
	case err == nil && deep[0].CodeLength < first.CodeLength:
		models[0] = deep[0]
	case IsEnd(ctx, err):
		return nil, err
	}
	return models, nil
}

// fitProblems is fitAll for valid signals.
func fitProblems(
	ctx context.Context, problems []*problem, x *index, o Options,
) ([]*Model, error) {
	t, err := newTraining(ctx, problems, x, o)
	if err != nil {
		return nil, err
	}
	err = t.train(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, errFutile) {
		t.discard()
		return nil, err
	}
	defer t.release() // also if ctx ended, which leaves the program as it was
	if err != nil {
		return nil, err
	}
	return t.models(ctx)
}

// A problem is a matrix of signals to which networks are fitted.
type problem struct {
	whitening *mapping.Affine
	logDet    float64    // log-determinant of the whitening
	whitened  *mat.Dense // d×n, with the noise of the resolution if positions repeat
	// linearScores are, for each fold, the log-likelihoods of the whitened signals under a linear
	// model at the held-out positions; nil without such a model.
	linearScores [][]float64
	heldOut      []heldOutSignals // of each fold
}

func newProblem(x *mat.Dense, seed uint64) (*problem, error) {
	if err := signal.CheckMixed(x); err != nil {
		return nil, err
	}
	w, logDet, err := whiten(x)
	if err != nil {
		return nil, err
	}
	whitened, err := w.Apply(x)
	if err != nil {
		return nil, err
	}
	if hasRepeats(x) {
		addResolutionNoise(whitened, nil, seed)
	}
	return &problem{whitening: w, logDet: logDet, whitened: whitened}, nil
}

// addLinearScores adds the linear scores from all, which are those of the signals before whitening.
func (p *problem) addLinearScores(all [][]float64) {
	for _, scores := range all {
		scores = slices.Clone(scores)
		floats.AddConst(-p.logDet, scores)
		p.linearScores = append(p.linearScores, scores)
	}
}

// whiten returns the symmetric whitening of x, and its log-determinant.
func whiten(x *mat.Dense) (whitening *mapping.Affine, logDet float64, err error) {
	w, err := pca.Whiten(x)
	if err != nil {
		return nil, 0, err
	}
	for _, spread := range w.Spread {
		logDet -= math.Log(spread)
	}
	return mapping.NewSymmetric(w).Affine(), logDet, nil
}
