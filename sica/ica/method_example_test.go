package ica_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
)

// components is a method with fewer signals than channels: the k principal components of the largest
// variance, scaled to variance 1.
type components struct{ k int }

func (components) Name() string { return "components" }

func (c components) Fit(_ context.Context, x *ica.Signals) (*ica.Model, error) {
	w, err := x.Whitening()
	if err != nil {
		return nil, fmt.Errorf("components: %w", err)
	}
	d, n := x.Dims()
	if c.k < 1 || c.k > d {
		return nil, fmt.Errorf("components: k is %d; must be 1 to %d", c.k, d)
	}
	return &ica.Model{
		Signals: mat.DenseCopyOf(w.White.Slice(0, c.k, 0, n)),
		Map: reduction{
			matrix:  mat.DenseCopyOf(w.Matrix.Slice(0, c.k, 0, d)),
			inverse: mat.DenseCopyOf(w.Inverse.Slice(0, d, 0, c.k)),
			mean:    w.Mean,
		},
		Convergence: ica.Convergence{Converged: true},
	}, nil
}

// reduction is the map z = matrix·(x − mean) of components.
type reduction struct {
	matrix, inverse *mat.Dense // k×d, d×k
	mean            []float64
}

// Channels says that Transform takes d signals.
func (r reduction) Channels() int { return len(r.mean) }

func (r reduction) Apply(x *mat.Dense) (*mat.Dense, error) {
	var centred, z mat.Dense
	centred.Apply(func(i, _ int, v float64) float64 { return v - r.mean[i] }, x)
	z.Mul(r.matrix, &centred)
	return &z, nil
}

// Invert returns the signals without the other components.
func (r reduction) Invert(z *mat.Dense) (*mat.Dense, error) {
	var x mat.Dense
	x.Mul(r.inverse, z)
	x.Apply(func(i, _ int, v float64) float64 { return v + r.mean[i] }, &x)
	return &x, nil
}

// A custom method with a map of its own, from three channels to two signals and back.
func ExampleMethod() {
	x := mat.NewDense(3, 4, []float64{
		3, -3, 2, -2,
		3, -3, -2, 2,
		6.1, -5.9, 0.1, -0.1, // nearly the sum of the others
	})
	m, err := ica.Separate(context.Background(), components{2}, x)
	if err != nil {
		log.Fatal(err)
	}
	z, err := m.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	back, err := m.InverseTransform(z)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.Dims())
	fmt.Printf("%.1f\n", mat.Formatted(back))
	// Output:
	// 2 4
	// ⎡ 3.0  -3.0   2.0  -2.0⎤
	// ⎢ 3.0  -3.0  -2.0   2.0⎥
	// ⎣ 6.1  -5.9   0.1  -0.1⎦
}
