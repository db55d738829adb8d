package iterate

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// The iterations of a fit share one compiled training program.
func TestIterateCompilesOnce(t *testing.T) {
	for _, name := range backend.Available() {
		b := backendtest.Open(t, name)
		cfg := small()
		cfg.Steps = 10
		e := testEnsemble(t, b, cfg, 256)
		defer e.Close()
		x := mat.NewDense(2, 256, nil)
		r := rng(2)
		x.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, x)
		for j := range 4 {
			if _, err := e.Iterate(t.Context(), []*mat.Dense{x}, []uint64{1}, j+1); err != nil {
				t.Fatalf("%+v", err)
			}
		}
		if n := e.trainer.Compilations(); n != 1 {
			t.Errorf("%s: %d compilations, want 1", name, n)
		}
	}
}

// An ensemble that reuses the programs of an earlier one makes the iterations of an ensemble with
// new programs.
func TestPooledProgramsGiveSameIterations(t *testing.T) {
	const n = 96
	signals := func(seed uint64) []*mat.Dense {
		x, r := mat.NewDense(2, n, nil), rng(seed)
		x.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, x)
		return []*mat.Dense{x}
	}
	for name, change := range map[string]func(*Config){
		"wgf": func(*Config) {},
		"whole rf": func(c *Config) {
			c.Context, c.Kind, c.Folds, c.Noise = klflow.WholeSequence, klflow.RF, 0, 0
			c.Solver, c.SolverSteps = flows.Euler, 2
		},
	} {
		on := backend.Available()[0]
		if name == "whole rf" { // which XLA takes seconds to compile
			on = backend.Go
		}
		b, err := backend.Open(on)
		if err != nil {
			t.Fatal(err)
		}
		cfg := small()
		cfg.Steps, cfg.Block = 10, 16
		change(&cfg)
		iterate := func(seed uint64) (moves []*mat.Dense, of *networks) {
			e := testEnsemble(t, b, cfg, n)
			defer e.Close()
			for j := range 2 {
				estimates, err := e.Iterate(t.Context(), signals(seed), []uint64{seed}, j+1)
				if err != nil {
					t.Fatalf("%s: %+v", name, err)
				}
				moves = append(moves, estimates[0].Move)
			}
			return moves, e.networks
		}
		idle = programs.NewPool((*networks).close)
		alone, _ := iterate(2)

		idle = programs.NewPool((*networks).close)
		_, first := iterate(1)
		after, second := iterate(2)
		if first != second || second.trainer.Compilations() != 1 {
			t.Errorf("%s: %d compilations, want those of the ensemble before", name, second.trainer.Compilations())
		}
		for j := range after {
			if !mat.Equal(after[j], alone[j]) {
				t.Errorf("%s: iteration %d moves\n%v\nafter another ensemble, by itself\n%v", name, j+1, after[j], alone[j])
			}
		}

		ended, cancel := context.WithCancel(t.Context())
		cancel()
		e := testEnsemble(t, b, cfg, n)
		if _, err := e.Iterate(ended, signals(1), []uint64{1}, 1); err == nil {
			t.Fatalf("%s: no error of an iteration that was cut short", name)
		}
		e.Close()
		again, third := iterate(2)
		if third != second || third.trainer.Compilations() != 1 {
			t.Errorf("%s: the networks of an iteration that was cut short weren't kept", name)
		}
		for j := range again {
			if !mat.Equal(again[j], alone[j]) {
				t.Errorf("%s: iteration %d moves\n%v\nafter one that was cut short, by itself\n%v", name, j+1, again[j], alone[j])
			}
		}
	}
}

