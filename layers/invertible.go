package layers

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/invertible"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// The scope of Invertible's variables, and the names of those that aren't biases.
const (
	invertibleScope  = "invertible"
	factorsName      = "factors"
	permutationsName = "permutations"
	matricesName     = "matrices"
	bendsName        = "bends"
	lowerName        = "lower"
	upperName        = "upper"
	sharpnessName    = "sharpness"
)

// InvertibleConfig holds the options of Invertible; call Done or DoneInverse.
type InvertibleConfig struct {
	scope  *model.Scope
	x      *Node
	layers int
}

// FullMatricesConfig holds an Invertible with FullMatrices; call Done.
type FullMatricesConfig struct{ of *InvertibleConfig }

// Invertible is a network of n layers and a final affine map: for each run a smooth one-to-one map
// of ℝᵈ onto itself. x is shaped [R, B, d]. A layer is an affine map followed by a nonlinearity of
// each signal,
//
//	u = W·x + b,  y = u + c·(√(u² + 1) − 1)
//
// with a bend −1 < c < 1.
//
// W = P·L·U is invertible for all parameters, and log|det W| is the sum of d of them. L is lower
// triangular with ones on the diagonal, U upper triangular with exp(s) on the diagonal, and P a
// signed permutation that isn't trained (D. P. Kingma, P. Dhariwal, "Glow", 2018, section 3.2). The
// nonlinearity is a hyperbola through 0 whose slope rises from 1 − c at −∞ to 1 + c at +∞, the
// leaky form of squareplus (J. T. Barron, arXiv:2112.11687). Unlike softplus it has a closed-form
// inverse and no exponentials.
//
// Its variables are in the sub-scope "invertible":
//
//   - factors [R, n+1, d, d] of the affine maps: L below the diagonal, s on it, U above
//   - permutations [R, n+1, d, d] and biases [R, n+1, d] of the affine maps
//   - bends [R, n, d] of the nonlinearities: c = tanh(bends)
//
// The initial values are random, and z can be far from x. With InitialiseInvertible or ParamSeed z
// begins near x, and training is faster. The scope's initializer isn't used.
//
// To have the map and its inverse in one graph, use scope.ResetVisited().In("map") for each.
//
// x has a leading runs axis: InsertAxes(x, 0) makes one of GoMLX's [B, d]; see ParamRuns.
func Invertible(scope *model.Scope, x *Node) *InvertibleConfig {
	checkInput(scope, "Invertible", x, "[R, B, d]", 3, 3)
	return &InvertibleConfig{scope: scope, x: x, layers: 8}
}

// Layers sets the number of layers n. The default is 8. Without layers the map is affine.
func (c *InvertibleConfig) Layers(n int) *InvertibleConfig {
	c.layers = n
	return c
}

// FullMatrices trains the matrices W themselves: the variable matrices [R, n+1, d, d] replaces
// factors and permutations. The nonlinearity of each signal has more parameters, the slopes p at −∞
// and q at +∞ and the sharpness k:
//
//	y = u·(p + q)/2 + (√(k²u² + 1) − 1)·(q − p)/(2k)
//
// The variables lower, upper and sharpness, [R, n, d], replace bends: p = exp(lower), q =
// exp(upper) and k = 3·exp(sharpness). A smooth function limits each logarithm to ±2.5.
//
// The family of maps is the same, since the matrices scale as well. But with many signals training
// comes nearer to the maximum likelihood, above all with flows.RunsAdamConfig.Relative. log|det W|
// is computed from W·Wᵀ by elimination, in d steps, and isn't finite if W is singular. In float32
// it is accurate to 0.001 up to a condition number of W of 300; the error grows with the square of
// the condition number. There is no DoneInverse.
func (c *InvertibleConfig) FullMatrices() *FullMatricesConfig { return &FullMatricesConfig{c} }

// Done returns z and log|det ∂g/∂x|, as InvertibleConfig.Done does.
func (c *FullMatricesConfig) Done() (z, logDet *Node) { return c.of.apply(c.of.full) }

