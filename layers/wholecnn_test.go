package layers_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
)

// contextNetwork is a network of the signals z [R, d, T], the samples' values y
// [R, B, d] and times tau [R, B], and the positions that their two contexts hide.
type contextNetwork func(scope *model.Scope, z, y, tau, idx, idx2 *Node) *Node

// evaluateContext returns the outputs of a network, and the gradients of a sum
// of their sines in z, y, tau and all weights, each multiplied out over all
// axes.
func evaluateContext(t *testing.T, b compute.Backend, build contextNetwork, inputs ...*tensors.Tensor) []*tensors.Tensor {
	t.Helper()
	store := model.NewStore()
	defer store.Finalize()
	store.SetParam(layers.ParamRuns, inputs[0].Shape().Dim(0))
	exec, err := model.NewExec(b, store, func(scope *model.Scope, in []*Node) []*Node {
		out := build(scope, in[0], in[1], in[2], in[3], in[4])
		of := in[:3]
		for v := range scope.IterVariables() {
			of = append(of[:len(of):len(of)], v.NodeValue(out.Graph()))
		}
		weighted := Mul(Sin(out), AddScalar(IotaFull(out.Graph(), out.Shape()), 1))
		return append([]*Node{out}, Gradient(ReduceAllSum(weighted), of...)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	var args []any
	for _, x := range inputs { // a tensor stays with the first backend that uses it
		local, err := x.LocalClone()
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, local)
	}
	if _, err := exec.Compile(inputs[0].Shape(), inputs[1].Shape(), inputs[2].Shape(), inputs[3].Shape(), inputs[4].Shape()); err != nil {
		t.Fatalf("%+v", err)
	}
	var rngs []*rand.Rand
	for r := range inputs[0].Shape().Dim(0) {
		rngs = append(rngs, rand.New(rand.NewPCG(uint64(r), 5)))
	}
	if err := layers.Initialise(store.RootScope(), rngs); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Call(args...)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return out
}

// WholeCNN equals CNN over the context on pure Go, in its outputs and its gradients in the inputs
// and in all weights: for each kind of index, down to one position, with joint and product samples.
func TestWholeCNNIsCNN(t *testing.T) {
	const runs, batch, d, channels, outputs = 2, 5, 2, 4, 3
	for _, shape := range [][]int{{12}, {3}, {2}, {1}, {4, 5}, {1, 6}, {2, 2}, {3, 4, 3}} {
		encode := func(tau *Node) *Node { // with as many channels as the index has axes
			code := []*Node{tau}
			for k := 1; k < len(shape); k++ {
				code = append(code, Sin(MulScalar(tau, float64(k))))
			}
			return Stack(code, -1)
		}
		positions := 1
		for _, n := range shape {
			positions *= n
		}
		rng := rand.New(rand.NewPCG(uint64(positions), uint64(len(shape))))
		hidden := func(joint bool) *tensors.Tensor {
			var idx []int32
			for range runs * batch {
				at := int32(rng.IntN(positions))
				for range d {
					if !joint {
						at = int32(rng.IntN(positions))
					}
					idx = append(idx, at)
				}
			}
			return tensors.FromFlatDataAndDimensions(idx, runs, batch, d)
		}
		inputs := []*tensors.Tensor{
			normal(rng, runs, d, positions), normal(rng, runs, batch, d), normal(rng, runs, batch), hidden(true), hidden(false),
		}
		for name, forms := range map[string]struct{ over, folded contextNetwork }{
			"density ratio": {
				func(scope *model.Scope, z, y, tau, _, idx *Node) *Node {
					return layers.CNN(scope, layers.WholeContext(z, y, idx, shape...)).Channels(channels).Outputs(outputs).Done()
				},
				func(scope *model.Scope, z, y, tau, _, idx *Node) *Node {
					return layers.WholeCNN(scope, z, y, idx, shape...).Channels(channels).Outputs(outputs).Done()
				},
			},
			"rectified flow": {
				func(scope *model.Scope, z, y, tau, idx, idx2 *Node) *Node {
					return layers.CNN(scope, layers.WholeContextRF(z, y, idx, idx2, encode(tau), shape...)).Channels(channels).Outputs(outputs).Done()
				},
				func(scope *model.Scope, z, y, tau, idx, idx2 *Node) *Node {
					return layers.WholeCNN(scope, z, y, idx, shape...).Target(idx2, encode(tau)).Channels(channels).Outputs(outputs).Done()
				},
			},
		} {
			t.Run(fmt.Sprintf("%v/%s", shape, name), func(t *testing.T) {
				want := evaluateContext(t, openGo(t), forms.over, inputs...)
				backendtest.Each(t, func(t *testing.T, b compute.Backend) {
					compiled := positions == 12 && name == "density ratio" || positions == 20 && name == "rectified flow"
					if backend.NameOf(b) != backend.Go && !compiled {
						t.Skip("XLA takes seconds to compile each: a sequence and an image; the pure-Go backend tries every index")
					}
					got := evaluateContext(t, b, forms.folded, inputs...)
					if len(got) != len(want) {
						t.Fatalf("%d results, want %d", len(got), len(want))
					}
					for k := range want {
						if diff := maxDifference(flat(t, got[k]), flat(t, want[k])); !(diff < 1e-10) {
							t.Errorf("result %d (0 outputs, then the gradients in z, y, τ and the weights) differs by %g", k, diff)
						}
					}
				})
			})
		}
	}
}
