package network

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/quantile"
)

// Dependence is what signals I < J tell of each other beyond their own pasts, in nats:
// the information that the innovation of I (what its own past doesn't predict) has of
// the innovation and the prediction of J, and the same the other way round. It is 0 if
// both are independent sources. It sees ranks alone, so that no monotone change of
// innovations or predictions matters, and what polynomials of them have in common.
//
// It differs from the measure of package dependence: it tests for significance, in nats of what the
// past alone predicts; that one measures size, from neighbours on both sides.
type Dependence struct {
	I int `json:"i"`
	J int `json:"j"`
	// Nats is the estimate less the mean of those with J shifted against I, and SE
	// the deviation of these: what chance makes of independent signals with such
	// pasts.
	Nats float64 `json:"nats"`
	SE   float64 `json:"se"`
}

const (
	// nullShifts is the number of shifts that estimate the distribution under independence: its
	// standard deviation to an eighth. A choice: half is noisier by √2, twice takes twice as long.
	nullShifts = 32
	// degree is that of the polynomials. Degree 4 detected dependence more clearly than 6 after
	// leaky-ReLU layers, a cubic, a tanh and GELU steps. Nearest neighbours (A. Kraskov et al.,
	// Physical Review E 69, 066138, 2004) detected it less often than both, in a hundred times
	// the time.
	degree = 4
	// mostPositions, divided by the number of signals, is how many positions are compared, evenly
	// spaced if there are more, but at least enoughPositions: all pairs take a second or two.
	mostPositions, enoughPositions = 1 << 14, 1024
	// fewestPositions is the smallest number of positions at which dependence is tested. A choice.
	fewestPositions = 100
	// falseAlarm is the probability of a false detection. A choice.
	falseAlarm = .01
)

// Dependences measures every pair of the signals z, d×T. Of the options it uses
// Shape, Past and Seed. There are none of fewer than 100 positions
// after the first tenth, which is left out.
func Dependences(ctx context.Context, z *mat.Dense, o Options) ([]Dependence, error) {
	_, x, err := o.indexed(z)
	if err != nil {
		return nil, err
	}
	return dependences(ctx, z, x)
}

func dependences(ctx context.Context, z *mat.Dense, x *index) ([]Dependence, error) {
	positions := x.settled(x.scored)
	if len(positions) < fewestPositions {
		return nil, nil
	}
	d, _ := z.Dims()
	n := max(enoughPositions, mostPositions/d)
	var innovations, states *mat.Dense // [d·features, n]
	for i := range d {
		e, p := selfPrediction(z.RawRowView(i), x.lags, positions)
		e, p = evenly(e, n), evenly(p, n)
		if step := resolution(z.RawRowView(i), positions); step > 0 {
			round(e, step)
			round(p, step)
		}
		innovations = stack(innovations, i, d, products(e, nil))
		states = stack(states, i, d, products(e, p))
	}
	_, length := states.Dims()
	measured := make([][]float64, nullShifts+1) // of each pair, shifted by 0 first
	for k := range measured {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		measured[k] = information(innovations, states, d, length*k/(nullShifts+1))
	}
	var all []Dependence
	shifted := make([]float64, nullShifts)
	for i := range d {
		for j := i + 1; j < d; j++ {
			for k := range shifted {
				shifted[k] = measured[k+1][len(all)]
			}
			mean, std := stat.MeanStdDev(shifted, nil)
			all = append(all, Dependence{i, j, measured[0][len(all)] - mean, std})
		}
	}
	return all, nil
}

// selfPrediction returns, at each position, the innovation of a signal and what its own past
// predicts of it.
func selfPrediction(z []float64, lags, positions []int) (innovations, predictions []float64) {
	coefficients, _ := ar.Regress(z, lags, positions)
	for _, t := range positions {
		r := ar.Residual(coefficients, z, lags, t)
		innovations, predictions = append(innovations, r), append(predictions, z[t]-r)
	}
	return innovations, predictions
}

// evenly is n of the values, evenly spaced; all of them if there are fewer.
func evenly[V any](values []V, n int) []V {
	n = min(n, len(values))
	some := make([]V, n)
	for k := range some {
		some[k] = values[k*len(values)/n]
	}
	return some
}

