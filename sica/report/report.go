package report

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Options say what Of does.
type Options struct {
	// Shape is that of the positions; nil is the fit's, if it had as many, or a
	// sequence.
	Shape []int
	// Refits is the number of further fits that the stability is found by; 0
	// finds none. Each takes as long as the fit did.
	Refits int
	// Progress, if set, is called as the report is made: with what is being done, in a
	// few words, and with how much of the report is done, 0 to 1, which never falls. The
	// parts' shares are rough.
	Progress func(doing string, fraction float64)
}

// Default has two refits.
func Default() Options { return Options{Refits: 2} }

// A Report is a diagnosis of a separation by someone who doesn't know the true
// sources. See Of. In JSON a number that wasn't measured is null.
type Report struct {
	Signals   int    `json:"signals"`
	Positions int    `json:"positions"`
	Shape     []int  `json:"shape"`
	Seed      uint64 `json:"seed"`
	// Outliers are the positions, from 0, that were left out, found in the signals that the
	// report is on as sica.Result.Outliers are in those of the fit.
	Outliers []int `json:"outliers,omitempty"`

	Verdict Verdict  `json:"verdict"`
	Reasons []string `json:"reasons"` // for the verdict, a sentence each
	Next    []string `json:"next"`    // what to try, a sentence each

	// Shares has, for each recovered signal, the share of the mixed signals' variance that
	// it makes up, each of them brought to variance 1: that of its pattern, by which
	// least squares make the mixed signals of the recovered ones.
	Shares []float64 `json:"shares"`
	// Doubts says of each recovered signal, in a few words each, why it isn't to be relied
	// on; one without is, as far as can be told. See Verdict.
	Doubts [][]string `json:"doubts"`

	// Mixed is how far the mixed signals are from self-sufficient when they are
	// whitened, as ZCA does, Recovered how far the recovered ones are.
	Mixed     Divergence `json:"mixed"`
	Recovered Divergence `json:"recovered"`
	// Predictability is that of each recovered signal.
	Predictability []Predictability `json:"predictability"`
	// Linear says which pairs of the recovered signals the data tell apart, and how
	// well.
	Linear Linear `json:"linear"`
	// Halves is nil where half of the positions is too short.
	Halves *Halves `json:"halves"`
	// Stability is nil without refits, asked for or possible.
	Stability *Stability `json:"stability"`
	// NotRefitted says why refits that were asked for weren't made, if they weren't: the
	// result lacks functions of the fit (sica.Result.Missing).
	NotRefitted string `json:"not_refitted,omitempty"`

	// What the fit says of itself; see Result.
	Iterations int         `json:"iterations"`
	Divergence sica.Curve  `json:"divergence"`
	Loss       sica.Curve  `json:"loss"`
	Stopped    sica.Status `json:"stopped"`
	Why        string      `json:"why"`
	// Network is nil if no network made the signals; see Result.
	Network *sica.Network `json:"network,omitempty"`

	Elapsed time.Duration `json:"elapsed_ns"`
}

// Of says, without the truth, whether the mixed signals x, d×T, are separated by the
// result: those that it was made from, or others of their kind, which are recovered
// as its Transform does. Networks are trained on the backend. It doesn't change x.
//
// It draws from the result's seed, and is the same for the same x. It takes some
// seconds for a few signals at a thousand positions, and as many times the fit's
// time as there are refits. The refits don't write to the fit's checkpoint, and
// Running.OnIteration isn't called.
//
// x must have at least 64 positions. It is also an error if x doesn't fit the
// result, has a value that isn't finite, or if its signals or the recovered ones are constant or
// the recovered ones linearly dependent. If ctx ends, its error is returned.
func Of(ctx context.Context, backend compute.Backend, r *sica.Result, x *mat.Dense, opts Options) (*Report, error) {
	report, err := of(ctx, backend, r, x, opts)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return report, nil
}

