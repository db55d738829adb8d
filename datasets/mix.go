package datasets

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// MixOptions are the settings of [Mix].
type MixOptions struct {
	// Steps is the paper's J, the number of updates, at least 0.
	Steps int
	// W is the d×d matrix of an update. Nil means [PaperW](d).
	W *mat.Dense
	// StepSize is δ of an update, not negative. 0 means 1, as in the paper's text; with 0.1 the
	// ranking of its figures is reproduced (see docs/evaluation/paper.md).
	StepSize float64
	// H is applied to every entry of W·x. Nil means the identity, the paper's linear setting;
	// [GELU] is its nonlinear setting.
	H func(float64) float64
}

// Mix returns the signals s, d×n, after Steps updates of the paper's mixing,
//
//	x⁽⁰⁾ = s,  x⁽ʲ⁾ = x⁽ʲ⁻¹⁾ + δ·h(W·x⁽ʲ⁻¹⁾)
//
// at every position. With the identity for h this is (I + δ·W)ᴶ·s. The updates make signals grow;
// it is an error if an entry overflows. Mix doesn't change s.
func Mix(s *mat.Dense, opt MixOptions) (*mat.Dense, error) {
	d, n, err := checkSignals(s)
	if err != nil {
		return nil, fmt.Errorf("datasets: mix: %w", err)
	}
	if opt.Steps < 0 {
		return nil, fmt.Errorf("datasets: mix: Steps is %d; must be at least 0", opt.Steps)
	}
	if opt.StepSize < 0 || !signal.Finite(opt.StepSize) {
		return nil, fmt.Errorf("datasets: mix: StepSize is %g; "+
			"must be finite and at least 0, 0 for 1", opt.StepSize)
	}
	w := opt.W
	if w == nil {
		if err := signal.CheckSize(d, d); err != nil {
			return nil, fmt.Errorf("datasets: mix: W for %w", err)
		}
		w = PaperW(d)
	}
	if err := checkSquare(w, d); err != nil {
		return nil, fmt.Errorf("datasets: mix: W %w", err)
	}
	x, wx := mat.DenseCopyOf(s), mat.NewDense(d, n, nil)
	for j := range opt.Steps {
		wx.Mul(w, x)
		if opt.H != nil {
			wx.Apply(func(_, _ int, v float64) float64 { return opt.H(v) }, wx)
		}
		if opt.StepSize != 0 {
			wx.Scale(opt.StepSize, wx)
		}
		x.Add(x, wx)
		if _, _, err := checkSignals(x); err != nil {
			return nil, fmt.Errorf("datasets: mix: after step %d of %d: %w", j+1, opt.Steps, err)
		}
	}
	return x, nil
}

// LinearMix returns A·s for a d×d matrix A and signals s, d×n. It is an error if an entry
// overflows. For more channels than signals use mat.Dense.Mul.
func LinearMix(A, s *mat.Dense) (*mat.Dense, error) {
	d, n, err := checkSignals(s)
	if err != nil {
		return nil, fmt.Errorf("datasets: linear mix: %w", err)
	}
	if A == nil {
		return nil, errors.New("datasets: linear mix: A is nil; must be a d×d matrix")
	}
	if err := checkSquare(A, d); err != nil {
		return nil, fmt.Errorf("datasets: linear mix: A %w", err)
	}
	x := mat.NewDense(d, n, nil)
	x.Mul(A, s)
	if _, _, err := checkSignals(x); err != nil {
		return nil, fmt.Errorf("datasets: linear mix: %w", err)
	}
	return x, nil
}

// PaperW returns the paper's W for d signals, d×d: 1 on the diagonal and 0.7
// elsewhere. It is empty if d is less than 1.
func PaperW(d int) *mat.Dense {
	if d < 1 {
		return new(mat.Dense)
	}
	w := mat.NewDense(d, d, nil)
	w.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 1
		}
		return 0.7
	}, w)
	return w
}

// GELU is the Gaussian error linear unit x·Φ(x), Φ being the distribution
// function of N(0, 1), in its exact form and not the tanh approximation
// (Hendrycks and Gimpel, arXiv:1606.08415).
func GELU(x float64) float64 {
	// Φ(x) by erfc keeps its relative precision far into the left tail, where 1 + erf cancels.
	return x * math.Erfc(-x/math.Sqrt2) / 2
}

// LeakyReLU returns the function x for x > 0 and slope·x otherwise.
func LeakyReLU(slope float64) func(float64) float64 {
	return func(x float64) float64 {
		if x > 0 {
			return x
		}
		return slope * x
	}
}

