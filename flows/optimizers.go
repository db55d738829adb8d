package flows

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/grid"
)

// adagradScope is the scope of Adagrad's variables: the sum of the squared gradients of each
// trainable variable.
const adagradScope = "adagrad"

// PyTorch's constants of Adagrad: the default learning rate, and ε.
const (
	adagradRate    = 0.01
	adagradEpsilon = 1e-10
)

// Importing this package registers "adagrad" as a GoMLX optimizer, for example for the
// hyperparameter optimizer.ParamOptimizer.
func init() {
	optimizer.KnownOptimizers["adagrad"] = func(*model.Scope) optimizer.Interface {
		return Adagrad().Done() // uses the learning rate of the scope
	}
}

// AdagradConfig holds the options of Adagrad; call Done to get the optimizer.
type AdagradConfig struct {
	learningRate float64
	hasRate      bool // whether LearningRate was called
}

// Adagrad is the optimizer of J. Duchi, E. Hazan, Y. Singer (JMLR 2011), which GoMLX lacks, with
// PyTorch's conventions:
//
//	s ← s + g²,  w ← w − lr·g/(√s + ε),  ε = 1e-10
//
// where s begins at 0, without decay of the learning rate or the weights.
func Adagrad() *AdagradConfig { return new(AdagradConfig) }

// LearningRate sets lr, finite and at least 0. The default is the hyperparameter
// optimizer.ParamLearningRate, or 0.01.
func (c *AdagradConfig) LearningRate(lr float64) *AdagradConfig {
	c.learningRate, c.hasRate = lr, true
	return c
}

// Done returns the optimizer.
func (c *AdagradConfig) Done() optimizer.Interface {
	return &adagrad{*c}
}

type adagrad struct{ AdagradConfig }

// UpdateGraph implements optimizer.Interface.
func (a *adagrad) UpdateGraph(scope *model.Scope, g *Graph, loss *Node) {
	if !loss.IsScalar() {
		exceptions.Panicf("flows: Adagrad: the loss is shaped %s; must be a scalar", loss.Shape())
	}
	grads := scope.BuildTrainableVariablesGradientsGraph(loss)
	a.UpdateGraphWithGradients(scope, grads, loss.DType())
}

// UpdateGraphWithGradients updates the trainable variables in use with their
// gradients, in the order of scope.BuildTrainableVariablesGradientsGraph.
func (a *adagrad) UpdateGraphWithGradients(
	scope *model.Scope, grads []*Node, dtype dtypes.DType,
) {
	if len(grads) == 0 {
		exceptions.Panicf("flows: Adagrad: scope %q has no trainable variable; must have one",
			scope.Scope())
	}
	g := grads[0].Graph()
	lr := a.learningRate
	if !a.hasRate {
		lr = model.GetParamOr(scope, optimizer.ParamLearningRate, adagradRate)
	}
	argument.NotNegative("flows: Adagrad", "LearningRate", lr)
	rate := optimizer.LearningRateVar(scope, dtype, lr).NodeValue(g)
	optimizer.IncrementGlobalStep(g, dtype)

	for v := range scope.IterVariables() {
		if !v.Trainable || !v.InUseByGraph(g) {
			continue
		}
		grad := atLeastSingle(grads[0])
		grads = grads[1:]
		sumVar := scope.Store().Scope(model.JoinPath("/", adagradScope, v.Scope())).
			WithInitializer(initializer.Zero).
			VariableWithShape(v.Name()+"_sum", grad.Shape()).
			SetTrainable(false)
		sum := Add(sumVar.NodeValue(g), Square(grad))
		sumVar.SetNodeValue(sum)
		rate := ConvertDType(rate, grad.DType())
		change := Div(Mul(rate, grad), AddScalar(Sqrt(sum), adagradEpsilon))
		v.SetNodeValue(Sub(v.NodeValue(g), ConvertDType(change, v.DType())))
	}
}

// atLeastSingle converts a gradient in half precision to float32, the least precision of optimizer
// state: in half precision sums of many steps stop growing, and 0.999 may round to 1.
func atLeastSingle(grad *Node) *Node {
	if grad.DType().IsFloat16() {
		return ConvertDType(grad, dtypes.Float32)
	}
	return grad
}

