package lica

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/contexttest"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

var _ ica.Method = Config{}

// mixture draws n positions of a source for each of the distributions and mixes
// them by a random rotation.
func mixture(
	t *testing.T, seed uint64, n int, sources ...func(*rand.Rand) float64,
) (x, a *mat.Dense) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	d := len(sources)
	s := mat.NewDense(d, n, nil)
	for i, source := range sources {
		for k := range n {
			s.Set(i, k, source(rng))
		}
	}
	a = randomRotation(d, rng)
	x, err := datasets.LinearMix(a, s)
	if err != nil {
		t.Fatal(err)
	}
	return x, a
}

// quick is Default with half the basis functions, a quarter of the time.
func quick() Config {
	cfg := Default()
	cfg.Basis = 100
	return cfg
}

// amari fits x and returns Amari's distance of the unmixing from undoing a.
func amari(t *testing.T, x, a *mat.Dense, method ica.Method) float64 {
	t.Helper()
	model, err := ica.Separate(context.Background(), method, x)
	if err != nil {
		t.Fatal(err)
	}
	distance, err := metric.Amari(baselinetest.Unmixing(t, model), a)
	if err != nil {
		t.Fatal(err)
	}
	return distance
}

func TestRecoversUniformSources(t *testing.T) {
	for _, test := range []struct {
		name  string
		d     int
		seeds uint64
		cfg   Config
	}{
		{"two sources", 2, 2, quick()},
		{"two sources, the paper's settings", 2, 2, Paper()},
		{"three sources", 3, 1, quick()}, // which take longest
	} {
		t.Run(test.name, func(t *testing.T) {
			for seed := range test.seeds {
				sources := slices.Repeat([]func(*rand.Rand) float64{datasets.Uniform}, test.d)
				x, a := mixture(t, seed, 1024, sources...)
				if distance := amari(t, x, a, test.cfg); distance >= 0.05 {
					t.Errorf("seed %d: Amari %.4f, want less than 0.05", seed, distance)
				}
			}
		})
	}
}

func TestAsGoodAsFastICA(t *testing.T) {
	// Of super-Gaussian sources.
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const seeds = 10
	var lica, fast float64
	for seed := range uint64(seeds) {
		x, a := mixture(t, seed, 512, datasets.Laplace, datasets.Laplace)
		lica += amari(t, x, a, Default()) / seeds
		fast += amari(t, x, a, fastica.Paper()) / seeds
	}
	if lica > fast {
		t.Errorf("mean Amari of LICA %.4f, of FastICA %.4f: want no more", lica, fast)
	}
}

func TestModel(t *testing.T) {
	x, _ := mixture(t, 1, 200, datasets.Uniform, datasets.Laplace, datasets.Uniform)
	before := mat.DenseCopyOf(x)
	cfg := quick()
	cfg.Tolerance = 0 // as many steps as there are
	m := baselinetest.Fit(t, x, cfg)
	if !mat.Equal(x, before) {
		t.Error("Fit changed x")
	}

	// The unmixing matrix is the rotation times the whitening.
	components, err := pca.Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	var rotation, product mat.Dense
	rotation.Mul(baselinetest.Unmixing(t, m), components.Inverse)
	identity := mat.DenseCopyOf(mat.NewDiagDense(3, []float64{1, 1, 1}))
	product.Mul(&rotation, rotation.T())
	if !mat.EqualApprox(&product, identity, 1e-10) {
		t.Errorf("rotation·rotationᵀ is\n%v", mat.Formatted(&product))
	}
	product.Reset()
	product.Mul(m.Signals, m.Signals.T())
	product.Scale(1.0/200, &product)
	if !mat.EqualApprox(&product, identity, 1e-10) {
		t.Errorf("the covariance of the signals is\n%v", mat.Formatted(&product))
	}
	z, err := m.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(z, m.Signals, 1e-10) {
		t.Error("Transform of x is not Signals")
	}
	back, err := m.InverseTransform(z)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(back, x, 1e-10) {
		t.Error("InverseTransform of Signals is not x")
	}
	if c := m.Convergence; !c.Converged || c.Iterations == 0 || c.Warning != "" {
		t.Errorf("convergence %+v: want iterations that converged without a warning", c)
	}
}

