package report

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/predict"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/internal/rotate"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Pair says what SICA's criterion tells of the rotation of a pair of
// recovered signals: the sum of the entropies of their residuals from their own
// predictions (see package rotate), over the angles of a quarter turn. The signals
// are whitened first. Angles are in degrees, modulo a quarter turn.
type Pair struct {
	// Signals are the rows of the pair, counted from 0.
	Signals [2]int `json:"signals"`
	// Range is the criterion's largest value less its smallest, in nats.
	Range float64 `json:"range"`
	// Null99 is what the range of Gaussian signals of equal spectra, whose
	// criterion has no preferred angle, stays below in 99 of 100 cases.
	Null99 float64 `json:"chance"`
	// Angle is where the criterion is smallest, from −45 to 45; 0 is as
	// recovered.
	Angle float64 `json:"angle"`
	// CriterionGap is the criterion as recovered less its smallest value, in nats.
	CriterionGap float64 `json:"excess"`
	// AmbiguityAngle is the largest angle from the recovered pair, 0 to 45, at which the
	// criterion isn't larger than its smallest value by more than Null99: how
	// far the pair might be rotated and fit as well.
	AmbiguityAngle float64 `json:"open"`
	// Predictable tells that all recovered signals are so smooth that any
	// mixture of them is known from its own rest (see dependence.Measure); the
	// criterion is then that of the signals without their contexts.
	Predictable bool `json:"foreseeable"`
}

// Flat tells that no rotation of the pair fits worse than another by more than
// chance: both signals may be Gaussian with equal spectra.
func (p Pair) Flat() bool { return p.Range <= p.Null99 }

// ambiguousAngle is the angle, in degrees, by which a pair may have to be rotated to fit
// worse by more than chance.
const ambiguousAngle = 30

// Ambiguous tells that a rotation of the pair by more than 30° fits as well; see
// AmbiguityAngle.
func (p Pair) Ambiguous() bool { return p.AmbiguityAngle > ambiguousAngle }

// How pairs are looked at.
const (
	pairAngles = 18 // of a quarter turn
	// surrogates is the number of Gaussian pairs that chance is judged by, so
	// that the largest range of them is exceeded by chance in one of 100 cases.
	surrogates = 99
	// pairPositions is the most positions that are looked at: the middle of
	// longer signals, along the leading axis.
	pairPositions = 8192
)

// pairs looks at each pair of the recovered signals z.
func pairs(ctx context.Context, z *mat.Dense, g *grid.Grid, seed uint64) ([]Pair, error) {
	z, g = g.Middle(z, pairPositions)
	white, err := preprocess.Whitened(z)
	if err != nil {
		return nil, fmt.Errorf("whitening the recovered signals: %w", err)
	}
	_, predictable := predict.Own(white, g.Own())
	var found []Pair
	d, _ := white.Dims()
	for number, p := range dependence.AllPairs(d) {
		pair, err := lookAt(ctx, signal.Rows(white, p.J, p.I), g, predictable, seed, number)
		if err != nil {
			return nil, err
		}
		pair.Signals = [2]int{p.J, p.I}
		found = append(found, pair)
	}
	return found, nil
}

// lookAt looks at one pair of whitened signals, 2×T, by its number.
func lookAt(ctx context.Context, z *mat.Dense, g *grid.Grid, predictable bool, seed uint64, number int) (Pair, error) {
	ranges, err := nullRanges(ctx, z, g, predictable, seed, number)
	if err != nil {
		return Pair{}, err
	}
	values := rotate.Curve(z, g, predictable, pairAngles)
	least := slices.Min(values)
	found := Pair{Range: slices.Max(values) - least, Null99: slices.Max(ranges), CriterionGap: values[0] - least, Predictable: predictable}
	for k, v := range values {
		angle := float64(k) * 90 / pairAngles
		if angle > 45 {
			angle -= 90
		}
		if v == least {
			found.Angle = angle
		}
		if v <= least+found.Null99 {
			found.AmbiguityAngle = max(found.AmbiguityAngle, math.Abs(angle))
		}
	}
	return found, nil
}

// nullRanges are those of the criterion of surrogates of the pair.
func nullRanges(ctx context.Context, z *mat.Dense, g *grid.Grid, predictable bool, seed uint64, number int) ([]float64, error) {
	draws := func(k int) *rand.Rand { return stream.New(seed, number, k, stream.Surrogate) }
	return rotate.OverSurrogates(ctx, rotate.PooledAmplitude(z, g.Shape()), 2, g.Shape(), surrogates, draws, func(pair *mat.Dense) (float64, error) {
		values := rotate.Curve(pair, g, predictable, pairAngles)
		return slices.Max(values) - slices.Min(values), nil
	})
}
