package layers

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// Initialise draws all trainable weights and biases of [Dense], [Conv], [MLP],
// [CNN] and [WholeCNN] in scope anew, uniform on ±1/√fan-in as PyTorch's Linear
// and Conv do by default, run r from rngs[r]. Drawing on the host makes them the
// same on every backend. Run r's values depend on rngs[r] only, not on the other
// runs.
//
// It leaves alone the variables of other layers, those of GoMLX too: it takes for
// its own a weights [R, …, outputs] of three axes or more beside a biases
// [R, outputs]. The variables must exist, as they do after the first execution of
// their graph or after flows.NewTrainer: a scope without any is an error. So is
// another number of streams than of runs.
func Initialise(scope *model.Scope, rngs []*rand.Rand) error {
	found := false
	for v := range scope.IterVariables() {
		fanIn, own := fanInOf(scope.Store(), v)
		if !own {
			continue
		}
		found = true
		dims := v.Shape().Dimensions
		if dims[0] != len(rngs) {
			return fmt.Errorf("layers: %d random streams for the %d runs of variable %q", len(rngs), dims[0], v.Path())
		}
		if !v.Trainable {
			continue
		}
		values := drawUniform(1/math.Sqrt(float64(fanIn)), v.Shape().Size(), rngs)
		if err := v.SetValue(host.Tensor(values, v.DType(), dims...)); err != nil {
			return fmt.Errorf("layers: setting %q: %w", v.Path(), err)
		}
	}
	if !found {
		return fmt.Errorf("layers: scope %q has no variables of this package's layers: are they created yet?", scope.Scope())
	}
	return nil
}

// fanInOf is the number of inputs of the affine map that v belongs to, if it is
// one of affineVariables.
func fanInOf(store *model.Store, v *model.Variable) (fanIn int, own bool) {
	if v.Name() != weightsName && v.Name() != biasesName {
		return 0, false
	}
	weights := store.GetVariable(model.JoinPath(v.Scope(), weightsName))
	biases := store.GetVariable(model.JoinPath(v.Scope(), biasesName))
	if weights == nil || biases == nil {
		return 0, false
	}
	w, b := weights.Shape().Dimensions, biases.Shape().Dimensions
	if len(w) < 3 || len(b) != 2 || b[0] != w[0] || b[1] != w[len(w)-1] {
		return 0, false
	}
	fanIn = 1
	for _, n := range w[1 : len(w)-1] {
		fanIn *= n
	}
	return fanIn, true
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
