package network

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// Model is what Fit learns. Log-likelihoods and code lengths, their
// negatives, are in nats a position.
type Model struct {
	// Map takes mixed signals to recovered ones, which it leaves with mean 0 and
	// variance 1 on the positions it was fitted to.
	Map *mapping.Invertible `json:"map"`

	// CodeLength is that of x at the held-out positions, Jacobian included.
	CodeLength float64 `json:"code_length"`
	// OverWhitening is by how much the code of whitened signals is longer there, where the
	// network pays for its choice among the runs and their steps.
	OverWhitening Difference `json:"over_whitening"`

	// Runs are all restarts and folds; Chosen is the one that Map is of.
	Runs   []Run `json:"runs"`
	Chosen int   `json:"chosen"`
	// Agreement is the least between the recovered signals of the chosen run and those of
	// Agreeing others: of its own fold all that are as good as it to within chance, and of each
	// other fold the best. That of two runs is the mean of the two least absolute correlations
	// of matched signals. Where the rotation isn't identified, all are rotated to the whitened
	// signals before.
	Agreement float64 `json:"agreement"`
	Agreeing  int     `json:"agreeing"`

	// PastGain is, for each signal, what its own past takes off its code length
	// at the held-out positions, of all folds. Where that is nothing, a nonlinear mixing of the
	// signals can't be identified. Signals of Groups are those before they were rotated.
	PastGain []Difference `json:"past_gain"`
	// Pairs hold what every two signals i < j lose when they are turned by 45°.
	Pairs []Pair `json:"pairs"`
	// Groups of signals whose rotations among themselves are not identified.
	// They are rotated as near to the whitened signals as can be.
	Groups [][]int `json:"groups"`

	// likelihoods are, for each fold, those of x under the fold's best run at the
	// positions that it held out, the choice among the restarts and steps paid.
	likelihoods []likelihoods
}

// Run is one restart on one fold.
type Run struct {
	Restart int `json:"restart"`
	Fold    int `json:"fold"`
	// CodeLength of x at the fold's held-out positions, and by how much that of
	// whitened signals is longer there.
	CodeLength    float64 `json:"code_length"`
	OverWhitening float64 `json:"over_whitening"`
	// Step is the evaluation that was kept.
	Step  int          `json:"step"`
	Curve []Evaluation `json:"curve"`
}

// Name returns "network".
func (o Options) Name() string { return "network" }

// Fit fits a map to the mixed signals x. The model's Details are a *Model. If ctx ends, it
// stops with the error of ctx.
func (o Options) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	o.Shape = x.Shape()
	m, err := fit(ctx, x.X(), o)
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	z, err := m.Map.Apply(x.X())
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	return &ica.Model{
		Signals: z, Map: m.Map, Why: m.Why(), Details: m,
		Convergence: ica.Convergence{Converged: true, Iterations: m.Runs[m.Chosen].Step},
	}, nil
}

// fit is Fit of the mixed signals x, d×T.
func fit(ctx context.Context, x *mat.Dense, o Options) (*Model, error) {
	models, err := fitAll(ctx, []*mat.Dense{x}, nil, o)
	if err != nil {
		return nil, err
	}
	return models[0], nil
}

// fitAll is fit of several x of one size in one program. Each model is what fit
// gives, to float32's precision. Rivals are, for each x and fold, the log-likelihoods of x under
// another model at the held-out positions: if all networks are far behind them, training ends
// early. Without rivals it doesn't.
func fitAll(
	ctx context.Context, xs []*mat.Dense, rivals [][][]float64, o Options,
) ([]*Model, error) {
	if len(xs) == 0 {
		return nil, errors.New("no signals to fit to")
	}
	problems := make([]*problem, len(xs))
	for i, x := range xs {
		if err := signal.CheckMixed(x); err != nil {
			return nil, err
		}
		if d, T := xs[0].Dims(); d != x.RawMatrix().Rows || T != x.RawMatrix().Cols {
			return nil, fmt.Errorf("signals of %d×%d and of %d×%d in one fit: want one size", d, T,
				x.RawMatrix().Rows, x.RawMatrix().Cols)
		}
		w, logDet, err := whiten(x)
		if err != nil {
			return nil, err
		}
		whitened, err := w.Apply(x)
		if err != nil {
			return nil, err
		}
		problems[i] = &problem{whitening: w, logDet: logDet, whitened: whitened}
		if rivals != nil {
			problems[i].rivals = rivals[i]
		}
		if repeats(x) {
			blur(problems[i].whitened, rand.New(rand.NewPCG(o.Seed, blurDraws<<32)))
		}
	}
	d, T := xs[0].Dims()
	o, err := o.withDefaults(d, T)
	if err != nil {
		return nil, err
	}
	index, err := o.index(whitened(problems))
	if err != nil {
		return nil, err
	}
	return programs.Attend(ctx, func(
		ctx context.Context, foreground func(func()),
	) ([]*Model, error) {
		return fitProblems(ctx, problems, index, o.reportingBy(foreground))
	})
}

