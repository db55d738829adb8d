package sica

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/layers"
)

// Dependence is what a pair of signals tell of one another at t, beyond what
// each tells of itself: squared correlations of bounded features, summed, less
// what signals shifted against one another have by chance. It is about 0 for
// self-sufficient signals, and a few tenths for a plain dependence. See
// MeasureDependence.
type Dependence struct {
	// Residuals is that of the two signals' residuals from their own
	// predictions.
	Residuals float64 `json:"residuals"`
	// Contexts is that of one signal's residual and the other's prediction,
	// both ways.
	Contexts float64 `json:"contexts"`
}

// Total is Residuals + Contexts.
func (d Dependence) Total() float64 { return d.Residuals + d.Contexts }

// How dependence is measured.
const (
	// resolution is the standard deviation of the noise added to the residuals
	// of signals of variance 1, below which a dependence isn't seen: a signal
	// that is predicted almost perfectly leaves only traces of others.
	resolution = 0.05
	// dependenceShifts is the number of shifts that chance is averaged over.
	dependenceShifts = 10
	// dependenceBlocks is the number of blocks that are left out in turn.
	dependenceBlocks = 16
	// dependencePositions is the fewest positions that the blocks and shifts
	// make sense for.
	dependencePositions = 64
)

// dependenceWindow is the reach of the predictions for an index of the given
// number of axes.
func dependenceWindow(axes int) int { return max(4-axes, 1) }

// MeasureDependence measures how far the most dependent pair of the d×T signals
// z, with a position index of the given shape (none for a sequence), is from
// what SICA asks: p(z_t | contexts) = Π p(z_i,t | own context). It trains
// nothing, draws nothing that isn't fixed, and takes milliseconds.
//
// Each signal is predicted from its own neighbours by ridge regression. If the
// signals are self-sufficient, its residual tells nothing of another's
// prediction, and the residuals, whitened, nothing of one another. Residuals
// and predictions are brought to normal quantiles u, and their features sin u,
// cos u, sin 2u and cos 2u correlated: a dependence of any form that these
// frequencies of the characteristic function see, and no few outliers make.
// Each value holds with any sixteenth of the positions left out.
//
// Where every signal's residual is below a tenth of it, any mixture of the
// signals is known from its own rest just as well, and SICA asks for nothing.
// The signals themselves are then compared in place of their residuals, as
// without a context.
//
// As the residuals are whitened, their correlation at one position doesn't count.
// Measure whitened signals, as those of every start of Default are: others, such
// as the mixed signals themselves, may depend on each other more than this says.
//
// z must have at least 64 positions, and no constant or linearly dependent
// signals.
func MeasureDependence(z *mat.Dense, shape ...int) (Dependence, error) {
	if err := checkSignals("z", z); err != nil {
		return Dependence{}, fmt.Errorf("sica: measuring dependence: %w", err)
	}
	d, t := z.Dims()
	cfg := Config{Shape: shape}
	if err := cfg.validateSignals(d, t); err != nil {
		return Dependence{}, fmt.Errorf("sica: measuring dependence: %w", err)
	}
	if t < dependencePositions {
		return Dependence{}, fmt.Errorf("sica: measuring dependence: z has %d positions: want at least %d", t, dependencePositions)
	}
	neighbours, err := selfNeighbours(cfg.indexShape(t))
	if err != nil {
		return Dependence{}, fmt.Errorf("sica: measuring dependence: %w", err)
	}
	return measureDependence(z, neighbours, dependenceBlocks)
}

// selfNeighbours are the neighbours that signals are predicted from where they
// are judged and rotated.
func selfNeighbours(shape []int) ([][]int32, error) {
	return layers.Neighbours(dependenceWindow(len(shape)), shape...)
}

// measureDependence is the dependence of the most dependent pair that stays
// when any of blocks equal blocks of positions is left out; with 0 blocks none
// is.
func measureDependence(z *mat.Dense, neighbours [][]int32, blocks int) (Dependence, error) {
	worst, _, err := mostDependent(z, neighbours, blocks)
	return worst.dependence, err
}

