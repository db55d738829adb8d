package network

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/fastica"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// Training by gradients can end where the signals are linear mixtures of sources, above all of
// many signals: rotations have local optima, too. FastICA of the innovations has hardly any. Of
// ten signals after three layers it took MCCs of 0.90, 0.83, 0.95 and 0.90 to 0.99, 0.90, 0.98
// and 0.98 (n = 16,384, seeds 7201 to 7204, in development, by another program of the same steps).
const (
	// unmixTolerance and unmixIterations end FastICA. Training goes on from there, so that it
	// only has to lie near an optimum. They are a choice.
	unmixTolerance, unmixIterations = 1e-4, 200
)

// unmixJointOrders are the numbers of past values that predict the signals together.
var unmixJointOrders = []int{1, 2}

// unmix separates the signals of the active runs linearly, where that makes their held-out
// positions more likely. Training goes on with these networks and sources.
func (h *halving) unmix(ctx context.Context) error {
	maps, err := h.maps()
	if err != nil {
		return err
	}
	changed := false
	states := slices.Clone(h.states)
	for k, r := range h.active {
		problem, _, fold := h.of(r)
		before := h.last(r)
		if math.IsInf(before, 0) {
			continue
		}
		last, network, sources, err := h.unmixed(ctx, maps[k], problem, fold, uint64(r))
		if err != nil {
			return err
		}
		if network == nil {
			continue
		}
		scores, err := h.heldOut[problem][fold].logLikelihoods(network, sources)
		if err != nil {
			return err
		}
		value := stat.Mean(scores, nil)
		if !(value > before) {
			continue
		}
		changed = true
		states[r] = followed(h.states[r], last, sources)
		b := &h.best[r]
		point := &b.curve[len(b.curve)-1]
		point.HeldOut = value
		if value > b.value {
			b.value, b.step, b.network = value, point.Step, network
		}
	}
	if !changed {
		return nil
	}
	h.states = states
	return nil
}

// unmixed returns FastICA's demixing of the innovations of the network's signals at training
// positions, the network followed by it, and sources fitted to its signals there; nil if there is
// no demixing.
func (h *halving) unmixed(
	ctx context.Context, m *mapping.Invertible, problem, fold int, seed uint64,
) (last *mapping.Affine, network *mapping.Invertible, sources []*source.Model, err error) {
	train, _ := h.index.split(fold)
	z, err := m.Apply(h.signals[problem])
	if err != nil {
		return nil, nil, nil, err
	}
	d, _ := z.Dims()
	own := mat.NewDense(d, len(train), nil) // few pasts are those across a held-out block
	for i := range d {
		for k, t := range train {
			own.Set(i, k, z.At(i, t))
		}
	}
	standard := mapping.Standardisation(own)
	if own, err = standard.Apply(own); err != nil {
		return nil, nil, nil, err
	}
	innovations := own
	if h.index.Sequence() {
		if e, _ := ar.JointResiduals(own, unmixJointOrders); e != nil {
			innovations = e
		}
	}
	white, err := signal.Whiten(innovations)
	if err != nil {
		return nil, nil, nil, nil // such as a constant signal: no demixing
	}
	w := fastica.Start(h.options.Seed+seed, d)
	if _, _, err := fastica.Iterate(ctx, white.White, w, unmixTolerance,
		unmixIterations); err != nil {
		return nil, nil, nil, ctx.Err()
	}
	var demixing mat.Dense
	demixing.Mul(w, white.Matrix)
	last = standard.Then(mapping.LinearMap(&demixing, make([]float64, d)))
	if z, err = last.Apply(z); err != nil {
		return nil, nil, nil, err
	}
	network = &mapping.Invertible{Linear: slices.Clone(m.Linear), Bends: m.Bends}
	n := len(m.Bends)
	network.Linear[n] = network.Linear[n].Then(last)
	sources = make([]*source.Model, d)
	for i := range sources {
		sources[i] = source.Fit(z.RawRowView(i), h.index.lags, train, h.options.Components)
	}
	return last, network, sources, nil
}

// followed returns the state with the last affine map followed by another, and with the sources.
func followed(s state, by *mapping.Affine, sources []*source.Model) state {
	changed := make(state, len(s))
	for path, values := range s {
		changed[path] = slices.Clone(values)
	}
	const scope = mapScope + "/invertible/"
	d := len(sources)
	matrices, biases := changed[scope+"matrices"], changed[scope+"biases"]
	matrix, bias := matrices[len(matrices)-d*d:], biases[len(biases)-d:]
	last := mapping.LinearMap(mat.NewDense(d, d, matrix), make([]float64, d))
	copy(last.Offset, bias)
	last = last.Then(by)
	copy(matrix, last.Matrix)
	var shift mat.VecDense // z = M·(x − centre) + offset
	shift.MulVec(last.Dense(), mat.NewVecDense(d, last.Centre))
	for i := range bias {
		bias[i] = last.Offset[i] - shift.AtVec(i)
	}
	var coefficients, mixture []float64
	for _, m := range sources {
		c, x := m.Variables()
		coefficients, mixture = append(coefficients, c...), append(mixture, x...)
	}
	if len(coefficients) > 0 {
		changed[sourceScope+"/"+flows.AutoregressiveCoefficients] = coefficients
	}
	changed[sourceScope+"/"+flows.AutoregressiveMixture] = mixture
	return changed
}
