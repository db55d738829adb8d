package ivae

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

var _ ica.Method = Config{}

// on returns the configuration with the backend.
func (c Config) on(b compute.Backend) Config {
	c.Backend = b
	return c
}

// sources returns two Gaussian signals whose variances change between segments, and the segment
// of each position as a column with one 1.
func sources(seed uint64, segments, length int) (s, u *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 0))
	s, u = mat.NewDense(2, segments*length, nil), mat.NewDense(segments, segments*length, nil)
	for g := range segments {
		for i := range 2 {
			sd := 0.5 + 2.5*rng.Float64()
			for t := g * length; t < (g+1)*length; t++ {
				s.Set(i, t, sd*rng.NormFloat64())
				u.Set(g, t, 1)
			}
		}
	}
	return s, u
}

// small returns a training of a second on the pure-Go backend.
func small() Config {
	return Config{
		Hidden:       []int{4},
		LearningRate: 1e-2,
		Patience:     3,
		Batch:        16,
		Iterations:   60,
		Seed:         5,
	}
}

// The sources of the article are recovered from a mixing that is not symmetric, which whitening
// does not undo.
func TestRecoversModulatedSources(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 15 s")
	}
	b := backendtest.Open(t, backend.CPU)
	long := os.Getenv("SICA_LONG_TESTS") != ""
	w := mat.NewDense(2, 2, []float64{1, 0.7, -0.7, 1})
	for name, opt := range map[string]datasets.MixOptions{
		"linear":    {Steps: 2, W: w},
		"nonlinear": {Steps: 2, W: w, H: datasets.GELU},
	} {
		if name == "linear" && !long {
			continue // the easier one
		}
		s, u := sources(1, 20, 100)
		x := baselinetest.Mixed(t, s, opt)
		cfg := Default()
		cfg.U = u
		m, err := ica.Separate(context.Background(), cfg.on(b), x)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		before, after := baselinetest.MCC(t, x, s), baselinetest.MCC(t, m.Signals, s)
		again, err := m.InverseTransform(m.Signals)
		if err != nil {
			t.Fatal(err)
		}
		decoded := baselinetest.MCC(t, again, x)
		t.Logf("%s: MCC %.3f, of the mixed signals %.3f, of those decoded with those %.3f; %+v",
			name, after, before, decoded, m.Convergence)
		if !(after > 0.9) || before > 0.85 || !(decoded > 0.98) {
			t.Errorf(
				"%s: MCC %.3f from %.3f, decoded %.3f, want above 0.9 from below 0.85, above 0.98",
				name, after, before, decoded,
			)
		}
		if c := m.Convergence; !c.Converged || c.Warning != "" || c.Iterations != 10003 {
			t.Errorf("%s: %+v, want it converged in 1429 epochs of 7 steps", name, c)
		}
	}
}

// A training gives the same model twice, and on both backends.
func TestModelIsDeterministic(t *testing.T) {
	s, _ := sources(2, 5, 20)
	x := baselinetest.Mixed(t, s, datasets.MixOptions{Steps: 1})
	method := func(b compute.Backend) ica.Method { return small().on(b) }
	baselinetest.Trained(t, x, method, func(t *testing.T, m *ica.Model, z *mat.Dense) {
		if first, err := m.Transform(mat.DenseCopyOf(x.Slice(0, 2, 0, 1))); err != nil ||
			!mat.EqualApprox(first, z.Slice(0, 2, 0, 1), 1e-12) {
			t.Errorf("%v: the first position by itself isn't that of the transform", err)
		}
		if y, err := m.InverseTransform(z); err != nil || signal.CheckNew("x", y, 2) != nil {
			t.Errorf("inverse transform: %v, %v", y, err)
		}
		if _, err := m.InverseTransform(mat.NewDense(3, 2, nil)); err == nil {
			t.Error("the inverse transform of three signals gave no error")
		}
	})
}

