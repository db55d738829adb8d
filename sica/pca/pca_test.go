package pca

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// mixed returns normal signals in a random mixing, with an offset.
func mixed(seed uint64, d, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	normal := func(_, _ int, _ float64) float64 { return rng.NormFloat64() }
	s, a := mat.NewDense(d, n, nil), mat.NewDense(d, d, nil)
	s.Apply(normal, s)
	a.Apply(normal, a)
	var x mat.Dense
	x.Mul(a, s)
	x.Apply(func(i, _ int, v float64) float64 { return v + float64(i) - 3 }, &x)
	return &x
}

func TestWhiten(t *testing.T) {
	for _, size := range [][2]int{{1, 2}, {1, 30}, {4, 5}, {3, 200}, {10, 500}} {
		d, n := size[0], size[1]
		x := mixed(1, d, n)
		before := mat.DenseCopyOf(x)
		w, err := Whiten(x)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(x, before) {
			t.Error("whitening changed the mixed signals")
		}
		var covariance, product mat.Dense
		covariance.Mul(w.White, w.White.T())
		covariance.Scale(1/float64(n), &covariance)
		if !mat.EqualApprox(&covariance, rotation.Identity(d), 1e-10) {
			t.Errorf("%d×%d: the covariance is\n%.3g", d, n, mat.Formatted(&covariance))
		}
		product.Mul(w.Matrix, w.Inverse)
		if !mat.EqualApprox(&product, rotation.Identity(d), 1e-10) {
			t.Errorf("%d×%d: Inverse isn't that of Matrix", d, n)
		}
		for i := range d {
			if w.Inverse.At(0, i) < 0 {
				t.Errorf("%d×%d: axis %d begins with a negative entry", d, n, i)
			}
			if i > 0 && mat.Norm(w.Inverse.ColView(i), 2) > mat.Norm(w.Inverse.ColView(i-1), 2) {
				t.Errorf("%d×%d: axis %d has more variance than the one before", d, n, i)
			}
		}
	}
}

func TestWhitenByHand(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{
		8, 2, 6, 4,
		3, -3, -1, 1,
	})
	// Less the means 5 and 0: (3, 3), (−3, −3), (1, −1), (−1, 1), whose
	// variances are 2·18/4 = 9 along (1, 1)/√2 and 2·2/4 = 1 along (1, −1)/√2.
	w, err := Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	r := math.Sqrt(0.5)
	want := mat.NewDense(2, 2, []float64{r / 3, r / 3, r, -r})
	if !mat.EqualApprox(w.Matrix, want, 1e-14) || w.Mean[0] != 5 || w.Mean[1] != 0 {
		t.Errorf("matrix\n%v\nmean %v, want\n%v\nand 5, 0", mat.Formatted(w.Matrix), w.Mean, mat.Formatted(want))
	}
}

func TestWhitenErrors(t *testing.T) {
	x := mixed(3, 2, 20)
	with := func(v float64) *mat.Dense {
		bad := mat.DenseCopyOf(x)
		bad.Set(1, 7, v)
		return bad
	}
	dependent := mat.DenseCopyOf(x)
	dependent.Apply(func(i, t int, _ float64) float64 { return float64(2*i-1) * x.At(0, t) }, dependent)
	for _, test := range []struct {
		x    *mat.Dense
		want string
	}{
		{nil, "x: is empty"},
		{new(mat.Dense), "x: is empty"},
		{mat.NewDense(1, 1, []float64{1}), "x: has 1 position; must have at least 2"},
		{mat.NewDense(3, 3, []float64{1, 2, 3, 3, 1, 2, 5, 5, 6}), "at least 4 positions"},
		{with(math.NaN()), "signal 2: has the value NaN at position 8"},
		{with(math.Inf(1)), "signal 2: has the value +Inf at position 8"},
		{mat.NewDense(1, 3, []float64{2, 2, 2}), "the same value at every position"},
		{dependent, "linearly dependent"},
		{mat.NewDense(1, 4, []float64{1e308, 1.1e308, 1.2e308, 1.3e308}), "within ±1e+150"},
	} {
		if _, err := Whiten(test.x); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
	// Rounding of many positions adds up: 3 signals in 4 channels have no full rank.
	for seed := range uint64(8) {
		var many mat.Dense
		many.Mul(mixed(seed, 4, 5).Slice(0, 4, 0, 3), mixed(seed, 3, 40000))
		if _, err := Whiten(&many); err == nil || !strings.Contains(err.Error(), "linearly dependent") {
			t.Errorf("seed %d, 40,000 positions: error %v, want linearly dependent", seed, err)
		}
	}
	c, err := Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []*mat.Dense{nil, mat.NewDense(3, 2, nil), with(math.NaN())} {
		if white, err := c.Apply(bad); err == nil {
			t.Errorf("apply gave %v, want an error", white)
		}
	}
}
