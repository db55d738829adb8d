package mapping

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// A Symmetric is the map z ↦ Axes·diag(1/Spread)·Axesᵀ·(z − Centre) of symmetric whitening. Axes is
// orthogonal, d×d, row-major. The factors are kept because their product would lose the digits of
// the smallest spread.
type Symmetric struct {
	Centre []float64 `json:"centre"`
	Axes   []float64 `json:"axes"`
	Spread []float64 `json:"spread"` // the standard deviation along each axis
}

// NewSymmetric returns the symmetric form of the whitening w.
func NewSymmetric(w *pca.Whitening) *Symmetric {
	axes := mat.DenseCopyOf(w.Axes().T())
	return &Symmetric{Centre: w.Mean, Axes: axes.RawMatrix().Data, Spread: w.Spread}
}

func (s *Symmetric) axes() *mat.Dense { return mat.NewDense(len(s.Centre), len(s.Centre), s.Axes) }

// LogDet returns −Σ log Spread at each position of x.
func (s *Symmetric) LogDet(x *mat.Dense) ([]float64, error) {
	logDet := 0.0
	for _, spread := range s.Spread {
		logDet -= math.Log(spread)
	}
	return constant(x, logDet), nil
}

// Apply whitens the signals z by the whitening of the fit; see preprocess.Map.
func (s *Symmetric) Apply(z *mat.Dense) (*mat.Dense, error) {
	divide := func(v, spread float64) float64 { return v / spread }
	return s.scaled(signal.Added(z, s.Centre, -1), divide), nil
}

// Invert undoes Apply.
func (s *Symmetric) Invert(z *mat.Dense) (*mat.Dense, error) {
	multiply := func(v, spread float64) float64 { return v * spread }
	return signal.Added(s.scaled(z, multiply), s.Centre, 1), nil
}

// scaled returns z with f applied to the component along each axis, given the axis's spread.
func (s *Symmetric) scaled(z *mat.Dense, f func(v, spread float64) float64) *mat.Dense {
	var components, y mat.Dense
	components.Mul(s.axes().T(), z)
	components.Apply(func(i, _ int, v float64) float64 { return f(v, s.Spread[i]) }, &components)
	y.Mul(s.axes(), &components)
	return &y
}

// Affine returns s as the product of its factors.
func (s *Symmetric) Affine() *Affine {
	scaled := mat.DenseCopyOf(s.axes())
	scaled.Apply(func(_, j int, v float64) float64 { return v / s.Spread[j] }, scaled)
	var matrix mat.Dense
	matrix.Mul(scaled, s.axes().T())
	return LinearMap(&matrix, s.Centre)
}

// Matrices returns the Matrices of Affine.
func (s *Symmetric) Matrices() (w, a *mat.Dense, centre, offset []float64, err error) {
	return s.Affine().Matrices()
}

// check returns an error unless s is a map of d signals.
func (s *Symmetric) check(d int) error {
	if s == nil || len(s.Centre) != d || len(s.Spread) != d || len(s.Axes) != d*d {
		return fmt.Errorf("a whitening isn't one of %d signals", d)
	}
	return nil
}

// Whitened returns the symmetric whitening Σ^{-1/2}·(x − mean) of x, d×n, computed by a singular
// value decomposition in O(n·d²). It is an error if the signals are linearly dependent to the
// precision of float64, or if there are no more positions than signals.
func Whitened(x *mat.Dense) (*mat.Dense, error) {
	w, err := pca.Whiten(x)
	if err != nil {
		return nil, err
	}
	return w.Symmetric(), nil
}
