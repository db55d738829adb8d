package layers

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// ParamInvertibleLayers is the hyperparameter for the number of layers of
// Invertible, an int. The default is 8.
const ParamInvertibleLayers = "sica_invertible_layers"

const invertibleScope = "invertible"

// InvertibleConfig is made by Invertible; call Done or DoneInverse.
type InvertibleConfig struct {
	scope  *model.Scope
	x      *Node
	layers int
}

// Invertible is a network of n layers x → Leaky(PLU(x)) and a last PLU, for
// each run a smooth one-to-one map of ℝᵈ onto itself. x is shaped [R, d, N].
// The variables, in the sub-scope "invertible", are those of PLU and Leaky, with
// all layers on their second axis. They begin as there, so that the map begins
// near x, or as InitialiseInvertible sets them, which trains faster: 300 steps of
// ExampleInvertible come to 1.54 ± .02 nats a point (12 runs), from the beginning
// near x to 1.70 ± .03.
func Invertible(scope *model.Scope, x *Node) *InvertibleConfig {
	x.AssertRank(3)
	return &InvertibleConfig{scope: scope, x: x, layers: model.GetParamOr(scope, ParamInvertibleLayers, 8)}
}

// Layers sets the number of layers n. The default is 8, or the hyperparameter
// ParamInvertibleLayers. Without layers the map is affine.
func (c *InvertibleConfig) Layers(n int) *InvertibleConfig {
	c.layers = n
	return c
}

// Done returns z = g(x), [R, d, N], and log|det ∂g/∂x| at each x, [R, N].
func (c *InvertibleConfig) Done() (z, logDet *Node) {
	scope, runs, positions := c.scope.In(invertibleScope), c.x.Shape().Dim(0), c.x.Shape().Dim(2)
	linear := pluVariables(scope, c.x, c.layers+1)
	// W·z + b as [W, b]·[z; 1]: the gradient of both is one product.
	maps := Concatenate([]*Node{linear.weights(), InsertAxes(linear.biases, -1)}, -1) // [R, n+1, d, d+1]
	one := Ones(c.x.Graph(), shapes.Make(c.x.DType(), runs, 1, positions))            // [R, 1, N]
	apply := func(l int, z *Node) *Node {
		return product(matrixOf(maps, l), Concatenate([]*Node{z, one}, 1)) // [R, d, N]
	}
	z = c.x
	logDet = BroadcastToDims(InsertAxes(linear.logDet(), -1), runs, positions) // [R, N]
	if c.layers > 0 {
		bends := bendsVariable(scope, c.x, c.layers) // [R, n, d]
		for l := range c.layers {
			var slope *Node
			z, slope = leaky(vectorOf(bends, l), apply(l, z)) // [R, d, N]
			logDet = Add(logDet, ReduceSum(Log(slope), 1))    // [R, N]
		}
	}
	return apply(c.layers, z), logDet
}

// DoneInverse takes x for z and returns g⁻¹(z), [R, d, N].
func (c *InvertibleConfig) DoneInverse() *Node {
	scope := c.scope.In(invertibleScope)
	linear := pluVariables(scope, c.x, c.layers+1)
	inverses := linear.inverses()
	back := func(l int, z *Node) *Node {
		return product(matrixOf(inverses, l), Sub(z, vectorOf(linear.biases, l)))
	}
	x := back(c.layers, c.x)
	if c.layers == 0 {
		return x
	}
	bends := bendsVariable(scope, c.x, c.layers) // [R, n, d]
	for l := c.layers - 1; l >= 0; l-- {
		x = back(l, leakyInverse(vectorOf(bends, l), x))
	}
	return x
}

// How the variables are drawn, from the prototype that was measured: the spread of
// the biases and of the bends around 0, and how much smaller than the signals the
// unit is, which makes its corner that of ln(1 + e³ˣ)/3. factorSpread is of what
// begins near the identity: .1, .3 and .5 came to 1.70 ± .03, 1.67 ± .03 and
// 1.72 ± .04 nats a point of two moons (300 steps, 8 to 12 runs).
const (
	biasSpread   = .3
	bendSpread   = .05
	unitScale    = 3 / (2 * math.Ln2)
	factorSpread = .1
)

// InitialiseInvertible sets the variables of every Invertible, PLU and Leaky in
// scope, run r from rngs[r]. The layers of a network are random rotations that
// nearly cancel, so that it begins near rotations[r]·x (nil: the identity). It is
// an error if there is no such variable yet, or another number of runs than of
// streams.
func InitialiseInvertible(scope *model.Scope, rngs []*rand.Rand, rotations []*mat.Dense) error {
	if rotations != nil && len(rotations) != len(rngs) {
		return fmt.Errorf("layers: %d rotations for %d random streams", len(rotations), len(rngs))
	}
	var scopes []string
	for v := range scope.IterVariables() {
		if name := v.Name(); (name == factorsName || name == bendsName) && !slices.Contains(scopes, v.Scope()) {
			scopes = append(scopes, v.Scope())
		}
	}
	if len(scopes) == 0 {
		return fmt.Errorf("layers: scope %q has no variables of an Invertible, PLU or Leaky: are they created yet?", scope.Scope())
	}
	for _, s := range scopes {
		if err := initialiseInvertible(scope.Store().Scope(s), rngs, rotations); err != nil {
			return err
		}
	}
	return nil
}

