package iterate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// Settings of the training of an estimate's networks. Each is a choice.
const (
	// estimateSteps is the number of training steps; estimateChecks is how often the divergence is
	// measured during them, evenly spaced. The largest divergence counts, as networks begin to fit
	// noise after it.
	estimateSteps  = 400
	estimateChecks = 8
	// estimateNoise is the standard deviation of the noise on z_t, relative to that of the signals.
	estimateNoise = 0.1
)

// estimateWindow returns the reach of the prediction for an index of the given number of axes. It
// is a choice: 20 to 26 coefficients, few compared with the positions.
func estimateWindow(axes int) int {
	switch axes {
	case 2:
		return 2
	case 3:
		return 1
	}
	return 10
}

// estimateConfig returns the settings of the networks of an estimate, for signals whose index has
// the given number of axes: those of FastWGF, except the window, the noise and the steps, and with
// one more network per fold, which sees the contexts alone.
func estimateConfig(axes int) Config {
	cfg := Config(klflow.FastWGF())
	cfg.Windows, cfg.Noise = []int{estimateWindow(axes)}, estimateNoise
	cfg.Steps = estimateSteps / estimateChecks
	cfg.KeepBest, cfg.Context = false, predictionAndContexts
	return cfg
}

// EstimateDivergences trains fresh networks on the signals of each input, all d×n, in one program.
// The networks see z_t and its predictions from each signal's own neighbours. They are weighted on
// held-out positions, so a divergence is about 0 if there is nothing to learn.
func EstimateDivergences(
	ctx context.Context, backend compute.Backend, inputs []Input, g *grid.Grid,
) ([]klflow.Divergence, error) {
	cfg := estimateConfig(g.Axes())
	if err := cfg.Validate(g); err != nil {
		return nil, err
	}
	var z []*mat.Dense
	var seeds []uint64
	for _, in := range inputs {
		standard, err := mapping.Standardised(in.Z)
		if err != nil {
			return nil, fmt.Errorf("estimating the divergence: %w", err)
		}
		z, seeds = append(z, standard), append(seeds, in.Seed)
	}
	d, _ := z[0].Dims()
	e, err := newEnsemble(ctx, backend, cfg, d, g, len(inputs))
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return attend(ctx, e, func(ctx context.Context) ([]klflow.Divergence, error) {
		return e.trainAndMeasure(ctx, z, seeds)
	})
}

// trainAndMeasure trains the networks on the signals z of each run, and returns the largest
// divergences during training.
func (e *ensemble) trainAndMeasure(
	ctx context.Context, z []*mat.Dense, seeds []uint64,
) ([]klflow.Divergence, error) {
	data := e.data(e.values(z))
	defer e.release(data)
	joint, contexts := make([]calibration, e.runs), make([]calibration, e.runs) // the best so far
	for r := range joint {
		joint[r].influence, contexts[r].influence = make([]float64, e.t), make([]float64, e.t)
	}
	if err := e.renew(e.streams(seeds, 0, stream.Weights)); err != nil {
		return nil, err
	}
	for check := range estimateChecks {
		if _, err := e.train(ctx, data, seeds, check); err != nil {
			return nil, err
		}
		calibrations, err := e.calibrate(ctx, data, seeds, check)
		if err != nil {
			return nil, err
		}
		for r, c := range calibrations {
			if !signal.Finite(c.divergence) || !signal.Finite(c.context.divergence) {
				return nil, fmt.Errorf("estimating the divergence: it is %g of the signals and %g "+
					"of their contexts: %w", c.divergence, c.context.divergence, signal.ErrNotFinite)
			}
			if c.divergence > joint[r].divergence {
				joint[r] = c
			}
			if c.context.divergence > contexts[r].divergence {
				contexts[r] = *c.context
			}
		}
	}
	divergences := make([]klflow.Divergence, e.runs)
	for r := range divergences {
		divergences[r] = divergenceOf(joint[r], contexts[r])
	}
	return divergences, nil
}

// divergenceOf returns the divergence of a run from the calibrations of its signals and contexts.
func divergenceOf(joint, contexts calibration) klflow.Divergence {
	d := klflow.Divergence{
		Joint: joint.divergence, Context: contexts.divergence,
		Conditional: max(joint.divergence-contexts.divergence, 0),
		Influence:   make([]float64, len(joint.influence)),
	}
	for t := range d.Influence {
		d.Influence[t] = joint.influence[t] - contexts.influence[t]
	}
	return d
}

// CheckEstimate returns an error if an axis of the grid is too short for the networks of
// EstimateDivergences. The signals are called z.
func CheckEstimate(g *grid.Grid) error {
	span := 2*estimateWindow(g.Axes()) + 1
	if slices.Min(g.Shape()) >= span {
		return nil
	}
	lengths, each := fmt.Sprint(g.Len()), ""
	if g.Axes() > 1 {
		lengths, each = strings.Trim(strings.ReplaceAll(fmt.Sprint(g.Shape()), " ", "×"), "[]"),
			" on each axis"
	}
	return fmt.Errorf("z: has %s positions; must have at least %d%s", lengths, span, each)
}
