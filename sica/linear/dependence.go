package linear

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/pairwise"
)

const (
	// independenceLags is the largest lag at which the innovations of two signals are compared. It
	// is a choice.
	independenceLags = 3
	// largestMeasured is the number of positions of the longest mixtures with which limits were
	// measured. In longer recordings any dependence is significant, so the dependence must be large
	// enough to be significant at largestMeasured positions.
	largestMeasured = 20000
	// maxDoubted is the largest number of signals, and glance the largest number of positions, in
	// the middle, with which makeLessDependent compares demixings. With more the comparison takes
	// longer than all the rest.
	maxDoubted, glance = 8, 4096
	// significance is the number of standard errors that a correlation must exceed to overrule the
	// code length: five, as for a discovery in physics.
	significance = 5
	// dependenceBlock is the number of positions that dependence handles at a time, to stay in the
	// processor's cache. Up to rounding it changes no result.
	dependenceBlock = 1024
)

// dependence returns the correlations of the absolute innovations of each pair, which the models
// have at hand. Package pairwise measures any form of dependence.
func (m *demixing) dependence() *mat.SymDense {
	d, n := len(m.sources), len(m.sources[0].u)
	sums := make([]float64, d)
	products := mat.NewSymDense(d, nil)
	block := mat.NewDense(d, dependenceBlock, nil) // of absolute innovations
	for first := 0; first < n; first += dependenceBlock {
		length := min(dependenceBlock, n-first)
		for i := range d {
			for t, u := range m.sources[i].u[first : first+length] {
				block.Set(i, t, math.Abs(u))
			}
			sums[i] += floats.Sum(block.RawRowView(i)[:length])
		}
		products.SymRankK(products, 1, block.Slice(0, d, 0, length))
	}
	products.SymRankOne(products, -1/float64(n), mat.NewVecDense(d, sums))
	return correlations(products)
}

// independence returns the probability that the innovations of independent signals depend on each
// other as much as m's do. dependence has the correlations of their magnitudes. The statistic is
// the sum of n·r² over all pairs, for the positive correlations r of the magnitudes and the
// correlations of the innovations at the nearest lags except 0, where a demixing removes them. Its
// distribution is close to a multiple of χ² with the same mean and variance. With more than
// largestMeasured positions, it is the probability for a dependence of that strength at
// largestMeasured positions.
func (m *demixing) independence(dependence *mat.SymDense) float64 {
	n := len(m.sources[0].u)
	innovations := make([][]float64, len(m.sources)) // of variance 1
	for i := range innovations {
		u := slices.Clone(m.sources[i].u)
		mean, sd := stat.PopMeanStdDev(u, nil)
		floats.AddConst(-mean, u)
		floats.Scale(1/sd, u)
		innovations[i] = u
	}
	sum, mean, variance := 0.0, 0.0, 0.0
	for i, u := range innovations {
		for j, v := range innovations[:i] {
			r := max(dependence.At(i, j), 0)
			sum += float64(n) * r * r
			mean += 0.5 // 0 in half of the cases, else χ² with one degree of freedom
			variance += 1.25
			for lag := 1; lag <= independenceLags && lag < n; lag++ {
				after, before := floats.Dot(u[lag:], v[:n-lag]), floats.Dot(v[lag:], u[:n-lag])
				sum += (after*after + before*before) / float64(n-lag)
				mean += 2
				variance += 4
			}
		}
	}
	// The excess scales with n; the test is for at most largestMeasured positions.
	sum = mean + (sum-mean)*min(1, largestMeasured/float64(n))
	scale := variance / (2 * mean)
	return distuv.ChiSquared{K: mean / scale}.Survival(sum / scale)
}

// isDoubtful reports whether dependentPairs returns any pair.
func isDoubtful(dependence *mat.SymDense, n int) bool {
	return len(dependentPairs(dependence, n)) > 0
}

// dependentPairs returns the pairs with a large dependence. Negative correlations, as between
// speakers who take turns, don't count.
func dependentPairs(dependence *mat.SymDense, n int) [][2]int {
	return pairsAbove(doubtfulDependence, dependence, n)
}

// pairsAbove returns the pairs whose correlation over n positions exceeds both the limit and five
// standard errors.
func pairsAbove(limit float64, correlations *mat.SymDense, n int) (pairs [][2]int) {
	limit = max(limit, significance/math.Sqrt(float64(n)))
	for i := range correlations.SymmetricDim() {
		for j := range i {
			if correlations.At(i, j) > limit {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// makeLessDependent replaces found.best by the least dependent demixing, according to package
// dependence, which uses no source models. The demixings compared are the ends of the descents and
// symmetric whitening. It does so only if the dependence of found.best isDoubtful: then independent
// sources are the wrong model, and the shortest code may belong to a wrong demixing.
func (s *separator) makeLessDependent(
	ctx context.Context, found *descents, null *whitened,
) error {
	if ablation.Off(ablation.MinDep) || s.d < 2 || s.d > maxDoubted ||
		!isDoubtful(found.best.dependence(), s.past.N) {
		return nil
	}
	z, shape := grid.Middle(s.z, s.past.Shape, glance)
	_, positions := z.Dims()
	g, err := grid.New(shape, positions)
	if err != nil {
		return err
	}
	meanDependence := func(b *mat.Dense) (float64, error) {
		var y mat.Dense
		y.Mul(b, z)
		a, err := pairwise.Analyse(ctx, &y, g)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err != nil {
			return math.Inf(1), nil // not measurable, for example with too few positions
		}
		return a.Mean(ctx)
	}
	lowest, err := meanDependence(found.best.b)
	if err != nil {
		return err
	}
	var least *mat.Dense
	for _, e := range append(found.ends, candidate{name: whiteningName, b: null.b}) {
		mean, err := meanDependence(e.b)
		if err != nil {
			return err
		}
		if mean < lowest {
			least, lowest, found.name = e.b, mean, e.name
		}
	}
	if least == nil {
		return nil
	}
	found.verdict, found.leastDependent = nil, true
	return s.evaluate(ctx, found.best, least, nil)
}
