package flows_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/layers"
)

func TestPast(t *testing.T) {
	for _, test := range []struct {
		reach, axes int
		want        [][]int
	}{
		{0, 1, nil},
		{3, 1, [][]int{{-3}, {-2}, {-1}}},
		{1, 2, [][]int{{-1, 0}, {0, -1}}},
		{2, 2, [][]int{{-2, 0}, {-1, -1}, {-1, 0}, {-1, 1}, {0, -2}, {0, -1}}},
		{1, 3, [][]int{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}},
	} {
		if got := flows.Past(test.reach, test.axes); !reflect.DeepEqual(got, test.want) {
			t.Errorf("reach %d on %d axes: %v, want %v", test.reach, test.axes, got, test.want)
		}
	}
	before, after := past.Margins(flows.Past(2, 2), 2)
	if !reflect.DeepEqual([][]int{before, after}, [][]int{{2, 2}, {0, 1}}) {
		t.Errorf("margins %v before and %v after", before, after)
	}
}

// logDensityOf evaluates Autoregressive on z with random variables, which it
// returns too.
func logDensityOf(t *testing.T, b compute.Backend, z *tensors.Tensor, past [][]int, components int) (got, coefficients, mixture []float64) {
	t.Helper()
	store := model.NewStore()
	defer store.Finalize()
	store.SetParam(layers.ParamRuns, z.Shape().Dim(0))
	exec, err := model.NewExec(b, store, func(scope *model.Scope, z *Node) *Node {
		return flows.Autoregressive(scope, z).Past(past).Components(components).Done()
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	if _, err := exec.Compile(z.Shape()); err != nil {
		t.Fatalf("%+v", err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	set := func(name string) []float64 {
		v := store.GetVariable("/" + name)
		values := make([]float64, v.Shape().Size())
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		if err := v.SetValue(host.Tensor(values, v.DType(), v.Shape().Dimensions...)); err != nil {
			t.Fatal(err)
		}
		return values
	}
	coefficients, mixture = set(flows.AutoregressiveCoefficients), set(flows.AutoregressiveMixture)
	out, err := exec.Call(z)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	if got, err = host.Values(out[0]); err != nil {
		t.Fatal(err)
	}
	return got, coefficients, mixture
}

// The log-density is its formula at each position, in a sequence and in an image.
func TestAutoregressiveIsItsFormula(t *testing.T) {
	const runs, d, components = 2, 2, 3
	for _, shape := range [][]int{{12}, {6, 7}} {
		offsets := flows.Past(2, len(shape))
		before, after := past.Margins(offsets, len(shape))
		backendtest.Each(t, func(t *testing.T, b compute.Backend) {
			dims := append([]int{runs, d}, shape...)
			size := 1
			for _, n := range shape {
				size *= n
			}
			rng := rand.New(rand.NewPCG(3, 4))
			z := make([]float64, runs*d*size)
			for i := range z {
				z[i] = rng.NormFloat64()
			}
			got, a, mixture := logDensityOf(t, b, host.Tensor(z, dtypes.Float64, dims...), offsets, components)

			width := size / shape[0]
			var want []float64
			for r := range runs {
				for at := range size {
					y, x := at/width, at%width
					if y < before[0] || (len(shape) == 2 && (x < before[1] || x >= width-after[1])) {
						continue
					}
					total := 0.
					for i := range d {
						signal := r*d + i
						residual := z[signal*size+at]
						for k, offset := range offsets {
							lag := offset[0] * width
							if len(offset) == 2 {
								lag += offset[1]
							}
							residual -= a[signal*len(offsets)+k] * z[signal*size+at+lag]
						}
						density, weights := 0., 0.
						for k := range components {
							p := mixture[signal*3*components+k:]
							std := math.Exp(p[2*components])
							u := (residual - p[components]) / std
							density += math.Exp(p[0]) * math.Exp(-u*u/2) / (std * math.Sqrt(2*math.Pi))
							weights += math.Exp(p[0])
						}
						total += math.Log(density / weights)
					}
					want = append(want, total)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%d positions, want %d", len(got), len(want))
			}
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-10*(1+math.Abs(want[i])) {
					t.Errorf("shape %v, position %d: %g, want %g", shape, i, got[i], want[i])
				}
			}
		})
	}
}

// Far from every component the density underflows; its logarithm is finite.
func TestAutoregressiveLogDensityDoesNotUnderflow(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		got, _, _ := logDensityOf(t, b, tensors.FromValue([][][]float32{{{0, 0, 1e6, -1e6, 0}}}), flows.Past(2, 1), 4)
		for i, v := range got {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				t.Errorf("position %d: %g", i, v)
			}
		}
	})
}

// The log-determinants of positions without a complete past are excluded.
func TestLogLikelihoodCountsPositionsWithPast(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		exec, err := NewExec(b, func(sources, logDet *Node) *Node {
			return flows.LogLikelihood(sources, logDet, [][]int{{-2, 0}, {-1, 1}})
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		out, err := exec.Call(
			[][][]float64{{{10, 20}}},
			[][][]float64{{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}})
		if err != nil {
			t.Fatal(err)
		}
		if want := [][][]float64{{{16, 27}}}; !reflect.DeepEqual(out[0].Value(), want) {
			t.Errorf("%v, want %v", out[0].Value(), want)
		}
	})
}

// The initial values are those of white noise, with the means of the mixture between −1 and 1.
func TestAutoregressiveInitialValues(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	exec, err := model.NewExec(b, model.NewStore(), func(scope *model.Scope, z *Node) *Node {
		return flows.Autoregressive(scope, z).Past(flows.Past(1, 1)).Components(3).Done()
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	z := []float64{5, 0, 2}
	out, err := exec.Call1([][][]float64{{z}})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range out.Value().([][]float64)[0] {
		density, std := 0., math.Exp(-.4)
		for _, mean := range []float64{-1, 0, 1} {
			u := (z[i+1] - mean) / std
			density += math.Exp(-u*u/2) / (3 * std * math.Sqrt(2*math.Pi))
		}
		if math.Abs(got-math.Log(density)) > 1e-9 {
			t.Errorf("the log-density of %g is %g, want %g", z[i+1], got, math.Log(density))
		}
	}
}
