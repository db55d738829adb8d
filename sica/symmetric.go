package sica

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// symmetric is the map z ↦ Axes·diag(1/Spread)·Axesᵀ·(z − Centre) of symmetric
// whitening, which multiplied out would lose what the smallest spread has to
// tell. Axes is orthogonal, d×d, row-major.
type symmetric struct {
	Centre []float64 `json:"centre"`
	Axes   []float64 `json:"axes"`
	Spread []float64 `json:"spread"` // the standard deviation along each axis
}

// newSymmetric is the whitening of the decomposed signals.
func newSymmetric(p *decomposition) *symmetric {
	_, n := p.centred.Dims()
	spread := make([]float64, len(p.values))
	for i, v := range p.values {
		spread[i] = v / math.Sqrt(float64(n))
	}
	return &symmetric{Centre: p.means, Axes: mat.DenseCopyOf(p.axes).RawMatrix().Data, Spread: spread}
}

func (s *symmetric) axes() *mat.Dense { return mat.NewDense(len(s.Centre), len(s.Centre), s.Axes) }

func (s *symmetric) apply(z *mat.Dense, _ *follower) (*mat.Dense, error) {
	return s.along(added(z, s.Centre, -1), func(v, spread float64) float64 { return v / spread }), nil
}

func (s *symmetric) invert(z *mat.Dense, _ *follower) (*mat.Dense, error) {
	return added(s.along(z, func(v, spread float64) float64 { return v * spread }), s.Centre, 1), nil
}

// along changes the components of z along each axis by its spread.
func (s *symmetric) along(z *mat.Dense, change func(v, spread float64) float64) *mat.Dense {
	var components, y mat.Dense
	components.Mul(s.axes().T(), z)
	components.Apply(func(i, _ int, v float64) float64 { return change(v, s.Spread[i]) }, &components)
	y.Mul(s.axes(), &components)
	return &y
}

// affine is s multiplied out.
func (s *symmetric) affine() *affine {
	scaled := mat.DenseCopyOf(s.axes())
	scaled.Apply(func(_, j int, v float64) float64 { return v / s.Spread[j] }, scaled)
	var matrix mat.Dense
	matrix.Mul(scaled, s.axes().T())
	return linearMap(&matrix, s.Centre)
}
