package rotate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/predict"
)

// Of many signals a search that turns pair after pair gets stuck, since any pair of
// a mixture of many is nearly Gaussian, and the sum of what each is known from its
// own rest is hidden by what chance adds to it. If the sources are independent,
// Σ_i h(z_i,t | own past) is least at them too, the likelihood. The residuals from
// the past alone are further from Gaussian and have half as many weights. So of
// more than a few signals the past takes the place of the rest.
//
// All signals are turned at once, by exp(Θ) with a skew Θ. Let r_ij be signal j less
// what the weights of signal i's own prediction make of it, and φ_i the score of
// the residual r_ii. Then Σ_i h(r_ii) changes by
//
//	Σ_{i<j} θ_ij·(E φ_i·r_ij − E φ_j·r_ji) + ½·θ_ij²·(E φ_i′·E r_ij² + E φ_j′·E r_ji² − 2)
//
// to second order, if φ_i′ and r_ij² go their own ways and different angles don't
// act on each other, as in independent signals. Its least is a Newton step for
// all angles (as P. Ablin, J.-F. Cardoso, A. Gramfort, ICASSP 2018, without
// predictions; with them: X.-L. Li, T. Adalı, ICASSP 2010).
const (
	// Pairwise is the largest number of signals that are turned pair by pair,
	// which sees every angle.
	Pairwise = 3

	newtonSteps  = 60
	minCurvature = 0.1  // taken for smaller ones, and for the size of negative ones
	maxAngle     = 0.7  // radians of an angle in a step
	stepHalvings = 5    // of a step that doesn't lower the sum
	minStepGain  = 1e-4 // nats that a step must gain
)

// ownResidual is a signal as it is predicted from its neighbours.
type ownResidual struct {
	gram     *mat.SymDense // of its neighbours' values, summed over the positions
	cross    *mat.VecDense // of these with its own
	power    float64       // Σ value²
	weights  []float64     // of its prediction, nil for none
	residual []float64     // with the noise of the resolution
}

// rotateAll turns all signals together until that gains nothing, and returns the sum
// of the entropies.
func (s *rotationSearch) rotateAll(ctx context.Context) float64 {
	signals, sum := s.fitResiduals(s.z)
	for range newtonSteps {
		if ctx.Err() != nil {
			break
		}
		turn := s.newtonStep(signals)
		if turn == nil {
			break
		}
		lower := false
		for range stepHalvings + 1 {
			if ctx.Err() != nil {
				break
			}
			var by, turned mat.Dense
			by.Exp(turn)
			turned.Mul(&by, s.z)
			if next, least := s.fitResiduals(&turned); least < sum-minStepGain {
				signals, sum, lower = next, least, true
				s.z.Copy(&turned)
				s.total.Mul(&by, s.total)
				break
			}
			turn.Scale(0.5, turn)
		}
		if !lower {
			break
		}
	}
	return sum
}

// fitResiduals are the signals z less their own predictions, and the sum of their entropies.
func (s *rotationSearch) fitResiduals(z *mat.Dense) (signals []ownResidual, sum float64) {
	d, _ := z.Dims()
	signals = make([]ownResidual, d)
	for i := range signals {
		signals[i] = s.fitResidual(z.RawRowView(i))
		sum += entropy(slices.Clone(signals[i].residual))
	}
	return signals, sum
}

func (s *rotationSearch) fitResidual(signal []float64) ownResidual {
	var k ownResidual
	k.gram, k.cross, k.power = predict.NormalEquations(signal, s.neighbours)
	if !s.noContext {
		penalised := mat.NewSymDense(k.gram.SymmetricDim(), nil)
		penalised.CopySym(k.gram)
		k.weights = predict.RidgeWeights(penalised, k.cross, k.power)
	}
	k.residual = slices.Clone(signal)
	floats.Sub(k.residual, predict.With(k.weights, signal, s.neighbours))
	floats.Add(k.residual, s.noise)
	return k
}

// newtonStep is the Newton step Θ from the signals as they are, nil if a signal
// has no score.
func (s *rotationSearch) newtonStep(signals []ownResidual) *mat.Dense {
	d, t := s.z.Dims()
	var (
		pulls  = mat.NewDense(d, t, nil) // row i times signal j is Σ φ_i·r_ij
		slopes = make([]float64, d)      // E φ_i′
		powers = mat.NewDense(d, d, nil) // E r_ij²
	)
	for i, of := range signals {
		scale := floats.Norm(of.residual, 2) / math.Sqrt(float64(t))
		standard := slices.Clone(of.residual)
		floats.Scale(1/scale, standard)
		phi, slope := score(standard)
		if phi == nil {
			return nil
		}
		floats.Scale(1/(scale*float64(t)), phi)
		pulls.SetRow(i, s.unpredict(phi, of.weights))
		slopes[i] = slope / (scale * scale)
		for j, other := range signals {
			powers.Set(i, j, other.residualPower(of.weights)/float64(t))
		}
	}
	var gradient mat.Dense
	gradient.Mul(pulls, s.z.T()) // [d, d], E φ_i·r_ij
	turn := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range i {
			slope := gradient.At(i, j) - gradient.At(j, i)
			curvature := slopes[i]*powers.At(i, j) + slopes[j]*powers.At(j, i) - 2
			angle := -slope / max(math.Abs(curvature), minCurvature)
			angle = min(max(angle, -maxAngle), maxAngle)
			turn.Set(i, j, angle)
			turn.Set(j, i, -angle)
		}
	}
	return turn
}

// residualPower is Σ (value − prediction)² of a signal predicted with another's weights.
func (k *ownResidual) residualPower(weights []float64) float64 {
	if weights == nil {
		return k.power
	}
	w := mat.NewVecDense(len(weights), weights)
	return k.power - 2*mat.Dot(w, k.cross) + mat.Inner(w, k.gram, w)
}

// unpredict is the transpose of taking a prediction away: its product with a
// signal is that of phi with the signal less its prediction by the weights.
func (s *rotationSearch) unpredict(phi, weights []float64) []float64 {
	pull := slices.Clone(phi)
	if weights == nil {
		return pull
	}
	for t, near := range s.neighbours {
		for n, position := range near {
			if int(position) < len(pull) {
				pull[position] -= weights[n] * phi[t]
			}
		}
	}
	return pull
}
