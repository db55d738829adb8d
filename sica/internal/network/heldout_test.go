package network

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/host"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The log-likelihood that is computed on the host is that of the networks' graph at
// the positions held out.
func TestHeldOutIsTheGraphs(t *testing.T) {
	_, two := leakyProblem(t, 1, 1, 40*15)
	_, nine := manyProblem(t, 1, 9, 1, 600) // whose matrices are no factors
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		for name, c := range map[string]struct {
			mixed *mat.Dense
			shape []int
		}{
			"sequence": {two, []int{600}}, "image": {two, []int{40, 15}}, "many": {nine, []int{600}},
		} {
			mixed, shape := c.mixed, c.shape
			d, _ := mixed.Dims()
			o := Options{Shape: shape, past: 2, restarts: 2, layers: 2, batch: 128}
			if d > 2 {
				o.restarts = 1
			}
			tr := trainingOf(t, b, mixed, o)
			if d > 2 {
				tr = &slotOf(t, tr).training
			} else {
				defer tr.discard()
			}
			x := tr.index
			exec, err := model.NewExec(b, tr.store, func(scope *model.Scope, x *Node) *Node {
				return Reshape(tr.likelihood().graph(scope, x), len(tr.active), -1) // [R, M]
			})
			if err != nil {
				t.Fatal(err)
			}
			defer exec.Finalize()
			var all []float64
			for range tr.active {
				all = append(all, tr.problems[0].whitened.RawMatrix().Data...)
			}
			out, err := exec.Call1(host.Tensor(all, dtypes.Float32, append([]int{len(tr.active), d, 1}, shape...)...))
			if err != nil {
				t.Fatalf("%+v", err)
			}
			scores, err := host.Values(out)
			if err != nil {
				t.Fatal(err)
			}
			maps, err := tr.maps()
			if err != nil {
				t.Fatal(err)
			}
			sources, err := tr.sources()
			if err != nil {
				t.Fatal(err)
			}
			for r := range tr.active {
				_, _, fold := tr.locate(r)
				sum, n := 0., 0.
				for k, p := range x.scored {
					if x.isHeldOut(fold, p) {
						sum += scores[r*len(x.scored)+k]
						n++
					}
				}
				all, err := tr.problems[0].heldOut[fold].logLikelihoods(maps[r], sources[r])
				if err != nil {
					t.Fatal(err)
				}
				got := stat.Mean(all, nil)
				if want := sum / n; !(math.Abs(got-want) < 1e-5*float64(d)/2) {
					t.Errorf("%s, run %d: %g, the graph's is %g", name, r, got, want)
				}
			}
		}
	})
}
