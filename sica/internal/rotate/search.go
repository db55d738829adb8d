package rotate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/predict"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
)

// Of linear maps, SICA's divergence is a sum of one-dimensional entropies. With
// z = B·x and contexts made of the same map,
//
//	KL = Σ_i h(z_i,t | own context) − h(z_t | contexts),
//
// and the second term is log|det B| + h(x_t | contexts of x), which no rotation
// changes. So the best rotation of whitened signals is the one whose signals
// are each best fitted from their own rest, Σ_i h(z_i,t | own context) least. Of
// few signals it can be searched over all angles of each pair (as in RADICAL: E.
// Learned-Miller, J. Fisher, JMLR 2003), where a flow finds the nearest minimum;
// of more, see rotationSearch.turnAll.

// How the angles of a pair are searched.
const (
	coarseAngles   = 45 // of a quarter turn
	fineAngles     = 8  // on each side of the best, within a coarse step
	rotationSweeps = 10
	minSweepGain   = 1e-3 // nats that a sweep must gain to be followed by another
)

// LeastEntropy rotates the whitened signals z, d×T, until the sum of
// the entropies of their residuals from their own predictions is least, or of
// the signals themselves if they are predictable: the best of several searches,
// or of those that were begun when ctx ended. It also returns the rotation, d×d.
func LeastEntropy(ctx context.Context, z *mat.Dense, g *grid.Grid, searches int, seed uint64) (rotated, by *mat.Dense) {
	d, t := z.Dims()
	neighbours := g.Own()
	if d > Pairwise {
		neighbours = g.Past()
	}
	_, predictable := predict.Own(z, neighbours)
	lowest := math.Inf(1)
	for k, from := range firstRotations(ctx, z, searches, seed) {
		if k > 0 && ctx.Err() != nil {
			break
		}
		s := &rotationSearch{z: new(mat.Dense), total: from, neighbours: neighbours, noise: predict.Jitter(0, t), noContext: predictable}
		s.z.Mul(from, z)
		if entropy := s.run(ctx); entropy < lowest {
			rotated, by, lowest = s.z, s.total, entropy
		}
	}
	return rotated, by
}

// firstRotations are what the searches begin with: z as it is, random rotations
// and, of more than a few signals, what FastICA makes of z. It finds many sources
// without a memory, of which a Newton step sees too little from far away.
func firstRotations(ctx context.Context, z *mat.Dense, searches int, seed uint64) []*mat.Dense {
	d, _ := z.Dims()
	if d == 2 {
		searches = 1 // it looks at all angles
	}
	first := []*mat.Dense{identity(d)}
	for k := 1; k < searches; k++ {
		first = append(first, rotation.Random(stream.New(seed, k, 0, stream.Rotation), d))
	}
	if d > Pairwise {
		cfg := fastica.Default()
		cfg.Seed = seed
		if model, err := cfg.Fit(ctx, z); err == nil {
			first = append(first, model.(*baseline.LinearModel).Unmixing)
		}
	}
	return first
}

func identity(d int) *mat.Dense {
	return mat.DenseCopyOf(mat.NewDiagDense(d, slices.Repeat([]float64{1}, d)))
}

// rotationSearch turns the signals z.
type rotationSearch struct {
	z          *mat.Dense
	total      *mat.Dense // the rotation so far, d×d
	neighbours [][]int32
	noise      []float64
	noContext  bool      // the signals are taken without predictions
	entropies  []float64 // of each signal's residual
}

// run turns the signals until that gains nothing, and returns the sum of the
// entropies.
func (s *rotationSearch) run(ctx context.Context) float64 {
	if d, _ := s.z.Dims(); d > Pairwise {
		return s.rotateAll(ctx)
	}
	return s.turnPairs(ctx)
}

// turnPairs sweeps over the pairs.
func (s *rotationSearch) turnPairs(ctx context.Context) float64 {
	d, _ := s.z.Dims()
	s.entropies = make([]float64, d)
	for i := range d {
		s.entropies[i] = newPair(s, i, (i+1)%d).entropy(1, 0)
	}
	sweeps := rotationSweeps
	if d == 2 {
		sweeps = 1
	}
	for range sweeps {
		gain := 0.0
		for i := range d {
			for j := range i {
				if ctx.Err() == nil {
					gain += s.turn(i, j)
				}
			}
		}
		if gain < minSweepGain {
			break
		}
	}
	sum := 0.0
	for _, h := range s.entropies {
		sum += h
	}
	return sum
}

// turn rotates signals i and j by the angle of least entropy and returns by how
// much that lowers it.
func (s *rotationSearch) turn(i, j int) float64 {
	p := newPair(s, i, j)
	before := s.entropies[i] + s.entropies[j]
	least, at := before, 0.0
	try := func(angle float64) {
		if h := p.entropy(math.Cos(angle), math.Sin(angle)) + p.entropy(-math.Sin(angle), math.Cos(angle)); h < least {
			least, at = h, angle
		}
	}
	step := math.Pi / 2 / coarseAngles
	for k := 1; k < coarseAngles; k++ {
		try(float64(k) * step)
	}
	coarse := at
	for k := -fineAngles; k <= fineAngles; k++ {
		try(coarse + float64(k)*step/(fineAngles+1))
	}
	if least == before {
		return 0
	}
	c, sin := math.Cos(at), math.Sin(at)
	s.entropies[i], s.entropies[j] = p.entropy(c, sin), p.entropy(-sin, c)
	turnRows(p.a, p.b, c, sin)
	turnRows(s.total.RawRowView(i), s.total.RawRowView(j), c, sin)
	return before - least
}

