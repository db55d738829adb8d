package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Stability is how little a separation depends on its seed and on the positions that it saw, as in
// ICASSO (J. Himberg, A. Hyvärinen and F. Esposito, NeuroImage 22(3), 2004). The mixed signals are
// separated several more times, each time with another seed and without another slab of positions
// along the leading axis. For long sequences without a flow, each refit first sees a part of the
// rest: 8,192 positions, in evenly spread blocks of 1,024. If the mean correlation of a signal is
// then below 0.95, the refits see all of the rest. Each refit is applied to all positions.
// Stability says whether the same signals come back, not whether they are right: whitening is
// stable even on signals that it doesn't separate.
type Stability struct {
	// MCC is the mean MCC of all pairs of recoveries, including the result.
	MCC float64 `json:"mcc"`
	// Recoveries holds the MCC of each recovery with each; the result comes first.
	Recoveries [][]float64 `json:"recoveries"`
	// Signals holds, for each recovered signal, the mean over the refits of its absolute
	// correlation with its match in the refit.
	Signals []float64 `json:"signals"`
	// LeftOut is the number of positions that each refit didn't see. It is 0 if the refits differ
	// in their seed only: for networks over the whole sequence, which can't be applied to more
	// positions than they saw, if the rest would have too few positions, and if a signal is silent
	// outside a slab.
	LeftOut int `json:"left_out"`
	// WhyAll is a clause that says why LeftOut is 0, so that refits test the seed only.
	WhyAll string `json:"why_all,omitempty"`
}

// maxLeftOut is the largest share of the positions that a refit leaves out. With a tenth the refits
// see nearly the same data, with two fifths they are fits of other data.
const maxLeftOut = 0.2

// refit separates the mixed signals x, which the result r maps to z, n more times, and reports its
// progress to p. A part of the positions suffices if all signals agree.
func refit(
	ctx context.Context, backend compute.Backend, r *sica.Result, x recording, z *mat.Dense,
	n int, p *progress,
) (*Stability, error) {
	cfg := r.Config.Clone().On(backend)
	cfg.Checkpoint = ""
	if cfg.Flow != nil {
		cfg.Flow.Budget *= time.Duration(n) // they are made together
	}
	d, _ := z.Dims()
	if channels, _ := x.x.Dims(); channels > d {
		cfg.Components = d // even if a part has a higher rank
	}
	thickness, whyAll := slabThickness(cfg, x, n)
	rests := make([]recording, n)
	for k := range n {
		rests[k] = x.withoutSlab(k, thickness)
		if thickness > 0 && !hasRank(rests[k].x, d, cfg.Rounding) {
			whyAll = silence(z, x.shape, k, thickness)
			thickness, rests = 0, slices.Repeat([]recording{x}, n)
			break
		}
	}
	cfg.Shape = rests[0].shape
	if cfg.Flow == nil {
		short := cfg
		parts := make([]recording, n)
		smaller := true
		for k, rest := range rests {
			parts[k] = part(rest)
			smaller = smaller && parts[k].x != rest.x && hasRank(parts[k].x, d, cfg.Rounding)
		}
		if smaller {
			short.Shape = parts[0].shape
			s, err := refitOn(ctx, r, parts, short, x, z, p)
			if err != nil || agree(s.Signals) {
				return s, err
			}
		}
	}
	s, err := refitOn(ctx, r, rests, cfg, x, z, p)
	if s != nil {
		s.WhyAll = whyAll
	}
	return s, err
}

// refitOn separates each of the parts of x by cfg, with another seed, applies the results to all of
// x, and compares the signals with z.
func refitOn(
	ctx context.Context, r *sica.Result, parts []recording, cfg sica.Config,
	x recording, z *mat.Dense, p *progress,
) (*Stability, error) {
	p.follow(&cfg, len(parts))
	var runs []sica.Run
	for k, part := range parts {
		runs = append(runs, sica.Run{
			X: part.x, Seed: r.Config.Seed + uint64(k) + 1, Joints: signal.Joints(part.positions)})
	}
	results, err := sica.FitRuns(ctx, runs, cfg)
	if err != nil && !errors.Is(err, sica.ErrNotFinite) { // which comes with the last good signals
		return nil, fmt.Errorf("separating %d times more (Config.Refits 0 avoids this): %w",
			len(parts), err)
	}
	n, m := len(x.positions), len(parts[0].positions)
	recoveries := []*mat.Dense{z}
	for k, result := range results {
		again := result.Z
		if m < n {
			if again, err = result.Transform(x.x, x.shape...); err != nil {
				return nil, fmt.Errorf("refit %d: %w", k+1, err)
			}
		}
		recoveries = append(recoveries, again)
	}
	s, err := compareRecoveries(recoveries)
	if err != nil {
		return nil, err
	}
	s.LeftOut = n - m
	return s, nil
}

// slabThickness returns the thickness along the leading axis of the slab that each of n refits
// leaves out; 0 if nothing may be left out, and why.
func slabThickness(c sica.Config, x recording, n int) (thickness int, whyNone string) {
	if f := c.Flow; f != nil && f.Context == klflow.WholeSequence && f.Family == klflow.Free {
		return 0, "its networks can't be applied to others"
	}
	thickness = int(float64(x.shape[0]) * min(maxLeftOut, 1/float64(n)))
	c.Shape = x.long(x.shape[0] - thickness)
	if d, _ := x.x.Dims(); c.Validate(d, grid.Product(c.Shape)) != nil {
		return 0, "the rest would be too few"
	}
	return thickness, ""
}

// silent is the least share of a signal's variance in a slab with which the signal counts as silent
// outside the slab.
const silent = 0.99

// silence returns a clause that names the signals z that are silent outside the k-th slab of the
// given thickness.
func silence(z *mat.Dense, shape []int, k, thickness int) string {
	d, n := z.Dims()
	slice := grid.Product(shape[1:])
	var signals []int
	for i := range d {
		row := z.RawRowView(i)
		mean, inside, total := stat.Mean(row, nil), 0.0, 0.0
		for t := range n {
			energy := (row[t] - mean) * (row[t] - mean)
			if total += energy; t/slice/thickness == k {
				inside += energy
			}
		}
		if inside >= silent*total {
			signals = append(signals, i)
		}
	}
	switch len(signals) {
	case 0:
		return "a signal is silent outside a part"
	case 1:
		return text.Signals(signals) + " is silent outside a part"
	}
	return text.Signals(signals) + " are silent outside a part"
}

// hasRank reports whether the mixed signals x, rounded to steps, have a rank of d or more; see
// mapping.Reduce.
func hasRank(x *mat.Dense, d int, steps []float64) bool {
	r, err := mapping.Reduce(x, d, steps)
	return err == nil && r.Rank >= d
}

// compareRecoveries compares recoveries of the same signals, all d×n. The first is the result.
func compareRecoveries(recoveries []*mat.Dense) (*Stability, error) {
	n := len(recoveries)
	s := &Stability{Recoveries: make([][]float64, n)}
	d, _ := recoveries[0].Dims()
	s.Signals = make([]float64, d)
	for a := range n {
		s.Recoveries[a] = make([]float64, n)
		s.Recoveries[a][a] = 1
		for b := range a {
			m, err := metric.MCC(recoveries[a], recoveries[b])
			if err != nil {
				return nil, err
			}
			s.Recoveries[a][b], s.Recoveries[b][a] = m.MCC, m.MCC
			s.MCC += m.MCC / float64(n*(n-1)/2)
			if b == 0 {
				for i, c := range m.Correlation {
					s.Signals[i] += math.Abs(c) / float64(n-1)
				}
			}
		}
	}
	return s, nil
}
