package sica

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Moments are the moments of the recovered signals, at the positions of the fit without outliers,
// where the signals have mean 0. The patterns of Remove follow from these if the linear rule
// doesn't identify all signals. They are for programs that preview the removal of any choice of
// signals.
type Moments struct {
	// Covariance is E[z_i·z_j] of the recovered signals, k×k.
	Covariance *mat.SymDense
	// Heavy is the index of the strongest heavy-tailed signal, such as blinks; −1 for none. Cubes
	// has E[z_i·z_heavy³] for each of the k signals; nil for none. ByCubes is the weight of
	// E[x·z³]/E[z⁴], from 0 to 1, in the pattern of the heavy signal.
	Heavy   int
	Cubes   []float64
	ByCubes float64
}

// newMoments returns the moments of the signals z, k×n, at the positions of weight 1; the
// others have weight 0. The mixed signals are a·z, d×n.
func newMoments(a, z *mat.Dense, weights []float64) *Moments {
	k, n := z.Dims()
	centred := mat.NewDense(k, n, nil)
	for i := range k {
		mean := stat.Mean(z.RawRowView(i), weights)
		for t, v := range z.RawRowView(i) {
			centred.Set(i, t, (v-mean)*weights[t])
		}
	}
	positions := floats.Sum(weights)
	m := &Moments{Covariance: mat.NewSymDense(k, nil)}
	m.Covariance.SymOuterK(1/positions, centred)
	if m.Heavy = m.strongestHeavy(centred, positions, m.strengths(a)); m.Heavy < 0 {
		return m
	}
	cubes := make([]float64, n)
	for t, v := range centred.RawRowView(m.Heavy) {
		cubes[t] = v * v * v
	}
	between := func(begin, end int) *mat.VecDense { // the part of the means from there
		part := mat.NewVecDense(k, nil)
		part.MulVec(centred.Slice(0, k, begin, end), mat.NewVecDense(end-begin, cubes[begin:end]))
		part.ScaleVec(1/positions, part)
		return part
	}
	all := between(0, n)
	m.Cubes = all.RawVector().Data
	blocks := min(patternBlocks, n)
	without := make([]*Moments, blocks)
	for b := range without {
		begin, end := b*n/blocks, (b+1)*n/blocks
		rest := &Moments{Covariance: mat.NewSymDense(k, nil), Heavy: m.Heavy}
		rest.Covariance.SymOuterK(-1/positions, centred.Slice(0, k, begin, end))
		rest.Covariance.AddSym(m.Covariance, rest.Covariance)
		block := between(begin, end)
		block.SubVec(all, block)
		rest.Cubes = block.RawVector().Data
		without[b] = rest
	}
	m.weighCubes(a, without)
	return m
}

// patternBlocks is the largest number of blocks in the jackknife for the variance of a pattern by
// cubes.
const patternBlocks = 20

// weighCubes sets ByCubes to 1 − V/D², but at least 0, as in James–Stein estimators. D is the
// distance between the pattern by cubes and the pattern by regression, and V the variance of their
// difference by the jackknife over without, the moments without a block of positions each. ByCubes
// is 0 if the signals are too collinear to solve for either pattern. Weaker signals have no pattern
// by cubes, since their peaks can be peaks of the strongest.
func (m *Moments) weighCubes(a *mat.Dense, without []*Moments) {
	d, _ := a.Dims()
	strengths, blocks := m.strengths(a), len(without)
	difference := func(m *Moments) ([]float64, error) {
		pattern, err := m.coefficients(a, explaining(m.Heavy, nil, strengths), m.Heavy, false)
		if err != nil {
			return nil, err
		}
		byCubes, err := m.coefficients(a, []int{m.Heavy}, m.Heavy, true)
		if err != nil {
			return nil, err
		}
		return floats.SubTo(pattern, byCubes, pattern), nil
	}
	all, err := difference(m)
	differences := mat.NewDense(blocks, d, nil)
	for b := 0; b < blocks && err == nil; b++ {
		var part []float64
		if part, err = difference(without[b]); err == nil {
			differences.SetRow(b, part)
		}
	}
	if err != nil {
		return
	}
	var variance float64
	for c := range d {
		variance += float64(blocks-1) * stat.PopVariance(mat.Col(nil, c, differences), nil)
	}
	if square := floats.Dot(all, all); square > variance {
		m.ByCubes = 1 - variance/square
	}
}

