package fastica

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/pca"
)

// random are exponential draws.
func random(rows, columns int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 2))
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.ExpFloat64() }, m)
	return m
}

// An iteration equals the definition in plain loops, over several blocks and a part of one.
func TestIterationIsItsDefinition(t *testing.T) {
	x, w := random(3, 2*maxParts*blockWidth+17), random(3, 3)
	whitening, err := pca.Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	white := whitening.White
	d, n := white.Dims()
	want := mat.NewDense(d, d, nil)
	for i := range d {
		for k := range n {
			position := white.ColView(k)
			y := mat.Dot(w.RowView(i), position)
			value, slope := math.Tanh(y), 1/(math.Cosh(y)*math.Cosh(y))
			for j := range d {
				term := (value*position.AtVec(j) - slope*w.At(i, j)) / float64(n)
				want.Set(i, j, want.At(i, j)+term)
			}
		}
	}
	next := newGeneral(d, d)
	if err := newPass(white).step(t.Context(), next, w.RawMatrix()); err != nil {
		t.Fatal(err)
	}
	if got := mat.NewDense(d, d, next.Data); !mat.EqualApprox(got, want, 1e-11) {
		t.Errorf("step\n%v, want\n%v", mat.Formatted(got), mat.Formatted(want))
	}
}

func TestIterationsAllocateNothing(t *testing.T) {
	x, first := random(10, 3000), random(10, 10)
	p := newPass(x)
	p.space = p.space[:1]
	o := newOrthogonaliser(10)
	current, next := first.RawMatrix(), newGeneral(10, 10)
	if allocs := testing.AllocsPerRun(5, func() {
		if err := p.step(t.Context(), next, current); err != nil {
			t.Fatal(err)
		}
		if err := o.apply(next); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%g allocations in an iteration", allocs)
	}
}