// Done returns z = g(x), [R, B, d], and log|det ∂g/∂x| at each x, [R, B].
func (c *InvertibleConfig) Done() (z, logDet *Node) { return c.apply(c.factored) }

// parameters are the parameters of all layers of a map.
type parameters struct {
	weights *Node // the matrices W, [R, n+1, d, d]
	biases  *Node // [R, n+1, d]
	bends   *Node // c of the nonlinearities, [R, n, d]; nil without layers
	logDet  *Node // log-Jacobian of the map without the log slopes, [R]
}

// apply applies the map with the parameters that parametersIn returns for signals [R, d, N]; see
// Done.
func (c *InvertibleConfig) apply(
	parametersIn func(scope *model.Scope, x *Node) parameters,
) (z, logDet *Node) {
	argument.AtLeast("layers: Invertible", "layers", c.layers, 0)
	in := Transpose(c.x, 1, 2) // [R, d, N], whose rows are long
	runs, positions := in.Shape().Dim(0), in.Shape().Dim(2)
	p := parametersIn(c.scope.In(invertibleScope), in)
	// W·z + b as [W, b]·[z; 1]: the gradient of both is one product.
	maps := Concatenate([]*Node{p.weights, InsertAxes(p.biases, -1)}, -1)  // [R, n+1, d, d+1]
	one := Ones(c.x.Graph(), shapes.Make(c.x.DType(), runs, 1, positions)) // [R, 1, N]
	affine := func(l int, z *Node) *Node {
		return product(matrixOf(maps, l), Concatenate([]*Node{z, one}, 1)) // [R, d, N]
	}
	z = in
	logDet = BroadcastToDims(InsertAxes(p.logDet, -1), runs, positions) // [R, N]
	for l := range c.layers {
		var slope *Node
		z, slope = leaky(vectorOf(p.bends, l), affine(l, z)) // [R, d, N]
		logDet = Add(logDet, ReduceSum(Log(slope), 1))       // [R, N]
	}
	return Transpose(affine(c.layers, z), 1, 2), logDet
}

// factored returns the parameters of factored matrices.
func (c *InvertibleConfig) factored(scope *model.Scope, x *Node) parameters {
	linear := pluVariables(scope, x, c.layers+1)
	var bends *Node
	if c.layers > 0 {
		bends = bendsVariable(scope, x, c.layers)
	}
	return parameters{linear.weights(), linear.biases, bends, linear.logDet()}
}

// full returns the parameters of FullMatrices.
func (c *InvertibleConfig) full(scope *model.Scope, x *Node) parameters {
	g, dtype, runs, d := x.Graph(), x.DType(), x.Shape().Dim(0), x.Shape().Dim(1)
	square := shapes.Make(dtype, runs, c.layers+1, d, d)
	near := func(g *Graph, shape shapes.Shape) *Node { // the identity
		return Add(identities(g, shape), small(scope, factorSpread)(g, shape))
	}
	weights := scope.WithInitializer(drawnOr(scope, matricesName, near)).
		VariableWithShape(matricesName, square).NodeValue(g)
	biases := biasesVariable(scope, x, c.layers+1)
	logDet := ReduceSum(logDets(weights), 1)
	if c.layers == 0 {
		return parameters{weights, biases, nil, logDet}
	}
	logarithm := func(name string) *Node { // [R, n, d]
		shape := shapes.Make(dtype, runs, c.layers, d)
		v := scope.WithInitializer(drawnOr(scope, name, small(scope, bendSpread))).
			VariableWithShape(name, shape).NodeValue(g)
		return MulScalar(Tanh(MulScalar(v, 1/invertible.MaxLogSlope)), invertible.MaxLogSlope)
	}
	lower, upper := Exp(logarithm(lowerName)), Exp(logarithm(upperName))
	sharpness := MulScalar(Exp(logarithm(sharpnessName)), invertible.Sharpness)
	sum := Add(lower, upper)
	// y = gain·(v + c·(√(v² + 1) − 1)), v = k·u, where the matrices take k and the gain.
	one := Ones(g, shapes.Make(dtype, runs, 1, d))
	after := Concatenate([]*Node{sharpness, one}, 1)                            // [R, n+1, d]
	before := Concatenate([]*Node{one, Div(MulScalar(sum, 0.5), sharpness)}, 1) // [R, n+1, d]
	weights = Mul(Mul(weights, InsertAxes(after, -1)), InsertAxes(before, -2))  // rows, columns
	logDet = Add(logDet, ReduceSum(Log(MulScalar(sum, 0.5)), 1, 2))
	return parameters{weights, Mul(biases, after), Div(Sub(upper, lower), sum), logDet}
}

