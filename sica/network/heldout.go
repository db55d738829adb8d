package network

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// heldOut are the signals of a problem where a fold holds positions out, and as far
// before as their pasts reach.
type heldOut struct {
	x      *mat.Dense // d×n
	lags   []int
	scored []int // the columns held out
}

func newHeldOut(signals *mat.Dense, x *index, fold int) heldOut {
	positions, scored := x.around(fold)
	d, _ := signals.Dims()
	h := heldOut{mat.NewDense(d, len(positions), nil), x.lags, scored}
	for i := range d {
		from, to := signals.RawRowView(i), h.x.RawRowView(i)
		for column, t := range positions {
			to[column] = from[t]
		}
	}
	return h
}

// logLikelihood is that of the signals under a network and sources, in nats a position.
// It is computed on the host, as XLA would compile a program for it for longer than all
// its calls take.
func (h heldOut) logLikelihood(m *preprocess.Invertible, sources []*source.Model) (float64, error) {
	z, logDet, err := m.ApplyLogDet(h.x)
	if err != nil {
		return 0, err
	}
	scores := make([]float64, len(h.scored))
	for k, t := range h.scored {
		scores[k] = logDet[t]
	}
	for i, s := range sources {
		s.LogDensities(z.RawRowView(i), h.lags, h.scored, scores)
	}
	return stat.Mean(scores, nil), nil
}
