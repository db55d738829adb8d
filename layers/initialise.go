package layers

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// Initialise draws all weights and biases of this package's layers in scope
// anew, uniform on ±1/√fan-in as PyTorch's Linear and Conv do by default, run
// r from rngs[r]. Drawing on the host makes them the same on every backend.
// Run r's values depend on rngs[r] only, not on the other runs.
func Initialise(scope *model.Scope, rngs []*rand.Rand) error {
	for v := range scope.IterVariables() {
		if !v.Trainable {
			continue
		}
		weights := scope.Store().GetVariable(model.JoinPath(v.Scope(), weightsName))
		if weights == nil {
			return fmt.Errorf("layers: variable %q doesn't belong to a layer of this package", v.Path())
		}
		dims := weights.Shape().Dimensions
		if dims[0] != len(rngs) {
			return fmt.Errorf("layers: %d random streams for the %d runs of variable %q", len(rngs), dims[0], v.Path())
		}
		fanIn := 1
		for _, n := range dims[1 : len(dims)-1] {
			fanIn *= n
		}
		values := drawUniform(1/math.Sqrt(float64(fanIn)), v.Shape().Size(), rngs)
		if err := v.SetValue(host.Tensor(values, v.DType(), v.Shape().Dimensions...)); err != nil {
			return fmt.Errorf("layers: setting %q: %w", v.Path(), err)
		}
	}
	return nil
}

// drawUniform draws size values on ±bound, an equal share from each stream.
func drawUniform(bound float64, size int, rngs []*rand.Rand) []float64 {
	values := make([]float64, 0, size)
	for _, rng := range rngs {
		for range size / len(rngs) {
			values = append(values, bound*(2*rng.Float64()-1))
		}
	}
	return values
}