// meanDependence is that of all pairs on average.
func meanDependence(z *mat.Dense, neighbours [][]int32) (float64, error) {
	pairs, _, err := dependences(z, neighbours, 0)
	if err != nil {
		return 0, err
	}
	mean := 0.0
	for _, p := range pairs {
		mean += p.dependence.Total() / float64(len(pairs))
	}
	return mean, nil
}

// mostDependent is the pair that measureDependence measures, with the features of
// all signals.
func mostDependent(z *mat.Dense, neighbours [][]int32, blocks int) (signalPair, *features, error) {
	pairs, whole, err := dependences(z, neighbours, blocks)
	if err != nil {
		return signalPair{}, nil, err
	}
	return slices.MaxFunc(pairs, func(p, q signalPair) int {
		return cmp.Compare(p.dependence.Total(), q.dependence.Total())
	}), whole, nil
}

// dependences are all pairs with their dependence above chance that stays when any
// of the blocks is left out, and the features of all signals.
func dependences(z *mat.Dense, neighbours [][]int32, blocks int) ([]signalPair, *features, error) {
	residuals, predictions, err := selfPredict(z, neighbours)
	if err != nil {
		return nil, nil, err
	}
	d, t := z.Dims()
	whole, err := newFeatures(residuals, predictions)
	if err != nil {
		return nil, nil, err
	}
	pairs := allPairs(d)
	for k, p := range pairs {
		pairs[k].dependence = p.correlations(whole, 0)
	}
	// A block at a time, as the features of a million positions take much memory.
	for b := range blocks {
		from, to := b*t/blocks, (b+1)*t/blocks
		without, err := newFeatures(withoutColumns(residuals, from, to), withoutColumns(predictions, from, to))
		if err != nil {
			continue // a signal lives in this block alone
		}
		for k, p := range pairs {
			left := p.correlations(without, 0)
			pairs[k].dependence.Residuals = min(p.dependence.Residuals, left.Residuals)
			pairs[k].dependence.Contexts = min(p.dependence.Contexts, left.Contexts)
		}
	}
	for k, p := range pairs {
		pairs[k].dependence = p.aboveChance(whole)
	}
	return pairs, whole, nil
}

// selfPredict are the residuals of the standardised signals from their own
// predictions, blurred to the resolution, and the predictions, both d×T.
func selfPredict(z *mat.Dense, neighbours [][]int32) (residuals, predictions *mat.Dense, err error) {
	standard, err := standardise(z)
	if err != nil {
		return nil, nil, err
	}
	residuals, predictions = lessPredictions(standard, neighbours)
	d, t := z.Dims()
	for i := range d {
		floats.Add(residuals.RawRowView(i), blur(i, t))
	}
	return residuals, predictions, nil
}

// lessPredictions are the standardised signals less their own predictions, and the
// predictions, which are zero where the signals are foreseeable, both d×T.
func lessPredictions(z *mat.Dense, neighbours [][]int32) (residuals, predictions *mat.Dense) {
	predictions, foreseeable := selfPredictions(z, neighbours)
	if foreseeable {
		predictions.Zero()
	}
	residuals = new(mat.Dense)
	residuals.Sub(z, predictions)
	return residuals, predictions
}

// selfPredictions are the standardised signals as their own neighbours predict
// them, d×T. They are foreseeable if that leaves less than twice the resolution
// of each.
func selfPredictions(z *mat.Dense, neighbours [][]int32) (predictions *mat.Dense, foreseeable bool) {
	d, t := z.Dims()
	predictions, foreseeable = mat.NewDense(d, t, nil), true
	for i := range d {
		row := z.RawRowView(i)
		prediction := predict(row, neighbours)
		predictions.SetRow(i, prediction)
		foreseeable = foreseeable && residualScale(row, prediction) <= 2*resolution
	}
	return predictions, foreseeable
}