// Clear implements optimizer.Interface.
func (a *adagrad) Clear(scope *model.Scope) error {
	return scope.Store().DeleteVariablesInScope("/" + adagradScope)
}

// runsAdamScope is the scope of RunsAdam's variables: the moments of each scope's variables, run
// by run, and the number of steps.
const runsAdamScope = "runs_adam"

// RunsAdamRates is the path of the variable, [R], whose entries multiply the learning rates of the
// runs with Schedule.PerRun. It begins at 1, is never trained, and the caller may set it.
const RunsAdamRates = "/" + runsAdamScope + "/rates"

// A Schedule is a learning rate that changes with the step k = 0, 1, …
type Schedule struct {
	Rate float64 // maximum; 0 freezes the variables
	Wait int     // initial steps without learning
	Ramp int     // steps after Wait in which the rate rises linearly from 0; 0 for none
	// Steps is the step from which on the rate is 0, after half a cosine from step 0; 0 for no
	// decay.
	Steps int
	// PerRun multiplies the rate of each run by its entry in the variable RunsAdamRates.
	PerRun bool
}

// RunsAdamConfig holds the options of RunsAdam; call Done to get the optimizer.
type RunsAdamConfig struct {
	beta1, beta2, epsilon float64
	clip                  float64
	relative              []string
	scopes                []string
	schedules             []Schedule
}

// RunsAdam is Adam (D. P. Kingma, J. Ba, 2015) for variables [R, …] whose first axis is the runs
// axis, as in package layers. Variables with different first axes are an error: for a GoMLX network
// use GoMLX's Adam. For training several runs in one program, RunsAdam adds three things:
//
//   - It limits the norm of each run's gradient separately, so that the runs stay independent.
//   - It gives each scope its own schedule.
//   - It updates all variables of a scope in one pass, which is faster for small ones.
func RunsAdam() *RunsAdamConfig {
	return &RunsAdamConfig{beta1: 0.9, beta2: 0.999, epsilon: 1e-8}
}

// Betas sets the decay of the two moments, at least 0 and below 1. The default is 0.9 and 0.999.
func (c *RunsAdamConfig) Betas(beta1, beta2 float64) *RunsAdamConfig {
	c.beta1, c.beta2 = beta1, beta2
	return c
}

// Epsilon sets the ε added to the root of the second moment, at least 0. The default is 1e-8.
func (c *RunsAdamConfig) Epsilon(epsilon float64) *RunsAdamConfig {
	c.epsilon = epsilon
	return c
}

// Clip sets the maximum norm of each run's gradient, computed separately for the variables of each
// Schedule. The default is 0, no limit.
func (c *RunsAdamConfig) Clip(norm float64) *RunsAdamConfig {
	c.clip = norm
	return c
}

// Schedule sets the learning rate of the variables in scope, a path such as "/map", and in the
// scopes inside it; "/" is all variables. Every trainable variable needs a Schedule; if several
// apply, the first counts.
func (c *RunsAdamConfig) Schedule(scope string, s Schedule) *RunsAdamConfig {
	c.scopes = append(c.scopes, scope)
	c.schedules = append(c.schedules, s)
	return c
}

// Relative makes the steps of the variables with these names relative; each name must exist. The
// variables are square matrices W in their last two axes. Adam works on E = G·Wᵀ for the gradient
// G, and W ← W − change·W. So the steps don't depend on the conditioning of W (J.-F. Cardoso, B.
// Laheld, IEEE Transactions on Signal Processing 44(12), 1996; S. Amari's natural gradient). The
// default is none.
//
// The caller may set two variables at the paths of RelativeMetric, which begin as identities:
// scales s, [R, …, d], and a matrix M, [R, …, d, d]. Adam then works on E = diag(s)·G·Wᵀ·Mᵀ, and W
// ← W − diag(s)·change·M·W. If s has the standard deviations of W·x, and M makes W·x white, the
// steps don't depend on how the outputs of W are scaled and correlated either.
func (c *RunsAdamConfig) Relative(names ...string) *RunsAdamConfig {
	c.relative = append(c.relative, names...)
	return c
}

// RelativeMetric returns the paths of the scales s and the matrices M for the relative steps of the
// variable at path; see [RunsAdamConfig.Relative].
func RelativeMetric(path string) (scales, matrices string) {
	scope := "/" + runsAdamScope + path
	return scope + "/" + metricScales, scope + "/" + metricMatrices
}

