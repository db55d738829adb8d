package network

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
)

// The pasts to choose from. A resolution: the paper's sources have 7 lags.
const (
	leastPast        = 2
	mostPastSequence = 8
	mostPastImage    = 3
)

// index is that of o, with a past for these signals.
func (o Options) index(signals []*mat.Dense) (*index, error) {
	switch {
	case o.Past < 0:
		return newIndex(o.Shape, 0)
	case o.Past > 0:
		return newIndex(o.Shape, o.Past)
	}
	most := mostPastSequence
	if len(o.Shape) > 1 {
		most = mostPastImage
	}
	best, err := newIndex(o.Shape, leastPast)
	if err != nil {
		return newIndex(o.Shape, 1)
	}
	farthest := best
	for reach := most; reach > leastPast; reach-- {
		if x, err := newIndex(o.Shape, reach); err == nil {
			farthest = x
			break
		}
	}
	shortest := math.Inf(1)
	for reach := leastPast; ; reach++ {
		x, err := newIndex(o.Shape, reach)
		if err != nil || len(x.lags) > len(farthest.lags) {
			return best, nil
		}
		if length := gaussianLength(signals, x.lags, farthest.scored); length < shortest {
			best, shortest = x, length
		}
	}
}

// indexed is o with its defaults for the signals z, which it checks, and their index.
func (o Options) indexed(z *mat.Dense) (Options, *index, error) {
	if err := checkSignals(z); err != nil {
		return o, nil, err
	}
	d, T := z.Dims()
	o, err := o.withDefaults(d, T)
	if err != nil {
		return o, nil, err
	}
	x, err := o.index([]*mat.Dense{z})
	return o, x, err
}

// gaussianLength is the description length in nats of the signals by
// autoregressions with Gaussian innovations, up to a constant (G. Schwarz, Annals of
// Statistics 6(2), 1978).
func gaussianLength(signals []*mat.Dense, lags, positions []int) float64 {
	n := float64(len(positions))
	length := 0.
	for _, z := range signals {
		d, _ := z.Dims()
		for i := range d {
			_, std := ar.Regress(z.RawRowView(i), lags, positions)
			length += n*math.Log(std) + float64(len(lags))/2*math.Log(n)
		}
	}
	return length
}
