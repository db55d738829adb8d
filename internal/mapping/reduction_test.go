package mapping

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/internal/rounding"
)

// Channels that are linear combinations of others do not count, whatever the combination, also after
// a filter; those that are nearly so do.
func TestRankIgnoresDependentChannels(t *testing.T) {
	const n = 2000
	for _, d := range []int{2, 5, 12, 32} {
		rng := rand.New(rand.NewPCG(uint64(d), 1))
		base := mat.NewDense(d, n, nil)
		base.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() + 3 }, base)
		quantised := func(x *mat.Dense, step float64) *mat.Dense {
			y := mat.DenseCopyOf(x)
			y.Apply(func(_, _ int, v float64) float64 { return step * math.Round(v/step) }, y)
			return y
		}
		written := func(x *mat.Dense, digits int) *mat.Dense { // as %g writes it
			y := mat.DenseCopyOf(x)
			y.Apply(func(_, _ int, v float64) float64 {
				v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
				return v
			}, y)
			return y
		}
		with := func(row func(k int) float64) *mat.Dense {
			y := mat.NewDense(d+1, n, nil)
			y.Slice(0, d, 0, n).(*mat.Dense).Copy(base)
			for k := range n {
				y.Set(d, k, row(k))
			}
			return y
		}
		summed := with(func(k int) float64 { return base.At(0, k) - .3*base.At(1, k) })
		referenced := mat.DenseCopyOf(base) // to the average, as an EEG is
		for k := range n {
			mean := mat.Sum(base.ColView(k)) / float64(d)
			for i := range d {
				referenced.Set(i, k, base.At(i, k)-mean)
			}
		}
		moved := func(x *mat.Dense, by float64) *mat.Dense {
			y := mat.DenseCopyOf(x)
			y.Apply(func(_, _ int, v float64) float64 { return v + by }, y)
			return y
		}
		far := func(by float64) *mat.Dense { // offsets as of pressures in pascals, then summed
			y := moved(summed, by)
			for k := range n {
				y.Set(d, k, y.At(0, k)+y.At(1, k))
			}
			return y
		}
		scaled := mat.DenseCopyOf(summed)
		scaled.Apply(func(i, _ int, v float64) float64 { return v * math.Pow(10, float64(i%7)-9) }, scaled)
		single := mat.DenseCopyOf(summed)
		single.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, single)
		binary := mat.DenseCopyOf(base)
		binary.Apply(func(_, _ int, v float64) float64 { return math.Copysign(1, v-3) }, binary)
		for _, c := range []struct {
			name string
			x    *mat.Dense
			want int
		}{
			{"independent", base, d},
			{"duplicated", with(func(k int) float64 { return base.At(1, k) }), d},
			{"twice as large", with(func(k int) float64 { return 2*base.At(1, k) - 7 }), d},
			{"summed", summed, d},
			{"average reference", referenced, d - 1},
			{"summed, of seven scales", scaled, d},
			{"summed, in float32", single, d},
			{"summed, far from 0", far(1e5), d},
			{"independent, far from 0", moved(base, 1e5), d},
			{"summed, then rounded to .001", quantised(summed, .001), d},
			{"summed, in 5 digits", written(summed, 5), d},
			{"summed, of seven scales, in 6 digits", written(scaled, 6), d},
			{"average reference in 10 digits", written(referenced, 10), d - 1},
			{"independent, in 4 digits", written(base, 4), d},
			{"nearly a sum, in 7 digits", written(with(func(k int) float64 { return base.At(0, k) - .3*base.At(1, k) + 1e-4*rng.NormFloat64() }), 7), d + 1},
			{"rounded to .05", quantised(base, .05), d},
			{"two values", binary, d},
			{"nearly a sum", with(func(k int) float64 { return base.At(0, k) - .3*base.At(1, k) + 1e-6*rng.NormFloat64() }), d + 1},
		} {
			r, err := Reduce(c.x, 0, nil)
			if c.want == 1 && err == nil && r.Rank == 1 { // two channels less their average
				continue
			}
			if err != nil || r.Rank != c.want || r.Components() != c.want {
				t.Errorf("d=%d, %s: rank %+v, %v; want %d", d, c.name, r, err, c.want)
				continue
			}
			for _, f := range []filter.Filter{
				{Highpass: 0.05}, {Highpass: 1}, {Lowpass: 60}, {Notch: []float64{50}},
			} {
				if r, err := filtered(c.x, f); err != nil || r.Rank != c.want {
					t.Errorf("d=%d, %s, %v: %+v, %v; want rank %d", d, c.name, f, r, err, c.want)
				}
			}
			y, err := r.Apply(c.x)
			if err != nil {
				t.Fatal(err)
			}
			back, err := r.Invert(y)
			if err != nil {
				t.Fatal(err)
			}
			// What is left out is rounding: of float64, of float32 or of the step.
			allowed := map[string]float64{"summed, in float32": 1e-6, "summed, then rounded to .001": .002,
				"summed, in 5 digits": 1e-3, "summed, of seven scales, in 6 digits": 1e-4, "average reference in 10 digits": 1e-8}[c.name]
			for i := range r.Channels() {
				for k := range n {
					if diff := math.Abs(back.At(i, k) - c.x.At(i, k)); diff > max(allowed, 1e-9)*r.Scale[i] {
						t.Fatalf("d=%d, %s: channel %d comes back off by %g of %g", d, c.name, i, diff, r.Scale[i])
					}
				}
			}
		}
	}
}