// fitProblems is fitAll of checked signals.
func fitProblems(
	ctx context.Context, problems []*problem, x *index, o Options,
) ([]*Model, error) {
	t, err := newTraining(ctx, o.Backend, problems, x, o)
	if err != nil {
		return nil, err
	}
	err = t.train(ctx)
	if err != nil && ctx.Err() == nil {
		t.discard()
		return nil, err
	}
	defer t.release() // a context that ended left the program as it was
	if err != nil {
		return nil, err
	}
	models, err := t.models(ctx, problems)
	if err != nil {
		return nil, err
	}
	return t.grown(ctx, problems, models)
}

// problem is one matrix of signals.
type problem struct {
	whitening *mapping.Affine
	logDet    float64    // of the whitening
	whitened  *mat.Dense // blurred where positions repeat
	// rivals are, for each fold, the log-likelihoods of the signals before the whitening, at
	// the positions held out, under another model; nil without one.
	rivals [][]float64
}

func whitened(problems []*problem) []*mat.Dense {
	var all []*mat.Dense
	for _, p := range problems {
		all = append(all, p.whitened)
	}
	return all
}

// UnmarshalJSON reads a model and checks that it has a map.
func (m *Model) UnmarshalJSON(data []byte) error {
	type plain Model
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	if p.Map == nil {
		return errors.New("a model without a map")
	}
	*m = Model(p)
	return nil
}

// heldOut are the signals of a problem where a fold holds positions out, and as far
// before as their pasts reach.
type heldOut struct {
	x      *mat.Dense // d×n
	lags   []int
	scored []int // the columns held out
}

func newHeldOut(signals *mat.Dense, x *index, fold int) heldOut {
	positions, scored := x.around(fold)
	d, _ := signals.Dims()
	h := heldOut{mat.NewDense(d, len(positions), nil), x.lags, scored}
	for i := range d {
		from, to := signals.RawRowView(i), h.x.RawRowView(i)
		for column, t := range positions {
			to[column] = from[t]
		}
	}
	return h
}

// logLikelihoods returns those of the signals under a network and sources, in nats, at each
// position that is held out. It is computed on the host, as XLA would compile a program for it
// for longer than all its calls take.
func (h heldOut) logLikelihoods(m *mapping.Invertible, sources []*source.Model) ([]float64, error) {
	z, logDet, err := m.ApplyLogDet(h.x)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(h.scored))
	for k, t := range h.scored {
		scores[k] = logDet[t]
	}
	for i, s := range sources {
		s.LogDensities(z.RawRowView(i), h.lags, h.scored, scores)
	}
	return scores, nil
}

// whiten is the symmetric whitening of x, and the logarithm of its determinant.
func whiten(x *mat.Dense) (whitening *mapping.Affine, logDet float64, err error) {
	w, err := signal.Whiten(x)
	if err != nil {
		return nil, 0, err
	}
	for _, spread := range w.Spread {
		logDet -= math.Log(spread)
	}
	return mapping.NewSymmetric(w).Affine(), logDet, nil
}

// blurStd is the resolution of whitened signals of which several positions are
// the same, such as an image's background: without one, the density of that
// point, and with it the likelihood, has no bound, and a map gains by squeezing
// its surroundings into it. (A prior, that of the linear rule.)
const blurStd = .03

// blur adds noise of deviation blurStd to z.
func blur(z *mat.Dense, rng *rand.Rand) {
	z.Apply(func(_, _ int, v float64) float64 { return v + blurStd*rng.NormFloat64() }, z)
}

// Resolved is whitened signals z with the noise of their resolution, if some of them need
// it: where half of a signal's values are foretold by its own past to within that share of
// their spread, as those of an image's background or of a square wave, its code is as
// short as one likes; and so it is where positions repeat, as in silence or of few bits.
// Starts are compared by what they make of signals with the same noise.
func Resolved(z *mat.Dense, o Options) (*mat.Dense, error) {
	o, x, err := o.indexed(z)
	if err != nil {
		return nil, err
	}
	blurred := func() *mat.Dense {
		noisy := mat.DenseCopyOf(z)
		blur(noisy, rand.New(rand.NewPCG(o.Seed, blurDraws<<32)))
		return noisy
	}
	if repeats(z) {
		return blurred(), nil
	}
	d, _ := z.Dims()
	for i := range d {
		row := z.RawRowView(i)
		coefficients, _ := ar.Regress(row, x.lags, x.scored)
		var values, errors []float64
		for _, t := range x.scored {
			values = append(values, row[t])
			errors = append(errors, ar.Residual(coefficients, row, x.lags, t))
		}
		if deviation(errors) <= blurStd*deviation(values) {
			return blurred(), nil
		}
	}
	return z, nil
}

// deviation is the median distance of values from their median.
func deviation(values []float64) float64 {
	middle := func() float64 {
		slices.Sort(values)
		return values[len(values)/2]
	}
	m := middle()
	for k, v := range values {
		values[k] = math.Abs(v - m)
	}
	return middle()
}

// repeats tells whether x has the same values in all signals at more than one of
// a hundred positions that another has.
func repeats(x *mat.Dense) bool {
	d, T := x.Dims()
	compare := func(a, b int) int {
		for i := range d {
			if c := cmp.Compare(x.At(i, a), x.At(i, b)); c != 0 {
				return c
			}
		}
		return 0
	}
	order := make([]int, T)
	for t := range order {
		order[t] = t
	}
	slices.SortFunc(order, compare)
	same := 0
	for k := 1; k < T; k++ {
		if compare(order[k-1], order[k]) == 0 {
			same++
		}
	}
	return 100*same > T
}