// turnRows rotates two rows by the angle of the given cosine and sine.
func turnRows(a, b []float64, c, sin float64) {
	for t := range a {
		a[t], b[t] = c*a[t]+sin*b[t], c*b[t]-sin*a[t]
	}
}

// pair are two signals with what the prediction of any combination of them is
// solved from.
type pair struct {
	a, b       []float64 // rows of the signals
	neighbours [][]int32
	noise      []float64
	noContext  bool

	gramAA, gramAB, gramBB    *mat.SymDense // K×K, AB summed with its transpose
	crossAA, crossAB, crossBB *mat.VecDense // K

	signal, residual []float64 // space for entropy
}

func newPair(s *rotationSearch, i, j int) *pair {
	p := &pair{
		a: s.z.RawRowView(i), b: s.z.RawRowView(j), neighbours: s.neighbours, noise: s.noise, noContext: s.noContext,
		signal: make([]float64, len(s.noise)), residual: make([]float64, len(s.noise)),
	}
	k, t := len(s.neighbours[0]), len(s.noise)
	nearA, nearB := mat.NewDense(t, k, nil), mat.NewDense(t, k, nil)
	for at, near := range s.neighbours {
		for n, position := range near {
			if int(position) < t {
				nearA.Set(at, n, p.a[position])
				nearB.Set(at, n, p.b[position])
			}
		}
	}
	p.gramAA, p.gramBB, p.gramAB = mat.NewSymDense(k, nil), mat.NewSymDense(k, nil), mat.NewSymDense(k, nil)
	p.gramAA.SymOuterK(1, nearA.T())
	p.gramBB.SymOuterK(1, nearB.T())
	var both mat.Dense
	both.Mul(nearA.T(), nearB)
	for r := range k {
		for c := r; c < k; c++ {
			p.gramAB.SetSym(r, c, both.At(r, c)+both.At(c, r))
		}
	}
	a, b := mat.NewVecDense(t, p.a), mat.NewVecDense(t, p.b)
	p.crossAA, p.crossAB, p.crossBB = new(mat.VecDense), new(mat.VecDense), new(mat.VecDense)
	var other mat.VecDense
	p.crossAA.MulVec(nearA.T(), a)
	p.crossBB.MulVec(nearB.T(), b)
	p.crossAB.MulVec(nearA.T(), b)
	other.MulVec(nearB.T(), a)
	p.crossAB.AddVec(p.crossAB, &other)
	return p
}

// entropy is that of the residual of x·a + y·b from its own prediction, in
// nats.
func (p *pair) entropy(x, y float64) float64 {
	power := 0.0
	for t := range p.signal {
		v := x*p.a[t] + y*p.b[t]
		p.signal[t] = v
		power += v * v
	}
	copy(p.residual, p.signal)
	if weights := p.weights(x, y, power); weights != nil {
		for t, near := range p.neighbours {
			for n, position := range near {
				if int(position) < len(p.signal) {
					p.residual[t] -= weights[n] * p.signal[position]
				}
			}
		}
	}
	for t, v := range p.noise {
		p.residual[t] += v
	}
	return entropy(p.residual)
}

// weights are those of predict for x·a + y·b, whose power is given. They are nil
// where there is nothing to predict with.
func (p *pair) weights(x, y, power float64) []float64 {
	if p.noContext {
		return nil
	}
	k := p.gramAA.SymmetricDim()
	gram := mat.NewSymDense(k, nil)
	cross := mat.NewVecDense(k, nil)
	for r := range k {
		for c := r; c < k; c++ {
			gram.SetSym(r, c, x*x*p.gramAA.At(r, c)+x*y*p.gramAB.At(r, c)+y*y*p.gramBB.At(r, c))
		}
		cross.SetVec(r, x*x*p.crossAA.AtVec(r)+x*y*p.crossAB.AtVec(r)+y*y*p.crossBB.AtVec(r))
	}
	return predict.RidgeWeights(gram, cross, power)
}

// entropy estimates the entropy of values, in nats, from the spacings of √n of
// them, and sorts them (O. Vasicek, J. R. Stat. Soc. B, 1976).
func entropy(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	m := int(math.Sqrt(float64(n)))
	sum := 0.0
	for t := range n - m {
		sum += math.Log(max(values[t+m]-values[t], 1e-9) * float64(n+1) / float64(m))
	}
	return sum / float64(n-m)
}

// Curve is SICA's criterion of the pair of whitened signals z, 2×T, rotated by so
// many angles of a quarter turn, from 0: the sum of the entropies of their residuals
// from their own predictions, or of the signals themselves without a context.
func Curve(z *mat.Dense, g *grid.Grid, noContext bool, angles int) []float64 {
	_, t := z.Dims()
	p := newPair(&rotationSearch{z: z, neighbours: g.Own(), noise: predict.Jitter(0, t), noContext: noContext}, 0, 1)
	values := make([]float64, angles)
	for k := range values {
		sin, cos := math.Sincos(float64(k) * math.Pi / 2 / float64(angles))
		values[k] = p.entropy(cos, sin) + p.entropy(-sin, cos)
	}
	return values
}
