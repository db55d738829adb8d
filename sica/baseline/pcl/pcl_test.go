package pcl

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/pca"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

var _ ica.Method = Config{}

// on returns the configuration with the backend.
func (c Config) on(b compute.Backend) Config {
	c.Backend = b
	return c
}

// sources returns two signals of the article's kind, s_t = 0.7·s_{t−1} + Laplace.
func sources(t *testing.T, seed uint64, positions int) *mat.Dense {
	t.Helper()
	p := datasets.ARProcess{
		Coefficients: []float64{0.7},
		Scale:        1,
		Innovation:   datasets.Laplace,
		BurnIn:       50,
	}
	s, err := datasets.AR(rand.New(rand.NewPCG(seed, 0)), positions, p, p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// small returns a training of a second on the pure-Go backend.
func small() Config {
	return Config{Hidden: []int{4}, LearningRate: 1e-2, Batch: 16, Epochs: 30, Seed: 5}
}

// The sources of the article are recovered from a mixing that is not symmetric, which whitening
// does not undo.
func TestRecoversDependentSources(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 10 s")
	}
	b := backendtest.Open(t, backend.CPU)
	w := mat.NewDense(2, 2, []float64{1, 0.7, -0.7, 1})
	for name, opt := range map[string]datasets.MixOptions{
		"linear":    {Steps: 2, W: w},
		"nonlinear": {Steps: 2, W: w, H: datasets.GELU},
	} {
		s := sources(t, 1, 2000)
		x := baselinetest.Mixed(t, s, opt)
		cfg := Default()
		cfg.Epochs = 200
		m, err := ica.Separate(context.Background(), cfg.on(b), x)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		before, after := baselinetest.MCC(t, x, s), baselinetest.MCC(t, m.Signals, s)
		t.Logf("%s: MCC %.3f, of the mixed signals %.3f; %+v", name, after, before, m.Convergence)
		if !(after > 0.97) || before > 0.9 {
			t.Errorf("%s: MCC %.3f from %.3f, want above 0.97 from below 0.9", name, after, before)
		}
		if c := m.Convergence; !c.Converged || c.Warning != "" || c.Iterations != 200*7 {
			t.Errorf("%s: %+v, want it converged in 1400 steps", name, c)
		}
	}
}

func TestWarnsOfIndependentPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	x := mat.NewDense(2, 600, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return datasets.Laplace(rng) }, x)
	cfg := Config{LearningRate: 1e-2, Decay: true, Batch: 256, Epochs: 100}
	white, err := pca.Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	losses, err := new(features).train(t.Context(), white.White,
		cfg.on(backendtest.Open(t, backend.Go)))
	if err != nil {
		t.Fatal(err)
	}
	c := cfg.convergence(losses)
	loss, _ := learning.LastTenth(losses)
	if !c.Converged || !strings.Contains(c.Warning, "can't distinguish") ||
		math.Abs(loss-math.Ln2) > 0.02 {
		t.Errorf("loss %.3f and %+v, want a loss of log 2 and a warning", loss, c)
	}
}

// A training gives the same model twice, and on both backends.
func TestModelIsDeterministic(t *testing.T) {
	x := baselinetest.Mixed(t, sources(t, 2, 100), datasets.MixOptions{Steps: 1})
	method := func(b compute.Backend) ica.Method { return small().on(b) }
	baselinetest.Trained(t, x, method, func(t *testing.T, m *ica.Model, z *mat.Dense) {
		one, err := m.Transform(mat.DenseCopyOf(x.Slice(0, 2, 7, 8)))
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(one, z.Slice(0, 2, 7, 8), 1e-12) {
			t.Error("the transform of one position isn't that position of the transform")
		}
		if _, err := m.InverseTransform(z); !errors.Is(err, preprocess.ErrNotInvertible) {
			t.Errorf("inverse transform: %v, want ErrNotInvertible", err)
		}
	})
}

// With a network of both features the training learns which pairs are neighbours, also for raw
// signals, which are not whitened.
func TestJointAndRaw(t *testing.T) {
	x := baselinetest.Mixed(t, sources(t, 2, 400), datasets.MixOptions{Steps: 1})
	cfg := Config{
		Hidden: []int{8}, LearningRate: 1e-2, Decay: true, Batch: 128, Epochs: 100, Seed: 5,
		Joint: true,
	}.on(backendtest.Open(t, backend.Go))
	joint, err := ica.Separate(t.Context(), cfg, x)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	white, err := pca.Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	losses, err := new(features).train(t.Context(), white.White, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if loss, _ := learning.LastTenth(losses); loss > math.Ln2-0.05 {
		t.Errorf("the loss is %.3f, that of guessing %.3f", loss, math.Ln2)
	}
	cfg.Raw = true
	raw, err := ica.Separate(t.Context(), cfg, x)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	if raw.Map.(*features).whitening != nil || mat.EqualApprox(raw.Signals, joint.Signals, 1e-6) {
		t.Error("raw signals were whitened")
	}
	if z, err := raw.Transform(x); err != nil || !mat.EqualApprox(z, raw.Signals, 1e-12) {
		t.Errorf("%v: the transform of the mixed signals isn't the recovered ones", err)
	}
}

func TestErrors(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x := baselinetest.Mixed(t, sources(t, 3, 50), datasets.MixOptions{Steps: 1})
	for name, test := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"hidden": {change: func(c *Config) { c.Hidden = []int{3, 0} },
			want: "Hidden: is [3 0]"},
		"learning rate": {change: func(c *Config) { c.LearningRate = math.NaN() },
			want: "LearningRate: is NaN"},
		"batch": {change: func(c *Config) { c.Batch = 0 }, want: "Batch: is 0"},
		"epochs": {change: func(c *Config) { c.Epochs = 0 },
			want: "Epochs: is 0"},
		"diverging": {change: func(c *Config) { c.LearningRate = 1e30 },
			want: ica.ErrNotFinite.Error()},
	} {
		cfg := small()
		test.change(&cfg)
		_, err := ica.Separate(t.Context(), cfg.on(b), x)
		isSetting := name != "diverging"
		if err == nil || errors.Is(err, ica.ErrConfig) != isSetting || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
	for _, cfg := range []Config{Default(), Paper(), small()} {
		if err := cfg.on(b).validate(); err != nil {
			t.Error(err)
		}
	}
}

// A context that ends during the training ends it between two chunks.
func TestCancel(t *testing.T) {
	x := baselinetest.Mixed(t, sources(t, 4, 50), datasets.MixOptions{Steps: 1})
	cfg := small()
	cfg.Epochs = 1e6
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := ica.Separate(ctx, cfg.on(backendtest.Open(t, backend.Go)), x)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// An epoch has each position except the first once, with the position before it.
func TestEpochHasEachPairOnce(t *testing.T) {
	const n, batch = 13, 4
	o := newOrder(rand.New(rand.NewPCG(1, 1)), n, batch)
	for range 3 {
		var epoch []int32
		at := make([]int32, 3*batch)
		for range (n - 1) / batch {
			o.next(at)
			for i := range batch {
				if at[batch+i] != at[i]-1 {
					t.Errorf("position %d has the neighbour %d", at[i], at[batch+i])
				}
				if other := at[2*batch+i]; other < 0 || other >= n {
					t.Errorf("another position is %d of %d", other, n)
				}
			}
			epoch = append(epoch, at[:batch]...)
		}
		slices.Sort(epoch)
		for i, p := range epoch {
			if p != int32(i+1) {
				t.Fatalf("an epoch has the positions %v", epoch)
			}
		}
	}
}