func TestDescentStaysOrthogonalAndFalls(t *testing.T) {
	const d = 5
	b := newBasis(white(t, d, 150, 12), 40)
	w := randomRotation(d, rand.New(rand.NewPCG(4, 4)))
	o := newObjective(b, w, 0.7, 1e-3)
	identity := mat.DenseCopyOf(mat.NewDiagDense(d, []float64{1, 1, 1, 1, 1}))
	last := math.Inf(1)
	for _, maxIterations := range []int{1, 2, 5, 20, 1000} {
		cfg := Config{MaxIterations: maxIterations}
		end, err := o.descend(context.Background(), w, cfg)
		if err != nil {
			t.Fatal(err)
		}
		var product mat.Dense
		product.Mul(end.rotation, end.rotation.T())
		if !mat.EqualApprox(&product, identity, 1e-10) {
			t.Errorf("after %d iterations W·Wᵀ is\n%v", end.iterations, mat.Formatted(&product))
		}
		if !(end.smi < last) {
			t.Errorf("after %d iterations SMI-hat is %g, before that %g",
				end.iterations, end.smi, last)
		}
		last = end.smi
	}
}

func TestReproducible(t *testing.T) {
	x, _ := mixture(t, 2, 200, datasets.Uniform, datasets.Laplace)
	cfg := Paper()
	fit := func(seed uint64) *ica.Model {
		cfg.Seed = seed
		return baselinetest.Fit(t, x, cfg)
	}
	first, again, other := fit(1), fit(1), fit(2)
	if !mat.Equal(first.Signals, again.Signals) ||
		*first.Details.(*Details) != *again.Details.(*Details) {
		t.Error("the same seed gave different signals")
	}
	if mat.Equal(first.Signals, other.Signals) {
		t.Error("another seed gave the same signals")
	}
}

func TestHardSignals(t *testing.T) {
	binary := func(rng *rand.Rand) float64 { return float64(rng.IntN(2)) }
	outlier := func(rng *rand.Rand) float64 { return math.Pow(rng.NormFloat64(), 9) }
	five := []func(*rand.Rand) float64{
		outlier, binary, datasets.Normal, datasets.Laplace, outlier,
	}
	for _, test := range []struct {
		name    string
		n       int
		sources []func(*rand.Rand) float64
	}{
		{"one signal", 100, []func(*rand.Rand) float64{datasets.Laplace}},
		{"few positions", 5, []func(*rand.Rand) float64{datasets.Laplace, datasets.Normal}},
		{"two values", 100, []func(*rand.Rand) float64{binary, binary}},
		{"outliers", 100, []func(*rand.Rand) float64{outlier, outlier, datasets.Normal}},
		{"ten signals", 50, slices.Repeat(five, 2)},
	} {
		for name, cfg := range map[string]Config{"Default": Default(), "Paper": Paper()} {
			t.Run(test.name+", "+name, func(t *testing.T) {
				x, _ := mixture(t, 3, test.n, test.sources...)
				m := baselinetest.Fit(t, x, cfg)
				if err := signal.CheckFinite(baselinetest.Unmixing(t, m)); err != nil {
					t.Error(err)
				}
				if math.IsNaN(m.Details.(*Details).SMI) {
					t.Error("SMI-hat isn't finite")
				}
			})
		}
	}
}

