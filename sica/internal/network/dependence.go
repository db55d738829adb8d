package network

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/quantile"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// A dependence is the mutual information of signals i < j beyond their own pasts, in nats: that of
// the innovation of i with the innovation and the prediction of j, plus the reverse. A prediction
// is from a signal's own past, and the innovation is its error. The dependence is 0 for independent
// sources.
//
// It is measured by polynomials of ranks. So it is invariant to monotone functions of innovations
// and predictions, and only detects the dependences that such polynomials have.
//
// Package dependence measures how large a dependence is, from neighbours on both sides. This
// measure tests whether it is significant, from the past alone.
type dependence struct {
	i int
	j int
	// nats is the estimate minus the mean of the estimates with j shifted against i. se is the
	// standard deviation of these: of chance, for independent signals with such pasts.
	nats float64
	se   float64
}

const (
	// nullShifts is the number of shifts that estimate the distribution under independence; they
	// give its standard deviation to an eighth.
	nullShifts = 32
	// degree is the highest degree of the polynomials. Higher degrees, and nearest neighbours (A.
	// Kraskov et al., Physical Review E 69, 066138, 2004), detect dependence less clearly.
	degree = 4
	// At most maxPositions divided by the number of signals are compared, evenly spaced, but no
	// fewer than enoughComparedPositions. All pairs then take a second or two.
	maxPositions, enoughComparedPositions = 1 << 14, 1024
	// minPositions is the smallest number of positions at which dependence is tested.
	minPositions = 100
	// falseAlarm is the probability of a false detection in all pairs together.
	falseAlarm = 0.01
)

