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

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Stability is how much a separation depends on its seed and on the positions
// that it saw, as ICASSO has it (J. Himberg, A. Hyvärinen, F. Esposito,
// NeuroImage, 2004): the mixed signals are separated several times more, each
// time with another seed and without another slab of positions along the leading
// axis, and each refit is applied to all positions. It says whether the same
// answer comes again, not whether it is right: whitening is as stable on signals
// that it doesn't separate.
type Stability struct {
	// MCC is the mean over all pairs of recoveries, the result's own among
	// them, of the MCC of one with the other.
	MCC float64 `json:"mcc"`
	// Recoveries are those pairs: the MCC of each recovery with each, the
	// result's own first.
	Recoveries [][]float64 `json:"recoveries"`
	// Signals has, for each recovered signal, the mean over the refits of its
	// correlation, without its sign, with the one that a refit pairs with it.
	Signals []float64 `json:"signals"`
	// LeftOut is the number of positions that each refit didn't see. It is 0
	// where the refits differ in their seed only: networks over the whole
	// sequence can't be applied to more positions than they saw, few positions may
	// be too few without a slab, and a signal may be silent outside one.
	LeftOut int `json:"left_out"`
}

// maxLeftOut is the most that a refit leaves out, as a share of the positions.
const maxLeftOut = 1. / 5

// stability separates the mixed signals x, which the result takes to z, refits
// times more, and has p follow.
func stability(ctx context.Context, backend compute.Backend, r *sica.Result, x, z *mat.Dense, shape []int, refits int, p *progress) (*Stability, error) {
	cfg := r.Config
	cfg.Checkpoint, cfg.Devices = "", 0
	p.follow(&cfg, refits)
	cfg.Budget *= time.Duration(refits) // which are made together
	d, _ := z.Dims()
	if channels, _ := x.Dims(); channels > d {
		cfg.Components = d // also where a part shows more
	}
	slab := slab(cfg, x, shape, refits)
	parts := make([]*mat.Dense, refits)
	for k := range refits {
		if parts[k] = withoutSlab(x, shape, k, slab); slab > 0 && !spans(parts[k], d) {
			slab, parts = 0, slices.Repeat([]*mat.Dense{x}, refits)
			break
		}
	}
	cfg.Shape = slices.Clone(shape)
	cfg.Shape[0] -= slab
	var runs []sica.Run
	for k, part := range parts {
		runs = append(runs, sica.Run{X: part, Seed: r.Seed + uint64(k) + 1})
	}
	results, err := sica.FitRuns(ctx, backend, runs, cfg)
	if err != nil && !errors.Is(err, sica.ErrNotFinite) { // with which the last good signals come
		return nil, fmt.Errorf("separating x again, %d times (0 refits do without): %w", refits, err)
	}
	recoveries := []*mat.Dense{z}
	for k, refit := range results {
		again := refit.Z
		if slab > 0 {
			if again, err = refit.Transform(x, shape...); err != nil {
				return nil, fmt.Errorf("refit %d: %w", k+1, err)
			}
		}
		recoveries = append(recoveries, again)
	}
	s, err := compareRecoveries(recoveries)
	if err != nil {
		return nil, err
	}
	s.LeftOut = slab * grid.Product(shape[1:])
	return s, nil
}

// slab is the thickness along the leading axis of what a refit leaves out, 0 if
// it must leave out nothing.
func slab(c sica.Config, x *mat.Dense, shape []int, refits int) int {
	if c.Context == sica.WholeSequence && c.Family == sica.Free {
		return 0
	}
	slab := int(float64(shape[0]) * min(maxLeftOut, 1/float64(refits)))
	c.Shape = slices.Clone(shape)
	c.Shape[0] -= slab
	if d, _ := x.Dims(); c.Validate(d, grid.Product(c.Shape)) != nil {
		return 0
	}
	return slab
}

// spans is whether as many signals can be made of the mixed signals x.
func spans(x *mat.Dense, signals int) bool {
	r, err := preprocess.Reduce(x, signals)
	return err == nil && r.Rank >= signals
}

// withoutSlab is x without the k-th slab of this thickness along the leading
// axis.
func withoutSlab(x *mat.Dense, shape []int, k, slab int) *mat.Dense {
	slice := grid.Product(shape[1:])
	return signal.WithoutColumns(x, k*slab*slice, (k+1)*slab*slice)
}

// compareRecoveries compares recoveries of the same signals, all d×T, of which
// the first is the result's.
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
