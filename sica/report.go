package sica

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/mat"
)

// ReportOptions say what Report does.
type ReportOptions struct {
	// Shape is that of the positions; nil is the fit's, if it had as many, or a
	// sequence.
	Shape []int
	// Refits is the number of further fits that the stability is found by; 0
	// finds none.
	Refits int
	// Progress, if set, is called with a few words before each part.
	Progress func(doing string)
}

// DefaultReport has five refits.
func DefaultReport() ReportOptions { return ReportOptions{Refits: 5} }

// A Report is a diagnosis of a separation by someone who doesn't know the true
// sources. See Result.Report. In JSON a number that wasn't measured is null.
type Report struct {
	Signals   int    `json:"signals"`
	Positions int    `json:"positions"`
	Shape     []int  `json:"shape"`
	Seed      uint64 `json:"seed"`

	Verdict Verdict  `json:"verdict"`
	Reasons []string `json:"reasons"` // for the verdict, a sentence each
	Next    []string `json:"next"`    // what to try, a sentence each

	// Mixed is how far the mixed signals are from self-sufficient when they are
	// whitened, as ZCA does, Recovered how far the recovered ones are.
	Mixed     DivergenceReport `json:"mixed"`
	Recovered DivergenceReport `json:"recovered"`
	// Predictability is that of each recovered signal.
	Predictability []Predictability `json:"predictability"`
	// Pairs are all pairs of recovered signals.
	Pairs []PairReport `json:"pairs"`
	// Stability is nil without refits.
	Stability *Stability `json:"stability"`

	// What the fit says of itself; see Result.
	Iterations int        `json:"iterations"`
	Divergence []float64  `json:"divergence"`
	Loss       []float64  `json:"loss"`
	Stopped    StopReason `json:"stopped"`
	Why        string     `json:"why"`

	Elapsed time.Duration `json:"elapsed_ns"`
}

// Report says, without the truth, whether the mixed signals x, d×T, are
// separated by the result: those that it was made from, or others of their kind,
// which are recovered as Transform does. It doesn't change x.
//
// It draws from the result's seed, and is the same for the same x. It takes some
// seconds for a few signals at a thousand positions, and as many times the fit's
// time as there are refits. The refits don't write to the fit's checkpoint, and
// Config.OnIteration isn't called.
//
// x must have at least 64 positions. It is also an error if x doesn't fit the
// result, has a value that isn't finite, or if its signals or the recovered ones
// are constant or linearly dependent. If ctx ends, its error is returned.
func (r *Result) Report(ctx context.Context, x *mat.Dense, opts ReportOptions) (*Report, error) {
	report, err := r.report(ctx, x, opts)
	if err != nil {
		return nil, fmt.Errorf("sica: report: %w", err)
	}
	return report, nil
}

func (r *Result) report(ctx context.Context, x *mat.Dense, opts ReportOptions) (*Report, error) {
	begun := time.Now()
	doing := opts.Progress
	if doing == nil {
		doing = func(string) {}
	}
	z, shape, err := r.recover(x, opts)
	if err != nil {
		return nil, err
	}
	white, _, _, err := begin(x, []Transform{ZCA})
	if err != nil {
		return nil, fmt.Errorf("x: %w", err)
	}
	backend, err := r.computes()
	if err != nil {
		return nil, err
	}
	d, t := z.Dims()
	report := &Report{
		Signals: d, Positions: t, Shape: shape, Seed: r.Seed,
		Iterations: r.Iterations, Divergence: r.Divergence, Loss: r.Loss, Stopped: r.Stopped, Why: r.Why,
	}
	doing("measuring the divergence before and after")
	measured, err := reportDivergences(ctx, backend, []*mat.Dense{white, z}, shape, r.Seed)
	if err != nil {
		return nil, err
	}
	report.Mixed, report.Recovered = measured[0], measured[1]
	doing("predicting each signal from its own context and from all")
	if report.Predictability, err = reportPredictability(ctx, z, shape); err != nil {
		return nil, err
	}
	doing("turning each pair of recovered signals")
	if report.Pairs, err = reportPairs(ctx, z, shape, r.Seed); err != nil {
		return nil, err
	}
	if opts.Refits > 0 {
		doing(fmt.Sprintf("separating %d times more", opts.Refits))
		if report.Stability, err = r.stability(ctx, backend, x, z, shape, opts.Refits); err != nil {
			return nil, err
		}
	}
	report.conclude()
	report.Elapsed = time.Since(begun)
	return report, nil
}

// recover returns the signals that the result takes x to, and the shape of their
// positions.
func (r *Result) recover(x *mat.Dense, opts ReportOptions) (*mat.Dense, []int, error) {
	if opts.Refits < 0 {
		return nil, nil, fmt.Errorf("refits %d: want 0 or more", opts.Refits)
	}
	if err := checkSignals("x", x); err != nil {
		return nil, nil, err
	}
	d, t := x.Dims()
	if err := (Config{Shape: opts.Shape}).validateSignals(d, t); err != nil {
		return nil, nil, err
	}
	if t < dependencePositions {
		return nil, nil, fmt.Errorf("x has %d positions: want at least %d", t, dependencePositions)
	}
	on, err := r.follower(x, opts.Shape)
	if err != nil {
		return nil, nil, fmt.Errorf("x %w", err)
	}
	defer on.close()
	z, err := r.follow(x, on)
	if err != nil {
		return nil, nil, err
	}
	if err := checkSignals("z", z); err != nil {
		return nil, nil, err
	}
	return z, on.cfg.indexShape(t), nil
}

// computes is what the networks are evaluated on; see SetBackend.
func (r *Result) computes() (compute.Backend, error) {
	if r.backend != nil {
		return r.backend, nil
	}
	return gobackend.New("ops_sequential") // see follower.field
}

// plainReport is a Report without its methods.
type plainReport Report

// reportJSON has the numbers that may be NaN in place of a Report's own.
type reportJSON struct {
	*plainReport
	Divergence []*float64 `json:"divergence"`
	Loss       []*float64 `json:"loss"`
}

// MarshalJSON writes null for a divergence that wasn't measured.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(reportJSON{(*plainReport)(&r), nullable(r.Divergence), nullable(r.Loss)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Report) UnmarshalJSON(data []byte) error {
	read := reportJSON{plainReport: (*plainReport)(r)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	r.Divergence, r.Loss = fromNullable(read.Divergence), fromNullable(read.Loss)
	return nil
}