// logDets returns log|det W| of matrices W [R, M, d, d], as [R, M]: half of log det(W·Wᵀ), for
// which elimination needs no pivoting.
func logDets(w *Node) *Node {
	a := Einsum("rmij,rmkj->rmik", w, w) // [R, M, d, d]
	first, rest := AxisElem(0), AxisRange(1)
	part := func(rows, columns SliceAxisSpec) *Node {
		return Slice(a, AxisRange(), AxisRange(), rows, columns)
	}
	pivots := []*Node{part(first, first)} // [R, M, 1, 1]
	for range w.Shape().Dim(-1) - 1 {
		row := Div(part(first, rest), pivots[len(pivots)-1])   // [R, M, 1, k]
		a = Sub(part(rest, rest), Mul(part(rest, first), row)) // [R, M, k, k]
		pivots = append(pivots, part(first, first))
	}
	logs := Log(Concatenate(pivots, -1)) // [R, M, 1, d]
	return MulScalar(ReduceSum(logs, 2, 3), 0.5)
}

// DoneInverse returns g⁻¹(z), [R, B, d], for the input x as z.
func (c *InvertibleConfig) DoneInverse() *Node {
	argument.AtLeast("layers: Invertible", "layers", c.layers, 0)
	scope := c.scope.In(invertibleScope)
	in := Transpose(c.x, 1, 2) // [R, d, N]
	linear := pluVariables(scope, in, c.layers+1)
	inverses := linear.inverses() // [R, n+1, d, d]
	back := func(l int, z *Node) *Node {
		return product(matrixOf(inverses, l), Sub(z, vectorOf(linear.biases, l))) // [R, d, N]
	}
	x := back(c.layers, in)
	if c.layers > 0 {
		bends := bendsVariable(scope, in, c.layers) // [R, n, d]
		for l := c.layers - 1; l >= 0; l-- {
			x = back(l, leakyInverse(vectorOf(bends, l), x)) // [R, d, N]
		}
	}
	return Transpose(x, 1, 2)
}

// A plu holds the parameters of M affine maps.
type plu struct {
	factors      *Node // [R, M, d, d]
	permutations *Node // [R, M, d, d]
	biases       *Node // [R, M, d]
}

// pluVariables returns the parameters of affine maps for x [R, d, N].
func pluVariables(scope *model.Scope, x *Node, maps int) plu {
	g, dtype, runs, d := x.Graph(), x.DType(), x.Shape().Dim(0), x.Shape().Dim(1)
	square := shapes.Make(dtype, runs, maps, d, d)
	return plu{
		factors: scope.WithInitializer(drawnOr(scope, factorsName, small(scope, factorSpread))).
			VariableWithShape(factorsName, square).NodeValue(g),
		permutations: scope.WithInitializer(drawnOr(scope, permutationsName, identities)).
			VariableWithShape(permutationsName, square).SetTrainable(false).NodeValue(g),
		biases: biasesVariable(scope, x, maps),
	}
}

