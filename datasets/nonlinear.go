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
)

// LaplaceAR draws d independent signals of T positions, d×T, each s_t =
// ρ·s_{t−1} + ε_t with Laplace innovations of variance 1: sources that their
// time structure makes identifiable behind a nonlinear mixing (A. Hyvärinen,
// H. Morioka, "Nonlinear ICA of Temporally Dependent Stationary Sources",
// AISTATS 2017, whose ρ is 0.7).
func LaplaceAR(rng *rand.Rand, d, T int, rho float64) (*mat.Dense, error) {
	if err := checkSize(d, T); err != nil {
		return nil, fmt.Errorf("datasets: LaplaceAR: %w", err)
	}
	if !(math.Abs(rho) < 1) {
		return nil, fmt.Errorf("datasets: LaplaceAR: rho is %g: need a number between -1 and 1", rho)
	}
	signals := make([]ARProcess, d)
	for i := range signals {
		signals[i] = ARProcess{Coefficients: []float64{rho}, Scale: 1, Innovation: Laplace, BurnIn: 200}
	}
	return AR(rng, T, signals...)
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

// LayeredMix returns the signals s, d×T, standardised and mixed by a network of
// random weights,
//
//	x = A_L·h(A_{L−1}·… h(A_0·s)),  L = layers
//
// with h applied to every entry and A_0 … A_L drawn by [WellConditioned]. With
// [LeakyReLU](0.2) for h this is the mixing on which Hyvärinen and Morioka
// (AISTATS 2017) test nonlinear ICA. Without layers it is linear. An h that is
// strictly monotone keeps the mixing invertible.
func LayeredMix(rng *rand.Rand, s *mat.Dense, layers int, h func(float64) float64) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if layers < 0 {
		return nil, fmt.Errorf("datasets: layered mix: layers is %d: need at least 0", layers)
	}
	if h == nil {
		return nil, errors.New("datasets: layered mix: h is nil")
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
		if x, err = LinearMix(WellConditioned(rng, d), x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// PostNonlinearMix returns h(A·s) for the standardised signals s, d×T: a linear
// mixing seen through the same monotone h in every signal (A. Taleb, C. Jutten,
// IEEE Transactions on Signal Processing 47(10), 1999). A has normal entries,
// rows of length 1 and a condition number of at most 4.
func PostNonlinearMix(rng *rand.Rand, s *mat.Dense, h func(float64) float64) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if h == nil {
		return nil, errors.New("datasets: post-nonlinear mix: h is nil")
	}
	x, err := standardised(s)
	if err != nil {
		return nil, fmt.Errorf("datasets: post-nonlinear mix: %w", err)
	}
	d, _ := x.Dims()
	if d > 8 {
		return nil, fmt.Errorf("datasets: post-nonlinear mix: %d signals: need at most 8, as random matrices of more are hardly ever of condition 4", d)
	}
	a := mat.NewDense(d, d, nil)
	for {
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		normaliseColumns(a)
		if mat.Cond(a, 2) <= 4 {
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

// WellConditioned draws a d×d matrix with entries uniform on (−1, 1) and columns
// scaled to length 1, from those whose condition number is in the lowest quarter,
// as Hyvärinen and Morioka draw their weights.
func WellConditioned(rng *rand.Rand, d int) *mat.Dense {
	most := lowConditions(d)
	for {
		if a := uniformColumns(rng, d); mat.Cond(a, 2) <= most {
			return a
		}
	}
}

var conditions struct {
	sync.Mutex
	quarter map[int]float64
}

// lowConditions is the lower quartile of the condition number of uniformColumns,
// of 2000 matrices drawn from a stream of their own.
func lowConditions(d int) float64 {
	conditions.Lock()
	defer conditions.Unlock()
	if q, ok := conditions.quarter[d]; ok {
		return q
	}
	rng := rand.New(rand.NewPCG(0, uint64(d)))
	drawn := make([]float64, 2000)
	for i := range drawn {
		drawn[i] = mat.Cond(uniformColumns(rng, d), 2)
	}
	slices.Sort(drawn)
	if conditions.quarter == nil {
		conditions.quarter = make(map[int]float64)
	}
	conditions.quarter[d] = stat.Quantile(.25, stat.Empirical, drawn, nil)
	return conditions.quarter[d]
}

func uniformColumns(rng *rand.Rand, d int) *mat.Dense {
	a := mat.NewDense(d, d, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return 2*rng.Float64() - 1 }, a)
	normaliseColumns(a)
	return a
}

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

// standardised is s with mean 0 and variance 1 in every row.
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
			return nil, fmt.Errorf("signal %d is constant", i+1)
		}
		for t, v := range row {
			row[t] = (v - mean) / std
		}
	}
	return x, nil
}
