package flows_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/layers"
)

func doubles(t *testing.T, x *tensors.Tensor) []float64 {
	t.Helper()
	values, err := host.Values(x)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// y₁′ = y₂ + τ, y₂′ = −k·y₁ with k = 1 held, from (2, 0), is
// y = (1 + cos τ, −sin τ − τ) in the limit, and back from there.
func TestIntegrateClosedForm(t *testing.T) {
	velocity := func(_ *model.Scope, y, tau *Node, held []*Node) *Node {
		a, c := Slice(y, AxisElem(0)), Slice(y, AxisElem(1))
		return Concatenate([]*Node{Add(c, Reshape(tau, 1)), Neg(Mul(held[0], a))}, 0)
	}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		for _, test := range []struct {
			solver   flows.Solver
			from, to float64
			within   float64 // 2·step for order 1, 2·step² for order 2
		}{
			{flows.Euler, 0, 1, 2e-2}, {flows.Heun, 0, 1, 2e-4},
			{flows.Heun, .5, 2, 4e-4}, {flows.Heun, 1, 0, 2e-4},
		} {
			exact := func(tau float64) []float64 { return []float64{1 + math.Cos(tau), -math.Sin(tau) - tau} }
			exec, err := model.NewExec(b, model.NewStore(), func(scope *model.Scope, y, k *Node) *Node {
				return flows.Integrate(scope, velocity, y).Hold(k).Solver(test.solver).Between(test.from, test.to).Done()
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Call(exact(test.from), 1.)
			if err != nil {
				t.Fatalf("%+v", err)
			}
			exec.Finalize()
			for i, want := range exact(test.to) {
				if got := doubles(t, out[0])[i]; math.Abs(got-want) > test.within {
					t.Errorf("%s from %g to %g: y[%d] = %g, want %g", test.solver, test.from, test.to, i, got, want)
				}
			}
		}
	})
}

// For a velocity that is the gradient of a network with variables and held signals, Integrate
// equals a loop on the host, on each backend. The variables stay, and a second call gives the same.
func TestIntegrateIsALoopOnTheHost(t *testing.T) {
	const steps = 7
	velocity := func(scope *model.Scope, y, tau *Node, held []*Node) *Node {
		return flows.RatioVelocity(func(y *Node) *Node {
			x := Concatenate([]*Node{y, held[0], BroadcastToDims(tau, 2, 5, 1)}, -1)
			return Squeeze(layers.MLP(scope.In("net"), MulScalar(x, .5)).Hidden(6).Done(), -1)
		}, y)
	}
	var other []float64
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		rng := rand.New(rand.NewPCG(1, 2))
		normal := func(dims ...int) *tensors.Tensor {
			flat := make([]float64, shapes.Make(dtypes.Float64, dims...).Size())
			for i := range flat {
				flat[i] = rng.NormFloat64()
			}
			return tensors.FromFlatDataAndDimensions(flat, dims...)
		}
		y0, context := normal(2, 5, 3), normal(2, 5, 2)
		store := model.NewStore()
		defer store.Finalize()
		store.SetParam(layers.ParamRuns, 2)
		step, err := model.NewExec(b, store, func(scope *model.Scope, in []*Node) []*Node {
			return []*Node{flows.Heun.Step(func(y, tau *Node) *Node {
				return velocity(scope.ResetVisited(), y, tau, in[1:2])
			}, in[0], in[2], in[3])}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer step.Finalize()
		scalar := shapes.Make(dtypes.Float64)
		if _, err := step.Compile(y0.Shape(), context.Shape(), scalar, scalar); err != nil {
			t.Fatal(err)
		}
		if err := layers.Initialise(store.RootScope(), []*rand.Rand{rand.New(rand.NewPCG(3, 0)), rand.New(rand.NewPCG(4, 0))}); err != nil {
			t.Fatal(err)
		}
		y := y0
		for k := range steps {
			out, err := step.Call(y, context, float64(k)*1.5/steps, 1.5/steps)
			if err != nil {
				t.Fatalf("%+v", err)
			}
			y = out[0]
		}
		want := doubles(t, y)

		exec, err := model.NewExec(b, store, func(scope *model.Scope, y, context *Node) *Node {
			return flows.Integrate(scope, velocity, y).Hold(context).Solver(flows.Heun).Between(0, 1.5).Steps(steps).Done()
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		for range 2 {
			out, err := exec.Call(y0, context)
			if err != nil {
				t.Fatalf("%+v", err)
			}
			got := doubles(t, out[0])
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-12 {
					t.Fatalf("y[%d] = %g, the loop on the host has %g", i, got[i], want[i])
				}
				if other != nil && math.Abs(got[i]-other[i]) > 1e-10 {
					t.Fatalf("y[%d] = %g, another backend has %g", i, got[i], other[i])
				}
			}
			other = got
		}
	})
}

func TestIntegrateErrors(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		still := func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return y }
		for want, build := range map[string]func(scope *model.Scope, y *Node) *flows.IntegrateConfig{
			"0 steps; must be": func(s *model.Scope, y *Node) *flows.IntegrateConfig { return flows.Integrate(s, still, y).Steps(0) },
			"must be floats": func(s *model.Scope, y *Node) *flows.IntegrateConfig {
				return flows.Integrate(s, still, ConvertDType(y, dtypes.Int32))
			},
			`solver is "rk4"`: func(s *model.Scope, y *Node) *flows.IntegrateConfig {
				return flows.Integrate(s, still, y).Solver("rk4")
			},
			"Between: NaN, 1; must be finite": func(s *model.Scope, y *Node) *flows.IntegrateConfig {
				return flows.Integrate(s, still, y).Between(math.NaN(), 1)
			},
			"Between: 0, +Inf; must be finite": func(s *model.Scope, y *Node) *flows.IntegrateConfig {
				return flows.Integrate(s, still, y).Between(0, math.Inf(1))
			},
			"if that is held, its nodes must be passed by Hold": func(s *model.Scope, y *Node) *flows.IntegrateConfig {
				return flows.Integrate(s, func(_ *model.Scope, y, _ *Node, held []*Node) *Node { return Mul(y, held[0]) }, y)
			},
			"must be (Float64)[2], like y": func(s *model.Scope, y *Node) *flows.IntegrateConfig {
				return flows.Integrate(s, func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return ReduceAllSum(y) }, y)
			},
		} {
			exec, err := model.NewExec(b, model.NewStore(), func(scope *model.Scope, y *Node) *Node { return build(scope, y).Done() })
			if err != nil {
				t.Fatal(err)
			}
			if _, err := exec.Call([]float64{1, 2}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	})
}

