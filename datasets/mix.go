package datasets

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// MixOptions are the settings of [Mix].
type MixOptions struct {
	// Steps is the paper's J, the number of updates, at least 0.
	Steps int
	// W is the d×d matrix of an update. Nil is [PaperW](d).
	W *mat.Dense
	// StepSize is δ of an update, not negative. 0 is 1, as the paper's text has
	// it; with 0.1 the order of its figures comes out (see docs/paper.md).
	StepSize float64
	// H is applied to every entry of W·x. Nil is the identity, the paper's
	// linear setting; [GELU] is its nonlinear one.
	H func(float64) float64
}

// Mix returns the signals s, d×T, after Steps updates of the paper's mixing,
//
//	x⁽⁰⁾ = s,  x⁽ʲ⁾ = x⁽ʲ⁻¹⁾ + δ·h(W·x⁽ʲ⁻¹⁾)
//
// at every position. With the identity for h this is (I + δ·W)ᴶ·s. The updates
// make signals grow; Mix fails if an entry overflows. It leaves s as it is.
func Mix(s *mat.Dense, opt MixOptions) (*mat.Dense, error) {
	d, T, err := checkSignals(s)
	if err != nil {
		return nil, fmt.Errorf("datasets: mix: %w", err)
	}
	if opt.Steps < 0 {
		return nil, fmt.Errorf("datasets: mix: Steps is %d: need at least 0", opt.Steps)
	}
	if opt.StepSize < 0 || !finite(opt.StepSize) {
		return nil, fmt.Errorf("datasets: mix: StepSize is %g: need a finite number that isn't negative, 0 for 1", opt.StepSize)
	}
	w := opt.W
	if w == nil {
		if err := checkSize(d, d); err != nil {
			return nil, fmt.Errorf("datasets: mix: W for %w", err)
		}
		w = PaperW(d)
	}
	if err := checkSquare(w, d); err != nil {
		return nil, fmt.Errorf("datasets: mix: W %w", err)
	}
	x, wx := mat.DenseCopyOf(s), mat.NewDense(d, T, nil)
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

// LinearMix returns A·s for a d×d matrix A and signals s, d×T. It fails if an
// entry overflows.
func LinearMix(A, s *mat.Dense) (*mat.Dense, error) {
	d, T, err := checkSignals(s)
	if err != nil {
		return nil, fmt.Errorf("datasets: linear mix: %w", err)
	}
	if A == nil {
		return nil, errors.New("datasets: linear mix: A is nil")
	}
	if err := checkSquare(A, d); err != nil {
		return nil, fmt.Errorf("datasets: linear mix: A %w", err)
	}
	x := mat.NewDense(d, T, nil)
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
	// Φ(x) by erfc keeps its relative precision far into the left tail, where
	// 1 + erf would cancel.
	return x * math.Erfc(-x/math.Sqrt2) / 2
}

func checkSquare(m *mat.Dense, d int) error {
	rows, cols := m.Dims()
	if rows != d || cols != d {
		return fmt.Errorf("is %d×%d: need %d×%d for %d signals", rows, cols, d, d, d)
	}
	for i := range d {
		for j := range d {
			if v := m.At(i, j); !finite(v) {
				return fmt.Errorf("is %v in row %d, column %d: every entry must be finite", v, i+1, j+1)
			}
		}
	}
	return nil
}
