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
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// A Dependence is the mutual information of signals I < J beyond their own pasts, in nats. It is
// that of the innovation of I with the innovation and the prediction of J, and the reverse, where a
// prediction is from a signal's own past and the innovation is its error. It is 0 for independent
// sources.
//
// It is measured by polynomials of ranks. So it doesn't change with monotone functions of
// innovations or predictions, and only finds the dependences that such polynomials have.
//
// The measure of package dependence differs: that measures how large a dependence is, from
// neighbours on both sides; this tests whether it is significant, from the past alone.
type Dependence struct {
	I int
	J int
	// Nats is the estimate minus the mean of the estimates with J shifted against I. SE is the
	// standard deviation of these: of estimates by chance for independent signals with such pasts.
	Nats float64
	SE   float64
}

const (
	// nullShifts is the number of shifts that estimate the distribution under independence: its
	// standard deviation to an eighth. A choice: half is noisier by √2, twice takes twice as long.
	nullShifts = 32
	// degree is the highest degree of the polynomials. Degree 4 detected dependence more clearly
	// than 6 after leaky-ReLU layers, a cubic, a tanh and GELU steps. Nearest neighbours (A.
	// Kraskov et al., Physical Review E 69, 066138, 2004) detected it less often than both, in a
	// hundred times the time.
	degree = 4
	// At most maxPositions, divided by the number of signals, are compared, evenly spaced, but at
	// least enoughComparedPositions. It is a choice: all pairs then take a second or two.
	maxPositions, enoughComparedPositions = 1 << 14, 1024
	// minPositions is the smallest number of positions at which dependence is tested. A choice.
	minPositions = 100
	// falseAlarm is the probability of a false detection in all pairs together. A choice.
	falseAlarm = 0.01
	// certainErrors is by how many standard errors signals must depend on each other for that to
	// be beyond doubt. The following was measured with errors that were a tenth smaller, and a limit
	// of five, as for a discovery in physics. Of 66 linear mixtures with noise or surplus sources
	// that the linear rule calls identified (2,500 positions), five depend by more without a known
	// reason, two of them with a correlation of 0.56 and 0.90 with their sources; of 45 with 20,000
	// positions two, of 0.97 and 0.99. Four of AR(7) after 5 to 20 GELU steps, of 0.53 to 0.62,
	// depend by 11 to 50. At four, four right ones more of 201 with 1,024 positions do.
	certainErrors = 4.5
)

// Dependences returns the dependence of every pair of the signals z, d×n. Of the options it uses
// Shape, Past and Seed. The first tenth of the positions isn't used; if fewer than 100 are left,
// the result is nil.
func Dependences(ctx context.Context, z *mat.Dense, o Options) ([]Dependence, error) {
	o, x, err := o.indexed(ctx, z)
	if err != nil {
		return nil, err
	}
	return dependences(ctx, z, x, o.Components)
}