// testEnsemble is the networks of one run of two signals at t positions.
func testEnsemble(t *testing.T, b compute.Backend, cfg Config, positions int) *ensemble {
	t.Helper()
	g, err := grid.New(nil, positions)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newEnsemble(t.Context(), b, cfg, 2, g, 1)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The learned velocity of two normal signals with correlation 0.6 against the closed form −ρ(b −
// ρa)/(1−ρ²): within a fifth of its root mean square over the samples. Independent signals have a
// velocity of about 0.
func TestVelocityOfGaussiansIsClosedForm(t *testing.T) {
	const n = 4000
	b, err := backend.Open(backend.Available()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, rho := range []float64{0.6, 0} {
		t.Run(fmt.Sprint("correlation ", rho), func(t *testing.T) {
			r := rng(11)
			x := mat.NewDense(2, n, nil)
			for k := range n {
				a := r.NormFloat64()
				x.Set(0, k, a)
				x.Set(1, k, rho*a+math.Sqrt(1-rho*rho)*r.NormFloat64())
			}
			cfg := small()
			cfg.Context, cfg.Windows, cfg.Noise, cfg.Steps = klflow.LocalWindow, []int{0}, 0, 500
			e, seeds := testEnsemble(t, b, cfg, n), []uint64{3}
			defer e.Close()
			if err := e.renew(e.streams(seeds, 1, stream.Weights)); err != nil {
				t.Fatal(err)
			}
			values := e.values([]*mat.Dense{x})
			data := e.data(values)
			if _, err := e.train(context.Background(), data, seeds, 1); err != nil {
				t.Fatalf("%+v", err)
			}
			held, err := e.calibrate(context.Background(), data, seeds, 1)
			if err != nil {
				t.Fatalf("%+v", err)
			}
			// Twice the Jensen–Shannon divergence, by the mean of the exact ratio.
			exact := 2 * math.Ln2
			ratio := func(a, c float64) float64 {
				return (2*rho*a*c-rho*rho*(a*a+c*c))/(2*(1-rho*rho)) - math.Log(1-rho*rho)/2
			}
			var joint, product []float64
			for k := range n {
				joint = append(joint, ratio(x.At(0, k), x.At(1, k)))
				product = append(product, ratio(x.At(0, k), x.At(1, (k+n/2)%n)))
			}
			exact -= meanSoftplus(joint, -1) + meanSoftplus(product, 1)
			if math.Abs(held[0].divergence-exact) > 0.05*exact+2e-3 {
				t.Errorf("divergence %g, with the exact ratio %g", held[0].divergence, exact)
			}

			moves, err := e.moves(context.Background(), data, values)
			if err != nil {
				t.Fatalf("%+v", err)
			}
			move := mat.NewDense(2, n, cfg.combine(moves, held[0].weights))
			if rho == 0 {
				if v := mat.Norm(move, 2) / math.Sqrt(2*n); v > 0.05 {
					t.Errorf("independent signals move by %g in root mean square, want nothing", v)
				}
				return
			}
			var wrong, size float64
			for k := range n {
				for i := range 2 {
					want := -rho * (x.At(1-i, k) - rho*x.At(i, k)) / (1 - rho*rho)
					size += want * want
					wrong += (move.At(i, k) - want) * (move.At(i, k) - want)
				}
			}
			if e := math.Sqrt(wrong / size); e > 0.2 {
				t.Errorf("the velocity is off by %.3f of its size, want at most 0.2", e)
			}
		})
	}
}

// Logits are evaluated in chunks, of which the last overlaps the one before.
func TestLogitsDontDependOnChunks(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x := mat.NewDense(2, 100, nil)
	draws := rng(5)
	x.Apply(func(_, _ int, _ float64) float64 { return draws.NormFloat64() }, x)
	cfg := small()
	cfg.Context, cfg.Windows, cfg.Folds, cfg.Block = klflow.LocalWindow, []int{1}, 2, 10
	e, seeds := testEnsemble(t, b, cfg, 100), []uint64{1}
	defer e.Close()
	if err := e.renew(e.streams(seeds, 1, stream.Weights)); err != nil {
		t.Fatal(err)
	}
	data := e.data(e.values([]*mat.Dense{x}))
	chunk := e.chunk(math.MaxInt)
	n := chunk + 37
	r := rng(9)
	idx := make([][]int32, 2)
	for network := range idx {
		for range n * 2 {
			idx[network] = append(idx[network], int32(r.IntN(100)))
		}
	}
	long, err := e.logits(context.Background(), data, idx)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	for _, at := range []int{0, 1, chunk - 1, chunk, n - 1} {
		one, err := e.logits(context.Background(), data, [][]int32{idx[0][2*at : 2*at+2], idx[1][2*at : 2*at+2]})
		if err != nil {
			t.Fatalf("%+v", err)
		}
		for network := range one {
			if math.Abs(one[network][0]-long[network][at]) > 1e-6 {
				t.Errorf("network %d, sample %d: %g alone, %g among %d", network, at, one[network][0], long[network][at], n)
			}
		}
	}
}
