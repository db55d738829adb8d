package network

import (
	"context"
	"math"

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

// A dependence is the mutual information of signals i < j beyond their own pasts, in nats. It is
// that of the innovation of i with the innovation and the prediction of j, and the reverse, where a
// prediction is from a signal's own past and the innovation is its error. It is 0 for independent
// sources.
//
// It is measured by polynomials of ranks. So it doesn't change with monotone functions of
// innovations or predictions, and only finds the dependences that such polynomials have.
//
// The measure of package dependence differs: that measures how large a dependence is, from
// neighbours on both sides; this tests whether it is significant, from the past alone.
type dependence struct {
	i int
	j int
	// nats is the estimate minus the mean of the estimates with j shifted against i. se is the
	// standard deviation of these: of estimates by chance for independent signals with such pasts.
	nats float64
	se   float64
}

const (
	// nullShifts is the number of shifts that estimate the distribution under independence: its
	// standard deviation to an eighth.
	nullShifts = 32
	// degree is the highest degree of the polynomials. A higher one, and nearest neighbours (A.
	// Kraskov et al., Physical Review E 69, 066138, 2004), detect dependence less clearly.
	degree = 4
	// At most maxPositions, divided by the number of signals, are compared, evenly spaced, but at
	// least enoughComparedPositions. All pairs then take a second or two.
	maxPositions, enoughComparedPositions = 1 << 14, 1024
	// minPositions is the smallest number of positions at which dependence is tested.
	minPositions = 100
	// falseAlarm is the probability of a false detection in all pairs together.
	falseAlarm = 0.01
)

// dependences returns the dependence of every pair of the signals z, d×n. The first tenth of the
// positions isn't used; if fewer than 100 are left, the result is nil.
//
// The dependences of at most maxConditioned signals are those of their innovations as Markov
// chains, where these describe a signal much better than an autoregression and the dependences by
// autoregressions are significant: the innovations that an autoregression finds in a telegraph
// depend on its level. The innovations of more signals are those of autoregressions.
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
// predictions at some of the positions. ar.AddJitter hides what is too small to matter, such as the
// traces of other signals in one that has only two values, or that is constant for half of the time.
// Ranks would show little else.
func compareInnovations(
	ctx context.Context, z *mat.Dense, innovations, predictions [][]float64,
) ([]dependence, error) {
	d, _ := z.Dims()
	values := mat.NewDense(2*d, len(innovations[0]), nil) // of signals of variance 1
	for i := range d {
		scale := 1 / stat.PopStdDev(z.RawRowView(i), nil)
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

// features are standardised functions of a signal's innovations, and of its states: innovations
// with predictions. Each is a row over the positions.
type features struct{ innovations, states *mat.Dense }

// measurePairs returns the dependences of every two signals. If glance is true, those that are far
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

// Every glanceEvery-th shift comes first, and the others only where the dependence by these is
// above suspectShare of the significant one (J. Besag, P. Clifford, Biometrika 78(2), 1991). With
// less of suspectShare more independent pairs go on, with more significant ones are missed.
const glanceEvery, suspectShare = 4, 0.5

// excessInformation returns the nats and the se of the dependence of two signals. If nats is less
// than enough times se by a part of the shifts, both are of these.
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
// and the innovations, which are their errors. It learns from all positions.
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

// subsample returns n of the values, evenly spaced; all of them if there are fewer.
func subsample[V any](values []V, n int) []V {
	n = min(n, len(values))
	subsample := make([]V, n)
	for k := range subsample {
		subsample[k] = values[k*len(values)/n]
	}
	return subsample
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

// information returns the mutual information in nats of each one's innovations with the other's
// states, of two signals: with b shifted circularly forward against a, and backward. It is half of
// the sum of the squared correlations of their features, an approximation for little information.
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

// shiftedNats returns half of the sum of the squared correlations of the rows of a with those of b,
// shifted circularly.
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
// whether it is significant among so many pairs.
func mostSignificant(pairs []dependence) (worst dependence, significant bool) {
	maxSigmas := math.Inf(-1)
	for _, p := range pairs {
		if sigmas := p.nats / p.se; sigmas > maxSigmas {
			worst, maxSigmas = p, sigmas
		}
	}
	return worst, maxSigmas > errorsByChance(falseAlarm, len(pairs))
}