// dependences returns the dependences of at most maxConditioned signals z by their innovations as
// Markov chains, where these describe a signal much better than an autoregression and the dependences
// by autoregressions are significant. The innovations that an autoregression finds in a telegraph depend
// on its level: two independent telegraphs seemed to depend on each other significantly in 22 of 600
// mixtures (n = 1,024), and do in one. The innovations of more signals are those of autoregressions.
func dependences(
	ctx context.Context, z *mat.Dense, x *index, components int,
) ([]Dependence, error) {
	positions := x.withoutFirstBlock(x.scored)
	if len(positions) < minPositions {
		return nil, nil
	}
	d, _ := z.Dims()
	innovations, predictions := make([][]float64, d), make([][]float64, d)
	for i := range d {
		innovations[i], predictions[i] = selfPrediction(z.RawRowView(i), x.lags, positions)
	}
	pairs, err := compareInnovations(ctx, z, positions, innovations, predictions)
	if err != nil || d > maxConditioned {
		return pairs, err
	}
	if _, dependent := Worst(pairs); !dependent {
		return pairs, nil
	}
	compared, jumping := subsample(positions, comparedPositions(d)), false
	for i := range d {
		e, p := source.JumpInnovations(ctx, z.RawRowView(i), x.lags, compared, components)
		if e != nil {
			innovations[i], predictions[i], jumping = e, p, true
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !jumping {
		return pairs, nil
	}
	return compareInnovations(ctx, z, positions, innovations, predictions)
}

// comparedPositions returns how many positions of d signals are compared at most.
func comparedPositions(d int) int { return max(enoughComparedPositions, maxPositions/d) }

// compareInnovations returns the dependences of the signals z, from their innovations and
// predictions at the given positions.
func compareInnovations(
	ctx context.Context, z *mat.Dense, positions []int, innovations, predictions [][]float64,
) ([]Dependence, error) {
	d, _ := z.Dims()
	n := comparedPositions(d)
	var changes, states *mat.Dense // [d·features, n]
	for i := range d {
		e, p := subsample(innovations[i], n), subsample(predictions[i], n)
		if step := roundingStep(z.RawRowView(i), positions); step > 0 {
			round(e, step)
			round(p, step)
		}
		changes = setFeatures(changes, i, d, products(e, nil))
		states = setFeatures(states, i, d, products(e, p))
	}
	_, length := states.Dims()
	measured, _ := information(changes, states, d, 0) // of each pair
	shifted := make([][]float64, len(measured))
	for k := 1; k <= nullShifts/2; k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		forward, backward := information(changes, states, d, length*k/(nullShifts+1))
		for pair := range shifted {
			shifted[pair] = append(shifted[pair], forward[pair], backward[pair])
		}
	}
	var all []Dependence
	for i := range d {
		for j := i + 1; j < d; j++ {
			mean, std := stat.MeanStdDev(shifted[len(all)], nil)
			all = append(all, Dependence{i, j, measured[len(all)] - mean, std})
		}
	}
	return all, nil
}

// selfPrediction returns the predictions of a signal from its own past at the given positions, and
// the innovations, which are their errors.
func selfPrediction(z []float64, lags, positions []int) (innovations, predictions []float64) {
	coefficients, _ := ar.Regress(z, lags, positions)
	for _, t := range positions {
		r := ar.Residual(coefficients, z, lags, t)
		innovations, predictions = append(innovations, r), append(predictions, z[t]-r)
	}
	return innovations, predictions
}

// subsample returns n of the values, evenly spaced; all of them if there are fewer.
func subsample[V any](values []V, n int) []V {
	n = min(n, len(values))
	subsample := make([]V, n)
	for k := range subsample {
		subsample[k] = values[k*len(values)/n]
	}
	return subsample
}

// roundingStep returns the step to which a signal's innovations and predictions are rounded: 0 for
// none, or resolutionStd of its standard deviation if half of its values lie within that, such as
// those between the beats of a heart. Ranks would show little else than these values, in which
// other signals have left too little to matter.
func roundingStep(z []float64, positions []int) float64 {
	values := make([]float64, len(positions))
	for k, t := range positions {
		values[k] = z[t]
	}
	step := resolutionStd * stat.PopStdDev(values, nil)
	if medianDeviation(values) > step {
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

// setFeatures sets the rows of signal i of d to its features. It makes the matrix if all is nil.
func setFeatures(all *mat.Dense, i, d int, features [][]float64) *mat.Dense {
	if all == nil {
		all = mat.NewDense(d*len(features), len(features[0]), nil)
	}
	for k, f := range features {
		all.SetRow(i*len(features)+k, f)
	}
	return all
}

// products returns the products of Legendre polynomials of the ranks of a and b up to the degree,
// standardised over the positions; of a alone if b is nil. For independent signals all their
// correlations are by chance (J. Neyman's smooth test; for independence: W. C. M. Kallenberg and T.
// Ledwina, JASA 94(445), 1999).
func products(a, b []float64) [][]float64 {
	first := legendre(a)
	second := first[:1]
	if b != nil {
		second = legendre(b)
	}
	var all [][]float64
	for k, p := range first {
		for l, q := range second {
			if k+l == 0 || k+l > degree {
				continue
			}
			f := floats.MulTo(make([]float64, len(a)), p, q)
			mean, std := stat.PopMeanStdDev(f, nil)
			floats.AddConst(-mean, f)
			if std > 1e-6 { // not constant
				floats.Scale(1/std, f)
			}
			all = append(all, f)
		}
	}
	return all
}

// legendre returns the Legendre polynomials, from degree 0 to degree, of the values' ranks, which
// are scaled to −1 to 1.
func legendre(values []float64) [][]float64 {
	n := len(values)
	all := make([][]float64, degree+1)
	for k := range all {
		all[k] = make([]float64, n)
	}
	for t, rank := range quantile.Ranks(values) {
		u := (2*rank+1)/float64(n) - 1
		all[0][t], all[1][t] = 1, u
		for k := 1.0; k < degree; k++ {
			all[int(k)+1][t] = ((2*k+1)*u*all[int(k)][t] - k*all[int(k)-1][t]) / (k + 1)
		}
	}
	return all
}

// information returns, for each pair I < J of d signals, the mutual information in nats of each
// one's innovations with the other's states: with the signals J shifted circularly forward against I,
// and backward. It is half of the sum of the squared correlations of their features, an approximation
// for little information. The features are rows, the same number for each signal.
func information(innovations, states *mat.Dense, d, shift int) (forward, backward []float64) {
	rows, n := innovations.Dims()
	columns, _ := states.Dims()
	ahead := shiftedProducts(innovations, states, shift)
	behind := ahead
	if shift > 0 {
		behind = shiftedProducts(innovations, states, n-shift)
	}
	height, width := rows/d, columns/d // of a pair's block
	nats := func(products *mat.Dense, i, j int) float64 {
		block := products.Slice(i*height, (i+1)*height, j*width, (j+1)*width)
		norm := mat.Norm(block, 2) / float64(n)
		return norm * norm / 2
	}
	for i := range d {
		for j := i + 1; j < d; j++ {
			forward = append(forward, nats(ahead, i, j)+nats(behind, j, i))
			backward = append(backward, nats(behind, i, j)+nats(ahead, j, i))
		}
	}
	return forward, backward
}

// shiftedProducts returns the products of the rows of a with those of b, shifted circularly.
func shiftedProducts(a, b *mat.Dense, shift int) *mat.Dense {
	rows, n := a.Dims()
	columns, _ := b.Dims()
	positions := func(m *mat.Dense, begin, end int) *mat.Dense {
		return m.Slice(0, m.RawMatrix().Rows, begin, end).(*mat.Dense)
	}
	products := mat.NewDense(rows, columns, nil)
	signal.Products(products, positions(a, 0, n-shift), positions(b, shift, n))
	if shift > 0 {
		wrapped := mat.NewDense(rows, columns, nil)
		signal.Products(wrapped, positions(a, n-shift, n), positions(b, 0, shift))
		products.Add(products, wrapped)
	}
	return products
}

// Worst returns the pair whose dependence is the most standard errors above 0, and whether it is
// significant among so many pairs (C. E. Bonferroni's correction).
func Worst(pairs []Dependence) (worst Dependence, significant bool) {
	maxErrors := math.Inf(-1)
	for _, p := range pairs {
		if errors := p.Nats / p.SE; errors > maxErrors {
			worst, maxErrors = p, errors
		}
	}
	chance := distuv.StudentsT{Sigma: math.Sqrt(1 + 1.0/nullShifts), Nu: nullShifts - 1}
	return worst, maxErrors > chance.Quantile(1-falseAlarm/float64(max(1, len(pairs))))
}
