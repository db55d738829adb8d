package linear

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

type Solution struct {
	Mean        []float64
	Demixing    *mat.Dense
	Best        *mat.Dense
	Null        *mat.Dense
	Gain, Gain2 float64
	Alike       *mat.SymDense
	Evidence    *mat.SymDense
	Groups      [][]int
	Sources     []source
}

func (s *separator) solution(best, null *demixing, p, nullPulls *pulls, pairs *mat.SymDense, gain float64, mean []float64, whitening *mat.Dense) (*Solution, error) {
	inScale := func(m *demixing, p *pulls) *mat.Dense {
		b := mat.DenseCopyOf(m.b)
		for i := range s.d {
			row := b.RowView(i).(*mat.VecDense)
			row.ScaleVec(math.Sqrt(p.pulls[i].information), row)
		}
		return b
	}
	b, bz := inScale(best, p), inScale(null, nullPulls)
	least := math.Inf(1)
	for i := range s.d {
		for j := range i {
			least = min(least, pairs.At(i, j))
		}
	}
	sol := &Solution{Mean: mean, Gain: gain, Evidence: pairs, Sources: best.sources}
	sol.Groups = groups(pairs, identified)
	if gain <= leaving && least < plainPair {
		sol.Groups = groups(pairs, math.Inf(1))
	}
	final := mat.DenseCopyOf(b)
	if len(sol.Groups) == 1 && s.d > 1 {
		final = mat.DenseCopyOf(bz)
	} else {
		for _, g := range sol.Groups {
			if len(g) > 1 {
				orient(final, bz, g)
			}
		}
	}
	mul := func(b *mat.Dense) *mat.Dense { var m mat.Dense; m.Mul(b, whitening); return &m }
	sol.Demixing, sol.Best, sol.Null = mul(final), mul(b), mul(bz)
	return sol, nil
}