// LayeredMix returns the signals s, d×n, standardised and mixed by a network with random weights,
//
//	x = A_L·h(A_{L−1}·… h(A_0·s)),  L = layers
//
// with h applied to every entry and well-conditioned random matrices A_0 … A_L. With
// [LeakyReLU](0.2) for h this is the mixing on which Hyvärinen and Morioka (AISTATS 2017) test
// nonlinear ICA. Without layers it is linear. A strictly monotone h keeps the mixing invertible.
func LayeredMix(
	rng *rand.Rand, s *mat.Dense, layers int, h func(float64) float64,
) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if layers < 0 {
		return nil, fmt.Errorf("datasets: layered mix: layers is %d; must be at least 0", layers)
	}
	if h == nil {
		return nil, errors.New("datasets: layered mix: h is nil; must be a function")
	}
	x, err := standardised(s)
	if err != nil {
		return nil, fmt.Errorf("datasets: layered mix: %w", err)
	}
	d, _ := x.Dims()
	for l := range layers + 1 {
		if l > 0 {
			x.Apply(func(_, _ int, v float64) float64 { return h(v) }, x)
		}
		if x, err = LinearMix(wellConditioned(rng, d), x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// The matrix of a post-nonlinear mixing has a condition number of at most postNonlinearCondition.
// Random matrices of more than maxPostNonlinear signals hardly ever have that.
const (
	postNonlinearCondition = 4
	maxPostNonlinear       = 8
)

// PostNonlinearMix returns h(A·s) for the standardised signals s, d×n: a linear
// mixing seen through the same monotone h in every signal (A. Taleb, C. Jutten,
// IEEE Transactions on Signal Processing 47(10), 1999). A has normal entries,
// rows of length 1 and a condition number of at most 4.
func PostNonlinearMix(rng *rand.Rand, s *mat.Dense, h func(float64) float64) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if h == nil {
		return nil, errors.New("datasets: post-nonlinear mix: h is nil; must be a function")
	}
	x, err := standardised(s)
	if err != nil {
		return nil, fmt.Errorf("datasets: post-nonlinear mix: %w", err)
	}
	d, _ := x.Dims()
	if d > maxPostNonlinear {
		return nil, fmt.Errorf("datasets: post-nonlinear mix: %d signals; must be at most %d, "+
			"as larger random matrices hardly ever have a condition number of %d", d,
			maxPostNonlinear, postNonlinearCondition)
	}
	a := mat.NewDense(d, d, nil)
	for {
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		normaliseColumns(a)
		if mat.Cond(a, 2) <= postNonlinearCondition {
			break
		}
	}
	if x, err = LinearMix(mat.DenseCopyOf(a.T()), x); err != nil {
		return nil, err
	}
	x.Apply(func(_, _ int, v float64) float64 { return h(v) }, x)
	if _, _, err := checkSignals(x); err != nil {
		return nil, fmt.Errorf("datasets: post-nonlinear mix: %w", err)
	}
	return x, nil
}

// wellConditioned draws a d×d matrix with entries uniform on (−1, 1) and columns scaled to length
// 1, among those whose condition number is in the lowest quarter, as Hyvärinen and Morioka draw
// their weights.
func wellConditioned(rng *rand.Rand, d int) *mat.Dense {
	limit := lowerQuartile(d)
	for {
		if a := uniformColumns(rng, d); mat.Cond(a, 2) <= limit {
			return a
		}
	}
}

// quartiles caches the results of lowerQuartile by d.
var quartiles struct {
	sync.Mutex
	byD map[int]float64
}

// lowerQuartile returns the lower quartile of the condition number of uniformColumns(d), over 2000
// matrices from a separate stream. Its relative standard error is about 0.01.
func lowerQuartile(d int) float64 {
	quartiles.Lock()
	defer quartiles.Unlock()
	if q, ok := quartiles.byD[d]; ok {
		return q
	}
	rng := rand.New(rand.NewPCG(0, uint64(d)))
	drawn := make([]float64, 2000)
	for i := range drawn {
		drawn[i] = mat.Cond(uniformColumns(rng, d), 2)
	}
	slices.Sort(drawn)
	if quartiles.byD == nil {
		quartiles.byD = make(map[int]float64)
	}
	quartiles.byD[d] = stat.Quantile(0.25, stat.Empirical, drawn, nil)
	return quartiles.byD[d]
}

// uniformColumns draws a d×d matrix with entries uniform on (−1, 1), and scales columns to length
// 1.
func uniformColumns(rng *rand.Rand, d int) *mat.Dense {
	a := mat.NewDense(d, d, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return 2*rng.Float64() - 1 }, a)
	normaliseColumns(a)
	return a
}

// normaliseColumns scales the columns of a to length 1.
func normaliseColumns(a *mat.Dense) {
	_, cols := a.Dims()
	for j := range cols {
		column := mat.Col(nil, j, a)
		norm := mat.Norm(mat.NewVecDense(len(column), column), 2)
		for i, v := range column {
			a.Set(i, j, v/norm)
		}
	}
}

// standardised returns s with mean 0 and variance 1 in every row.
func standardised(s *mat.Dense) (*mat.Dense, error) {
	d, _, err := checkSignals(s)
	if err != nil {
		return nil, err
	}
	x := mat.DenseCopyOf(s)
	for i := range d {
		row := x.RawRowView(i)
		mean, std := stat.PopMeanStdDev(row, nil)
		if !(std > 0) {
			return nil, fmt.Errorf("signal %d is constant; must vary", i+1)
		}
		for t, v := range row {
			row[t] = (v - mean) / std
		}
	}
	return x, nil
}

// checkSquare returns an error unless m is a finite d×d matrix.
func checkSquare(m *mat.Dense, d int) error {
	rows, cols := m.Dims()
	if rows != d || cols != d {
		return fmt.Errorf("is %d×%d; must be %d×%d for %d signals", rows, cols, d, d, d)
	}
	for i := range d {
		for j := range d {
			if v := m.At(i, j); !signal.Finite(v) {
				return fmt.Errorf("is %v in row %d, column %d; every entry must be finite",
					v, i+1, j+1)
			}
		}
	}
	return nil
}