// dependences returns the dependence of every pair of the signals z, d×n. The first tenth of the
// positions isn't used; if fewer than minPositions are left, the result is nil.
//
// For at most maxConditioned signals, if dependences by autoregressions are significant, signals
// that Markov chains describe much better than autoregressions get the innovations of these chains:
// the innovations that an autoregression finds in a telegraph signal depend on its level. For more
// signals all innovations are those of autoregressions.
func dependences(ctx context.Context, z *mat.Dense, x *index) ([]dependence, error) {
	positions := x.withoutFirstBlock(x.scored)
	if len(positions) < minPositions {
		return nil, nil
	}
	d, _ := z.Dims()
	compared := subsample(positions, max(enoughComparedPositions, maxPositions/d))
	innovations, predictions := make([][]float64, d), make([][]float64, d)
	for i := range d {
		row := z.RawRowView(i)
		innovations[i], predictions[i] = selfPrediction(row, x.lags, positions, compared)
	}
	pairs, err := compareInnovations(ctx, z, innovations, predictions)
	if err != nil || d > maxConditioned {
		return pairs, err
	}
	if _, dependent := mostSignificant(pairs); !dependent {
		return pairs, nil
	}
	jumping := false
	for i := range d {
		e, p := source.JumpInnovations(ctx, z.RawRowView(i), x.lags, compared)
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
	return compareInnovations(ctx, z, innovations, predictions)
}

// compareInnovations returns the dependences of the signals z, from their innovations and
// predictions at some of the positions. ar.AddJitter hides differences too small to matter, such as
// traces of other signals in a signal that has only two values or is constant half of the time.
// Ranks would show little else. The jitter is in proportion to the signal's spread.
func compareInnovations(
	ctx context.Context, z *mat.Dense, innovations, predictions [][]float64,
) ([]dependence, error) {
	d, _ := z.Dims()
	values := mat.NewDense(2*d, len(innovations[0]), nil) // of signals of spread 1
	for i := range d {
		scale := 1 / spread(z.RawRowView(i))
		floats.ScaleTo(values.RawRowView(i), scale, innovations[i])
		floats.ScaleTo(values.RawRowView(d+i), scale, predictions[i])
	}
	ar.AddJitter(values)
	all := make([]features, d)
	for i := range d {
		e, p := values.RawRowView(i), values.RawRowView(d+i)
		all[i] = features{signal.Rows(products(e, nil)).Dense(), signal.Rows(products(e, p)).Dense()}
	}
	pairs, err := measurePairs(ctx, all, true)
	if err != nil {
		return nil, err
	}
	if _, significant := mostSignificant(pairs); significant {
		return measurePairs(ctx, all, false)
	}
	return pairs, nil
}

// features are standardised functions of a signal's innovations and of its states, which are
// innovations with predictions. Each row is a function, each column a position.
type features struct{ innovations, states *mat.Dense }

// spread returns the median deviation of the values z. If z is constant half of the time, so that
// the median deviation is at most a share resolutionStd of the standard deviation, it returns that.
func spread(z []float64) float64 {
	std := stat.PopStdDev(z, nil)
	if deviation := medianDeviation(slices.Clone(z)); deviation > resolutionStd*std {
		return deviation
	}
	return std
}

// measurePairs returns the dependences of all pairs of signals. If glance is true, dependences far
// from significant are estimated roughly.
func measurePairs(ctx context.Context, signals []features, glance bool) ([]dependence, error) {
	var pairs []dependence
	for i := range signals {
		for j := i + 1; j < len(signals); j++ {
			pairs = append(pairs, dependence{i: i, j: j})
		}
	}
	enough := math.Inf(-1)
	if glance {
		enough = suspectShare * errorsByChance(falseAlarm, len(pairs))
	}
	err := parallel.Do(ctx, parallel.Workers(len(pairs)), len(pairs), func(_, k int) {
		pair := &pairs[k]
		pair.nats, pair.se = excessInformation(signals[pair.i], signals[pair.j], enough)
	})
	return pairs, err
}

// Every glanceEvery-th shift comes first. The others follow only if the dependence by these exceeds
// suspectShare of a significant one (J. Besag, P. Clifford, Biometrika 78(2), 1991). With a smaller
// share more independent pairs take all shifts; with a larger one significant pairs are missed.
const glanceEvery, suspectShare = 4, 0.5

// excessInformation returns the nats and the se of the dependence of two signals. If by a part of
// the shifts nats is less than enough times se, it returns these values.
func excessInformation(a, b features, enough float64) (nats, se float64) {
	_, n := a.states.Dims()
	measured, _ := information(a, b, 0)
	var shifted []float64
	shift := func(k int) {
		forward, backward := information(a, b, n*k/(nullShifts+1))
		shifted = append(shifted, forward, backward)
	}
	for k := glanceEvery; k <= nullShifts/2; k += glanceEvery {
		shift(k)
	}
	mean, std := stat.MeanStdDev(shifted, nil)
	if measured-mean < enough*std {
		return measured - mean, std
	}
	for k := 1; k <= nullShifts/2; k++ {
		if k%glanceEvery > 0 {
			shift(k)
		}
	}
	mean, std = stat.MeanStdDev(shifted, nil)
	return measured - mean, std
}

// selfPrediction returns the predictions of a signal from its own past at the compared positions,
// and their errors, the innovations. The prediction is fitted at all of positions.
func selfPrediction(
	z []float64, lags, positions, compared []int,
) (innovations, predictions []float64) {
	coefficients, _ := ar.Regress(z, lags, positions)
	for _, t := range compared {
		r := ar.Residual(coefficients, z, lags, t)
		innovations, predictions = append(innovations, r), append(predictions, z[t]-r)
	}
	return innovations, predictions
}

// subsample returns n of the values, evenly spaced, or all of them if there are fewer.
func subsample[V any](values []V, n int) []V {
	n = min(n, len(values))
	subsample := make([]V, n)
	for k := range subsample {
		subsample[k] = values[k*len(values)/n]
	}
	return subsample
}

// products returns the products of Legendre polynomials of the ranks of a and b up to the degree,
// or of a alone if b is nil, standardised over the positions. For independent signals all their
// correlations are due to chance (J. Neyman's smooth test; for independence: W. C. M. Kallenberg
// and T. Ledwina, JASA 94(445), 1999).
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

// legendre returns the Legendre polynomials, from degree 0 to degree, of the values' ranks, scaled
// to lie between −1 and 1.
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

// information returns the mutual information of two signals in nats: that of each signal's
// innovations with the other's states, with b shifted circularly forward against a, and backward.
// It is half of the sum of the squared correlations of their features, an approximation for little
// information.
func information(a, b features, shift int) (forward, backward float64) {
	_, n := a.states.Dims()
	ahead := shiftedNats(a.innovations, b.states, shift)
	behind := shiftedNats(b.innovations, a.states, shift)
	if shift == 0 {
		return ahead + behind, ahead + behind
	}
	return ahead + shiftedNats(b.innovations, a.states, n-shift),
		behind + shiftedNats(a.innovations, b.states, n-shift)
}

// shiftedNats returns half of the sum of the squared correlations of the rows of a with the rows of
// b, which is shifted circularly.
func shiftedNats(a, b *mat.Dense, shift int) float64 {
	height, n := a.Dims()
	width, _ := b.Dims()
	products := mat.NewDense(height, width, nil)
	for begin := 0; begin < n; {
		other := (begin + shift) % n
		length := min(signal.ProductBlock, n-begin, n-other)
		signal.AddProducts(products.RawMatrix(), 1,
			a.Slice(0, height, begin, begin+length).(*mat.Dense).RawMatrix(),
			b.Slice(0, width, other, other+length).(*mat.Dense).RawMatrix())
		begin += length
	}
	norm := mat.Norm(products, 2) / float64(n)
	return norm * norm / 2
}

// errorsByChance returns how many standard errors the largest dependence of so many pairs exceeds
// with probability alarm if all signals are independent (C. E. Bonferroni's correction).
func errorsByChance(alarm float64, pairs int) float64 {
	chance := distuv.StudentsT{Sigma: math.Sqrt(1 + 1.0/nullShifts), Nu: nullShifts - 1}
	return chance.Quantile(1 - alarm/float64(max(1, pairs)))
}

// mostSignificant returns the pair whose dependence is the most standard errors above 0, and
// whether it is significant among all pairs.
func mostSignificant(pairs []dependence) (worst dependence, significant bool) {
	maxSigmas := math.Inf(-1)
	for _, p := range pairs {
		if sigmas := p.nats / p.se; sigmas > maxSigmas {
			worst, maxSigmas = p, sigmas
		}
	}
	return worst, maxSigmas > errorsByChance(falseAlarm, len(pairs))
}
