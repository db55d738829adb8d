package experiment

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// The table of nonlinear mixtures of many signals: Laplace AR(1) sources after leaky-ReLU layers,
// on which A. Hyvärinen and H. Morioka (AISTATS 2017) and their successors measure nonlinear ICA.

// manyMixtures are its mixtures, and manyPositions the length of the sequences that measure them.
var manyMixtures = []string{
	"laplace-10-leaky1", "laplace-10-leaky2", "laplace-10-leaky3",
	"laplace-20-leaky1", "laplace-20-leaky2",
}

const manyPositions = 16384

// oracleGap is, in an Outcome's Numbers, by how many nats per position the network's held-out
// log-likelihood is above that of the true inverse with the true sources.
const oracleGap = "oracle_gap"

func manyTable(o TableOptions) *Table {
	t := oracleTable(o)
	t.problems, t.positions = mixtureProblems(manyMixtures), manyPositions
	return t
}

// oracleTable returns a table, without problems, of Default beside the oracle and the rivals of the
// options.
func oracleTable(o TableOptions) *Table {
	t := &Table{rivals: o.Methods, ours: []string{separated}, measure: measureOracle}
	t.columns = []column{runCount("n", separated)}
	for _, rival := range o.Methods {
		t.columns = append(t.columns, meanMCC(labelOf(rival), rival))
	}
	t.columns = append(t.columns,
		meanMCC(labelOf(separated), separated),
		text("smallest", "%.4f", func(r row) float64 { return stats.Quantile(0, r.mccs(separated)) }),
		text("least signal", "%.3f", func(r row) float64 {
			return stats.Quantile(0, r.numbers(separated, minCorrelation))
		}),
		text("reached − oracle, nats", "%s", func(r row) string {
			return fourDigits(r.numbers(separated, oracleGap))
		}),
		total("networks chosen", separated, networkChosen),
		total("identified", separated, networkIdentified),
		total("wrong", separated, networkWrong),
		text("median core seconds", "%.0f", func(r row) float64 {
			return stats.Quantile(0.5, r.numbers(separated, coreSeconds))
		}),
	)
	return t
}

// addOracleGap adds oracleGap, if a network was among the candidates.
func (o *Outcome) addOracleGap(r *sica.Result) error {
	for _, c := range r.Candidates {
		if c.Mode != sica.NetworkOnly || !c.Compared {
			continue
		}
		oracle, err := o.oracle()
		if err != nil {
			return err
		}
		o.Numbers[oracleGap] = -c.CodeLength - oracle
	}
	return nil
}

// oracle returns the log-likelihood of the mixed signals of a mixture laplace-d-leakyL or
// varied-d-unitL under the true inverse and the true sources, in nats per position.
//
// Of laplace-d-leakyL the matrices aren't known, as datasets.LayeredMix doesn't return them. But its
// mixture by l layers, of the same random numbers, is the l-th matrix applied to the nonlinearity of
// that by l−1, so a regression gives them. Those of varied-d-unitL are found in the same way.
func (p Problem) oracle() (float64, error) {
	m, err := mixtureNamed(p.Mixture)
	if err != nil {
		return 0, err
	}
	var d, layers int
	var rho []float64
	var layered func(rng *rand.Rand, s *mat.Dense, layers int) (*mat.Dense, error)
	switch {
	case scanned(p.Mixture, "laplace-%d-leaky%d", &d, &layers):
		rho = slices.Repeat([]float64{laplaceRho}, d)
		layered = func(rng *rand.Rand, s *mat.Dense, layers int) (*mat.Dense, error) {
			return datasets.LayeredMix(rng, s, layers, datasets.LeakyReLU(leakySlope))
		}
	case scanned(p.Mixture, "varied-%d-unit%d", &d, &layers):
		rho = variedCoefficients(rand.New(rand.NewPCG(p.Seed, m.stream)), d) // the first draws
		layered = unitLayers
	default:
		return 0, fmt.Errorf("experiment: oracle: mixture %q has none; must be laplace-d-leakyL or "+
			"varied-d-unitL", p.Mixture)
	}
	positions := cmp.Or(p.Positions, mixturePositions)
	source := rand.NewPCG(p.Seed, m.stream)
	s, _, err := m.sources(rand.New(source), positions)
	if err != nil {
		return 0, err
	}
	state, err := source.MarshalBinary() // before the matrices
	if err != nil {
		return 0, err
	}
	// The log-likelihood of all positions except the first, and the signals that the next matrix is
	// applied to.
	total, before := laplaceSources(s, rho)
	for l := range layers + 1 {
		if l > 0 {
			before.Apply(func(_, t int, v float64) float64 {
				if v < 0 && t > 0 {
					total -= math.Log(leakySlope)
				}
				return max(v, leakySlope*v)
			}, before)
		}
		again := new(rand.PCG)
		if err := again.UnmarshalBinary(state); err != nil {
			return 0, err
		}
		x, err := layered(rand.New(again), s, l)
		if err != nil {
			return 0, err
		}
		logDet, err := regressionLogDet(before, x)
		if err != nil {
			return 0, err
		}
		total -= logDet * float64(positions-1)
		before = x
	}
	return total / float64(positions-1), nil
}