// blur is the fixed noise of the resolution for a signal.
func blur(signal, t int) []float64 {
	rng := stream(0, signal, 0, drawBlur)
	noise := make([]float64, t)
	for k := range noise {
		noise[k] = resolution * rng.NormFloat64()
	}
	return noise
}

// withoutColumns is x without its columns from up to to.
func withoutColumns(x *mat.Dense, from, to int) *mat.Dense {
	d, t := x.Dims()
	rest := mat.NewDense(d, t-(to-from), nil)
	for i := range d {
		row := rest.RawRowView(i)
		copy(row, x.RawRowView(i)[:from])
		copy(row[from:], x.RawRowView(i)[to:])
	}
	return rest
}

// features are those of each signal's whitened residual, residual and
// prediction: [d][features][T], each of mean 0 and mean square 1.
type features struct{ white, residual, prediction [][][]float64 }

func newFeatures(residuals, predictions *mat.Dense) (*features, error) {
	white, err := whiten(residuals)
	if err != nil {
		return nil, err
	}
	f := new(features)
	d, _ := residuals.Dims()
	for i := range d {
		f.white = append(f.white, waves(white.RawRowView(i)))
		f.residual = append(f.residual, waves(residuals.RawRowView(i)))
		f.prediction = append(f.prediction, waves(predictions.RawRowView(i)))
	}
	return f, nil
}

// waves are the features of a row: sines and cosines of its normal quantiles.
func waves(row []float64) [][]float64 {
	u := append([]float64(nil), row...)
	normalQuantiles(u)
	features := make([][]float64, 4)
	for k, wave := range []func(float64) float64{
		math.Sin, math.Cos,
		func(u float64) float64 { return math.Sin(2 * u) },
		func(u float64) float64 { return math.Cos(2 * u) },
	} {
		feature := make([]float64, len(u))
		for t, v := range u {
			feature[t] = wave(v)
		}
		mean, sd := stat.PopMeanStdDev(feature, nil)
		for t := range feature {
			if feature[t] -= mean; sd > 0 {
				feature[t] /= sd
			}
		}
		features[k] = feature
	}
	return features
}

// signalPair is two signals with their dependence.
type signalPair struct {
	i, j       int
	dependence Dependence
}

func allPairs(d int) []signalPair {
	var pairs []signalPair
	for i := range d {
		for j := range i {
			pairs = append(pairs, signalPair{i: i, j: j})
		}
	}
	return pairs
}

// correlations are those of the pair's features, the second signal's shifted
// around by shift positions.
func (p signalPair) correlations(f *features, shift int) Dependence {
	return Dependence{
		Residuals: correlation(f.white[p.i], f.white[p.j], shift),
		Contexts:  correlation(f.residual[p.i], f.prediction[p.j], shift) + correlation(f.residual[p.j], f.prediction[p.i], shift),
	}
}

// aboveChance is the pair's dependence over that of shifted signals.
func (p signalPair) aboveChance(f *features) Dependence {
	over := p.dependence
	t := len(f.white[0][0])
	for k := range dependenceShifts {
		// Shifts of an eighth to seven eighths of the signal, in even steps.
		shift := t/8 + (2*k+1)*(t-t/4)/(2*dependenceShifts)
		chance := p.correlations(f, shift)
		over.Residuals -= chance.Residuals / dependenceShifts
		over.Contexts -= chance.Contexts / dependenceShifts
	}
	return Dependence{Residuals: max(over.Residuals, 0), Contexts: max(over.Contexts, 0)}
}

// correlation is the sum of the squared correlations of all features of a with
// all of b, b shifted around by shift positions.
func correlation(a, b [][]float64, shift int) float64 {
	sum := 0.0
	for _, u := range a {
		for _, v := range b {
			t := len(u)
			c := (floats.Dot(u[:t-shift], v[shift:]) + floats.Dot(u[t-shift:], v[:shift])) / float64(t)
			sum += c * c
		}
	}
	return sum
}