// A sample is the mean plus noise of the encoder's variance, the same for the same signals; raw
// signals are not standardised.
func TestSampleHasEncodersVariance(t *testing.T) {
	s, _ := sources(2, 5, 20)
	x := baselinetest.Mixed(t, s, datasets.MixOptions{Steps: 1})
	b := backendtest.Open(t, backend.Go)
	fit := func(raw bool, recovery Recovery) *ica.Model {
		cfg := small().on(b)
		cfg.Raw, cfg.Recover = raw, recovery
		m, err := ica.Separate(t.Context(), cfg, x)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		return m
	}
	mean, sample := fit(false, Mean), fit(false, Sample)
	if z, err := sample.Transform(x); err != nil || !mat.Equal(z, sample.Signals) {
		t.Errorf("%v: the transform of the mixed signals isn't the recovered sample", err)
	}
	if !mat.Equal(fit(false, "").Signals, mean.Signals) {
		t.Error("without Recover the signals aren't the mean")
	}
	a := mean.Map.(*autoencoder)
	var xu mat.Dense
	xu.Stack(a.scale.standardise(x), a.u)
	logVariance := a.variance.Outputs(&xu)
	var squares []float64 // of the noise, which is standard normal
	logVariance.Apply(func(i, k int, v float64) float64 {
		difference := sample.Signals.At(i, k) - mean.Signals.At(i, k)
		squares = append(squares, difference*difference/math.Exp(v))
		return v
	}, logVariance)
	// The mean of 200 squares has the standard error 0.1.
	if got := stat.Mean(squares, nil); math.Abs(got-1) > 0.4 {
		t.Errorf("the mean square of the noise is %.3f, want 1 (0.1)", got)
	}
	raw := fit(true, Mean)
	if scale := raw.Map.(*autoencoder).scale; scale.mean[0] != 0 || scale.sd[0] != 1 {
		t.Errorf("the scale of raw signals is %+v", scale)
	}
	if mat.EqualApprox(raw.Signals, mean.Signals, 1e-6) {
		t.Error("raw signals give what standardised ones do")
	}
}

func TestErrors(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	s, _ := sources(3, 5, 10)
	x := baselinetest.Mixed(t, s, datasets.MixOptions{Steps: 1})
	nanU := mat.NewDense(1, 50, nil)
	nanU.Set(0, 3, math.NaN())
	for name, test := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"hidden": {change: func(c *Config) { c.Hidden = []int{3, 0} },
			want: "Hidden: is [3 0]"},
		"learning rate": {change: func(c *Config) { c.LearningRate = math.NaN() },
			want: "LearningRate: is NaN"},
		"batch": {change: func(c *Config) { c.Batch = 0 }, want: "Batch: is 0"},
		"iterations": {change: func(c *Config) { c.Iterations = 0 },
			want: "Iterations: is 0"},
		"patience": {change: func(c *Config) { c.Patience = -1 },
			want: "Patience: is -1"},
		"recover": {change: func(c *Config) { c.Recover = "median" },
			want: `Recover: is "median"`},
		"short u": {change: func(c *Config) { c.U = mat.NewDense(1, 49, nil) },
			want: "U: is 1×49"},
		"u with NaN": {change: func(c *Config) { c.U = nanU },
			want: "U: the value in row 1, column 4 is NaN"},
		"diverging": {change: func(c *Config) { c.LearningRate = 1e30 },
			want: ica.ErrNotFinite.Error()},
	} {
		cfg := small()
		test.change(&cfg)
		_, err := ica.Separate(t.Context(), cfg.on(b), x)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
	for _, cfg := range []Config{Default(), Paper(), small()} {
		if err := cfg.on(b).validate(10); err != nil {
			t.Error(err)
		}
	}
}

// A context that ends during the training ends it between two chunks.
func TestCancel(t *testing.T) {
	s, _ := sources(4, 5, 10)
	x := baselinetest.Mixed(t, s, datasets.MixOptions{Steps: 1})
	cfg := small()
	cfg.Iterations = 1e7
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := ica.Separate(ctx, cfg.on(backendtest.Open(t, backend.Go)), x)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestPositions(t *testing.T) {
	if u := positions([]int{4}); !mat.Equal(u, mat.NewDense(1, 4, []float64{0, 0.25, 0.5, 0.75})) {
		t.Errorf("u of 4 positions is %v", mat.Formatted(u))
	}
	want := mat.NewDense(2, 8, []float64{
		0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5,
		0, 0.25, 0.5, 0.75, 0, 0.25, 0.5, 0.75,
	})
	if u := positions([]int{2, 4}); !mat.Equal(u, want) {
		t.Errorf("u of 2×4 pixels is %v", mat.Formatted(u))
	}
}

// Images and signals with a custom u are transformed at the positions of the fit only.
func TestTransformNeedsU(t *testing.T) {
	s, u := sources(6, 5, 10)
	x := baselinetest.Mixed(t, s, datasets.MixOptions{Steps: 1})
	for name, test := range map[string]struct {
		u     *mat.Dense
		shape []int
	}{
		"image": {nil, []int{5, 10}},
		"label": {u, nil},
		"both":  {u, []int{5, 10}},
	} {
		cfg := small()
		cfg.U = test.u
		method := cfg.on(backendtest.Open(t, backend.Go))
		m, err := ica.Separate(context.Background(), method, x, test.shape...)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		if z, err := m.Transform(x); err != nil || !mat.Equal(z, m.Signals) {
			t.Errorf("%s: %v: the transform of the mixed signals isn't the recovered ones",
				name, err)
		}
		if _, err := m.Transform(mat.DenseCopyOf(x.Slice(0, 2, 0, 20))); err == nil ||
			!strings.Contains(err.Error(), "where u is known") {
			t.Errorf("%s: error %v, want one that says that u is missing", name, err)
		}
	}
}
