package layers

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// Names of the variables of PLU and Invertible.
const (
	factorsName      = "factors"
	permutationsName = "permutations"
	bendsName        = "bends"
)

// PLUConfig is made by PLU; call Done or DoneInverse.
type PLUConfig struct {
	scope *model.Scope
	x     *Node
}

// PLU is the affine map y = W·x + b of each run with W = P·L·U, so that W has
// an inverse whatever its parameters are, and log|det W| is a sum of d of them
// (D. P. Kingma, P. Dhariwal, "Glow", 2018, section 3.2). x is shaped [R, d, N].
//
// L is lower triangular with ones on its diagonal, U is upper triangular with
// exp(s) on its own, and P is a permutation with signs that isn't trained. The
// variables, in the sub-scope "plu", are factors [R, 1, d, d] (L below the
// diagonal, s on it, U above), permutations [R, 1, d, d] and biases [R, 1, d].
// They begin near y = x, or as InitialiseInvertible sets them; the scope's
// initializer, which knows nothing of factors, isn't used.
//
// For the inverse in the same graph give Done and DoneInverse a scope.ResetVisited()
// each, as to any layer of GoMLX that is used twice.
func PLU(scope *model.Scope, x *Node) *PLUConfig {
	x.AssertRank(3)
	return &PLUConfig{scope, x}
}

// Done returns y [R, d, N] and log|det W| [R].
func (c *PLUConfig) Done() (y, logDet *Node) {
	p := pluVariables(c.scope.In("plu"), c.x, 1)
	y = affine(matrixOf(p.weights(), 0), vectorOf(p.biases, 0), c.x) // [R, d, N]
	return y, p.logDet()
}

// DoneInverse takes x for y and returns W⁻¹·(x − b), [R, d, N].
func (c *PLUConfig) DoneInverse() *Node {
	p := pluVariables(c.scope.In("plu"), c.x, 1)
	return product(matrixOf(p.inverses(), 0), Sub(c.x, vectorOf(p.biases, 0)))
}

// plu are the parameters of M affine maps.
type plu struct {
	factors      *Node // [R, M, d, d]
	permutations *Node // [R, M, d, d]
	biases       *Node // [R, M, d]
}

func pluVariables(scope *model.Scope, x *Node, maps int) plu {
	g, dtype, runs, d := x.Graph(), x.DType(), x.Shape().Dim(0), x.Shape().Dim(1)
	square := shapes.Make(dtype, runs, maps, d, d)
	return plu{
		factors:      scope.WithInitializer(small(scope, factorSpread)).VariableWithShape(factorsName, square).NodeValue(g),
		permutations: scope.WithInitializer(identities).VariableWithShape(permutationsName, square).SetTrainable(false).NodeValue(g),
		biases:       scope.WithInitializer(small(scope, biasSpread)).VariableWithShape(biasesName, shapes.Make(dtype, runs, maps, d)).NodeValue(g),
	}
}

// small is an initializer that draws normal numbers of that standard deviation.
func small(scope *model.Scope, std float64) model.VariableInitializer {
	return initializer.RandomNormalFn(scope, std)
}

// identities is an initializer of identity matrices, [R, M, d, d].
func identities(g *Graph, shape shapes.Shape) *Node {
	diagonal := ConvertDType(Diagonal(g, shape.Dim(-1)), shape.DType)
	return BroadcastToDims(ExpandLeftToRank(diagonal, shape.Rank()), shape.Dimensions...)
}

// triangles are L and U, [R, M, d, d].
func (p plu) triangles() (lower, upper *Node) {
	g, d := p.factors.Graph(), p.factors.Shape().Dim(-1)
	diagonal := BroadcastLike(ExpandLeftToRank(Diagonal(g, d), 4), p.factors)
	one := OnesLike(p.factors)
	lower = Where(diagonal, one, TakeLowerTriangular(p.factors, 0))
	upper = Where(diagonal, Exp(Mul(p.factors, ConvertDType(diagonal, p.factors.DType()))), TakeUpperTriangular(p.factors, 0))
	return lower, upper
}

// weights are the matrices W, [R, M, d, d].
func (p plu) weights() *Node {
	lower, upper := p.triangles()
	return matrixProduct(p.permutations, matrixProduct(lower, upper))
}

// inverses are the matrices W⁻¹ = U⁻¹·L⁻¹·Pᵀ, [R, M, d, d], by substitution.
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

// logDet is Σ log|det W| over the maps, [R].
func (p plu) logDet() *Node {
	g, d := p.factors.Graph(), p.factors.Shape().Dim(-1)
	diagonal := ConvertDType(ExpandLeftToRank(Diagonal(g, d), 4), p.factors.DType())
	return ReduceSum(Mul(p.factors, diagonal), 1, 2, 3)
}

// entry is x[:, :, i, j] of x [R, M, d, d], as [R, M, 1, 1].
func entry(x *Node, i, j int) *Node {
	return Slice(x, AxisRange(), AxisRange(), AxisElem(i), AxisElem(j))
}

// matrixOf is matrix m of w [R, M, d, d], as [R, d, d].
func matrixOf(w *Node, m int) *Node {
	return Squeeze(Slice(w, AxisRange(), AxisElem(m)), 1)
}

// vectorOf is vector m of b [R, M, d], as [R, d, 1].
func vectorOf(b *Node, m int) *Node {
	return Transpose(Slice(b, AxisRange(), AxisElem(m)), 1, 2)
}

// matrixProduct is a·b for a and b [R, M, d, d].
func matrixProduct(a, b *Node) *Node {
	return Einsum("rmij,rmjk->rmik", a, b)
}

// affine is w·x + b for w [R, d, d], b [R, d, 1] and x [R, d, N].
func affine(w, b, x *Node) *Node { return Add(product(w, x), b) }

// product is w·x for w [R, d, d] and x [R, d, N].
func product(w, x *Node) *Node { return Einsum("rij,rjn->rin", w, x) }
