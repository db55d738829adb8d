package linear

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// A mixture is the whitened mixed signals with the settings of their separation. It has a unit of
// its own, in which squares of the mixed signals neither overflow nor underflow.
type mixture struct {
	white     *pca.Whitening
	unit      float64   // in the unit of the mixed signals: a power of two, which rounds nothing
	shape     []int     // sides of the grid of positions
	power     bandPower // of a sequence; nil for images
	bandwidth float64   // share of the original frequencies that white contains
	cfg       Config
}

// newMixture whitens the mixed signals. A sequence without power at high frequencies is reduced to
// the lower rate that suffices.
func newMixture(signals *ica.Signals, cfg Config) (*mixture, error) {
	white, err := signals.Whitening()
	if err != nil {
		return nil, err
	}
	_, exponent := math.Frexp(white.Spread[0])
	unit := math.Ldexp(1, exponent)
	cfg.Noise = cfg.Noise / unit / unit
	x := &mixture{
		white: inUnit(white, unit), unit: unit, shape: signals.Shape(), bandwidth: 1, cfg: cfg,
	}
	if len(x.shape) > 1 {
		return x, nil
	}
	x = x.replaced(signal.Crossfade(white.White, signals.Joints()))
	x.power = newBandPower(x.white.White)
	d, n := x.white.White.Dims()
	minShare := float64(max(minLowered, minBriefPositions*d)) / float64(n)
	share := max(x.power.occupiedShare(), minShare)
	if share < maxOccupied {
		x = x.replaced(lowpassed(x.white.White, share))
		x.power, x.bandwidth = newBandPower(x.white.White), share
	}
	return x, nil
}

// inUnit returns the whitening w of the same signals in the given unit.
func inUnit(w *pca.Whitening, unit float64) *pca.Whitening {
	scaled := *w
	scaled.Matrix, scaled.Inverse = new(mat.Dense), new(mat.Dense)
	scaled.Matrix.Scale(unit, w.Matrix)
	scaled.Inverse.Scale(1/unit, w.Inverse)
	scaled.Spread = floats.ScaleTo(make([]float64, len(w.Spread)), 1/unit, w.Spread)
	scaled.Mean = floats.ScaleTo(make([]float64, len(w.Mean)), 1/unit, w.Mean)
	return &scaled
}

// restoreUnit converts the solution s to the unit of the mixed signals, and its code lengths, which
// are those of the white signals, to those of the mixed signals.
func (x *mixture) restoreUnit(s *Solution) {
	floats.Scale(x.unit, s.Mean)
	s.Demixing.Scale(1/x.unit, s.Demixing)
	s.Symmetric.Scale(1/x.unit, s.Symmetric)
	var whitening mat.Dense // symmetric, of the mixed signals
	whitening.Mul(x.white.Axes().T(), x.white.Matrix)
	whitening.Scale(1/x.unit, &whitening)
	logDet, _ := mat.LogDet(&whitening)
	s.CodeLength -= logDet
	s.Whitening -= logDet
}

// replaced returns a copy of x with the white sequences z, d×n, and the power of x.
func (x *mixture) replaced(z *mat.Dense) *mixture {
	_, n := z.Dims()
	other, white := *x, *x.white
	white.White = z
	other.white, other.shape = &white, []int{n}
	return &other
}

// separator returns the separator of the symmetrically whitened signals with the past p, after
// addNoise with noiseMatrix.
func (x *mixture) separator(
	ctx context.Context, noiseMatrix *mat.Dense, p *past.Past,
) (*separator, error) {
	a := x.white.Axes()
	z, whitening, inverse := x.white.Symmetric(), new(mat.Dense), new(mat.Dense)
	whitening.Mul(a.T(), x.white.Matrix)
	inverse.Mul(x.white.Inverse, a)
	addNoise(z, noiseMatrix, x.cfg.Seed)
	s, err := newSeparator(ctx, z, p)
	if err != nil {
		return nil, err
	}
	s.whitening, s.inverse, s.mean = whitening, inverse, x.white.Mean
	s.seed, s.sameUnit = x.cfg.Seed, x.cfg.PrincipalComponents
	return s, nil
}

// sphericalNoise returns the matrix, as for addNoise, of independent noise with the standard
// deviation std in each of d signals.
func sphericalNoise(d int, std float64) *mat.Dense {
	m := rotation.Identity(d)
	m.Scale(std, m)
	return m
}

// addNoise adds matrix·w to the signals z, d×n, where matrix is d×d and w is white Gaussian noise
// of variance 1 drawn from seed.
func addNoise(z, matrix *mat.Dense, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x6c696e656172)) // "linear"
	d, n := z.Dims()
	drawn := make([]float64, n)
	for j := range d {
		for t := range drawn {
			drawn[t] = rng.NormFloat64()
		}
		for i := range d {
			if matrix.At(i, j) != 0 {
				floats.AddScaled(z.RawRowView(i), matrix.At(i, j), drawn)
			}
		}
	}
}
