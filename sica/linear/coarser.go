package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/joint"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/noise"
)

// coarser is how many times as coarse the next resolution is: about half an order of
// magnitude. The coarsest is that of noise nearly as large as the signals.
const coarser = 3

// coarserResolution returns the coarsest resolution up to which each next demixing, found
// from the one before, describes how the signals' powers vary in fewer nats beyond doubt,
// and how many in all; 0 if none does, and for images. It begins with b, that of
// symmetrically whitened signals which was found at the usual resolution.
//
// What models predict and scale is the finest structure of signals, and the first that noise
// of the channels covers: where it is as large as what is new in the sources, it is the noise
// that is made independent in their place. The powers in windows are of all that is in the
// signals, and suffer least.
func coarserResolution(ctx context.Context, white *signal.Whitening, shape []int, seed uint64, b *mat.Dense) (found, gain float64, err error) {
	d := len(white.Mean)
	if d < 2 || len(shape) > 1 {
		return 0, 0, nil
	}
	z := new(mat.Dense)
	z.Mul(white.Axes().T(), white.White)
	for r := coarser * resolution; r < 1; r *= coarser {
		before := joint.PowerLengths(b, z, r*r)
		if before == nil {
			break // too few positions
		}
		s, err := prepare(ctx, noise.Spherical(d, r), white, shape, seed)
		if err != nil {
			return 0, 0, err
		}
		m := s.take()
		if err := s.evaluate(ctx, m, b, nil); err != nil {
			return 0, 0, err
		}
		if m, err = s.descend(ctx, m, firstSteps); err != nil { // enough to see
			return 0, 0, err
		}
		next := unitRows(m.b)
		after := joint.PowerLengths(next, z, r*r)
		if !beyondDoubt(before, after) {
			break
		}
		found, gain, b = r, gain+floats.Sum(before)-floats.Sum(after), next
	}
	return found, gain, nil
}

// beyondDoubt is whether the lengths b are shorter in all than a by more than five standard
// errors, as a dependence is beyond doubt.
func beyondDoubt(a, b []float64) bool {
	gains := make([]float64, len(a))
	floats.SubTo(gains, a, b)
	mean, sd := stat.MeanStdDev(gains, nil)
	return mean > doubt*sd/math.Sqrt(float64(len(gains)))
}