// minHeavyKurtosis is the least kurtosis E[z⁴]/E[z²]² of a heavy-tailed signal. A Gaussian has 3, a
// Laplace variable 6, blinks and heartbeats have 10 and more.
const minHeavyKurtosis = 4

// strongestHeavy returns the strongest heavy-tailed signal of the centred signals, k×n; −1 if there
// is none.
func (m *Moments) strongestHeavy(centred *mat.Dense, positions float64, strengths []float64) int {
	strongest := -1
	for i := range strengths {
		fourth := 0.0
		for _, v := range centred.RawRowView(i) {
			fourth += v * v * v * v
		}
		variance := m.Covariance.At(i, i)
		heavy := fourth/positions > minHeavyKurtosis*variance*variance
		if heavy && (strongest < 0 || strengths[i] > strengths[strongest]) {
			strongest = i
		}
	}
	return strongest
}

// strengths returns, for each recovered signal, the largest share of a mixed signal's variance that
// it explains alone. The mixed signals are a·z.
func (m *Moments) strengths(a *mat.Dense) []float64 {
	n, k := a.Dims()
	var cross mat.Dense // d×k, E[x·z]
	cross.Mul(a, m.Covariance)
	strengths := make([]float64, k)
	for c := range n {
		variance := floats.Dot(cross.RawRowView(c), a.RawRowView(c))
		if variance <= 0 {
			continue
		}
		for i, v := range cross.RawRowView(c) {
			strengths[i] = max(strengths[i], v*v/(variance*m.Covariance.At(i, i)))
		}
	}
	return strengths
}

// pattern returns the contribution of a value of 1 of signal i to the mixed signals a·z: the
// coefficient p_i in x = Σ_j p_j·z_j + rest. It is a weighted mean of two estimates, and column i
// of a if rows has all signals:
//   - The regression, E[rest·z_j] = 0, over i, the signals in rows, and all stronger signals.
//   - By cubes, for the strongest heavy-tailed signal, such as blinks: over i and the signals in
//     rows.
func (m *Moments) pattern(a *mat.Dense, rows []int, i int) ([]float64, error) {
	pattern, err := m.coefficients(a, explaining(i, rows, m.strengths(a)), i, false)
	if err != nil || i != m.Heavy || m.ByCubes == 0 {
		return pattern, err
	}
	byCubes, err := m.coefficients(a, explaining(i, rows, nil), i, true)
	if err != nil {
		return nil, err
	}
	floats.Sub(byCubes, pattern)
	floats.AddScaled(pattern, m.ByCubes, byCubes)
	return pattern, nil
}

// explaining returns, in order, signal i, the signals in rows and, unless strengths is nil, the
// signals stronger than i.
func explaining(i int, rows []int, strengths []float64) []int {
	on := append([]int{i}, rows...)
	for j := range strengths {
		if strengths[j] > strengths[i] {
			on = append(on, j)
		}
	}
	slices.Sort(on)
	return slices.Compact(on)
}

// coefficients returns p_i of x = Σ_j p_j·z_j + rest over the signals j in on, which must include
// i, with E[rest·z_j] = 0, or E[rest·z_i³] = 0 for j = i = Heavy if byCubes. With C = E[z·gᵀ],
// k×|on|, for g_j = z_j or z_j³, and its rows C_on, p_i is a·C·C_on⁻¹·e_i.
func (m *Moments) coefficients(a *mat.Dense, on []int, i int, byCubes bool) ([]float64, error) {
	n, k := a.Dims()
	products, among := mat.NewDense(k, len(on), nil), mat.NewDense(len(on), len(on), nil)
	for place, j := range on {
		if byCubes && j == i {
			products.SetCol(place, m.Cubes)
		} else {
			products.SetCol(place, mat.Col(nil, j, m.Covariance))
		}
	}
	for place, j := range on {
		among.SetRow(place, products.RawRowView(j))
	}
	unit := mat.NewVecDense(len(on), nil)
	unit.SetVec(slices.Index(on, i), 1)
	var solved, shared mat.VecDense
	if err := solved.SolveVec(among, unit); err != nil {
		return nil, fmt.Errorf("the recovered signals are nearly collinear: %w", err)
	}
	shared.MulVec(products, &solved)
	pattern := mat.NewVecDense(n, nil)
	pattern.MulVec(a, &shared)
	return pattern.RawVector().Data, nil
}
