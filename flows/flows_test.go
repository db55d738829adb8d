package flows_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
)

func TestLogisticLoss(t *testing.T) {
	// softplus by hand; the extremes must neither overflow nor lose the value.
	for _, test := range []struct{ joint, product, want, inJoint, inProduct float64 }{
		{0, 0, 2 * math.Ln2, -0.5, 0.5},
		{1, -2, math.Log1p(math.Exp(-1)) + math.Log1p(math.Exp(-2)), -1 / (1 + math.E), 1 / (1 + math.Exp(2))},
		{-800, 900, 1700, -1, 1},
		{800, -900, 0, 0, 0},
	} {
		backendtest.Each(t, func(t *testing.T, b compute.Backend) {
			exec, err := NewExec(b, func(joint, product *Node) []*Node {
				loss := flows.LogisticLoss(joint, product)
				return append([]*Node{loss}, Gradient(ReduceAllSum(loss), joint, product)...)
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Call([]float64{test.joint}, []float64{test.product})
			if err != nil {
				t.Fatalf("%+v", err)
			}
			for k, want := range []float64{test.want, test.inJoint, test.inProduct} {
				if got := out[k].Value().([]float64)[0]; math.Abs(got-want) > 1e-12 {
					t.Errorf("logits %g, %g: result %d (0 loss, then gradients) is %g, want %g", test.joint, test.product, k, got, want)
				}
			}
		})
	}
}

// gaussianRatio is log p(y)/Πp_i(y_i) of two standard normal signals with the
// correlation rho.
func gaussianRatio(y *Node, rho float64) *Node {
	a := Squeeze(Slice(y, AxisRange(), AxisElem(0)), -1)
	b := Squeeze(Slice(y, AxisRange(), AxisElem(1)), -1)
	quadratic := Sub(MulScalar(Mul(a, b), 2*rho), MulScalar(Add(Square(a), Square(b)), rho*rho))
	return AddScalar(DivScalar(quadratic, 2*(1-rho*rho)), -0.5*math.Log(1-rho*rho))
}

// The velocity of the flow of two correlated normal signals in closed form,
// v_a = −ρ(b − ρa)/(1−ρ²). Independent signals, ρ = 0, don't move at all.
func TestRatioVelocityOfGaussians(t *testing.T) {
	y := [][]float64{{1, 0}, {0.5, -2}, {-1, 3}}
	for _, rho := range []float64{0, 0.6, -0.9} {
		backendtest.Each(t, func(t *testing.T, b compute.Backend) {
			exec, err := NewExec(b, func(y *Node) *Node {
				return flows.RatioVelocity(func(y *Node) *Node { return gaussianRatio(y, rho) }, y)
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Call1(y)
			if err != nil {
				t.Fatalf("%+v", err)
			}
			for k, v := range out.Value().([][]float64) {
				for i := range v {
					want := -rho * (y[k][1-i] - rho*y[k][i]) / (1 - rho*rho)
					if math.Abs(v[i]-want) > 1e-12 {
						t.Errorf("ρ = %g, y = %v: v[%d] = %g, want %g", rho, y[k], i, v[i], want)
					}
				}
			}
		})
	}
}

func TestRectifiedFlowLiteral(t *testing.T) {
	y0, y1 := [][]float64{{1, 2}, {0, 0}}, [][]float64{{3, -2}, {1, 1}}
	tau := []float64{0.25, 1}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		exec, err := NewExec(b, func(y0, y1, tau *Node) []*Node {
			path := flows.StraightPath(y0, y1, tau)
			return []*Node{path, flows.RectifiedLoss(path, y0, y1)}
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(y0, y1, tau)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		if got := fmt.Sprint(out[0].Value()); got != "[[1.5 1] [1 1]]" {
			t.Errorf("path = %v", got)
		}
		// ‖(2,−4) − (1.5,1)‖² = 25.25 and ‖(1,1) − (1,1)‖² = 0
		if got := fmt.Sprint(out[1].Value()); got != "[25.25 0]" {
			t.Errorf("loss = %v", got)
		}
	})
}

// The error at τ = 1 of a linear equation falls with the step as h¹ for Euler
// and h² for Heun: the slope of its logarithm, by regression.
func TestSolverOrder(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	// y1′ = y2 + τ, y2′ = −y1 from (2, 0) is y = (1 + cos τ, −sin τ − τ).
	field := func(y, tau *Node) *Node {
		a := Slice(y, AxisElem(0))
		c := Slice(y, AxisElem(1))
		return Concatenate([]*Node{Add(c, Reshape(tau, 1)), Neg(a)}, 0)
	}
	for _, test := range []struct {
		solver flows.Solver
		order  float64
	}{{flows.Euler, 1}, {flows.Heun, 2}} {
		exec, err := NewExec(b, func(y, tau, h *Node) *Node { return test.solver.Step(field, y, tau, h) })
		if err != nil {
			t.Fatal(err)
		}
		var logH, logError []float64
		for _, n := range []int{10, 20, 40, 80} {
			y := []float64{2, 0}
			h := 1 / float64(n)
			for k := range n {
				out, err := exec.Call1(y, float64(k)*h, h)
				if err != nil {
					t.Fatalf("%+v", err)
				}
				y = out.Value().([]float64)
			}
			e := math.Hypot(y[0]-1-math.Cos(1), y[1]+math.Sin(1)+1)
			logH, logError = append(logH, math.Log(h)), append(logError, math.Log(e))
		}
		slope := (logError[3] - logError[0]) / (logH[3] - logH[0])
		if math.Abs(slope-test.order) > 0.05 {
			t.Errorf("%s: order %.3f, want %g (log errors %v)", test.solver, slope, test.order, logError)
		}
	}
}

func TestUnknownSolver(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	exec, err := NewExec(b, func(y *Node) *Node {
		return flows.Solver("rk4").Step(func(y, _ *Node) *Node { return y }, y, y, y)
	})
	if err == nil {
		_, err = exec.Call1(1.0)
	}
	if err == nil {
		t.Error("an unknown solver gave no error")
	}
}

// Following the gradient flow of two normal signals with correlation 0.8,
// with the true ratio of each moment, takes them apart.
func ExampleRatioVelocity() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	exec, err := NewExec(b, func(y, rho *Node) *Node {
		return flows.RatioVelocity(func(y *Node) *Node {
			p := Squeeze(Slice(y, AxisRange(), AxisElem(0)), -1)
			q := Squeeze(Slice(y, AxisRange(), AxisElem(1)), -1)
			quadratic := Sub(Mul(MulScalar(rho, 2), Mul(p, q)), Mul(Square(rho), Add(Square(p), Square(q))))
			return Div(quadratic, MulScalar(OneMinus(Square(rho)), 2))
		}, y)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 1))
	y := make([][]float64, 1000)
	for t := range y {
		a, e := rng.NormFloat64(), rng.NormFloat64()
		y[t] = []float64{a, 0.8*a + 0.6*e}
	}
	for step := range 31 {
		var aa, bb, ab float64
		for _, v := range y {
			aa, bb, ab = aa+v[0]*v[0], bb+v[1]*v[1], ab+v[0]*v[1]
		}
		rho := ab / math.Sqrt(aa*bb)
		if step%10 == 0 {
			fmt.Printf("step %2d: correlation %.2f\n", step, rho)
		}
		v, err := exec.Call1(y, rho)
		if err != nil {
			fmt.Println(err)
			return
		}
		for t, move := range v.Value().([][]float64) {
			y[t][0] = (y[t][0] + 0.1*move[0]) / math.Sqrt(aa/1000)
			y[t][1] = (y[t][1] + 0.1*move[1]) / math.Sqrt(bb/1000)
		}
	}
	// Output:
	// step  0: correlation 0.80
	// step 10: correlation 0.08
	// step 20: correlation 0.01
	// step 30: correlation 0.00
}