// The largest components are kept, with their share of the variance: of two channels of correlation
// ρ the first has (1+ρ)/2.
func TestReduceKeepsLargestComponents(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{3, 1, -1, -3, 1, 3, -3, -1}) // ρ = 12/20
	r, err := Reduce(x, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rank != 2 || math.Abs(r.Explained-0.8) > 1e-12 {
		t.Errorf("rank %d, explained %g, want 2 and .8", r.Rank, r.Explained)
	}
	y, err := r.Apply(x)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 4 { // (x₀ + x₁)/√5/√2 but for the sign
		if want := (x.At(0, k) + x.At(1, k)) / math.Sqrt(10); math.Abs(math.Abs(y.At(0, k))-math.Abs(want)) > 1e-12 {
			t.Errorf("component %g, want ±%g", y.At(0, k), want)
		}
	}
	for _, c := range []struct {
		x    *mat.Dense
		k    int
		want string
	}{
		{x, 3, "components: are 3 of 2 channels of rank 2; must be 1 to 2"},
		{x, -1, "components: are -1"},
		{nil, 0, "empty"},
		{mat.NewDense(2, 2, []float64{1, 2, 3, 3}), 0, "signal 2"},
	} {
		if _, err := Reduce(c.x, c.k, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("to %d: error %v, want %q", c.k, err, c.want)
		}
	}
}

func ExampleReduce() {
	// The third channel is the first less the second, as the leads of an
	// electrocardiogram are.
	x := mat.NewDense(3, 5, []float64{
		1, 4, -2, 3, 0,
		2, -1, 0, 1, 5,
		-1, 5, -2, 2, -5,
	})
	r, err := Reduce(x, 0, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d channels of rank %d\n", r.Channels(), r.Rank)
	// Output: 3 channels of rank 2
}

// What is left out has the mean of the smallest eigenvalues of the channels' correlations.
func TestLeftOut(t *testing.T) {
	const d, n = 5, 400
	rng := rand.New(rand.NewPCG(3, 9))
	a, s := mat.NewDense(d, d, nil), mat.NewDense(d, n, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	s.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, s)
	var x mat.Dense
	x.Mul(a, s)
	var correlations mat.SymDense
	stat.CorrelationMatrix(&correlations, x.T(), nil)
	var eigen mat.EigenSym
	if !eigen.Factorize(&correlations, false) {
		t.Fatal("no eigenvalues")
	}
	values := eigen.Values(nil) // in increasing order
	for k := 1; k <= d; k++ {
		r, err := Reduce(&x, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		if k < d {
			want = floats.Sum(values[:d-k]) / float64(d-k)
		}
		if got := r.LeftOut(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d of %d components: %g is left out, want %g", k, d, got, want)
		}
	}
}

// A channel that was drift only, and is rounding after a filter, hides no other.
func TestRankWithRoundingOnly(t *testing.T) {
	const d, n = 6, 5000
	rng := rand.New(rand.NewPCG(4, 2))
	x := mat.NewDense(d, n, nil)
	x.Apply(func(i, k int, _ float64) float64 { return float64(i+1) * rng.NormFloat64() }, x)
	for i := range d - 1 { // all of one source in part, so that some components are weak
		floats.AddScaled(x.RawRowView(i), 3, x.RawRowView(d-1))
	}
	for k := range n {
		x.Set(d-1, k, math.Round(float64(k)/50))
	}
	if r, err := filtered(x, filter.Filter{Highpass: 5}); err != nil || r.Rank != d {
		t.Errorf("rank %+v, %v; want %d", r, err, d)
	}
}

// filtered returns the reduction of channels after a filter at 250 Hz.
func filtered(x *mat.Dense, f filter.Filter) (*Reduction, error) {
	x = mat.DenseCopyOf(x)
	d, _ := x.Dims()
	steps := make([]float64, d)
	for i := range steps {
		steps[i] = rounding.Step(x.RawRowView(i))
		f.Apply(x.RawRowView(i), 250)
	}
	return Reduce(x, 0, steps)
}
