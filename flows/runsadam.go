package flows

import (
	"math"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"
)

// RunsAdamScope is the scope of RunsAdam's variables: the moments of each
// scope's variables, run by run, and the number of steps.
const RunsAdamScope = "runs_adam"

// Schedule is a learning rate that changes with the step k = 0, 1, …:
// Rate times a ramp from 0 to 1 over Ramp steps after the first Wait, times
// half a cosine from 1 at step 0 to 0 at step Steps, where it stays. Without Steps it is
// Rate from the ramp on, without a Ramp all of it from step Wait on.
type Schedule struct {
	Rate              float64
	Wait, Ramp, Steps int
}

// RunsAdamConfig is made by RunsAdam; call Done to get the optimizer.
type RunsAdamConfig struct {
	beta1, beta2, epsilon float64
	clip                  float64
	scopes                []string
	schedules             []Schedule
}

// RunsAdam is Adam (D. P. Kingma, J. Ba, 2015) for variables whose first axis
// is that of the runs. It limits the norm of each run's gradient in each scope for
// itself, so that the runs stay independent, and gives each scope a learning rate of
// its own.
func RunsAdam() *RunsAdamConfig {
	return &RunsAdamConfig{beta1: .9, beta2: .999, epsilon: 1e-8}
}

// Betas sets the decay of the two moments. The default is .9 and .999.
func (c *RunsAdamConfig) Betas(beta1, beta2 float64) *RunsAdamConfig {
	c.beta1, c.beta2 = beta1, beta2
	return c
}

// Clip sets the largest norm of one run's gradient in the variables of one
// scope. The default is 0, no limit.
func (c *RunsAdamConfig) Clip(norm float64) *RunsAdamConfig {
	c.clip = norm
	return c
}

// Schedule adds the learning rate of the variables in scope, a path such as
// "/map", and in the scopes inside it. Every trainable variable needs one.
func (c *RunsAdamConfig) Schedule(scope string, s Schedule) *RunsAdamConfig {
	c.scopes = append(c.scopes, scope)
	c.schedules = append(c.schedules, s)
	return c
}

// Done returns the optimizer.
func (c *RunsAdamConfig) Done() optimizer.Interface { return &runsAdam{*c} }

type runsAdam struct{ RunsAdamConfig }

// UpdateGraph implements optimizer.Interface.
func (a *runsAdam) UpdateGraph(scope *model.Scope, g *Graph, loss *Node) {
	a.UpdateGraphWithGradients(scope, scope.BuildTrainableVariablesGradientsGraph(loss), loss.DType())
}

// UpdateGraphWithGradients updates the trainable variables in use with their
// gradients, in the order of scope.BuildTrainableVariablesGradientsGraph.
func (a *runsAdam) UpdateGraphWithGradients(scope *model.Scope, grads []*Node, dtype dtypes.DType) {
	if len(grads) == 0 {
		exceptions.Panicf("flows: RunsAdam found no trainable variable in scope %q", scope.Scope())
	}
	g := grads[0].Graph()
	stepVar := a.variable(scope, "", "step", shapes.Make(dtype))
	step := stepVar.NodeValue(g)
	next := AddScalar(step, 1)
	stepVar.SetNodeValue(next)

	grouped := make([][]*Node, len(a.scopes))
	variables := make([][]*model.Variable, len(a.scopes))
	for v := range scope.IterVariables() {
		if !v.Trainable || !v.InUseByGraph(g) {
			continue
		}
		k := a.groupOf(v)
		grouped[k], variables[k] = append(grouped[k], grads[0]), append(variables[k], v)
		grads = grads[1:]
	}
	debias1 := Reciprocal(OneMinus(Exp(MulScalar(next, math.Log(a.beta1)))))
	debias2 := Reciprocal(OneMinus(Exp(MulScalar(next, math.Log(a.beta2)))))
	for k, group := range variables {
		if len(group) == 0 {
			continue
		}
		grad := a.clipped(perRun(grouped[k])) // [R, P]
		m1Var := a.variable(scope, a.scopes[k], "1st", grad.Shape())
		m2Var := a.variable(scope, a.scopes[k], "2nd", grad.Shape())
		m1 := Add(MulScalar(m1Var.NodeValue(g), a.beta1), MulScalar(grad, 1-a.beta1))
		m2 := Add(MulScalar(m2Var.NodeValue(g), a.beta2), MulScalar(Square(grad), 1-a.beta2))
		m1Var.SetNodeValue(m1)
		m2Var.SetNodeValue(m2)
		rate := Mul(a.schedules[k].at(step), debias1)
		change := Div(Mul(rate, m1), AddScalar(Sqrt(Mul(m2, debias2)), a.epsilon)) // [R, P]
		first := 0
		for _, v := range group {
			size := v.Shape().Size() / v.Shape().Dim(0)
			part := Slice(change, AxisRange(), AxisRange(first, first+size))
			first += size
			v.SetNodeValue(Sub(v.NodeValue(g), Reshape(part, v.Shape().Dimensions...)))
		}
	}
}

// perRun lays tensors with a runs axis side by side, [R, P]: one pass over all
// variables where each would need its own.
func perRun(xs []*Node) *Node {
	flat := make([]*Node, len(xs))
	for i, x := range xs {
		flat[i] = Reshape(x, x.Shape().Dim(0), -1)
	}
	return Concatenate(flat, 1)
}

// groupOf is which of the scopes v is in.
func (a *runsAdam) groupOf(v *model.Variable) int {
	for k, s := range a.scopes {
		if v.Scope() == s || strings.HasPrefix(v.Scope(), strings.TrimSuffix(s, "/")+"/") {
			return k
		}
	}
	exceptions.Panicf("flows: RunsAdam has no learning rate for variable %q", v.Path())
	return 0
}

// clipped scales the gradients [R, P] so that the norm of each run's is at most
// clip.
func (a *runsAdam) clipped(grad *Node) *Node {
	if a.clip <= 0 {
		return grad
	}
	norm := Sqrt(ReduceAndKeep(Square(grad), ReduceSum, 1)) // [R, 1]
	return Mul(grad, Div(Const(grad.Graph(), shapes.CastAsDType(a.clip, grad.DType())), MaxScalar(norm, a.clip)))
}

// at is the learning rate at step, a float scalar.
func (s Schedule) at(step *Node) *Node {
	rate := Scalar(step.Graph(), step.DType(), s.Rate)
	if s.Steps > 0 {
		rate = MulScalar(AddScalar(Cos(MulScalar(MinScalar(step, float64(s.Steps)), math.Pi/float64(s.Steps))), 1), s.Rate/2)
	}
	since := AddScalar(step, -float64(s.Wait))
	switch {
	case s.Ramp > 0:
		rate = Mul(rate, MinScalar(MaxScalar(MulScalar(since, 1/float64(s.Ramp)), 0), 1))
	case s.Wait > 0:
		rate = Where(LessThan(since, ScalarZero(step.Graph(), step.DType())), ZerosLike(rate), rate)
	}
	return rate
}

// variable is one of the optimizer's own, which begins at 0.
func (a *runsAdam) variable(scope *model.Scope, of, name string, shape shapes.Shape) *model.Variable {
	return scope.Store().Scope(model.JoinPath("/", RunsAdamScope, of)).
		WithInitializer(initializer.Zero).
		VariableWithShape(name, shape).
		SetTrainable(false)
}

// Clear implements optimizer.Interface.
func (a *runsAdam) Clear(scope *model.Scope) error {
	return scope.Store().DeleteVariablesInScope("/" + RunsAdamScope)
}
