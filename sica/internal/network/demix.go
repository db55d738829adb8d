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
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// Training by gradients can end at a local optimum in which the signals are linear mixtures of the
// sources, especially for many signals. FastICA of the innovations has hardly any local optima.
const (
	// FastICA of demixPositions positions ends by demixTolerance or after demixIterations
	// iterations; up to demixPolish further ones use all positions. The source models are fitted to
	// demixPositions positions, too: training continues from the result, which only has to be near
	// an optimum.
	demixTolerance, demixIterations = 1e-4, 200
	demixPolish, demixPositions     = 20, 4096
)

// demixJointOrders are the orders compared for the joint prediction of the signals. The networks'
// own pasts are longer.
var demixJointOrders = []int{1, 2}

// demix separates the signals of the run linearly. The run keeps the demixing, and the source
// models of the demixed signals, if its held-out log-likelihood increases.
func (sl *slot) demix(ctx context.Context) error {
	if math.IsInf(sl.lastValue(), 0) { // the run diverged
		return nil
	}
	maps, err := sl.maps()
	if err != nil {
		return err
	}
	d, err := sl.demixed(ctx, maps[0])
	if err != nil || d.network == nil || !(d.value > sl.lastValue()) {
		return err
	}
	b := &sl.best[sl.run]
	b.curve[len(b.curve)-1] = -d.value
	if d.value > b.value {
		b.value, b.network = d.value, d.network
	}
	now, err := sl.state()
	if err != nil {
		return err
	}
	return sl.restore(withDemixing(now, d.last, d.sources))
}

// A demixedRun is the linear demixing of a network's signals: the demixing, the network followed by
// it, the source models of the demixed signals, and their mean log-likelihood at the held-out
// positions.
type demixedRun struct {
	last    *mapping.Affine
	network *mapping.Invertible
	sources []*source.Model
	value   float64
}

// demixed applies FastICA to the innovations of the network's signals at the slot's training
// positions. The result is empty, without an error, if there is no demixing.
func (sl *slot) demixed(ctx context.Context, m *mapping.Invertible) (demixedRun, error) {
	problem, _, fold := sl.locate(sl.run)
	train := sl.index.train[fold]
	z, err := m.Apply(sl.problems[problem].whitened)
	if err != nil {
		return demixedRun{}, err
	}
	d, _ := z.Dims()
	// The training positions are joined to one sequence: few pasts reach across a held-out block.
	trained := signal.Columns(z, train)
	standard := mapping.Standardisation(trained)
	if trained, err = standard.Apply(trained); err != nil {
		return demixedRun{}, err
	}
	innovations := trained
	if sl.index.Sequence() {
		if e, _ := ar.JointResiduals(trained, demixJointOrders); e != nil {
			innovations = e
		}
	}
	white, err := pca.Whiten(innovations)
	if err != nil {
		return demixedRun{}, nil // for example for a constant signal
	}
	w := fastica.Start(sl.options.Seed+uint64(sl.run), d)
	_, positions := white.White.Dims()
	part := signal.Columns(white.White, subsample(grid.Range(positions), demixPositions))
	for _, pass := range []struct {
		x          *mat.Dense
		iterations int
	}{{part, demixIterations}, {white.White, demixPolish}} {
		_, _, err := fastica.Iterate(ctx, pass.x, w, demixTolerance, pass.iterations)
		if err != nil {
			return demixedRun{}, ctx.Err() // nil if FastICA has no result
		}
	}
	var demixing mat.Dense
	demixing.Mul(w, white.Matrix)
	last := standard.Then(mapping.LinearMap(&demixing, make([]float64, d)))
	if z, err = last.Apply(z); err != nil {
		return demixedRun{}, err
	}
	network := &mapping.Invertible{Linear: slices.Clone(m.Linear), Bends: m.Bends}
	n := len(m.Bends)
	network.Linear[n] = network.Linear[n].Then(last)
	sources := make([]*source.Model, d)
	fitted := subsample(train, demixPositions)
	for i := range sources {
		sources[i] = source.Fit(ctx, z.RawRowView(i), sl.index.lags, fitted)
	}
	if err := ctx.Err(); err != nil {
		return demixedRun{}, err
	}
	scores, err := sl.problems[problem].heldOut[fold].logLikelihoods(network, sources)
	return demixedRun{last, network, sources, stat.Mean(scores, nil)}, err
}

// withDemixing returns the state with the demixing after its last affine map, and with the given
// source models.
func withDemixing(s state, demixing *mapping.Affine, sources []*source.Model) state {
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
	last = last.Then(demixing)
	copy(matrix, last.Matrix)
	var shift mat.VecDense // the bias of z = M·x + bias is offset − M·centre
	shift.MulVec(last.Dense(), mat.NewVecDense(d, last.Centre))
	for i := range bias {
		bias[i] = last.Offset[i] - shift.AtVec(i)
	}
	var coefficients, densities []float64
	for _, m := range sources {
		c, x := m.Variables()
		coefficients, densities = append(coefficients, c...), append(densities, x...)
	}
	changed[sourceScope+"/"+flows.AutoregressiveCoefficients] = coefficients
	changed[sourceScope+"/"+flows.AutoregressiveMixture] = densities
	return changed
}
