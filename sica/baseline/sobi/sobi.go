// Package sobi separates linearly mixed signals by their spectra: second-order blind
// identification.
//
// The names to know are Default and Config, which is an ica.Method:
//
//	model, err := ica.Separate(ctx, sobi.Default(), x)
//
// The cross-covariances of independent sources are 0 at every lag, and the method rotates the
// whitened signals to approach this. It separates Gaussian sources, too, but not sources with equal
// spectra, such as two white sources. With the lag 1 alone, Lags: []int{1}, it is AMUSE (L. Tong
// and others, 1991).
//
// Reference: A. Belouchrani, K. Abed-Meraim, J.-F. Cardoso and E. Moulines, "A blind source
// separation technique using second-order statistics", IEEE Transactions on Signal Processing
// 45(2), 434–444, 1997.
package sobi

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/jointdiag"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/rival"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Config holds the settings of SOBI. It is an ica.Method. Begin with Default.
type Config struct {
	// Lags are the lags of the covariances in positions, each from 1 to n−1. Nil means all from 1
	// to 100, or to ⌈n/3⌉ if that is less.
	Lags []int

	// Tolerance is an angle in radians: a sweep that rotates each pair of signals by less is the
	// last. 0 means 0.01/√n, a hundredth of the standard error of an angle.
	Tolerance float64

	// MaxSweeps is the maximum number of sweeps over all pairs of signals, at least 1.
	MaxSweeps int
}

// Default returns the lags and the tolerance of SOBI in EEGLAB, a widely used program, and at
// most 100 sweeps.
func Default() Config { return Config{MaxSweeps: 100} }

// Name returns "sobi".
func (Config) Name() string { return "sobi" }

// Fit separates the mixed signals. It rotates the whitened signals so that their covariances
// at all lags are jointly as diagonal as possible. The positions are read as a sequence, an
// image row after row. The recovered signals have variance 1. It takes O(d²·n) operations for
// each lag, and O(d³) for each lag in a sweep.
//
// It is an error if a setting is out of range, if x can't be whitened, or if ctx ends. The
// model is linear, and its iterations are sweeps.
func (c Config) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	return rival.Demix(ctx, c.Name(), c.validate(x.Dims()), x, c.demix)
}

func (c Config) demix(ctx context.Context, white *mat.Dense) (*mat.Dense, ica.Convergence, error) {
	_, n := white.Dims()
	covariances, err := laggedCovariances(ctx, white, c.lags(n))
	if err != nil {
		return nil, ica.Convergence{}, err
	}
	return rival.Diagonalise(ctx, "SOBI", covariances, n, c.Tolerance, c.MaxSweeps)
}

// validate returns an error for the first setting that is out of range for n positions.
func (c Config) validate(_, n int) error {
	if c.Lags != nil && len(c.Lags) == 0 {
		return errors.New("Lags: are empty; must be at least one, or nil for the default")
	}
	for i, lag := range c.Lags {
		if lag < 1 || lag >= n {
			return fmt.Errorf("Lags: has %d; must be from 1 to %d for %d positions", lag, n-1, n)
		}
		if slices.Contains(c.Lags[:i], lag) {
			return fmt.Errorf("Lags: has %d twice; must have each once", lag)
		}
	}
	return rival.CheckSweeps(c.Tolerance, c.MaxSweeps)
}

// lags returns Lags, or the default for n positions.
func (c Config) lags(n int) []int {
	if c.Lags != nil {
		return c.Lags
	}
	return jointdiag.Lags(n)
}

// blockWidth is the number of positions that are processed at a time, so that they are read
// from a fast cache for all lags: 160 KiB for ten signals. Twice or half of it makes no
// difference to the result.
const blockWidth = 2048

// laggedCovariances returns the symmetric parts of the covariances of the centred signals z,
// d×n, at each lag τ:
//
//	1/(n−τ)·Σ z(t)·z(t+τ)ᵀ.
//
// The covariances of independent sources are symmetric up to sampling error. They are computed as
// sums over the positions: Fourier transforms, as in past.LaggedProducts, would take too much
// memory for lags near n.
func laggedCovariances(ctx context.Context, z *mat.Dense, lags []int) ([]*mat.SymDense, error) {
	d, n := z.Dims()
	sums := make([]*mat.Dense, len(lags))
	for k := range sums {
		sums[k] = mat.NewDense(d, d, nil)
	}
	var product mat.Dense
	for first := 0; first < n; first += blockWidth {
		for k, lag := range lags {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			end := min(first+blockWidth, n-lag)
			if end <= first {
				continue
			}
			product.Mul(z.Slice(0, d, first, end), z.Slice(0, d, first+lag, end+lag).T())
			sums[k].Add(sums[k], &product)
		}
	}
	covariances := make([]*mat.SymDense, len(lags))
	for k, lag := range lags {
		covariances[k] = mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				sum := sums[k].At(i, j) + sums[k].At(j, i)
				covariances[k].SetSym(i, j, sum/2/float64(n-lag))
			}
		}
	}
	return covariances, nil
}
