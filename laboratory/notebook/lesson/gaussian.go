package lesson

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Gaussian is the normal distribution of two signals of mean 0, z ~ N(0, Σ), for
// which every step of the algorithm is known. With the diagonal D of Σ, the
// variances, the product of the marginals is N(0, D), and
//
//	log p(z)/Π p(z_i) = ½·zᵀ(D⁻¹ − Σ⁻¹)z − ½·log(1−ρ²)
//	v(z) = (Σ⁻¹ − D⁻¹)·z
//	dΣ/dτ = (Σ⁻¹ − D⁻¹)·Σ + Σ·(Σ⁻¹ − D⁻¹) = 2I − D⁻¹Σ − ΣD⁻¹
//
// The flow keeps the variances, as the diagonal of the last line is 0, and so
// the marginals that it aims at; the correlation decays.
type Gaussian struct {
	Variances   [2]float64 // positive
	Correlation float64    // ρ, between −1 and 1
}

// GaussianOf returns the Gaussian with the variances and the correlation of the
// samples z, 2×n.
func GaussianOf(z *mat.Dense) (Gaussian, error) {
	if err := check("z", z, 2); err != nil {
		return Gaussian{}, err
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, z.T(), nil)
	g := fromCovariance(&covariance)
	return g, g.check()
}

func fromCovariance(c mat.Matrix) Gaussian {
	return Gaussian{
		Variances:   [2]float64{c.At(0, 0), c.At(1, 1)},
		Correlation: c.At(0, 1) / math.Sqrt(c.At(0, 0)*c.At(1, 1)),
	}
}

func (g Gaussian) check() error {
	if !(g.Variances[0] > 0 && g.Variances[1] > 0 && math.Abs(g.Correlation) < 1) {
		return fmt.Errorf("lesson: the Gaussian is %+v; must have positive variances and a "+
			"correlation between -1 and 1", g)
	}
	return nil
}

// Covariance returns Σ.
func (g Gaussian) Covariance() *mat.SymDense {
	c := g.Correlation * math.Sqrt(g.Variances[0]*g.Variances[1])
	return mat.NewSymDense(2, []float64{g.Variances[0], c, c, g.Variances[1]})
}

// Draw draws n samples, 2×n.
func (g Gaussian) Draw(rng *rand.Rand, n int) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if n < 1 {
		return nil, fmt.Errorf("lesson: n: is %d; must be at least 1", n)
	}
	if err := g.check(); err != nil {
		return nil, err
	}
	z := mat.NewDense(2, n, nil)
	for t := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		b = g.Correlation*a + math.Sqrt(1-g.Correlation*g.Correlation)*b
		z.SetCol(t, []float64{math.Sqrt(g.Variances[0]) * a, math.Sqrt(g.Variances[1]) * b})
	}
	return z, nil
}

// KL returns the divergence of p from the product of its marginals,
// −½·log(1−ρ²), in nats.
func (g Gaussian) KL() float64 {
	return -math.Log1p(-g.Correlation*g.Correlation) / 2
}

// field returns Σ⁻¹ − D⁻¹.
func (g Gaussian) field() *mat.Dense {
	rho := g.Correlation
	off := -rho / math.Sqrt(g.Variances[0]*g.Variances[1])
	b := mat.NewDense(2, 2, []float64{rho * rho / g.Variances[0], off, off,
		rho * rho / g.Variances[1]})
	b.Scale(1/(1-rho*rho), b)
	return b
}

// LogRatio returns log p(z)/Π p(z_i) at the n points, 2×n.
func (g Gaussian) LogRatio(points *mat.Dense) ([]float64, error) {
	v, err := g.Velocity(points)
	if err != nil {
		return nil, err
	}
	_, n := points.Dims()
	ratio := make([]float64, n)
	for t := range ratio {
		ratio[t] = g.KL() - mat.Dot(points.ColView(t), v.ColView(t))/2
	}
	return ratio, nil
}

// Velocity returns v at the n points, both 2×n.
func (g Gaussian) Velocity(points *mat.Dense) (*mat.Dense, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	if err := check("points", points, 2); err != nil {
		return nil, err
	}
	v := new(mat.Dense)
	v.Mul(g.field(), points)
	return v, nil
}

// After returns the Gaussian after the flow has run for the time tau. Its variances d₁ and d₂
// are the same, its correlation is ρ·e^{−τ·(1/d₁+1/d₂)}.
func (g Gaussian) After(tau float64) Gaussian {
	g.Correlation *= math.Exp(-tau * (1/g.Variances[0] + 1/g.Variances[1]))
	return g
}

// Step returns the Gaussian after one Euler step of length eta, which is exact
// to the first order in it: z + eta·v(z) is linear in z. With variances 1 the
// correlation becomes −ρ³/(4−3ρ²) after a step of ½ and −ρ after one of 1, where
// the divergence stays as it was.
func (g Gaussian) Step(eta float64) Gaussian {
	move := g.field()
	move.Scale(eta, move)
	move.Set(0, 0, move.At(0, 0)+1)
	move.Set(1, 1, move.At(1, 1)+1)
	var covariance mat.Dense
	covariance.Product(move, g.Covariance(), move) // move is symmetric
	return fromCovariance(&covariance)
}