// Nodes from outside the velocity, which XLA's While can't see, are an error that names them.
func TestIntegrateSeesNoOtherNodes(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		if backend.NameOf(b) == backend.Go {
			return // which has no While here
		}
		for want, build := range map[string]func(scope *model.Scope, y *Node) *Node{
			"the velocity has y, tau and the nodes of Hold": func(scope *model.Scope, y *Node) *Node {
				rate := Exp(y)
				return flows.Integrate(scope, func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return Mul(rate, y) }, y).Done()
			},
			"the velocity shares a scalar": func(scope *model.Scope, y *Node) *Node {
				return flows.Integrate(scope, func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return MulScalar(y, 3) }, MulScalar(y, 3)).Done()
			},
		} {
			exec, err := model.NewExec(b, model.NewStore(), build)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := exec.Call([]float64{1, 2}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	})
}

// A point goes once around the circle.
func ExampleIntegrate() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	quarterTurn := func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { // (−y₂, y₁)
		return Concatenate([]*Node{Neg(Slice(y, AxisElem(1))), Slice(y, AxisElem(0))}, 0)
	}
	exec, err := model.NewExec(b, model.NewStore(), func(scope *model.Scope, y *Node) *Node {
		return flows.Integrate(scope, quarterTurn, y).Solver(flows.Heun).Between(0, 2*math.Pi).Steps(500).Done()
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := exec.Call([]float64{3, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", out[0].Value())
	// Output: [3.00 4.00]
}

// In half precision Integrate ends where it does in double precision, up to rounding.
func TestIntegrateInHalfPrecision(t *testing.T) {
	decay := func(_ *model.Scope, y, tau *Node, _ []*Node) *Node { return Neg(Mul(y, tau)) }
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		for _, solver := range []flows.Solver{flows.Euler, flows.Heun} {
			ends := func(dtype dtypes.DType) []float64 {
				end, err := flows.Follow(b, model.NewStore(), decay, host.Tensor([]float64{1, -2}, dtype, 2),
					func(c *flows.IntegrateConfig) { c.Solver(solver).Steps(8) })
				if err != nil {
					t.Fatalf("%s: %+v", dtype, err)
				}
				values, err := host.Values(end)
				if err != nil || end.DType() != dtype {
					t.Errorf("%s: ends in %s (%v)", dtype, end.DType(), err)
				}
				return values
			}
			want := ends(dtypes.Float64)
			for dtype, rounding := range map[dtypes.DType]float64{
				dtypes.Float16: 1. / (1 << 11), dtypes.BFloat16: 1. / (1 << 8),
			} {
				for i, v := range ends(dtype) {
					if math.Abs(v-want[i]) > 10*rounding {
						t.Errorf("%s in %s: %g, in double precision %g", solver, dtype, v, want[i])
					}
				}
			}
		}
	})
}
