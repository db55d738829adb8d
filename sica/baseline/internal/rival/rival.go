// Package rival has the shared parts of Fit of the rivals, the methods below sica/baseline: the
// order of the checks, the whitening, the check of the result, and the name of the method in
// errors.
//
// The functions to know are Fit, for any method, Demix, for linear ones, and Diagonalise,
// for those that diagonalise matrices jointly.
package rival

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/jointdiag"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Fit returns the model of fit. It is an error if x isn't valid, if ctx has ended, or if a
// recovered signal isn't finite. invalid is the error of the method's settings, or nil. Errors
// begin with name.
func Fit(
	ctx context.Context, name string, invalid error, x *ica.Signals, fit func() (*ica.Model, error),
) (*ica.Model, error) {
	invalid = cmp.Or(x.Validate(), signal.OfKind(invalid, ica.ErrConfig))
	m, err := checked(ctx, invalid, fit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func checked(
	ctx context.Context, invalid error, fit func() (*ica.Model, error),
) (*ica.Model, error) {
	if invalid != nil {
		return nil, invalid
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m, err := fit()
	if err != nil {
		return nil, err
	}
	return m, signal.CheckFinite(m.Signals)
}

// Demix is Fit for a linear method. demix must return the demixing w, d×d, of the white signals,
// d×n, and how its iterations ended.
func Demix(
	ctx context.Context, name string, invalid error, x *ica.Signals,
	demix func(ctx context.Context, white *mat.Dense) (*mat.Dense, ica.Convergence, error),
) (*ica.Model, error) {
	return Fit(ctx, name, invalid, x, func() (*ica.Model, error) {
		white, err := x.Whitening()
		if err != nil {
			return nil, err
		}
		w, end, err := demix(ctx, white.White)
		if err != nil {
			return nil, err
		}
		return ica.Demix(x, w, end)
	})
}

// CheckStart returns an error unless start, an initial demixing of d white signals, is nil or d×d,
// finite and invertible.
func CheckStart(start *mat.Dense, d int) error {
	if start == nil {
		return nil
	}
	if rows, columns := start.Dims(); rows != d || columns != d {
		return fmt.Errorf("Start: is %d×%d; must be %d×%d for %d signals", rows, columns, d, d, d)
	}
	for i := range d {
		for j, v := range start.RawRowView(i) {
			if !signal.Finite(v) {
				return fmt.Errorf("Start: the value in row %d, column %d is %g; must be finite",
					i+1, j+1, v)
			}
		}
	}
	if !(mat.Cond(start, 2) < maxCondition) {
		return errors.New("Start: is singular, or nearly; must be invertible")
	}
	return nil
}

// maxCondition is the largest condition number of a start. The inverse of a float64 matrix
// then has about four correct digits; half or twice of it changes that by a third of a digit.
const maxCondition = 1e12

// CheckSweeps returns an error unless the tolerance, in radians, and the number of sweeps are valid
// for Diagonalise.
func CheckSweeps(tolerance float64, maxSweeps int) error {
	switch {
	case !(tolerance >= 0) || math.IsInf(tolerance, 0):
		return fmt.Errorf("Tolerance: is %g; must be 0 or more, and finite", tolerance)
	case maxSweeps < 1:
		return fmt.Errorf("MaxSweeps: is %d; must be at least 1", maxSweeps)
	}
	return nil
}

// toleranceShare is the default tolerance of Diagonalise times √n. A rotation estimated from n
// positions has a standard error of about 1/√n radians; the default is a hundredth of it, as in the
// program of JADE's authors. Twice or half changes the result by less than that.
const toleranceShare = 0.01

// Diagonalise returns the rotation of white signals, of n positions, that makes their matrices,
// such as covariances or cumulants, jointly as diagonal as possible. A tolerance of 0 means 0.01/√n
// radians. label names the method in the warning.
func Diagonalise(
	ctx context.Context, label string, matrices []*mat.SymDense, n int,
	tolerance float64, maxSweeps int,
) (*mat.Dense, ica.Convergence, error) {
	if tolerance == 0 {
		tolerance = toleranceShare / math.Sqrt(float64(n))
	}
	result, err := jointdiag.Orthogonal(ctx, matrices, tolerance, maxSweeps)
	if err != nil {
		return nil, ica.Convergence{}, err
	}
	end := ica.Convergence{Converged: result.Converged, Iterations: result.Sweeps}
	if !result.Converged {
		end.Warning = fmt.Sprintf("%s did not converge to the tolerance %.2g in %d sweeps: "+
			"allow more or raise the tolerance", label, tolerance, maxSweeps)
	}
	return mat.DenseCopyOf(result.V.T()), end, nil
}
