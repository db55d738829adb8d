package network

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// heldOutSignals are the whitened signals of a problem at the positions that a fold holds out, and
// at the positions in their pasts.
type heldOutSignals struct {
	x      *mat.Dense // d×positions
	lags   []int
	scored []int // the held-out columns
}

func newHeldOut(signals *mat.Dense, x *index, fold int) heldOutSignals {
	positions, scored := x.heldOutContext(fold)
	return heldOutSignals{signal.Columns(signals, positions), x.lags, scored}
}

// logLikelihoods returns the log-likelihood of the signals under a network and source models at
// each held-out position, in nats. It is computed on the host: all calls together take less time
// than XLA needs to compile a program for them.
func (h heldOutSignals) logLikelihoods(
	m *mapping.Invertible, sources []*source.Model,
) ([]float64, error) {
	z, logDet, err := m.ApplyLogDet(h.x)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(h.scored))
	for k, t := range h.scored {
		scores[k] = logDet[t]
	}
	for i, s := range sources {
		s.LogDensities(z.RawRowView(i), h.lags, h.scored, scores)
	}
	return scores, nil
}