// The names of the variables of a metric.
const metricScales, metricMatrices = "scales", "whitening"

// Done returns the optimizer.
func (c *RunsAdamConfig) Done() optimizer.Interface { return &runsAdam{*c} }

type runsAdam struct{ RunsAdamConfig }

// UpdateGraph implements optimizer.Interface.
func (a *runsAdam) UpdateGraph(scope *model.Scope, g *Graph, loss *Node) {
	grads := scope.BuildTrainableVariablesGradientsGraph(loss)
	a.UpdateGraphWithGradients(scope, grads, loss.DType())
}

// UpdateGraphWithGradients updates the trainable variables in use with their
// gradients, in the order of scope.BuildTrainableVariablesGradientsGraph.
func (a *runsAdam) UpdateGraphWithGradients(
	scope *model.Scope, grads []*Node, dtype dtypes.DType,
) {
	if len(grads) == 0 {
		exceptions.Panicf("flows: RunsAdam: scope %q has no trainable variable; must have one",
			scope.Scope())
	}
	g := grads[0].Graph()
	if dtype.IsFloat16() { // half precision counts to 2048 or 256 only
		dtype = dtypes.Float32
	}
	optimizer.IncrementGlobalStep(g, dtype) // for other readers, such as GoMLX's checkpoints
	stepVar := a.variable(scope, "", "step", shapes.Make(dtype))
	step := stepVar.NodeValue(g)
	next := AddScalar(step, 1)
	stepVar.SetNodeValue(next)

	a.check()
	groups := a.grouped(scope, g, grads)
	a.checkRelative(groups)
	debias1 := Reciprocal(OneMinus(Exp(MulScalar(next, math.Log(a.beta1)))))
	debias2 := Reciprocal(OneMinus(Exp(MulScalar(next, math.Log(a.beta2)))))
	for k, group := range groups {
		if len(group.variables) > 0 {
			a.update(scope, k, group, step, debias1, debias2)
		}
	}
}

// check panics unless the settings are valid.
func (a *runsAdam) check() {
	const where = "flows: RunsAdam"
	for _, beta := range []float64{a.beta1, a.beta2} {
		if !(beta >= 0 && beta < 1) {
			exceptions.Panicf("%s: Betas: %g, %g; must be at least 0 and below 1", where, a.beta1, a.beta2)
		}
	}
	argument.NotNegative(where, "Epsilon", a.epsilon)
	argument.NotNegative(where, "Clip", a.clip)
	for k, s := range a.schedules {
		s.check(a.scopes[k])
	}
}