// initialiseInvertible sets the variables in scope itself.
func initialiseInvertible(scope *model.Scope, rngs []*rand.Rand, rotations []*mat.Dense) error {
	store := scope.Store()
	set := func(name string, draw func(r int, dims []int) ([]float64, error)) error {
		v := store.GetVariable(model.JoinPath(scope.Scope(), name))
		if v == nil {
			return nil
		}
		dims := v.Shape().Dimensions
		if dims[0] != len(rngs) {
			return fmt.Errorf("layers: %d random streams for the %d runs of variable %q", len(rngs), dims[0], v.Path())
		}
		var values []float64
		for r := range rngs {
			drawn, err := draw(r, dims[1:])
			if err != nil {
				return fmt.Errorf("layers: run %d of variable %q: %w", r, v.Path(), err)
			}
			values = append(values, drawn...)
		}
		if err := v.SetValue(host.Tensor(values, v.DType(), dims...)); err != nil {
			return fmt.Errorf("layers: setting %q: %w", v.Path(), err)
		}
		return nil
	}

	permutations := make([][]float64, len(rngs))
	if err := set(factorsName, func(r int, dims []int) ([]float64, error) {
		maps, d := dims[0], dims[1]
		last := rotation.Identity(d)
		if rotations != nil && rotations[r] != nil {
			last = rotations[r]
		}
		var factors []float64
		for _, w := range cancelling(rngs[r], maps, d, last) {
			f, p, err := FactorPLU(w)
			if err != nil {
				return nil, err
			}
			factors = append(factors, f...)
			permutations[r] = append(permutations[r], p...)
		}
		return factors, nil
	}); err != nil {
		return err
	}
	if err := set(permutationsName, func(r int, _ []int) ([]float64, error) { return permutations[r], nil }); err != nil {
		return err
	}
	if err := set(biasesName, func(r int, dims []int) ([]float64, error) {
		values := make([]float64, dims[0]*dims[1])
		for i := range (dims[0] - 1) * dims[1] { // the last stays 0
			values[i] = biasSpread * unitScale * rngs[r].NormFloat64()
		}
		return values, nil
	}); err != nil {
		return err
	}
	return set(bendsName, func(r int, dims []int) ([]float64, error) {
		values := make([]float64, dims[0]*dims[1])
		for i := range values {
			values[i] = bendSpread * rngs[r].NormFloat64()
		}
		return values, nil
	})
}

// cancelling draws matrices whose product is last: Q₁, Q₂·Q₁ᵀ, … and last·Qᵀ,
// with random orthogonal Q.
func cancelling(rng *rand.Rand, maps, d int, last *mat.Dense) []*mat.Dense {
	before := rotation.Identity(d)
	matrices := make([]*mat.Dense, maps)
	for m := range matrices {
		next := last
		if m < maps-1 {
			next = rotation.Random(rng, d)
		}
		matrices[m] = mat.NewDense(d, d, nil)
		matrices[m].Mul(next, before.T())
		before = next
	}
	if maps > 1 {
		matrices[0].Scale(unitScale, matrices[0])
		matrices[maps-1].Scale(1/unitScale, matrices[maps-1])
	}
	return matrices
}

// FactorPLU are the factors and the permutation of PLU, d×d row-major, whose
// product P·L·U is the invertible matrix w.
func FactorPLU(w *mat.Dense) (factors, permutation []float64, err error) {
	if w == nil || w.IsEmpty() {
		return nil, nil, errors.New("an empty matrix has no inverse")
	}
	d, columns := w.Dims()
	if d != columns {
		return nil, nil, fmt.Errorf("a matrix of %d rows and %d columns has no inverse", d, columns)
	}
	var lu mat.LU
	lu.Factorize(w)
	var l, u mat.TriDense
	lu.LTo(&l)
	lu.UTo(&u)
	for k := range d { // the determinant is their product, which may leave float64's range
		if pivot := u.At(k, k); pivot == 0 || math.IsNaN(pivot) || math.IsInf(pivot, 0) {
			return nil, nil, fmt.Errorf("a matrix with a pivot of %g has no inverse", pivot)
		}
	}
	factors, permutation = make([]float64, d*d), make([]float64, d*d)
	// Row i of w is row pivots[i] of L·U. The signs S of U's diagonal move to the
	// left: P·L·U = (P·S)·(S·L·S)·(S·U).
	sign := func(k int) float64 { return math.Copysign(1, u.At(k, k)) }
	for i, pivot := range lu.RowPivots(nil) {
		permutation[i*d+pivot] = sign(pivot)
		for j := range d {
			switch {
			case j < i:
				factors[i*d+j] = sign(i) * l.At(i, j) * sign(j)
			case j == i:
				factors[i*d+j] = math.Log(math.Abs(u.At(i, i)))
			default:
				factors[i*d+j] = sign(i) * u.At(i, j)
			}
		}
	}
	return factors, permutation, nil
}

// MultiplyPLU is the inverse of FactorPLU: the matrix P·L·U and the logarithm of
// its determinant's absolute value.
func MultiplyPLU(factors, permutation []float64, d int) (w *mat.Dense, logDet float64) {
	l, u := rotation.Identity(d), mat.NewDense(d, d, nil)
	for i := range d {
		for j, f := range factors[i*d : (i+1)*d] {
			switch {
			case j < i:
				l.Set(i, j, f)
			case j == i:
				u.Set(i, i, math.Exp(f))
				logDet += f
			default:
				u.Set(i, j, f)
			}
		}
	}
	w = mat.NewDense(d, d, nil)
	w.Product(mat.NewDense(d, d, permutation), l, u)
	return w, logDet
}