// scanned reports whether a name is a form, such as laplace-%d-leaky%d, with numbers, and sets
// these.
func scanned(name, form string, d, layers *int) bool {
	_, err := fmt.Sscanf(name, form, d, layers)
	return err == nil && name == fmt.Sprintf(form, *d, *layers)
}

// laplaceRho is the coefficient of the sources laplace, and leakySlope that of the layers below 0,
// both as A. Hyvärinen and H. Morioka (AISTATS 2017) have them.
const (
	laplaceRho = 0.7
	leakySlope = 0.2
)

// variedCoefficients draws the coefficients of variedLaplace.
func variedCoefficients(rng *rand.Rand, d int) []float64 {
	all := make([]float64, d)
	for i := range all {
		all[i] = 0.4 + 0.5*rng.Float64()
	}
	return all
}

// variedLaplace returns d autoregressions of order 1 with Laplace innovations, and coefficients
// uniform on 0.4 to 0.9.
func variedLaplace(d int) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		rho := variedCoefficients(rng, d)
		return differentProcesses(d, func(i int) datasets.ARProcess {
			return process(datasets.Laplace, burnIn, rho[i])
		})(rng, n)
	}
}

// unitLayers is datasets.LayeredMix with leaky ReLU and the matrices of unitColumns.
func unitLayers(rng *rand.Rand, s *mat.Dense, layers int) (*mat.Dense, error) {
	x, err := preprocess.Apply(s, preprocess.Standardise)
	if err != nil {
		return nil, err
	}
	d, _ := s.Dims()
	h := datasets.LeakyReLU(leakySlope)
	for l := range layers + 1 {
		if l > 0 {
			x.Apply(func(_, _ int, v float64) float64 { return h(v) }, x)
		}
		if x, err = datasets.LinearMix(unitColumns(rng, d), x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// unitColumns draws a d×d matrix of normal entries with columns scaled to length 1, from those
// whose condition number is below d, or below 3 with two signals, as few are below 2.
func unitColumns(rng *rand.Rand, d int) *mat.Dense {
	a := mat.NewDense(d, d, nil)
	for {
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		for j := range d {
			column := mat.Col(nil, j, a)
			floats.Scale(1/floats.Norm(column, 2), column)
			a.SetCol(j, column)
		}
		if mat.Cond(a, 2) < float64(max(d, 3)) {
			return a
		}
	}
}

// laplaceSources returns the log-likelihood of all positions of s except the first, with Laplace
// innovations of variance 1 on rho[i] times the position before, and the signals of mean 0 and
// variance 1.
func laplaceSources(s *mat.Dense, rho []float64) (total float64, standard *mat.Dense) {
	d, positions := s.Dims()
	standard = mat.DenseCopyOf(s)
	for i := range d {
		mean, sd := stat.PopMeanStdDev(s.RawRowView(i), nil)
		row := standard.RawRowView(i)
		for t := range row {
			row[t] = (row[t] - mean) / sd
		}
		total += math.Log(sd) * float64(positions-1)
		for t := 1; t < positions; t++ {
			total -= math.Sqrt2*math.Abs(s.At(i, t)-rho[i]*s.At(i, t-1)) + math.Log(math.Sqrt2)
		}
	}
	return total, standard
}

// regressionLogDet returns the logarithm of the determinant of the matrix that takes signals to x.
func regressionLogDet(signals, x *mat.Dense) (float64, error) {
	var gram, cross, a mat.Dense
	gram.Mul(signals, signals.T())
	cross.Mul(signals, x.T())
	if err := a.Solve(&gram, &cross); err != nil {
		return 0, err
	}
	logDet, _ := mat.LogDet(&a)
	return logDet, nil
}
