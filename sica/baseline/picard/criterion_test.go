package picard

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/lbfgs"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// white returns white mixtures of a uniform signal and signals with heavy tails.
func white(t *testing.T, d, n int) *mat.Dense {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	x := mat.NewDense(d, n, nil)
	x.Apply(func(i, _ int, _ float64) float64 {
		if i == 0 {
			return rng.Float64()
		}
		return rng.ExpFloat64() * float64(2*rng.IntN(2)-1)
	}, x)
	w, err := pca.Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	return w.White
}

func normal(rng *rand.Rand, d int) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	return m
}

func pointAt(t *testing.T, x, w *mat.Dense, ortho bool) *point {
	t.Helper()
	m, err := newSampler(x, !ortho).means(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	p := &point{ortho: ortho, w: w, means: m}
	p.classify(nil)
	return p
}

func each(t *testing.T, test func(t *testing.T, ortho bool)) {
	t.Helper()
	for _, ortho := range []bool{false, true} {
		t.Run(fmt.Sprintf("ortho=%t", ortho), func(t *testing.T) { test(t, ortho) })
	}
}

// The means equal their definitions in plain loops, over several blocks and a part of one.
func TestMeansAreTheirDefinitions(t *testing.T) {
	const d, n = 3, 2*blockWidth + 17
	x, w := white(t, d, n), normal(rand.New(rand.NewPCG(3, 4)), d)
	got, err := newSampler(x, true).means(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	var y mat.Dense
	y.Mul(w, x)
	want := means{
		logCosh: make([]float64, d), slope: make([]float64, d),
		score: mat.NewDense(d, d, nil), slopeSquare: mat.NewDense(d, d, nil),
	}
	for i := range d {
		for k := range n {
			v := y.At(i, k)
			slope := 1 / (math.Cosh(v) * math.Cosh(v))
			want.logCosh[i] += math.Log(2*math.Cosh(v)) / n
			want.slope[i] += slope / n
			for j := range d {
				u := y.At(j, k)
				want.score.Set(i, j, want.score.At(i, j)+math.Tanh(v)*u/n)
				want.slopeSquare.Set(i, j, want.slopeSquare.At(i, j)+slope*u*u/n)
			}
		}
	}
	if !floats.EqualApprox(got.logCosh, want.logCosh, 1e-13) ||
		!floats.EqualApprox(got.slope, want.slope, 1e-13) ||
		!mat.EqualApprox(got.score, want.score, 1e-13) ||
		!mat.EqualApprox(got.slopeSquare, want.slopeSquare, 1e-13) {
		t.Errorf("means %+v, want %+v", got, want)
	}
}

// log 2·cosh y is |y| where cosh y overflows, and log 2 at 0.
func TestLogCosh(t *testing.T) {
	const rounding = 1e-15
	for y, want := range map[float64]float64{
		0: math.Ln2, 1e-300: math.Ln2, 800: 800, -1e150: 1e150,
	} {
		tanh, slope := make([]float64, 1), make([]float64, 1)
		if got := logCosh([]float64{y}, tanh, slope); math.Abs(got-want) > rounding*max(1, want) {
			t.Errorf("log 2·cosh %g is %g, want %g", y, got, want)
		}
		if want := math.Tanh(y); math.Abs(tanh[0]-want) > rounding ||
			math.Abs(slope[0]-(1-want*want)) > rounding {
			t.Errorf("tanh %g is %g with slope %g, want %g", y, tanh[0], slope[0], want)
		}
	}
}

// The gradient against the change of the loss by a small step.
func TestGradientIsSlopeOfLoss(t *testing.T) {
	const d, small = 3, 1e-5
	x := white(t, d, 500)
	each(t, func(t *testing.T, ortho bool) {
		rng := rand.New(rand.NewPCG(5, 6))
		w := normal(rng, d)
		if ortho {
			w = rotation.Random(rng, d)
		}
		p := pointAt(t, x, w, ortho)
		for range 5 {
			e := step(rng, d, ortho)
			loss := func(by float64) float64 {
				var scaled mat.Dense
				scaled.Scale(by, e)
				return pointAt(t, x, move(p, &scaled), ortho).loss(p.signs)
			}
			got, want := dot(p.gradient(), e), (loss(small)-loss(-small))/(2*small)
			if math.Abs(got-want) > 1e-8 {
				t.Errorf("the loss changes by %.10f, want %.10f", got, want)
			}
		}
	})
}

// step returns a random direction.
func step(rng *rand.Rand, d int, ortho bool) *mat.Dense {
	e := normal(rng, d)
	if ortho {
		e.Sub(e, mat.DenseCopyOf(e.T()))
	}
	return e
}

// A step is halved until the loss falls. A direction of ascent gives no point.
func TestDescendHalvesStep(t *testing.T) {
	x := white(t, 3, 500)
	each(t, func(t *testing.T, ortho bool) {
		p := pointAt(t, x, rotation.Random(rand.New(rand.NewPCG(5, 6)), 3), ortho)
		at := func(w *mat.Dense) (*point, error) { return pointAt(t, x, w, ortho), nil }
		var far, up mat.Dense
		far.Scale(-50, p.gradient())
		up.Scale(0.1, p.gradient())
		next, gone, err := descend(p, &far, at)
		if err != nil || next == nil || !(next.loss(p.signs) < p.loss(p.signs)) {
			t.Fatalf("point %+v, error %v", next, err)
		}
		if halved := math.Log2(mat.Norm(&far, 2) / mat.Norm(gone, 2)); halved < 1 ||
			halved != math.Round(halved) {
			t.Errorf("the step was halved %g times", halved)
		}
		if !mat.EqualApprox(next.w, move(p, gone), 1e-15) {
			t.Error("the new point isn't where the step leads")
		}
		if next, _, err := descend(p, &up, at); next != nil || err != nil {
			t.Errorf("up: point %+v, error %v", next, err)
		}
	})
}

// The Hessian is exact at the minimum for signals whose empirical distribution is exactly a
// product: it is the change of the gradient by a small step, and solve is its inverse.
func TestHessianIsExactAtMinimum(t *testing.T) {
	const small = 1e-5
	each(t, func(t *testing.T, ortho bool) {
		// All combinations of the values of three sources, the first with light tails, the
		// others with heavy ones.
		values := [][]float64{{-1, -0.5, 0.5, 1}, {-3, -0.1, 0, 0.1, 3}, {-4, 0, 0, 0, 0, 4}}
		x := mat.NewDense(3, 4*5*6, nil)
		for k := range 4 * 5 * 6 {
			x.SetCol(k, []float64{values[0][k%4], values[1][k/4%5], values[2][k/20]})
		}
		for i := range 3 {
			row := x.RawRowView(i)
			floats.Scale(math.Sqrt(float64(len(row)))/floats.Norm(row, 2), row)
		}
		identity := mat.DenseCopyOf(mat.NewDiagDense(3, []float64{1, 1, 1}))
		cfg := Default()
		cfg.Ortho, cfg.Tolerance = ortho, 1e-12
		w, c, err := minimise(t.Context(), x, identity, cfg)
		if err != nil || !c.Converged {
			t.Fatalf("convergence %+v, error %v", c, err)
		}
		scales := mat.NewDiagDense(3, []float64{w.At(0, 0), w.At(1, 1), w.At(2, 2)})
		if !mat.EqualApprox(w, scales, 1e-12) {
			t.Errorf("the minimum is\n%v, want a diagonal matrix", mat.Formatted(w))
		}

		rng := rand.New(rand.NewPCG(7, 8))
		p := pointAt(t, x, w, ortho)
		if p.signs[0] == 1 || p.signs[1] != 1 || p.signs[2] != 1 {
			t.Errorf("signs %v", p.signs)
		}
		for range 3 {
			e := step(rng, 3, ortho)
			gradient := func(by float64) *mat.Dense {
				var scaled mat.Dense
				scaled.Scale(by, e)
				return pointAt(t, x, move(p, &scaled), ortho).gradient()
			}
			var change mat.Dense
			change.Sub(gradient(small), gradient(-small))
			change.Scale(1/(2*small), &change)
			if got := p.hessian().solve(&change); !mat.EqualApprox(got, e, 1e-7) {
				t.Errorf("solved for the step\n%v, want\n%v", mat.Formatted(got), mat.Formatted(e))
			}
		}
	})
}

// The approximate Hessian gives a direction of descent for any signals.
func TestHessianIsPositive(t *testing.T) {
	x := white(t, 4, 30)
	each(t, func(t *testing.T, ortho bool) {
		rng := rand.New(rand.NewPCG(9, 10))
		for range 20 {
			w := normal(rng, 4)
			if ortho {
				w = rotation.Random(rng, 4)
			}
			h := pointAt(t, x, w, ortho).hessian()
			g := step(rng, 4, ortho)
			e := h.solve(g)
			// At the least eigenvalue minCurvature, |E| is at most |G| over it.
			if up := dot(e, g); !(up > 0) || mat.Norm(e, 2) > mat.Norm(g, 2)/minCurvature*(1+1e-9) {
				t.Errorf("the step\n%v goes up by %g for the gradient\n%v",
					mat.Formatted(e), up, mat.Formatted(g))
			}
		}
	})
}

func dot(a, b *mat.Dense) float64 { return floats.Dot(a.RawMatrix().Data, b.RawMatrix().Data) }

// The memory's direction is −H·g, where for each step s and change y in turn
// H ← (I − s·yᵀ/sᵀy)·H·(I − y·sᵀ/sᵀy) + s·sᵀ/sᵀy, the BFGS update of the inverse
// Hessian, here as a d²×d² matrix.
func TestDirectionIsBFGS(t *testing.T) {
	const d = 2
	rng := rand.New(rand.NewPCG(11, 12))
	h := hessian{true, mat.NewDense(d, d, []float64{2, 3, 5, 7})}
	inverse := mat.DenseCopyOf(mat.NewDiagDense(4, []float64{1. / 2, 1. / 3, 1. / 5, 1. / 7}))
	past := &lbfgs.Memory{Size: 3}
	for k := range 5 {
		s, y := normal(rng, d), normal(rng, d)
		if dot(s, y) < 0 {
			y.Scale(-1, y)
		}
		past.Add(s.RawMatrix().Data, y.RawMatrix().Data, 0)
		if k < 2 { // forgotten by the end
			continue
		}
		sv, yv := mat.NewVecDense(4, s.RawMatrix().Data), mat.NewVecDense(4, y.RawMatrix().Data)
		left := mat.DenseCopyOf(mat.NewDiagDense(4, []float64{1, 1, 1, 1}))
		left.RankOne(left, -1/dot(s, y), sv, yv)
		var next mat.Dense
		next.Product(left, inverse, left.T())
		next.RankOne(&next, 1/dot(s, y), sv, sv)
		inverse = &next
	}
	past.Add(normal(rng, d).RawMatrix().Data, make([]float64, d*d), 0) // no curvature
	g := normal(rng, d)
	var want mat.VecDense
	want.MulVec(inverse, mat.NewVecDense(4, g.RawMatrix().Data))
	want.ScaleVec(-1, &want)
	got := direction(past, g, h).RawMatrix().Data
	if !floats.EqualApprox(got, want.RawVector().Data, 1e-12) {
		t.Errorf("direction %v, want %v", got, want.RawVector().Data)
	}
	past.Forget()
	got = direction(past, mat.NewDense(d, d, []float64{-1, 0, 0, 1}), h).RawMatrix().Data
	if want := []float64{1. / 2, 0, 0, -1. / 7}; !floats.EqualApprox(got, want, 1e-15) {
		t.Errorf("direction without memory %v, want %v", got, want)
	}
}
