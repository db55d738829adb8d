package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/past"
)

// bent returns the description lengths of sixteenths of the positions if the signals of
// m are Gaussian with one spectrum and then bent, each by itself, and whether that
// spectrum is white. Gaussian sources behind a mixing that is slightly nonlinear look so in the rotation in which they are
// bent most: that one is no more right than others, though it is likelier than signals
// that aren't bent. To say the bends costs as any parameters do.
func (s *separator) bent(ctx context.Context, m *demixing) (nats []float64, white bool, err error) {
	straight := s.take()
	defer s.give(straight)
	straight.b.Copy(m.b)
	slopes := make([]float64, s.past.N) // logarithms, of all signals together
	all := make([]int, s.d)
	bends := 0
	for i := range s.d {
		all[i] = i
		q, bend, err := s.unbend(ctx, straight.y.RawRowView(i), m.y.RawRowView(i), slopes)
		if err != nil {
			return nil, false, err
		}
		straight.sources[i].q = q
		if bend != 0 {
			bends++
		}
	}
	weights, nats := s.alike(straight, all...)
	logDet, _ := mat.LogDet(m.b)
	floats.AddConst(float64(bends)/2*math.Log(float64(s.past.N))/evidence.Blocks, nats)
	for b := range nats {
		part := slopes[b*len(slopes)/evidence.Blocks : (b+1)*len(slopes)/evidence.Blocks]
		nats[b] -= floats.Sum(part) + logDet*float64(s.past.N)/evidence.Blocks
	}
	return nats, len(weights) == 0, nil
}

// steepest is the largest bend that is tried, and bendSteps are the steps of the search
// for one: in the end it is known to a twentieth, a resolution.
const steepest = 0.9

var bendSteps = []float64{0.4, 0.2, 0.1, 0.05}

// unbend sets u to the signal y bent so that it takes the fewest nats as a Gaussian one,
// and adds the logarithm of the bend's slope to slopes, of the scored positions. It
// returns the moments of u and its past, and the bend c of
// v ↦ v + c·(√(v² + 1) − 1), v being y in standard deviations.
func (s *separator) unbend(ctx context.Context, u, y, slopes []float64) (q []float64, c float64, err error) {
	sd := stat.PopStdDev(y, nil)
	size := len(s.past.Lags) + 1
	p := s.coders[0].predictor
	length := func(c float64) (nats float64, q []float64, err error) {
		slope := 0.0
		for t, v := range y {
			v /= sd
			r := math.Sqrt(v*v + 1)
			u[t] = v + c*(r-1)
			slope += math.Log(1 + c*v/r)
		}
		floats.AddConst(-stat.Mean(u, nil), u)
		if q, err = past.SelfMoments(ctx, s.past, u); err != nil {
			return 0, nil, err
		}
		return math.Log(ar.ErrorPower(q, p.Fit(q, s.past.N, -1), size))/2 - slope/float64(len(y)), q, nil
	}
	least, _, err := length(0)
	if err != nil {
		return nil, 0, err
	}
	straight := least
	for _, step := range bendSteps {
		for _, change := range []float64{-step, step} {
			for math.Abs(c+change) <= steepest { // as long as it helps
				nats, _, err := length(c + change)
				if err != nil {
					return nil, 0, err
				}
				if nats >= least {
					break
				}
				least, c = nats, c+change
			}
		}
	}
	if straight-least < math.Log(float64(s.past.N))/2/float64(s.past.N) {
		c = 0 // not worth saying
	}
	if _, q, err = length(c); err != nil {
		return nil, 0, err
	}
	at := 0
	for _, run := range s.past.Runs {
		for t := run.First; t < run.End; t++ {
			v := y[t] / sd
			slopes[at] += math.Log((1 + c*v/math.Sqrt(v*v+1)) / sd)
			at++
		}
	}
	return q, c, nil
}