// biasesVariable returns the biases, [R, maps, d], of affine maps for x [R, d, N].
func biasesVariable(scope *model.Scope, x *Node, maps int) *Node {
	shape := shapes.Make(x.DType(), x.Shape().Dim(0), maps, x.Shape().Dim(1))
	return scope.WithInitializer(drawnOr(scope, biasesName, small(scope, biasSpread))).
		VariableWithShape(biasesName, shape).NodeValue(x.Graph())
}

// drawnOr returns the initializer of the variable name in scope: with ParamSeed the distribution of
// InitialiseInvertible, otherwise other.
func drawnOr(
	scope *model.Scope, name string, other model.VariableInitializer,
) model.VariableInitializer {
	s := seed(scope)
	if s < 0 {
		return other
	}
	path := scope.Scope()
	return func(g *Graph, shape shapes.Shape) *Node {
		var values []float64
		for r := range shape.Dim(0) {
			purpose := name
			if name == permutationsName {
				purpose = factorsName // both come from the same matrices
			}
			rng := stream(s, path, r, purpose)
			drawn, err := drawInvertible(rng, name, shape.Dimensions[1:], nil)
			if err != nil {
				panic(fmt.Errorf("layers: initial values of %q: %w", path, err))
			}
			values = append(values, drawn...)
		}
		return Const(g, host.Tensor(values, shape.DType, shape.Dimensions...))
	}
}

// drawInvertible draws the variable name for one run, with the given dims, which exclude the runs
// axis. The affine maps multiply to last, or to the identity if last is nil.
func drawInvertible(rng *rand.Rand, name string, dims []int, last *mat.Dense) ([]float64, error) {
	switch name {
	case biasesName:
		maps, d := dims[0], dims[1]
		values := normal(rng, (maps-1)*d, biasSpread*unitScale)
		return append(values, make([]float64, d)...), nil // the last map has none
	case bendsName, lowerName, upperName, sharpnessName:
		return normal(rng, dims[0]*dims[1], bendSpread), nil
	case matricesName:
		var values []float64
		for _, w := range cancelling(rng, dims[0], dims[1], last) {
			values = append(values, w.RawMatrix().Data...)
		}
		return values, nil
	}
	factors, permutations, err := drawMaps(rng, dims[0], dims[1], last)
	if name == permutationsName {
		return permutations, err
	}
	return factors, err
}

// drawMaps draws the factors and permutations of affine maps whose product is last, or the identity
// if last is nil.
func drawMaps(
	rng *rand.Rand, maps, d int, last *mat.Dense,
) (factors, permutations []float64, err error) {
	for _, w := range cancelling(rng, maps, d, last) {
		f, p, err := invertible.Factor(w)
		if err != nil {
			return nil, nil, err
		}
		factors = append(factors, f...)
		permutations = append(permutations, p...)
	}
	return factors, permutations, nil
}

// small returns an initializer that draws normal numbers of standard deviation std.
func small(scope *model.Scope, std float64) model.VariableInitializer {
	return initializer.RandomNormalFn(scope, std)
}

// identities is an initializer that returns identity matrices, [R, M, d, d].
func identities(g *Graph, shape shapes.Shape) *Node {
	diagonal := ConvertDType(Diagonal(g, shape.Dim(-1)), shape.DType)
	return BroadcastToDims(ExpandLeftToRank(diagonal, shape.Rank()), shape.Dimensions...)
}

// triangles returns L and U, [R, M, d, d].
func (p plu) triangles() (lower, upper *Node) {
	g, d := p.factors.Graph(), p.factors.Shape().Dim(-1)
	diagonal := BroadcastLike(ExpandLeftToRank(Diagonal(g, d), 4), p.factors)
	one := OnesLike(p.factors)
	lower = Where(diagonal, one, TakeLowerTriangular(p.factors, 0))
	exp := Exp(Mul(p.factors, ConvertDType(diagonal, p.factors.DType())))
	upper = Where(diagonal, exp, TakeUpperTriangular(p.factors, 0))
	return lower, upper
}

