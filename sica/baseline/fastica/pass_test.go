package fastica

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// random are exponential draws.
func random(rows, columns int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 2))
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.ExpFloat64() }, m)
	return m
}

func TestIterationByHand(t *testing.T) {
	// One step of the definition in two loops, over several blocks and parts.
	x, w := random(3, 2*maxParts*blockWidth+17), random(3, 3)
	for _, g := range contrasts {
		white, err := signal.Whiten(x)
		if err != nil {
			t.Fatal(err)
		}
		function := map[contrast]func(float64) (float64, float64){
			logCosh: func(y float64) (float64, float64) { return math.Tanh(y), 1 / (math.Cosh(y) * math.Cosh(y)) },
			exp: func(y float64) (float64, float64) {
				return y * math.Exp(-y*y/2), (1 - y*y) * math.Exp(-y*y/2)
			},
			cube: func(y float64) (float64, float64) { return y * y * y, 3 * y * y },
		}[g]
		d, n := x.Dims()
		want := mat.NewDense(d, d, nil)
		for i := range d {
			for k := range n {
				position := white.White.ColView(k)
				value, derivative := function(mat.Dot(w.RowView(i), position))
				for j := range d {
					want.Set(i, j, want.At(i, j)+(value*position.AtVec(j)-derivative*w.At(i, j))/float64(n))
				}
			}
		}
		next := newGeneral(d, d)
		p := newPasser(white.White, g)
		p.step(next, w.RawMatrix())
		if got := mat.NewDense(d, d, next.Data); !mat.EqualApprox(got, want, 1e-11) {
			t.Errorf("%s: step\n%v, want\n%v", g, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

func TestIterationsAllocateNothing(t *testing.T) {
	x, first := random(10, 3000), random(10, 10)
	for _, g := range contrasts {
		p := newPasser(x, g)
		p.workers = p.workers[:1]
		o := newOrthogonaliser(10)
		now, next := first.RawMatrix(), newGeneral(10, 10)
		if allocs := testing.AllocsPerRun(5, func() {
			p.step(next, now)
			if err := o.apply(next); err != nil {
				t.Fatal(err)
			}
		}); allocs != 0 {
			t.Errorf("%s: %g allocations in an iteration", g, allocs)
		}
	}
}