// checkRelative panics unless each name of Relative belongs to a variable of the groups.
func (a *runsAdam) checkRelative(groups []adamGroup) {
	var names []string
	for _, group := range groups {
		for _, v := range group.variables {
			names = append(names, v.Name())
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range a.relative {
		if !slices.Contains(names, name) {
			exceptions.Panicf("flows: RunsAdam: Relative: no variable is named %q; must be one of %q",
				name, names)
		}
	}
}

// An adamGroup has the variables of one Schedule, which are updated together, and their gradients.
type adamGroup struct {
	variables []*model.Variable
	grads     []*Node
}

// grouped returns a group for each Schedule, from the trainable variables that g uses. grads are in
// the order of scope.BuildTrainableVariablesGradientsGraph.
func (a *runsAdam) grouped(scope *model.Scope, g *Graph, grads []*Node) []adamGroup {
	groups := make([]adamGroup, len(a.scopes))
	var first *model.Variable
	for v := range scope.IterVariables() {
		if !v.Trainable || !v.InUseByGraph(g) {
			continue
		}
		if first == nil {
			first = v
		}
		checkRunsAxis(first, v)
		group := &groups[a.group(v)]
		group.variables = append(group.variables, v)
		group.grads = append(group.grads, grads[0])
		grads = grads[1:]
	}
	return groups
}

// update updates the variables of group k, with P values for each run, at step, a float scalar.
// debias1 and debias2 are the factors that correct the moments for beginning at 0.
func (a *runsAdam) update(
	scope *model.Scope, k int, group adamGroup, step, debias1, debias2 *Node,
) {
	g := step.Graph()
	relative := make(map[*model.Variable]coordinates)
	for i, v := range group.variables {
		if slices.Contains(a.relative, v.Name()) {
			relative[v] = a.coordinates(scope, g, v)
			group.grads[i] = relative[v].gradient(group.grads[i])
		}
	}
	grad := a.clipped(atLeastSingle(perRun(group.grads)))        // [R, P]
	m1Var := a.variable(scope, a.scopes[k], "1st", grad.Shape()) // [R, P]
	m2Var := a.variable(scope, a.scopes[k], "2nd", grad.Shape()) // [R, P]
	m1 := Add(MulScalar(m1Var.NodeValue(g), a.beta1), MulScalar(grad, 1-a.beta1))
	m2 := Add(MulScalar(m2Var.NodeValue(g), a.beta2), MulScalar(Square(grad), 1-a.beta2))
	m1Var.SetNodeValue(m1)
	m2Var.SetNodeValue(m2)
	rate := Mul(a.schedules[k].rate(step), debias1)
	if a.schedules[k].PerRun {
		rate = Mul(rate, a.rates(scope, grad)) // [R, 1]
	}
	scale := AddScalar(Sqrt(Mul(m2, debias2)), a.epsilon) // [R, P]
	change := Div(Mul(rate, m1), scale)                   // [R, P]
	next := 0                                             // of the P values
	for _, v := range group.variables {
		size := v.Shape().Size() / v.Shape().Dim(0)
		part := Slice(change, AxisRange(), AxisRange(next, next+size)) // [R, size]
		next += size
		part = ConvertDType(Reshape(part, v.Shape().Dimensions...), v.DType())
		if c, ok := relative[v]; ok {
			part = c.step(part)
		}
		v.SetNodeValue(Sub(v.NodeValue(g), part))
	}
}

// checkRunsAxis panics unless both variables have the same first axis, the runs axis.
func checkRunsAxis(first, v *model.Variable) {
	if v.Shape().Rank() == 0 || first.Shape().Dim(0) != v.Shape().Dim(0) {
		exceptions.Panicf("flows: RunsAdam: variable %q is %s, and %q %s; must all be [R, …] with the "+
			"same R runs, as those of package layers; use GoMLX's Adam for others",
			first.Path(), first.Shape(), v.Path(), v.Shape())
	}
}

// coordinates define the relative steps of a variable W: a step is scales·E·basis.
type coordinates struct {
	scales *Node // [R, …, d, 1]
	basis  *Node // M·W, [R, …, d, d]
}

// coordinates returns the coordinates of the variable v in graph g.
func (a *runsAdam) coordinates(scope *model.Scope, g *Graph, v *model.Variable) coordinates {
	shape := v.Shape()
	vectors := shapes.Make(shape.DType, shape.Dimensions[:shape.Rank()-1]...)
	in := scope.Store().Scope(model.JoinPath("/", runsAdamScope, v.Path()))
	node := func(name string, shape shapes.Shape, begin model.VariableInitializer) *Node {
		return in.WithInitializer(begin).VariableWithShape(name, shape).SetTrainable(false).
			NodeValue(g)
	}
	identities := func(g *Graph, shape shapes.Shape) *Node {
		one := ConvertDType(Diagonal(g, shape.Dim(-1)), shape.DType)
		return BroadcastToDims(ExpandLeftToRank(one, shape.Rank()), shape.Dimensions...)
	}
	return coordinates{
		scales: InsertAxes(node(metricScales, vectors, initializer.One), -1),
		basis:  times(node(metricMatrices, shape, identities), v.NodeValue(g)),
	}
}

// gradient converts the gradient G to the coordinates of the steps.
func (c coordinates) gradient(g *Node) *Node { return Mul(c.scales, timesTransposed(g, c.basis)) }

// step converts a step e in these coordinates to a step of W.
func (c coordinates) step(e *Node) *Node { return Mul(c.scales, times(e, c.basis)) }

// times returns a·b for matrices in the last two axes of a and b, […, d, d].
func times(a, b *Node) *Node {
	batch := grid.Range(a.Rank() - 2)
	return DotGeneral(a, []int{a.Rank() - 1}, batch, b, []int{b.Rank() - 2}, batch)
}

// timesTransposed returns a·bᵀ for matrices in the last two axes of a and b, […, d, d].
func timesTransposed(a, b *Node) *Node {
	batch := grid.Range(a.Rank() - 2)
	return DotGeneral(a, []int{a.Rank() - 1}, batch, b, []int{b.Rank() - 1}, batch)
}

// perRun concatenates tensors with a runs axis to [R, P].
func perRun(xs []*Node) *Node {
	flat := make([]*Node, len(xs))
	for i, x := range xs {
		flat[i] = Reshape(x, x.Shape().Dim(0), -1)
	}
	return Concatenate(flat, 1)
}

// group returns the number of the Schedule of v, the first whose scope v is in.
func (a *runsAdam) group(v *model.Variable) int {
	for k, s := range a.scopes {
		if v.Scope() == s || strings.HasPrefix(v.Scope(), strings.TrimSuffix(s, "/")+"/") {
			return k
		}
	}
	exceptions.Panicf("flows: RunsAdam: variable %q has no Schedule; must have one: call "+
		"Schedule(\"/\", …) for all variables, or with a path that begins with / "+
		"(Schedules so far: %q)",
		v.Path(), a.scopes)
	return 0
}

// clipped returns the gradients [R, P] scaled so that each run's norm is at most clip.
func (a *runsAdam) clipped(grad *Node) *Node {
	if a.clip == 0 {
		return grad
	}
	norm := Sqrt(ReduceAndKeep(Square(grad), ReduceSum, 1)) // [R, 1]
	limit := Const(grad.Graph(), shapes.CastAsDType(a.clip, grad.DType()))
	return Mul(grad, Div(limit, MaxScalar(norm, a.clip))) // [R, P]
}

// check panics unless the values of the Schedule of a scope are valid.
func (s Schedule) check(scope string) {
	argument.NotNegative("flows: RunsAdam", fmt.Sprintf("Schedule %q: Rate", scope), s.Rate)
	argument.AtLeast("flows: RunsAdam", fmt.Sprintf("Schedule %q: Wait", scope), s.Wait, 0)
	argument.AtLeast("flows: RunsAdam", fmt.Sprintf("Schedule %q: Ramp", scope), s.Ramp, 0)
	argument.AtLeast("flows: RunsAdam", fmt.Sprintf("Schedule %q: Steps", scope), s.Steps, 0)
}

// rate returns the learning rate at step, a float scalar.
func (s Schedule) rate(step *Node) *Node {
	rate := Scalar(step.Graph(), step.DType(), s.Rate)
	if s.Steps > 0 {
		angle := MulScalar(MinScalar(step, float64(s.Steps)), math.Pi/float64(s.Steps))
		rate = MulScalar(AddScalar(Cos(angle), 1), s.Rate/2)
	}
	since := AddScalar(step, -float64(s.Wait))
	switch {
	case s.Ramp > 0:
		ramp := MulScalar(since, 1/float64(s.Ramp))
		rate = Mul(rate, MinScalar(MaxScalar(ramp, 0), 1))
	case s.Wait > 0:
		zero := ScalarZero(step.Graph(), step.DType())
		rate = Where(LessThan(since, zero), ZerosLike(rate), rate)
	}
	return rate
}

// rates returns the variable RunsAdamRates for gradients [R, P], as [R, 1].
func (a *runsAdam) rates(scope *model.Scope, grad *Node) *Node {
	v := scope.Store().Scope("/"+runsAdamScope).WithInitializer(initializer.One).
		VariableWithShape("rates", shapes.Make(grad.DType(), grad.Shape().Dim(0))).
		SetTrainable(false)
	return InsertAxes(v.NodeValue(grad.Graph()), -1)
}

// variable returns a variable of the optimizer for the variables in the scope group. It begins at
// 0.
func (a *runsAdam) variable(
	scope *model.Scope, group, name string, shape shapes.Shape,
) *model.Variable {
	return scope.Store().Scope(model.JoinPath("/", runsAdamScope, group)).
		WithInitializer(initializer.Zero).
		VariableWithShape(name, shape).
		SetTrainable(false)
}

// Clear implements optimizer.Interface.
func (a *runsAdam) Clear(scope *model.Scope) error {
	return scope.Store().DeleteVariablesInScope("/" + runsAdamScope)
}