func of(ctx context.Context, backend compute.Backend, r *sica.Result, x *mat.Dense, opts Options) (*Report, error) {
	begun := time.Now()
	p := &progress{tell: opts.Progress}
	first := 1 / float64(1+opts.Refits) // what isn't refits, at a guess
	if r == nil {
		return nil, errors.New("the result is nil; make one with sica.Fit or sica.Load")
	}
	g, err := opts.index(r, x)
	if err != nil {
		return nil, err
	}
	z, err := r.Transform(x, g.Shape()...)
	if err != nil {
		return nil, err
	}
	d, t := z.Dims()
	outliers, err := outliersOf(x, d, g)
	if err != nil {
		return nil, err
	}
	if outliers != nil {
		x = outlier.Mend(x, outliers)
		if z, err = r.Transform(x, g.Shape()...); err != nil {
			return nil, err
		}
	}
	if err := signal.Check("z", z); err != nil {
		return nil, err
	}
	white, err := whitened(ctx, x, d)
	if err != nil {
		return nil, fmt.Errorf("x: %w", err)
	}
	report := &Report{
		Signals: d, Positions: t, Shape: g.Shape(), Seed: r.Seed, Outliers: outliers,
		Iterations: r.Iterations, Divergence: r.Divergence, Loss: r.Loss, Stopped: r.Stopped, Why: r.Why, Network: r.Network,
	}
	if report.Shares, err = shares(x, z); err != nil {
		return nil, err
	}
	p.part("measuring the divergence before and after", .7*first)
	measured, err := divergences(ctx, backend, []*mat.Dense{white, z}, g, r.Seed)
	if err != nil {
		return nil, err
	}
	p.done()
	report.Mixed, report.Recovered = measured[0], measured[1]
	p.part("predicting each signal from its own context and from all", .8*first)
	if report.Predictability, err = predictability(ctx, z, g); err != nil {
		return nil, err
	}
	p.done()
	p.part("looking for another rotation of the recovered signals", .9*first)
	if report.Linear, err = separateAgain(ctx, z, g, r.Seed); err != nil {
		return nil, err
	}
	p.done()
	p.part("separating each half of the positions by itself", first)
	if report.Halves, err = halves(ctx, z, g, r.Seed); err != nil {
		return nil, err
	}
	p.done()
	if missing := r.Missing(); opts.Refits > 0 && len(missing) > 0 {
		report.NotRefitted = fmt.Sprintf("No refits were made: the fit had the caller's own %s, which a saved result doesn't hold. Set them in Result.Config, or save what the report says when the fit is made.", strings.Join(missing, " and "))
	} else if opts.Refits > 0 {
		p.part(fmt.Sprintf("separating %d times more", opts.Refits), 1)
		if report.Stability, err = stability(ctx, backend, r, x, z, g.Shape(), opts.Refits, p); err != nil {
			return nil, err
		}
	}
	p.done()
	p.part("concluding", 1)
	report.conclude()
	report.Elapsed = time.Since(begun)
	return report, nil
}

// shares are those of the variance of x, each row brought to variance 1, that the patterns
// of z's signals make up: the columns of the matrix by which least squares make x of z.
func shares(x, z *mat.Dense) ([]float64, error) {
	channels, _ := x.Dims()
	d, _ := z.Dims()
	scaled, err := preprocess.Standardised(x)
	if err != nil {
		return nil, err
	}
	unit, err := preprocess.Standardised(z)
	if err != nil {
		return nil, err
	}
	var cov, cross, patterns mat.Dense
	cov.Mul(unit, unit.T())
	cross.Mul(unit, scaled.T())
	if err := patterns.Solve(&cov, &cross); err != nil && !errors.As(err, new(mat.Condition)) {
		return nil, fmt.Errorf("z: %w", err)
	}
	found := make([]float64, d)
	for i := range found {
		row := patterns.RawRowView(i)
		found[i] = floats.Dot(row, row) / float64(channels)
	}
	return found, nil
}

// reduced are x, or of more mixed signals than the k recovered ones their k principal components.
func reduced(x *mat.Dense, k int) (*mat.Dense, error) {
	if d, _ := x.Dims(); d <= k {
		return x, nil
	}
	r, err := preprocess.Reduce(x, k)
	if err != nil {
		return nil, err
	}
	return r.Apply(x)
}

// outliersOf are those of x, reduced to k, which the result needn't have been made from.
func outliersOf(x *mat.Dense, k int, g *grid.Grid) ([]int, error) {
	x, err := reduced(x, k)
	if err != nil {
		return nil, fmt.Errorf("x: %w", err)
	}
	return outlier.Find(x, g), nil
}

// whitened are x whitened as ZCA does, reduced to k.
func whitened(ctx context.Context, x *mat.Dense, k int) (*mat.Dense, error) {
	x, err := reduced(x, k)
	if err != nil {
		return nil, err
	}
	white, _, _, err := preprocess.Begin(ctx, x, []preprocess.Transform{preprocess.ZCA})
	return white, err
}

// index is that of x's positions, if x can be reported on.
func (opts Options) index(r *sica.Result, x *mat.Dense) (*grid.Grid, error) {
	if opts.Refits < 0 {
		return nil, fmt.Errorf("refits %d: want 0 or more", opts.Refits)
	}
	if err := signal.Check("x", x); err != nil {
		return nil, err
	}
	_, t := x.Dims()
	if t < dependence.MinPositions {
		return nil, fmt.Errorf("x has %d positions: want at least %d", t, dependence.MinPositions)
	}
	shape := opts.Shape
	if len(shape) == 0 && grid.Product(r.Shape) == t {
		shape = r.Shape
	}
	return grid.New(shape, t)
}
