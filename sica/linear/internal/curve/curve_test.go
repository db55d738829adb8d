package curve

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// values returns a thousand draws of a skewed distribution.
func values() []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, 1000)
	for t := range v {
		v[t] = rng.ExpFloat64()
	}
	return v
}

// Slopes of 1 leave the values as they are, but for their mean; those of New make them Gaussian.
func TestSet(t *testing.T) {
	v := values()
	c, gaussian := New(v)
	straight := make([]float64, len(v))
	if sum := c.Set(make([]float64, c.Knots), straight); sum != 0 {
		t.Errorf("the mean log slope is %g, want 0", sum)
	}
	mean := stat.Mean(v, nil)
	for k := range v {
		if math.Abs(straight[k]-(v[k]-mean)) > 1e-12 {
			t.Fatalf("%g became %g, want %g", v[k], straight[k], v[k]-mean)
		}
	}
	c.Set(gaussian, straight)
	if skew := stat.Skew(straight, nil); math.Abs(skew) > 0.2 {
		t.Errorf("the skewness is %.2f, %.2f before", skew, stat.Skew(v, nil))
	}
	from, to := c.Points()
	for k := 1; k < len(from); k++ {
		if !(from[k] > from[k-1] && to[k] > to[k-1]) {
			t.Fatalf("point %d: (%g, %g) after (%g, %g)", k, from[k], to[k], from[k-1], to[k-1])
		}
	}
}

// The derivative is that by differences, of a linear loss of the straightened values less the mean
// log slope.
func TestDifferentiate(t *testing.T) {
	v := values()
	c, logSlopes := New(v)
	straight, slope := make([]float64, len(v)), values()
	floats.AddConst(-stat.Mean(slope, nil), slope) // the straightened values have mean 0
	floats.Scale(1/float64(len(v)), slope)
	loss := func(at int, by float64) float64 {
		moved := append([]float64(nil), logSlopes...)
		moved[at] += by
		return -c.Set(moved, straight) + floats.Dot(slope, straight)
	}
	c.Set(logSlopes, straight)
	gradient := make([]float64, c.Knots)
	c.Differentiate(gradient, slope)
	for k, got := range gradient {
		const step = 1e-5
		if want := (loss(k, step) - loss(k, -step)) / (2 * step); math.Abs(got-want) > 1e-8 {
			t.Errorf("knot %d: %g, by differences %g", k, got, want)
		}
	}
}
