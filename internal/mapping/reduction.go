package mapping

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

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

// Reduce returns the reduction of the channels x, d×n, to their k principal components of
// largest variance. If k is 0, it is the rank of x.
//
// The rank is the number of principal components that are more than rounding. Their singular
// value is above max(d, n)·2⁻⁵² of the largest, as in numpy's matrix_rank. Their standard
// deviation is above twice that of the channels' rounding errors.
//
// The rounding errors of a channel are uniform over its resolution. That is the largest of the
// steps that apply: the one that all values are multiples of, if it is below a tenth of the
// standard deviation; that of float32, if all values are float32's; that of the significant
// digits, if all values have few; and that of float64 at the largest value.
//
// It is an error if x isn't a signal matrix of at least two positions, if a channel is constant,
// or if k is more than the rank.
func Reduce(x *mat.Dense, k int) (*Reduction, error) {
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
	var svd mat.SVD
	if !svd.Factorize(standard.T(), mat.SVDThin) {
		return nil, errors.New("preprocess: the singular value decomposition of the channels " +
			"didn't converge")
	}
	values := svd.Values(nil)
	var axes mat.Dense
	svd.VTo(&axes)
	resolution := make([]float64, d) // of each channel at variance 1
	if values[len(values)-1] < maxStep*math.Sqrt(float64(n)) {
		// Otherwise no resolution lowers the rank.
		for i := range d {
			row := x.RawRowView(i)
			resolution[i] = eps * floats.Norm(row, math.Inf(1)) / r.Scale[i]
			if step := resolutionOf(row) / r.Scale[i]; step < maxStep {
				resolution[i] = max(resolution[i], step)
			}
		}
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

// LeftOut returns the mean variance of the principal components that were left out, of the channels at
// variance 1; 0 if all but rounding are in.
func (r *Reduction) LeftOut() float64 {
	left := r.Rank - r.Components()
	if left == 0 {
		return 0
	}
	return float64(r.Channels()) * (1 - r.Explained) / float64(left)
}

// eps is the distance of 1 from the next float64.
const eps = 0x1p-52

// maxStep is the largest step, in standard deviations, that counts as a channel's rounding. A
// channel of larger steps takes few values by its nature. At this step the rounding errors are
// 0.03 standard deviations.
const maxStep = 0.1

// aboveRounding reports whether principal component k, with this axis, is more than rounding.
func aboveRounding(values []float64, k int, axis, resolution []float64, d, n int) bool {
	if !(values[k] > float64(max(d, n))*eps*values[0]) {
		return false
	}
	power := 0.0 // of errors that are uniform over a step, ±½
	for i, a := range axis {
		power += a * a * resolution[i] * resolution[i] / 12
	}
	return values[k]/math.Sqrt(float64(n)) > 2*math.Sqrt(power)
}

// resolutionOf returns the step that all values are multiples of, counted from their minimum, or
// the resolution of float32 or of few digits if all values have it; 0 if there is none.
func resolutionOf(values []float64) float64 {
	single := true
	for _, v := range values {
		single = single && v == float64(float32(v))
	}
	step := gridStep(values)
	if single {
		step = max(step, 0x1p-23*floats.Norm(values, math.Inf(1)))
	}
	return max(step, stepOfDigits(values))
}

// glancedValues is how many values gridStep looks at first. Of as many real numbers two are nearly
// always nearer to each other than a grid's. It is a choice.
const glancedValues = 1 << 16

// gridStep returns the step that all values are multiples of, counted from their minimum; 0 if there
// is none.
func gridStep(values []float64) float64 {
	if len(values) > glancedValues && smallestStep(sortedValues(values[:glancedValues])) == 0 {
		return 0
	}
	sorted := sortedValues(values)
	step := smallestStep(sorted)
	const tolerance = 1e-3 // of a step, for decimal fractions
	for _, v := range sorted {
		if steps := (v - sorted[0]) / step; !(math.Abs(steps-math.Round(steps)) <= tolerance) {
			return 0
		}
	}
	return step
}

// sortedValues returns the different values in increasing order.
func sortedValues(values []float64) []float64 {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// smallestStep returns the smallest difference of two sorted values, +Inf if there is one value; 0 if
// it is near float64's own resolution and so no grid's.
func smallestStep(sorted []float64) float64 {
	step := math.Inf(1)
	for k := 1; k < len(sorted); k++ {
		step = min(step, sorted[k]-sorted[k-1])
	}
	if step < 1e-9*(sorted[len(sorted)-1]-sorted[0]) {
		return 0
	}
	return step
}

// maxDigits is the largest number of significant decimal digits that counts as rounding. A
// float64 has 15. Its last three are 0 by chance in one value of a thousand, never in all of a
// channel.
const maxDigits = 12

// stepOfDigits returns the root mean square of the steps between numbers with as many significant
// digits as the values; 0 if a value has more than maxDigits.
func stepOfDigits(values []float64) float64 {
	digits, power := 1, 0.0
	for _, v := range values {
		for ; ; digits++ {
			if digits > maxDigits {
				return 0
			}
			text := strconv.FormatFloat(v, 'e', digits-1, 64)
			if rounded, _ := strconv.ParseFloat(text, 64); rounded == v {
				break
			}
		}
	}
	for _, v := range values {
		if v != 0 {
			step := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))+1-float64(digits))
			power += step * step
		}
	}
	return math.Sqrt(power / float64(len(values)))
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

// check returns an error unless r reduces some channels to k.
func (r *Reduction) check(k int) error {
	if r == nil || len(r.Mean) < k || len(r.Scale) != len(r.Mean) || len(r.Axes) != k*len(r.Mean) {
		return fmt.Errorf("a reduction isn't one to %d components", k)
	}
	return nil
}

// Matrices returns the matrix of Apply, k×d, which multiplies x − Mean, and that of Invert, d×k,
// which multiplies y.
func (r *Reduction) Matrices() (there, back *mat.Dense) {
	there, back = mat.DenseCopyOf(r.axes().T()), mat.DenseCopyOf(r.axes())
	for i, scale := range r.Scale {
		for k := range r.Components() {
			there.Set(k, i, there.At(k, i)/scale)
			back.Set(i, k, back.At(i, k)*scale)
		}
	}
	return there, back
}