// weights returns the matrices W, [R, M, d, d].
func (p plu) weights() *Node {
	lower, upper := p.triangles()
	return matrixProduct(p.permutations, matrixProduct(lower, upper))
}

// inverses returns the matrices W⁻¹ = U⁻¹·L⁻¹·Pᵀ, [R, M, d, d], by substitution.
func (p plu) inverses() *Node {
	d := p.factors.Shape().Dim(-1)
	lower, upper := p.triangles()
	rhs := Transpose(p.permutations, 2, 3)

	forward := make([]*Node, d) // rows of L⁻¹·Pᵀ, [R, M, 1, d]
	for i := range d {
		forward[i] = Slice(rhs, AxisRange(), AxisRange(), AxisElem(i))
		for j := range i {
			forward[i] = Sub(forward[i], Mul(entry(lower, i, j), forward[j]))
		}
	}
	backward := make([]*Node, d) // rows of U⁻¹·L⁻¹·Pᵀ, [R, M, 1, d]
	for i := d - 1; i >= 0; i-- {
		backward[i] = forward[i]
		for j := i + 1; j < d; j++ {
			backward[i] = Sub(backward[i], Mul(entry(upper, i, j), backward[j]))
		}
		backward[i] = Div(backward[i], entry(upper, i, i))
	}
	return Concatenate(backward, 2)
}

// logDet returns Σ log|det W| over the maps, [R].
func (p plu) logDet() *Node {
	g, d := p.factors.Graph(), p.factors.Shape().Dim(-1)
	diagonal := ConvertDType(ExpandLeftToRank(Diagonal(g, d), 4), p.factors.DType())
	return ReduceSum(Mul(p.factors, diagonal), 1, 2, 3)
}

// entry returns x[:, :, i, j] of x [R, M, d, d], as [R, M, 1, 1].
func entry(x *Node, i, j int) *Node {
	return Slice(x, AxisRange(), AxisRange(), AxisElem(i), AxisElem(j))
}

// matrixOf returns matrix m of w [R, M, d, d], as [R, d, d].
func matrixOf(w *Node, m int) *Node {
	return Squeeze(Slice(w, AxisRange(), AxisElem(m)), 1)
}

// vectorOf returns vector m of b [R, M, d], as [R, d, 1].
func vectorOf(b *Node, m int) *Node {
	return Transpose(Slice(b, AxisRange(), AxisElem(m)), 1, 2)
}

// matrixProduct returns a·b for a and b [R, M, d, d].
func matrixProduct(a, b *Node) *Node {
	return Einsum("rmij,rmjk->rmik", a, b)
}

// product returns w·x for w [R, d, d] and x [R, d, N].
func product(w, x *Node) *Node { return Einsum("rij,rjn->rin", w, x) }

// bendsVariable returns c of the nonlinearities of all layers, [R, layers, d].
func bendsVariable(scope *model.Scope, x *Node, layers int) *Node {
	shape := shapes.Make(x.DType(), x.Shape().Dim(0), layers, x.Shape().Dim(1))
	initial := drawnOr(scope, bendsName, small(scope, bendSpread))
	v := scope.WithInitializer(initial).VariableWithShape(bendsName, shape)
	c := Tanh(v.NodeValue(x.Graph()))
	return MinScalar(MaxScalar(c, -invertible.MaxBend), invertible.MaxBend)
}

// leaky returns y = x + c·(√(x² + 1) − 1) and the slope dy/dx > 0 for c [R, d, 1] and x [R, d, N].
func leaky(c, x *Node) (y, slope *Node) {
	c = BroadcastToDims(c, x.Shape().Dimensions...) // once, so that its gradient is one sum
	root := Sqrt(AddScalar(Square(x), 1))
	y = Add(x, Mul(c, AddScalar(root, -1)))
	slope = AddScalar(Mul(c, Div(x, root)), 1)
	return y, slope
}

