package mapping

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/rounding"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Reduction is the map y = Axesᵀ·((x − Mean)/Scale) of d channels to k ≤ d principal components
// of the channels at variance 1. Invert returns the nearest channels of rank k.
type Reduction struct {
	Mean  []float64 `json:"mean"`  // of each channel
	Scale []float64 `json:"scale"` // its standard deviation
	Axes  []float64 `json:"axes"`  // d×k, orthonormal columns, row-major
	// Explained is the share of the channels' variance in the components, with the channels at
	// variance 1.
	Explained float64 `json:"explained"`
	// Rank is the numerical rank of the channels; see Reduce.
	Rank int `json:"rank"`
}

// Reduce returns the reduction of the channels x, d×n, to their k principal components of largest
// variance. If k is 0, it is the rank of x.
//
// The rank is the number of principal components that are more than rounding: their singular value
// exceeds max(d, n)·2⁻⁵² of the largest, as in numpy's matrix_rank, and their standard deviation
// exceeds twice that of the channels' rounding errors.
//
// The rounding errors of a channel are uniform over its resolution, rounding.Step. For filtered
// channels, steps are the resolutions before the filter, which doesn't amplify rounding errors but
// hides the steps; nil for none. The larger step counts.
//
// It is an error if x isn't a signal matrix of at least two positions, if a channel is constant, or
// if k exceeds the rank.
func Reduce(x *mat.Dense, k int, steps []float64) (*Reduction, error) {
	if err := signal.Check("x", x); err != nil {
		return nil, fmt.Errorf("preprocess: %w", err)
	}
	d, n := x.Dims()
	r := &Reduction{Mean: make([]float64, d), Scale: make([]float64, d)}
	standard := mat.DenseCopyOf(x)
	for i := range d {
		row := standard.RawRowView(i)
		r.Mean[i], r.Scale[i] = stat.PopMeanStdDev(row, nil)
		if err := standardiseSignal(row); err != nil {
			return nil, fmt.Errorf("preprocess: signal %d: %w", i+1, err)
		}
		floats.AddConst(-stat.Mean(row, nil), row) // the rounding error of a large mean
	}
	// The standardised channels are L·Q with orthonormal rows of Q, which don't affect their axes.
	decomposed := standard
	if d <= n {
		decomposed = signal.Lower(standard)
	}
	var svd mat.SVD
	if !svd.Factorize(decomposed.T(), mat.SVDThin) {
		return nil, errors.New("preprocess: the singular value decomposition of the channels " +
			"didn't converge")
	}
	values := svd.Values(nil)
	var axes mat.Dense
	svd.VTo(&axes)
	resolution := make([]float64, d) // of each channel at variance 1
	if values[len(values)-1] < rounding.MaxStep*math.Sqrt(float64(n)) {
		// Otherwise no resolution of the channels as they are lowers the rank.
		for i := range d {
			resolution[i] = rounding.Step(x.RawRowView(i)) / r.Scale[i]
		}
	}
	for i, step := range steps {
		resolution[i] = max(resolution[i], minResolution, min(step/r.Scale[i], maxResolution))
	}
	for r.Rank < len(values) {
		axis := mat.Col(nil, r.Rank, &axes)
		if !aboveRounding(values, r.Rank, axis, resolution, d, n) {
			break
		}
		r.Rank++
	}
	if k == 0 {
		k = r.Rank
	}
	if k < 1 || k > r.Rank {
		return nil, fmt.Errorf("preprocess: components: are %d of %d channels of rank %d; must be "+
			"1 to %[3]d", k, d, r.Rank)
	}
	r.Axes = mat.DenseCopyOf(axes.Slice(0, d, 0, k)).RawMatrix().Data
	r.Explained = floats.Dot(values[:k], values[:k]) / floats.Dot(values, values)
	return r, nil
}

// LeftOut returns the mean variance of the principal components that were left out, for channels of
// variance 1; 0 if all but rounding were kept.
func (r *Reduction) LeftOut() float64 {
	left := r.Rank - r.Components()
	if left == 0 {
		return 0
	}
	return float64(r.Channels()) * (1 - r.Explained) / float64(left)
}

// ChannelShares returns the shares of the channels' variances that are explained by the given
// shares of the variances of the components y, k×n.
func (r *Reduction) ChannelShares(y *mat.Dense, shares []float64) []float64 {
	all, axes := make([]float64, r.Channels()), r.axes()
	for k, share := range shares {
		variance := share * stat.PopVariance(y.RawRowView(k), nil)
		for i := range all {
			all[i] += variance * axes.At(i, k) * axes.At(i, k)
		}
	}
	return all
}

// The bounds of the resolution of a channel before a filter, in standard deviations of the channel
// after it. The filter itself rounds: a high-pass at 0.05 Hz, at a rate of 1000 Hz, amplifies the
// rounding of float64 to 1e-11. Without the upper bound, a channel that is only rounding after the
// filter, because it was all drift, would hide all weaker principal components.
const minResolution, maxResolution = 1e-9, 1

// aboveRounding reports whether principal component k, with the given axis, is more than rounding.
func aboveRounding(values []float64, k int, axis, resolution []float64, d, n int) bool {
	if !(values[k] > float64(max(d, n))*rounding.Eps*values[0]) {
		return false
	}
	power := 0.0 // of errors that are uniform over a step, ±½
	for i, a := range axis {
		power += a * a * resolution[i] * resolution[i] / 12
	}
	return values[k]/math.Sqrt(float64(n)) > 2*math.Sqrt(power)
}

// Channels returns d.
func (r *Reduction) Channels() int { return len(r.Mean) }

// Components returns k.
func (r *Reduction) Components() int { return len(r.Axes) / len(r.Mean) }

func (r *Reduction) axes() *mat.Dense { return mat.NewDense(r.Channels(), r.Components(), r.Axes) }

// Apply returns the components, k×n, of channels x, d×n.
func (r *Reduction) Apply(x *mat.Dense) (*mat.Dense, error) {
	standard := signal.Added(x, r.Mean, -1)
	for i, scale := range r.Scale {
		floats.Scale(1/scale, standard.RawRowView(i))
	}
	var y mat.Dense
	y.Mul(r.axes().T(), standard)
	return &y, nil
}

// Invert returns the channels, d×n, of components y, k×n.
func (r *Reduction) Invert(y *mat.Dense) (*mat.Dense, error) {
	var x mat.Dense
	x.Mul(r.axes(), y)
	for i, scale := range r.Scale {
		floats.Scale(scale, x.RawRowView(i))
	}
	return signal.Added(&x, r.Mean, 1), nil
}

// check returns an error unless r reduces channels to k components.
func (r *Reduction) check(k int) error {
	if r == nil || len(r.Mean) < k || len(r.Scale) != len(r.Mean) || len(r.Axes) != k*len(r.Mean) {
		return fmt.Errorf("a reduction isn't one to %d components", k)
	}
	return nil
}

// Matrices returns the matrix of Apply, k×d, and that of Invert, d×k; see Linear.
func (r *Reduction) Matrices() (w, a *mat.Dense, centre, offset []float64, err error) {
	w, a = mat.DenseCopyOf(r.axes().T()), mat.DenseCopyOf(r.axes())
	for i, scale := range r.Scale {
		for k := range r.Components() {
			w.Set(k, i, w.At(k, i)/scale)
			a.Set(i, k, a.At(i, k)*scale)
		}
	}
	return w, a, r.Mean, make([]float64, r.Components()), nil
}