func TestWarnings(t *testing.T) {
	two := []func(*rand.Rand) float64{datasets.Uniform, datasets.Laplace}
	six := slices.Repeat(two, 3)
	for _, test := range []struct {
		name      string
		sources   []func(*rand.Rand) float64
		change    func(*Config)
		converged bool
		warning   string
	}{
		{"one iteration", two, func(c *Config) { c.MaxIterations = 1 }, false,
			"did not converge to the tolerance 1e-06 in 1 iterations"},
		{"narrow", six, func(c *Config) { c.Sigmas = []float64{0.1} }, true, "allow larger sigmas"},
		{"flat", two, func(c *Config) { c.Lambdas = []float64{1e9} }, true,
			"allow smaller lambdas"},
	} {
		t.Run(test.name, func(t *testing.T) {
			x, _ := mixture(t, 4, 200, test.sources...)
			cfg := Paper()
			test.change(&cfg)
			c := baselinetest.Fit(t, x, cfg).Convergence
			if c.Converged != test.converged || !strings.Contains(c.Warning, test.warning) {
				t.Errorf("converged %t, warning %q: want %t and a warning with %q",
					c.Converged, c.Warning, test.converged, test.warning)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	x, _ := mixture(t, 5, 200, datasets.Uniform, datasets.Laplace)
	// At once, while choosing and while descending.
	for _, calls := range []int{0, 2, 5, 10} {
		_, err := ica.Separate(contexttest.EndsAfter(context.Background(), calls), Paper(), x)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %d looks at the context: %v, want context.Canceled", calls, err)
		}
	}
}

func TestErrors(t *testing.T) {
	good, _ := mixture(t, 6, 50, datasets.Uniform, datasets.Laplace)
	with := func(v float64) *mat.Dense {
		x := mat.DenseCopyOf(good)
		x.Set(1, 7, v)
		return x
	}
	dependent := mat.DenseCopyOf(good)
	dependent.SetRow(1, good.RawRowView(0))
	set := func(change func(*Config)) Config {
		cfg := Paper()
		change(&cfg)
		return cfg
	}
	wide := func(lambdas ...float64) Config {
		return set(func(c *Config) { c.Lambdas, c.Sigmas = lambdas, []float64{100} })
	}
	for _, test := range []struct {
		name string
		x    *mat.Dense
		cfg  Config
		want string
	}{
		{"no signals", nil, Paper(), "x: is empty"},
		{"too few positions", mat.NewDense(2, 2, []float64{1, 2, 3, 5}), Paper(),
			"at least 3 positions"},
		{"NaN", with(math.NaN()), Paper(), "signal 2: has the value NaN at position 8"},
		{"infinite", with(math.Inf(1)), Paper(), "+Inf"},
		{"dependent", dependent, Paper(), "linearly dependent"},
		{"no settings", good, Config{}, "Sigmas: are []"},
		{"narrow sigma", good, set(func(c *Config) { c.Sigmas = []float64{1e-9} }),
			"from 1e-3 to 1e3"},
		{"no lambda", good, set(func(c *Config) { c.Lambdas = nil }), "Lambdas: are []"},
		{"zero lambda", good, set(func(c *Config) { c.Lambdas = []float64{0.1, 0} }),
			"each positive"},
		{"infinite lambda", good, set(func(c *Config) { c.Lambdas = []float64{math.Inf(1)} }),
			"each positive"},
		{"one fold", good, set(func(c *Config) { c.Folds = 1 }),
			"from 2 to the number of positions, 50"},
		{"many folds", good, set(func(c *Config) { c.Folds = 51 }),
			"from 2 to the number of positions, 50"},
		{"no basis", good, set(func(c *Config) { c.Basis = 0 }), "Basis: is 0"},
		{"no starts", good, set(func(c *Config) { c.Starts = 0 }), "Starts: is 0"},
		{"tolerance", good, set(func(c *Config) { c.Tolerance = math.NaN() }), "Tolerance: is NaN"},
		{"no iterations", good, set(func(c *Config) { c.MaxIterations = 0 }),
			"MaxIterations: is 0"},
		{"no ridge to speak of", good, wide(1e-300), "must be larger"},
		{"nor any choice", good, wide(1e-300, 1e-299), "must be larger"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := ica.Separate(context.Background(), test.cfg, test.x)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v: want one with %q", err, test.want)
			}
			if m != nil {
				t.Error("a model with an error")
			}
		})
	}
}