// leakyInverse returns the x that leaky maps to y [R, d, N]. It squares y + c − x = c·√(x² + 1) and
// takes the root for which both sides have the same sign, without subtracting nearly equal numbers.
func leakyInverse(c, y *Node) *Node {
	shifted := Add(y, c)                                   // [R, d, N]
	rest := Mul(OneMinus(c), OnePlus(c))                   // [R, d, 1]
	root := Mul(c, Sqrt(Add(Square(shifted), rest)))       // [R, d, N]
	sameSign := GreaterThan(Mul(shifted, c), ZerosLike(y)) // [R, d, N]
	sum := Where(sameSign, Add(shifted, root), OnesLike(y))
	return Where(sameSign, Div(Mul(y, Add(y, MulScalar(c, 2))), sum), Div(Sub(shifted, root), rest))
}

// The initial values of the variables.
const (
	// biasSpread and bendSpread are the standard deviations of the initial biases and bends.
	biasSpread = 0.3
	bendSpread = 0.05
	// unitScale is the scale of the first layer. It makes the nonlinearity as sharp as
	// ln(1 + e³ˣ)/3.
	unitScale = 3 / (2 * math.Ln2)
	// factorSpread is the standard deviation of the initial factors around those of the identity.
	// Training is hardly sensitive to it.
	factorSpread = 0.1
)

// InitialiseInvertible draws the variables of every Invertible in scope, those of run r from
// rngs[r]. The affine maps are random rotations that cancel except for rotations[r] (nil: the
// identity), so the network begins loosely around rotations[r]·x: for two standard normal signals
// the correlations are 0.7 to 1.0. It is an error if no such variable exists yet, or if the number
// of streams isn't the number of runs.
func InitialiseInvertible(
	scope *model.Scope, rngs []*rand.Rand, rotations []*mat.Dense,
) error {
	if scope == nil {
		return errors.New("layers: InitialiseInvertible: scope is nil; must be one of the store")
	}
	if rotations != nil && len(rotations) != len(rngs) {
		return fmt.Errorf("layers: rotations: %d of them; must be %d, as the random streams, or nil",
			len(rotations), len(rngs))
	}
	found := false
	for v := range scope.IterVariables() {
		if v.Name() != factorsName && v.Name() != matricesName {
			continue
		}
		found = true
		if err := initialiseInvertible(scope.Store().Scope(v.Scope()), rngs, rotations); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("layers: scope %q has no variables of an Invertible; "+
			"they must have been created", scope.Scope())
	}
	return nil
}

// initialiseInvertible draws the variables in scope itself.
func initialiseInvertible(
	scope *model.Scope, rngs []*rand.Rand, rotations []*mat.Dense,
) error {
	if rotations == nil {
		rotations = make([]*mat.Dense, len(rngs))
	}
	permutations := make([][]float64, len(rngs))
	for _, name := range []string{
		matricesName, factorsName, permutationsName, biasesName, bendsName, lowerName, upperName,
		sharpnessName,
	} {
		v := scope.Store().GetVariable(model.JoinPath(scope.Scope(), name))
		if v == nil { // slopes without layers, or matrices with factors
			continue
		}
		err := setRuns(v, rngs, func(r int, dims []int) (values []float64, err error) {
			switch name {
			case factorsName:
				values, permutations[r], err = drawMaps(rngs[r], dims[0], dims[1], rotations[r])
				return values, err
			case permutationsName: // drawn with the factors
				return permutations[r], nil
			}
			return drawInvertible(rngs[r], name, dims, rotations[r])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// normal draws n normal numbers of standard deviation std.
func normal(rng *rand.Rand, n int, std float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = std * rng.NormFloat64()
	}
	return values
}

// cancelling draws matrices whose product is last, or the identity if last is nil: Q₁, Q₂·Q₁ᵀ, …
// and last·Qᵀ, with random orthogonal Q.
func cancelling(rng *rand.Rand, maps, d int, last *mat.Dense) []*mat.Dense {
	if last == nil {
		last = rotation.Identity(d)
	}
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
