package outlier_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
)

const positions = 2000

// sequence is the grid of a sequence of positions.
func sequence(t *testing.T) *grid.Grid {
	t.Helper()
	g, err := grid.New(nil, positions)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// mixed are d sources, each of independent values, and their mixtures x by a random matrix.
func mixed(rng *rand.Rand, d int, value func(*rand.Rand) float64) (sources, matrix, x *mat.Dense) {
	sources, matrix, x = mat.NewDense(d, positions, nil), mat.NewDense(d, d, nil), new(mat.Dense)
	for i := range d {
		for t := range positions {
			sources.Set(i, t, value(rng))
		}
		for j := range d {
			matrix.Set(i, j, rng.NormFloat64())
		}
	}
	x.Mul(matrix, sources)
	return sources, matrix, x
}

// A single event in one channel is found, for any size and any sources, and nothing else is.
func TestSingleEventsInOneChannelAreFound(t *testing.T) {
	g := sequence(t)
	pulses := func(rng *rand.Rand) float64 {
		if rng.Float64() < .005 {
			return 30 * rng.NormFloat64()
		}
		return rng.NormFloat64()
	}
	for name, value := range map[string]func(*rand.Rand) float64{
		"Gaussian": datasets.Normal, "Laplace": datasets.Laplace, "uniform": datasets.Uniform, "pulses": pulses,
	} {
		for _, size := range []float64{0, 40, 4000} {
			for seed := range uint64(5) {
				rng := rand.New(rand.NewPCG(seed, 11))
				_, _, x := mixed(rng, 4, value)
				at := 100 + rng.IntN(positions-200)
				var want []int
				if size > 0 {
					row := x.RawRowView(2)
					row[at] += size * math.Sqrt(mat.Dot(x.RowView(2), x.RowView(2))/positions)
					want = []int{at}
				}
				got := outlier.Find(x, g)
				if name == "pulses" { // whose largest may be alone
					got = slices.DeleteFunc(got, func(t int) bool { return !slices.Contains(want, t) })
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %g standard deviations, seed %d: found %v, want %v", name, size, seed, got, want)
				}
			}
		}
	}
}

// Events that repeat in one direction are a source, unless the direction is a channel.
func TestRepeatedDirectionIsASource(t *testing.T) {
	g := sequence(t)
	for _, c := range []struct {
		name       string
		directions [][]float64 // of events at 500, 700, 900
		want       []int
	}{
		{"one direction", [][]float64{{1, 2, -1}, {-1, -2, 1}, {1, 2, -1}}, nil},
		{"three directions", [][]float64{{1, 2, -1}, {2, -1, 1}, {0, 1, 3}}, []int{500, 700, 900}},
		{"one channel", [][]float64{{0, 1, 0}, {0, -1, 0}, {0, 2, 0}}, []int{500, 700, 900}},
		{"two of three in one", [][]float64{{1, 2, -1}, {0, 1, 3}, {1, 2, -1}}, []int{700}},
	} {
		_, _, x := mixed(rand.New(rand.NewPCG(1, 12)), 3, datasets.Normal)
		for k, direction := range c.directions {
			for i, v := range direction {
				at := 500 + 200*k
				x.Set(i, at, x.At(i, at)+60*v)
			}
		}
		if got := outlier.Find(x, g); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %v, want %v", c.name, got, c.want)
		}
	}
}

// The pulses of a source are no outliers, whether they reach all channels or only one.
func TestPulsesAreASource(t *testing.T) {
	for _, pulses := range []int{1, 2, 8} {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 16))
			s, matrix, x := mixed(rng, 4, datasets.Normal)
			s.SetRow(3, make([]float64, positions))
			for range pulses {
				s.Set(3, 50+rng.IntN(positions-100), 1)
			}
			if seed%2 == 1 {
				matrix.SetRow(3, []float64{0, 0, 0, 1})
			}
			x.Mul(matrix, s)
			left := outlier.Mend(s, outlier.Find(x, sequence(t)))
			if mat.Norm(left.RowView(3), 2) == 0 {
				t.Errorf("%d pulses, seed %d: all were found", pulses, seed)
			}
		}
	}
}

