package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/scale"
)

var shapes = [][]int{{300}, {14, 19}, {6, 9, 8}, {2, 100}}

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for t := range v {
		v[t] = rng.NormFloat64()
	}
	return v
}

// A position's past comes before it, lies within a fourth of every side of it, and is
// scored where it is complete.
func TestPast(t *testing.T) {
	for _, shape := range shapes {
		p := newPast(shape, 2)
		total := 0
		for k, lag := range p.lags {
			if lag <= 0 {
				t.Errorf("shape %v: lag %d of neighbour %d is not in the past", shape, lag, k)
			}
		}
		for _, r := range p.runs {
			total += r.end - r.first
			if len(p.lags) > 0 && r.first < slices.Max(p.lags) || r.end > grid.Product(shape) {
				t.Errorf("shape %v: positions %d to %d have no complete past", shape, r.first, r.end)
			}
		}
		if total != p.n || grid.Product(p.sides) != p.n {
			t.Errorf("shape %v: %d positions in runs, %v in the box, want %d", shape, total, p.sides, p.n)
		}
	}
	for _, shape := range shapes[1:] {
		for _, offset := range earlier(shape, maxNeighbours) {
			for a, v := range offset {
				if 4*max(v, -v) > shape[a] {
					t.Errorf("shape %v: a neighbour at %v", shape, offset)
				}
			}
		}
	}
	// The half disc with radius² ≤ 10, and the half ball with radius² ≤ 4.
	if p := newPast([]int{100, 100}, 2); len(p.lags) != 18 {
		t.Errorf("%d neighbours in an image, want 18", len(p.lags))
	}
	if p := newPast([]int{20, 30, 40}, 2); len(p.lags) != 16 {
		t.Errorf("%d neighbours in a video, want 16", len(p.lags))
	}
	if p := newPast([]int{1000}, 2); len(p.lags) != maxLags || p.runs[0] != (run{maxLags, 1000}) {
		t.Errorf("sequence: %d lags, runs %v", len(p.lags), p.runs)
	}
}

// ⟨adjoint(ψ), y⟩ = ⟨ψ, predictionError(y)⟩ for any ψ and y, and the prediction
// error is that of its definition.
func TestAdjoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, shape := range shapes {
		p := newPast(shape, 1)
		weights := normals(rng, len(p.lags))
		y, psi := normals(rng, grid.Product(shape)), normals(rng, p.n)
		r, a := make([]float64, p.n), make([]float64, len(y))
		p.predictionError(r, y, weights)
		p.adjoint(a, psi, weights)
		if got, want := floats.Dot(a, y), floats.Dot(psi, r); math.Abs(got-want) > 1e-9 {
			t.Errorf("shape %v: %g, want %g", shape, got, want)
		}
		at := 0
		for _, run := range p.runs {
			for position := run.first; position < run.end; position++ {
				want := y[position]
				for k, w := range weights {
					want -= w * y[position-p.lags[k]]
				}
				if math.Abs(r[at]-want) > 1e-12 {
					t.Fatalf("shape %v: prediction error %g at %d, want %g", shape, r[at], position, want)
				}
				at++
			}
		}
	}
}

// The moments of a mixture are those that its positions have.
func TestMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, shape := range shapes {
		const d = 3
		p := newPast(shape, 1)
		z := mat.NewDense(d, grid.Product(shape), normals(rng, d*grid.Product(shape)))
		m, err := newMoments(t.Context(), &p, z)
		if err != nil {
			t.Fatal(err)
		}
		b := []float64{1, -0.5, 0.3}
		var y mat.VecDense
		y.MulVec(z.T(), mat.NewVecDense(d, b))
		size := len(p.lags) + 1
		q := make([]float64, size*size)
		m.of(q, b, y.RawVector().Data)
		lags := append([]int{0}, p.lags...)
		for k, before := range lags {
			for l, after := range lags {
				want := 0.0
				for _, run := range p.runs {
					for t := run.first; t < run.end; t++ {
						want += y.AtVec(t-before) * y.AtVec(t-after) / float64(p.n)
					}
				}
				if got := q[k*size+l]; math.Abs(got-want) > 1e-10 {
					t.Fatalf("shape %v: moment (%d, %d) %g, want %g", shape, k, l, got, want)
				}
			}
		}
	}
}

// The weights solve the normal equations, and the order is that with the least
// description length of all.
func TestPredictor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	y := normals(rng, 2000)
	for t := 2; t < len(y); t++ {
		y[t] += 1.2*y[t-1] - 0.6*y[t-2]
	}
	p := newPast([]int{len(y)}, 1)
	q, err := ownMoments(t.Context(), &p, y)
	if err != nil {
		t.Fatal(err)
	}
	fit := ar.NewPredictor(p.distance)
	r := make([]float64, p.n)
	least, order := math.Inf(1), 0
	for k := range len(p.lags) + 1 {
		w := fit.Fit(q, p.n, k)
		p.predictionError(r, y, w)
		power := floats.Dot(r, r) / float64(p.n)
		if got := ar.ErrorPower(q, w, len(p.lags)+1); math.Abs(got-power) > 1e-9 {
			t.Errorf("order %d: power %g, want %g", k, got, power)
		}
		for lag := 1; lag <= k; lag++ { // uncorrelated with what it was predicted from
			if c := floats.Dot(r, y[p.runs[0].first-lag:len(y)-lag]) / float64(p.n); math.Abs(c) > 1e-4 {
				t.Errorf("order %d: the error has covariance %g with lag %d", k, c, lag)
			}
		}
		if length := float64(p.n)*math.Log(power)/2 + float64(k)*math.Log(float64(p.n))/2; length < least {
			least, order = length, k
		}
	}
	w := fit.Fit(q, p.n, -1)
	if len(w) != order || order != 2 {
		t.Errorf("order %d, want %d and 2", len(w), order)
	}
	for k, want := range []float64{1.2, -0.6} {
		if math.Abs(w[k]-want) > 0.06 { // three standard errors, √((1−.36)/2000) each
			t.Errorf("weight %d is %.3f, want %.1f", k+1, w[k], want)
		}
	}
}

func TestLocalScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, shape := range [][]int{{50}, {7, 9}, {4, 5, 6}} {
		n := grid.Product(shape)
		p := past{sides: shape, n: n}
		r, s, space := normals(rng, n), make([]float64, n), make([]float64, n)
		const window = 13 // 27 positions: all of 3 sides of 3
		scale.Local(s, r, p.sides, window, space)
		h := map[int]int{1: 13, 2: 2, 3: 1}[len(shape)]
		overallMean := floats.Norm(r, 1) / float64(n)
		index := func(t int) []int {
			i := make([]int, len(shape))
			for a := len(shape) - 1; a >= 0; a-- {
				i[a], t = t%shape[a], t/shape[a]
			}
			return i
		}
		for at := range n {
			sum, count := 0.0, 0.0
			for other := range n {
				near := other != at
				for a, i := range index(at) {
					near = near && math.Abs(float64(i-index(other)[a])) <= float64(h)
				}
				if near {
					sum += math.Abs(r[other])
					count++
				}
			}
			if want := (1-scale.Overall)*sum/count + scale.Overall*overallMean; math.Abs(s[at]-want) > 1e-12 {
				t.Fatalf("shape %v: local scale %g at %d, want %g", shape, s[at], at, want)
			}
		}
	}
}

func Example_earlier() {
	fmt.Println(earlier([]int{32, 32}, 4))
	// Output: [[-1 0] [0 -1] [-1 -1] [-1 1]]
}