// resolution is blurStd of the deviation of z at these positions, if half of its values lie
// within it, such as those between the beats of a heart: what other signals have left in
// them there is too little to matter, and ranks would show nothing else. Else it is 0.
func resolution(z []float64, positions []int) float64 {
	values := make([]float64, len(positions))
	for k, t := range positions {
		values[k] = z[t]
	}
	step := blurStd * stat.PopStdDev(values, nil)
	if deviation(values) > step {
		return 0
	}
	return step
}

// round rounds values to multiples of step.
func round(values []float64, step float64) {
	for k, v := range values {
		values[k] = step * math.Round(v/step)
	}
}

// stack puts the features of signal i of d below those of the signals before it.
func stack(all *mat.Dense, i, d int, features [][]float64) *mat.Dense {
	if all == nil {
		all = mat.NewDense(d*len(features), len(features[0]), nil)
	}
	for k, f := range features {
		all.SetRow(i*len(features)+k, f)
	}
	return all
}

// products are the products of Legendre polynomials of the ranks of a and b up to the
// degree, each of mean 0 and variance 1 over the positions; of a alone if b is nil. Of
// independent signals all their correlations are chance (J. Neyman's smooth test, for
// independence: W. C. M. Kallenberg and T. Ledwina, JASA 94(445), 1999).
func products(a, b []float64) [][]float64 {
	ofA := legendre(a)
	ofB := ofA[:1]
	if b != nil {
		ofB = legendre(b)
	}
	var all [][]float64
	for k, p := range ofA {
		for l, q := range ofB {
			if k+l == 0 || k+l > degree {
				continue
			}
			f := floats.MulTo(make([]float64, len(a)), p, q)
			mean, std := stat.PopMeanStdDev(f, nil)
			floats.AddConst(-mean, f)
			if std > 1e-6 { // not of a constant
				floats.Scale(1/std, f)
			}
			all = append(all, f)
		}
	}
	return all
}

// legendre are the Legendre polynomials, from degree 0, of the ranks of the values as
// fractions from −1 to 1.
func legendre(values []float64) [][]float64 {
	n := len(values)
	all := make([][]float64, degree+1)
	for k := range all {
		all[k] = make([]float64, n)
	}
	for t, rank := range quantile.Ranks(values) {
		u := (2*rank+1)/float64(n) - 1
		all[0][t], all[1][t] = 1, u
		for k := 1.; k < degree; k++ {
			all[int(k)+1][t] = ((2*k+1)*u*all[int(k)][t] - k*all[int(k)-1][t]) / (k + 1)
		}
	}
	return all
}

// information is, of each pair of the d signals, that of each one's innovations with
// the other's states, the second of both being shifted: half the sum of the squared
// correlations, which is what they have in common in nats if that is little.
func information(innovations, states *mat.Dense, d, shift int) []float64 {
	rows, n := innovations.Dims()
	of, _ := states.Dims()
	correlations, rest := mat.NewDense(rows, of, nil), mat.NewDense(rows, of, nil)
	part := func(m *mat.Dense, rows, begin, end int) mat.Matrix { return m.Slice(0, rows, begin, end) }
	correlations.Mul(part(innovations, rows, 0, n-shift), part(states, of, shift, n).T())
	if shift > 0 {
		rest.Mul(part(innovations, rows, n-shift, n), part(states, of, 0, shift).T())
		correlations.Add(correlations, rest)
	}
	correlations.Scale(1/float64(n), correlations)
	ofInnovation, ofState := rows/d, of/d
	nats := func(i, j int) float64 {
		block := correlations.Slice(i*ofInnovation, (i+1)*ofInnovation, j*ofState, (j+1)*ofState)
		norm := mat.Norm(block, 2)
		return norm * norm / 2
	}
	var all []float64
	for i := range d {
		for j := i + 1; j < d; j++ {
			all = append(all, nats(i, j)+nats(j, i))
		}
	}
	return all
}

// Worst is the pair whose dependence is most standard errors above 0, and whether
// that is more than chance makes of so many pairs.
func Worst(pairs []Dependence) (most Dependence, evident bool) {
	highest := math.Inf(-1)
	for _, p := range pairs {
		if z := p.Nats / p.SE; z > highest {
			most, highest = p, z
		}
	}
	chance := distuv.StudentsT{Sigma: math.Sqrt(1 + 1./nullShifts), Nu: nullShifts - 1}
	return most, highest > chance.Quantile(1-falseAlarm/float64(max(1, len(pairs))))
}