// A large value near an end is found if it is in one channel only. The beginning of the paper's
// AR(7), ten times as large in each source, is not an outlier.
func TestOutliersNearTheEnds(t *testing.T) {
	g := sequence(t)
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 17))
		s, matrix, x := mixed(rng, 3, datasets.Normal)
		for _, at := range []int{4, 5, positions - 9} {
			x.Set(1, at, x.At(1, at)+40*mat.Norm(matrix.RowView(1), 2))
		}
		if got, want := outlier.Find(x, g), []int{4, 5, positions - 9}; !slices.Equal(got, want) {
			t.Errorf("seed %d: found %v, want %v", seed, got, want)
		}
		for i := range 3 {
			for k := range 7 {
				s.Set(i, k, 10*s.At(i, k))
			}
		}
		x.Mul(matrix, s)
		if got := outlier.Find(x, g); got != nil {
			t.Errorf("seed %d: found %v of a beginning", seed, got)
		}
	}
}

// In smooth signals a click is found that is smaller than the signals.
func TestSmallClickInSmoothSignals(t *testing.T) {
	slow := datasets.ARProcess{Coefficients: []float64{1.8, -.82}, Scale: 1}
	x, err := datasets.AR(rand.New(rand.NewPCG(1, 13)), positions, slow, slow)
	if err != nil {
		t.Fatal(err)
	}
	sd := math.Sqrt(mat.Dot(x.RowView(0), x.RowView(0)) / positions)
	x.Set(0, 777, x.At(0, 777)+2*sd)
	if got, want := outlier.Find(x, sequence(t)), []int{777}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// There are no directions in one signal, and none can be estimated in linearly dependent signals;
// images have edges; and where rare values have all of the variance, none is an outlier.
func TestNoOutliers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	_, _, one := mixed(rng, 1, datasets.Normal)
	one.Set(0, 700, 1e6)
	_, _, two := mixed(rng, 2, datasets.Normal)
	two.Set(0, 700, 1e6)
	var dependent mat.Dense
	dependent.Stack(two, two)
	_, _, rare := mixed(rng, 2, func(rng *rand.Rand) float64 { return math.Pow(rng.NormFloat64(), 15) })
	image, err := grid.New([]int{40, positions / 40}, positions)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		x    *mat.Dense
		g    *grid.Grid
	}{
		{"one signal", one, sequence(t)},
		{"dependent signals", &dependent, sequence(t)},
		{"an image", two, image},
		{"no variance to speak of", rare, sequence(t)},
	} {
		if got := outlier.Find(c.x, c.g); got != nil {
			t.Errorf("%s: found %v, want none", c.name, got)
		}
	}
}

// Mending commutes with a linear mixing.
func TestMendCommutesWithMixing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	s, matrix, x := mixed(rng, 3, datasets.Normal)
	at := []int{30, 31, 32, 800}
	got := outlier.Mend(x, at)
	var want mat.Dense
	want.Mul(matrix, outlier.Mend(s, at))
	if !mat.EqualApprox(got, &want, 1e-12) {
		t.Error("mending doesn't commute with mixing")
	}
	if ends := outlier.Mend(x, []int{0, 1, positions - 1}); ends.At(1, 0) != x.At(1, 2) || ends.At(1, 1) != x.At(1, 2) || ends.At(1, positions-1) != x.At(1, positions-2) {
		t.Error("an end isn't the value beside it")
	}
	for k, share := range []float64{.25, .5, .75} {
		if v, line := got.At(0, 30+k), (1-share)*x.At(0, 29)+share*x.At(0, 33); math.Abs(v-line) > 1e-12 {
			t.Errorf("position %d is %g, want %g", 30+k, v, line)
		}
	}
	if outlier.Mend(x, nil) != x {
		t.Error("without outliers it isn't x itself")
	}
}
