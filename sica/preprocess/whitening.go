package preprocess

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Symmetric is the map z ↦ Axes·diag(1/Spread)·Axesᵀ·(z − Centre) of symmetric
// whitening, which multiplied out would lose what the smallest spread has to
// tell. Axes is orthogonal, d×d, row-major.
type Symmetric struct {
	Centre []float64 `json:"centre"`
	Axes   []float64 `json:"axes"`
	Spread []float64 `json:"spread"` // the standard deviation along each axis
}

// NewSymmetric returns the symmetric form of the whitening w.
func NewSymmetric(w *signal.Whitening) *Symmetric {
	axes := mat.DenseCopyOf(w.Axes().T())
	return &Symmetric{Centre: w.Mean, Axes: axes.RawMatrix().Data, Spread: w.Spread}
}

func (s *Symmetric) axes() *mat.Dense { return mat.NewDense(len(s.Centre), len(s.Centre), s.Axes) }

// LogDet is the same everywhere.
func (s *Symmetric) LogDet(x *mat.Dense) ([]float64, error) {
	logDet := 0.0
	for _, spread := range s.Spread {
		logDet -= math.Log(spread)
	}
	return everywhere(x, logDet), nil
}

// Apply whitens signals as those that the map was fitted to; see Map.
func (s *Symmetric) Apply(z *mat.Dense) (*mat.Dense, error) {
	return s.along(signal.Added(z, s.Centre, -1), func(v, spread float64) float64 { return v / spread }), nil
}

// Invert undoes Apply.
func (s *Symmetric) Invert(z *mat.Dense) (*mat.Dense, error) {
	return signal.Added(s.along(z, func(v, spread float64) float64 { return v * spread }), s.Centre, 1), nil
}

// along changes the components of z along each axis by its spread.
func (s *Symmetric) along(z *mat.Dense, change func(v, spread float64) float64) *mat.Dense {
	var components, y mat.Dense
	components.Mul(s.axes().T(), z)
	components.Apply(func(i, _ int, v float64) float64 { return change(v, s.Spread[i]) }, &components)
	y.Mul(s.axes(), &components)
	return &y
}

// Affine is s multiplied out.
func (s *Symmetric) Affine() *Affine {
	scaled := mat.DenseCopyOf(s.axes())
	scaled.Apply(func(_, j int, v float64) float64 { return v / s.Spread[j] }, scaled)
	var matrix mat.Dense
	matrix.Mul(scaled, s.axes().T())
	return LinearMap(&matrix, s.Centre)
}

// Whitened returns the symmetric whitening Σ^(−1/2)·(x − mean) of x, d×n, computed from a
// singular value decomposition. It costs O(n·d²). It is an error if the signals are linearly
// dependent to float64's precision, or if there are no more positions than signals.
func Whitened(x *mat.Dense) (*mat.Dense, error) {
	w, err := signal.Whiten(x)
	if err != nil {
		return nil, err
	}
	return w.Symmetric(), nil
}
