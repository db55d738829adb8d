package datasets

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestHeartCurve(t *testing.T) {
	// The cosines of multiples of π/2 make these exact.
	for _, c := range []struct{ u, h1, h2 float64 }{
		{0, 0, (13. - 5 - 2 - 1) / 16},
		{math.Pi / 2, 1, (0. + 5 - 0 - 1) / 16},
		{math.Pi, 0, (-13. - 5 + 2 - 1) / 16},
		{3 * math.Pi / 2, -1, (0. + 5 - 0 - 1) / 16},
	} {
		h1, h2 := heartCurve(c.u)
		if math.Abs(h1-c.h1) > 1e-15 || math.Abs(h2-c.h2) > 1e-15 {
			t.Errorf("at %v: (%v, %v), want (%v, %v)", c.u, h1, h2, c.h1, c.h2)
		}
	}
}

// The moments of the curve are those of a trigonometric polynomial: E sin⁶u =
// 5/16, E sin¹²u = 231/1024, E cos²ku = 1/2, and sin³u = (3·sin u − sin 3u)/4
// is orthogonal to every cosine. Gaussian noise of variance v adds v to a second
// moment and 6·v·m₂ + 3·v² to a fourth.
func TestHeartMoments(t *testing.T) {
	const noise, v = 0.2, 0.2 * 0.2
	const second1, fourth1 = 5. / 16, 231. / 1024
	const second2 = (13.*13 + 5*5 + 2*2 + 1) / (2 * 16 * 16)
	for _, ordered := range []bool{true, false} {
		s, err := Heart(newRand(1), HeartOptions{T: 200_000, Noise: noise, Ordered: ordered})
		if err != nil {
			t.Fatal(err)
		}
		s1, s2 := s.RawRowView(0), s.RawRowView(1)
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"E s₁", stat.Mean(s1, nil), 0},
			{"E s₂", stat.Mean(s2, nil), 0},
			{"E s₁²", stat.MomentAbout(2, s1, 0, nil), second1 + v},
			{"E s₂²", stat.MomentAbout(2, s2, 0, nil), second2 + v},
			{"E s₁⁴", stat.MomentAbout(4, s1, 0, nil), fourth1 + 6*v*second1 + 3*v*v},
			{"cov(s₁, s₂)", stat.Covariance(s1, s2, nil), 0},
		} {
			// Five standard errors: no term's standard deviation is above 1.
			if math.Abs(c.got-c.want) > 5/math.Sqrt(200_000) {
				t.Errorf("ordered %v: %s = %v, want %v", ordered, c.name, c.got, c.want)
			}
		}
	}
}

// Without noise, the ordered heart has the points of the unordered one in
// another order, and its path is a polygon inscribed in the curve, so no longer
// than the curve.
func TestHeartOrdered(t *testing.T) {
	const T = 500
	ordered, err := Heart(newRand(2), HeartOptions{T: T, Ordered: true})
	if err != nil {
		t.Fatal(err)
	}
	free, err := Heart(newRand(2), HeartOptions{T: T})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		a, b := slices.Sorted(slices.Values(ordered.RawRowView(i))), slices.Sorted(slices.Values(free.RawRowView(i)))
		if !slices.Equal(a, b) {
			t.Errorf("signal %d: ordering changed the points", i+1)
		}
	}
	const fine = 100_000
	curve := mat.NewDense(2, fine+1, nil)
	for k := range fine + 1 {
		h1, h2 := heartCurve(2 * math.Pi * float64(k) / fine)
		curve.Set(0, k, h1)
		curve.Set(1, k, h2)
	}
	if got, whole := pathLength(ordered), pathLength(curve); got > whole || got < .9*whole {
		t.Errorf("the ordered path is %v long, the curve %v", got, whole)
	}
	if got, whole := pathLength(free), pathLength(curve); got < 10*whole {
		t.Errorf("the unordered path is %v long, the curve %v", got, whole)
	}
}

func pathLength(s *mat.Dense) float64 {
	_, T := s.Dims()
	length := 0.
	for t := range T - 1 {
		length += math.Hypot(s.At(0, t+1)-s.At(0, t), s.At(1, t+1)-s.At(1, t))
	}
	return length
}

func TestHeartErrors(t *testing.T) {
	for name, opt := range map[string]HeartOptions{
		"no positions":   {T: 0},
		"too many":       {T: math.MaxInt},
		"negative noise": {T: 1, Noise: -1},
		"NaN noise":      {T: 1, Noise: math.NaN()},
	} {
		if _, err := Heart(newRand(1), opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Heart(nil, PaperHeart()); err == nil {
		t.Error("nil rng: no error")
	}
}
