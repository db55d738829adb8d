package layers_test

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/layers"
)

// In half precision layers have the outputs of single precision, up to rounding.
func TestHalfPrecision(t *testing.T) {
	z := [][][]float32{{{1, 2, -1, 0.5, 0, -2}, {1, 0, 1, -0.5, 1, 0}}}
	ints := func(z *Node, dims ...int) *Node {
		return Zeros(z.Graph(), shapes.Make(dtypes.Int32, dims...))
	}
	y := func(z *Node) *Node { return Zeros(z.Graph(), shapes.Make(z.DType(), 1, 4, 2)) }
	all := map[string]network{
		"Gather": func(_ *model.Scope, z *Node) *Node { return layers.GatherSignals(z, ints(z, 1, 4, 2)) },
		"Window": func(_ *model.Scope, z *Node) *Node {
			return layers.WindowContext(z, ints(z, 1, 4, 2), ints(z, 6, 2))
		},
		"Context": func(_ *model.Scope, z *Node) *Node { return layers.WholeContext(z, y(z), ints(z, 1, 4, 2), 6) },
		"Whole": func(s *model.Scope, z *Node) *Node {
			return layers.WholeCNN(s, z, y(z), ints(z, 1, 4, 2), 6).Done()
		},
		"CNN": func(s *model.Scope, z *Node) *Node {
			return layers.CNN(s, Transpose(InsertAxes(z, 1), 2, 3)).Done()
		},
		"MLP": func(s *model.Scope, z *Node) *Node { return layers.MLP(s, z).Done() },
		"Invertible": func(s *model.Scope, z *Node) *Node {
			x, logDet := layers.Invertible(s, Transpose(z, 1, 2)).Layers(2).Done()
			return Concatenate([]*Node{x, InsertAxes(logDet, -1)}, -1)
		},
		"FullMatrices": func(s *model.Scope, z *Node) *Node {
			x, logDet := layers.Invertible(s, Transpose(z, 1, 2)).Layers(2).FullMatrices().Done()
			return Concatenate([]*Node{x, InsertAxes(logDet, -1)}, -1)
		},
		"Inverse": func(s *model.Scope, z *Node) *Node {
			return layers.Invertible(s, Transpose(z, 1, 2)).Layers(2).DoneInverse()
		},
	}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		pureGo := backend.NameOf(b) == backend.Go
		for name, layer := range all {
			if !pureGo && name != "Gather" && name != "CNN" {
				continue // two that compile in little time
			}
			outputs := func(dtype dtypes.DType) []float64 {
				store := model.NewStore()
				defer store.Finalize()
				store.SetParam(layers.ParamSeed, 3)
				out, err := model.CallOnce(b, store, func(s *model.Scope, z *Node) *Node {
					return layer(s, ConvertDType(z, dtype))
				}, z)
				if err != nil {
					t.Fatalf("%s in %s: %+v", name, dtype, err)
				}
				if out.DType() != dtype {
					t.Errorf("%s in %s: outputs in %s", name, dtype, out.DType())
				}
				values, err := host.Values(out)
				if err != nil {
					t.Fatal(err)
				}
				return values
			}
			want := outputs(dtypes.Float32)
			for dtype, rounding := range map[dtypes.DType]float64{
				dtypes.Float16: 1. / (1 << 11), dtypes.BFloat16: 1. / (1 << 8),
			} {
				if pureGo && name == "Whole" && dtype == dtypes.Float16 {
					continue // GoMLX has no sum of scattered values for it
				}
				for i, v := range outputs(dtype) {
					if math.Abs(v-want[i]) > 10*rounding*(1+math.Abs(want[i])) {
						t.Errorf("%s in %s: output %d is %g, in single precision %g", name, dtype, i, v, want[i])
					}
				}
			}
		}
	})
}
