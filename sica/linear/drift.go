package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/ar"
)

const (
	// driftBlocks is the number of parts of a sequence in which the demixing is compared, and
	// driftWaves the number of cosines of time, the slowest ones, that a change may consist of.
	// Both are choices. Sequences shorter than minDriftPositions aren't tested.
	driftBlocks, driftWaves, minDriftPositions = 16, 3, 512
	// A change counts if its probability by chance is below minDriftProbability, and if it costs a
	// signal more than minDriftError of its correlation with the source. The sampling error at
	// 1,024 positions costs three times as much. Both are choices.
	minDriftProbability, minDriftError = 1e-3, 2e-4
)

// A driftEstimate is an estimate of how the demixing changes with time, from the gradients of the
// code length in blocks of positions.
type driftEstimate struct {
	probability float64   // of gradients that vary as much if the demixing is constant
	errors      []float64 // for each signal, the expected 1 − |correlation| due to the change
}

// isSignificant reports whether the change is significant and large enough to count.
func (e driftEstimate) isSignificant() bool {
	return e.errors != nil && e.probability < minDriftProbability &&
		floats.Max(e.errors) > minDriftError
}

// A driftBlock has the sums over one of driftBlocks parts of the positions, from which a
// driftEstimate follows.
type driftBlock struct {
	gradient *mat.Dense // d×d, Σ_t a_it·y_jt of the adjoints a of the scores and the signals y
	scores   []float64  // for each signal, Σ_t ψ_it²
}

func newDriftBlocks(d int) []driftBlock {
	blocks := make([]driftBlock, driftBlocks)
	for k := range blocks {
		blocks[k] = driftBlock{mat.NewDense(d, d, nil), make([]float64, d)}
	}
	return blocks
}

// blockEdge returns the first position of the k-th of driftBlocks blocks of n positions.
func blockEdge(k, n int) int { return k * n / driftBlocks }

// estimateDrift tests whether the demixing m of a sequence changes with time, and estimates by how
// much. p are the derivatives at m. The estimate is zero for images, short sequences and a single
// signal.
//
// If the demixing is constant, the slopes of the code length along E_ij vary between blocks of
// positions by chance only. The variance of a slope in a block follows from the powers there of the
// score of signal i and of the innovations of signal j under the filter of signal i, since
// independent signals have E ψ_i²·r_j² = E ψ_i²·E r_j². So the slopes in standard errors, as a
// function of time, have cosine transforms of variance 1. A slow change shows in the lowest
// transforms: the sum of driftWaves squares for each of d·(d−1) slopes is χ² distributed. This is
// the score test of J. Nyblom (J. American Statistical Association 84(405), 1989) in a few
// directions.
//
// The change itself, in shares of signals of variance 1, is a quasi-Newton step in each block. The
// contribution of chance to its squares is subtracted.
func (s *separator) estimateDrift(m *demixing, p *derivatives) driftEstimate {
	if !s.past.Sequence() || s.past.N < minDriftPositions || s.d == 1 {
		return driftEstimate{}
	}
	powers := blockPowers(m.y)
	sum, errors := 0.0, make([]float64, s.d)
	for i := range s.d {
		change := 0.0 // variance over time of the shares of other signals in signal i
		for j := range s.d {
			if i == j {
				continue
			}
			transforms, variances, ok := s.driftAlong(m, p, powers, i, j)
			if !ok {
				return driftEstimate{}
			}
			for f := range driftWaves {
				sum += transforms[f] * transforms[f]
				change += variances[f]
			}
		}
		errors[i] = min(max(change, 0)/2, 1)
	}
	null := distuv.ChiSquared{K: float64(driftWaves * s.d * (s.d - 1))}
	return driftEstimate{null.Survival(sum), errors}
}

// blockPowers returns the mean squares of the signals y, driftBlocks×d.
func blockPowers(y *mat.Dense) *mat.Dense {
	d, n := y.Dims()
	powers := mat.NewDense(driftBlocks, d, nil)
	for i := range d {
		for k := range driftBlocks {
			part := y.RawRowView(i)[blockEdge(k, n):blockEdge(k+1, n)]
			powers.Set(k, i, floats.Dot(part, part)/float64(len(part)))
		}
	}
	return powers
}

// driftAlong returns the cosine transforms of the slopes along E_ij, in standard errors, and the
// contribution of each to the variance over time of signal j's share in signal i. powers are the
// results of blockPowers. ok is false if a slope has no variance.
func (s *separator) driftAlong(
	m *demixing, p *derivatives, powers *mat.Dense, i, j int,
) (transforms, variances [driftWaves]float64, ok bool) {
	own, other := s.innovationShare(m, i, j), s.innovationShare(m, j, i)
	a, b := p.curvature(i, j)
	ratio := m.sources[j].q[0] / m.sources[i].q[0] // ratio of the signals' variances
	var slopes [driftBlocks]float64                // in standard errors
	var weights [driftBlocks]float64               // up to a factor, slopes at a constant step
	var step, chance [driftWaves]float64           // chance is the variance of step
	for k, block := range p.blocks {
		n := float64(blockEdge(k+1, s.past.N) - blockEdge(k, s.past.N))
		slope, back := block.gradient.At(i, j), block.gradient.At(j, i)
		variance := block.scores[i] * powers.At(k, j) * own
		backVariance := block.scores[j] * powers.At(k, i) * other
		if !(variance > 0 && backVariance > 0) {
			return transforms, variances, false
		}
		weights[k] = math.Sqrt(variance)
		slopes[k] = slope / weights[k]
		det := (a*b - 1) * n
		for f := range driftWaves {
			w := driftWaveform[f][k]
			step[f] -= w * (b*slope - back) / det
			chance[f] += w * w * (b*b*variance - 2*b*n + backVariance) / (det * det)
		}
	}
	// A constant step is no change: m needn't be at the minimum.
	constant := floats.Dot(slopes[:], weights[:]) / floats.Dot(weights[:], weights[:])
	floats.AddScaled(slopes[:], -constant, weights[:])
	for f := range driftWaves {
		transforms[f] = floats.Dot(driftWaveform[f][:], slopes[:])
		variances[f] = (step[f]*step[f] - chance[f]) * ratio / driftBlocks
	}
	return transforms, variances, true
}

// innovationShare returns the power of signal j's innovations under the filter of signal i,
// relative to the power of signal j.
func (s *separator) innovationShare(m *demixing, i, j int) float64 {
	q := m.sources[j].q
	return ar.ErrorPower(q, m.sources[i].weights, len(s.past.Lags)+1) / q[0]
}

// driftWaveform has the orthonormal cosines that a change may consist of, at each block.
var driftWaveform = func() (waves [driftWaves][driftBlocks]float64) {
	for f := range waves {
		for k := range waves[f] {
			phase := math.Pi * float64(f+1) * (float64(k) + 0.5) / driftBlocks
			waves[f][k] = math.Sqrt(2./driftBlocks) * math.Cos(phase)
		}
	}
	return waves
}()

// addDrift sets Drift and adds it to the ExpectedError if the change of the demixing is
// significant.
func (s *draft) addDrift() {
	if ablation.Off(ablation.Drift) || s.KeptWhitening || !s.drift.isSignificant() {
		return
	}
	s.Drift = s.drift.errors
	for i, v := range s.Drift {
		s.ExpectedError[i] = min(s.ExpectedError[i]+v, 1)
	}
}
