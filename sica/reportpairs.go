package sica

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A PairReport says what SICA's criterion tells of the rotation of a pair of
// recovered signals: the sum of the entropies of their residuals from their own
// predictions (see rotation.go), over the angles of a quarter turn. The signals
// are whitened first. Angles are in degrees, modulo a quarter turn.
type PairReport struct {
	// Signals are the rows of the pair, counted from 0.
	Signals [2]int `json:"signals"`
	// Range is the criterion's largest value less its smallest, in nats.
	Range float64 `json:"range"`
	// Chance is what the range of Gaussian signals of equal spectra, whose
	// criterion has no preferred angle, stays below in 99 of 100 cases.
	Chance float64 `json:"chance"`
	// Angle is where the criterion is smallest, from −45 to 45; 0 is as
	// recovered.
	Angle float64 `json:"angle"`
	// Excess is the criterion as recovered less its smallest value, in nats.
	Excess float64 `json:"excess"`
	// Open is the largest angle from the recovered pair, 0 to 45, at which the
	// criterion isn't larger than its smallest value by more than Chance: how
	// far the pair might be rotated and fit as well.
	Open float64 `json:"open"`
	// Foreseeable tells that all recovered signals are so smooth that any
	// mixture of them is known from its own rest (see MeasureDependence); the
	// criterion is then that of the signals without their contexts.
	Foreseeable bool `json:"foreseeable"`
}

// Flat tells that no rotation of the pair fits worse than another by more than
// chance: both signals may be Gaussian with equal spectra.
func (p PairReport) Flat() bool { return p.Range <= p.Chance }

// leftOpen is the angle, in degrees, by which a pair may have to be rotated to fit
// worse by more than chance.
const leftOpen = 30

// IsOpen tells that a rotation of the pair by more than 30° fits as well; see
// Open.
func (p PairReport) IsOpen() bool { return p.Open > leftOpen }

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

// reportPairs looks at each pair of the recovered signals z.
func reportPairs(ctx context.Context, z *mat.Dense, shape []int, seed uint64) ([]PairReport, error) {
	z, shape = middle(z, shape, pairPositions)
	white, err := whiten(z)
	if err != nil {
		return nil, fmt.Errorf("whitening the recovered signals: %w", err)
	}
	neighbours, err := selfNeighbours(shape)
	if err != nil {
		return nil, err
	}
	_, foreseeable := selfPredictions(white, neighbours)
	c := &criterion{neighbours: neighbours, shape: shape, alone: foreseeable}
	var pairs []PairReport
	d, _ := white.Dims()
	for number, p := range allPairs(d) {
		found, err := c.report(ctx, rows(white, p.j, p.i), seed, number)
		if err != nil {
			return nil, err
		}
		found.Signals = [2]int{p.j, p.i}
		pairs = append(pairs, found)
	}
	return pairs, nil
}

// middle is at most limit positions of z, whole slices of the leading axis about
// its middle.
func middle(z *mat.Dense, shape []int, limit int) (*mat.Dense, []int) {
	d, t := z.Dims()
	slice := t / shape[0]
	keep := max(1, limit/slice)
	if keep >= shape[0] {
		return z, shape
	}
	from := (shape[0] - keep) / 2
	cut := slices.Clone(shape)
	cut[0] = keep
	return mat.DenseCopyOf(z.Slice(0, d, from*slice, (from+keep)*slice)), cut
}

// rows are two rows of z.
func rows(z *mat.Dense, i, j int) *mat.Dense {
	_, t := z.Dims()
	two := mat.NewDense(2, t, nil)
	two.SetRow(0, z.RawRowView(i))
	two.SetRow(1, z.RawRowView(j))
	return two
}

// criterion is SICA's, for pairs of whitened signals of one shape.
type criterion struct {
	neighbours [][]int32
	shape      []int
	alone      bool // the signals are foreseeable, and taken without predictions
}

// over is the criterion of the pair z, 2×T, at each of pairAngles angles of a
// quarter turn, from 0.
func (c *criterion) over(z *mat.Dense) []float64 {
	_, t := z.Dims()
	p := newPair(&rotationSearch{z: z, neighbours: c.neighbours, noise: blur(0, t), alone: c.alone}, 0, 1)
	values := make([]float64, pairAngles)
	for k := range values {
		sin, cos := math.Sincos(float64(k) * math.Pi / 2 / pairAngles)
		values[k] = p.entropy(cos, sin) + p.entropy(-sin, cos)
	}
	return values
}

// report looks at one pair, 2×T.
func (c *criterion) report(ctx context.Context, z *mat.Dense, seed uint64, number int) (PairReport, error) {
	ranges, err := c.surrogateRanges(ctx, z, seed, number)
	if err != nil {
		return PairReport{}, err
	}
	values := c.over(z)
	least := slices.Min(values)
	found := PairReport{Range: slices.Max(values) - least, Chance: slices.Max(ranges), Excess: values[0] - least, Foreseeable: c.alone}
	for k, v := range values {
		angle := float64(k) * 90 / pairAngles
		if angle > 45 {
			angle -= 90
		}
		if v == least {
			found.Angle = angle
		}
		if v <= least+found.Chance {
			found.Open = max(found.Open, math.Abs(angle))
		}
	}
	return found, nil
}

// surrogateRanges are those of the criterion of surrogates of the pair.
func (c *criterion) surrogateRanges(ctx context.Context, z *mat.Dense, seed uint64, number int) ([]float64, error) {
	draws := func(k int) *rand.Rand { return stream(seed, number, k, drawSurrogate) }
	return overSurrogates(ctx, pooledAmplitude(z, c.shape), 2, c.shape, surrogates, draws, func(pair *mat.Dense) (float64, error) {
		values := c.over(pair)
		return slices.Max(values) - slices.Min(values), nil
	})
}
