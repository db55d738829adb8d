package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// angleGain is what an angle must gain, in nats, to be worth estimating: half a nat
// is gained by chance, and as much is lost elsewhere (H. Akaike, IEEE Trans.
// Automatic Control 19(6), 1974).
const angleGain = 1

// identified is the evidence in nats that it takes to say so: 20 to 1.
var identified = math.Log(20)

// A verdict is what the data say about a demixing.
type verdict struct {
	rotation  float64       // gain of the whole rotation
	occam     float64       // what its angles cost
	different *mat.SymDense // of each pair: gain over signals that are alike
	evidence  *mat.SymDense // of each pair
	leaks     *mat.Dense
	angles    *mat.SymDense
	scaled    *mat.Dense // the demixing, rows in the scale of the innovations
}

// judge compares best with whitening, and each pair of its signals with what it
// would be if nothing told them apart.
func (s *separator) judge(ctx context.Context, best *demixing, null *whitened) (*verdict, error) {
	p, err := s.differentiate(ctx, best)
	if err != nil {
		return nil, err
	}
	v := &verdict{scaled: best.scaled(p), different: mat.NewSymDense(s.d, nil)}
	v.rotation = evidence(null.lengths, best.lengths())
	if v.leaks, v.angles, err = s.leaks(ctx, best, p); err != nil {
		return nil, err
	}
	if v.evidence, err = s.turned(ctx, best, p); err != nil {
		return nil, err
	}
	for i := range s.d {
		for j := range i {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			own := make([]float64, evidenceBlocks)
			best.sources[i].lengths(own)
			best.sources[j].lengths(own)
			_, alike := s.alike(best, i, j)
			v.different.SetSym(i, j, evidence(alike, own))
			cost := p.occam(i, j, s.past.n)
			v.occam += cost
			v.evidence.SetSym(i, j, min(v.evidence.At(i, j), v.different.At(i, j))-cost)
		}
	}
	return v, nil
}

// scaled is b with rows that bring the innovations to information 1.
func (m *demixing) scaled(p *derivatives) *mat.Dense {
	b := mat.DenseCopyOf(m.b)
	for i := range m.sources {
		floats.Scale(math.Sqrt(p.scores[i].square), b.RawRowView(i))
	}
	return b
}
