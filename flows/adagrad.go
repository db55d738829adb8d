package flows

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"
)

// AdagradScope is the scope of Adagrad's variables: for each trainable
// variable the sum of its squared gradients.
const AdagradScope = "adagrad"

// Defaults of Adagrad, those of PyTorch.
const (
	AdagradDefaultLearningRate = 0.01
	AdagradDefaultEpsilon      = 1e-10
)

// AdagradConfig is made by Adagrad; call Done to get the optimizer.
type AdagradConfig struct {
	learningRate float64
	epsilon      float64
}

// Adagrad is the optimizer of J. Duchi, E. Hazan, Y. Singer (JMLR 2011) as
// PyTorch has it: s ← s + g², w ← w − lr·g/(√s + ε), s starting at 0, without
// decay of the learning rate or the weights.
func Adagrad() *AdagradConfig {
	return &AdagradConfig{learningRate: -1, epsilon: AdagradDefaultEpsilon}
}

// LearningRate sets lr. The default is the hyperparameter
// optimizer.ParamLearningRate, or AdagradDefaultLearningRate without one.
func (c *AdagradConfig) LearningRate(lr float64) *AdagradConfig {
	c.learningRate = lr
	return c
}

// Epsilon sets ε. The default is AdagradDefaultEpsilon.
func (c *AdagradConfig) Epsilon(epsilon float64) *AdagradConfig {
	c.epsilon = epsilon
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
		exceptions.Panicf("flows: Adagrad needs a scalar loss, got %s", loss.Shape())
	}
	a.UpdateGraphWithGradients(scope, scope.BuildTrainableVariablesGradientsGraph(loss), loss.DType())
}

// UpdateGraphWithGradients updates the trainable variables in use with their
// gradients, in the order of scope.BuildTrainableVariablesGradientsGraph.
func (a *adagrad) UpdateGraphWithGradients(scope *model.Scope, grads []*Node, dtype dtypes.DType) {
	if len(grads) == 0 {
		exceptions.Panicf("flows: Adagrad found no trainable variable in scope %q", scope.Scope())
	}
	g := grads[0].Graph()
	lr := a.learningRate
	if lr < 0 {
		lr = model.GetParamOr(scope, optimizer.ParamLearningRate, AdagradDefaultLearningRate)
	}
	rate := optimizer.LearningRateVar(scope, dtype, lr).NodeValue(g)
	optimizer.IncrementGlobalStep(g, dtype)

	for v := range scope.IterVariables() {
		if !v.Trainable || !v.InUseByGraph(g) {
			continue
		}
		grad := grads[0]
		grads = grads[1:]
		sumVar := scope.Store().Scope(model.JoinPath("/", AdagradScope, v.Scope())).
			WithInitializer(initializer.Zero).
			VariableWithShape(v.Name()+"_sum", v.Shape()).
			SetTrainable(false)
		sum := Add(sumVar.NodeValue(g), Square(grad))
		sumVar.SetNodeValue(sum)
		v.SetNodeValue(Sub(v.NodeValue(g), Div(Mul(rate, grad), AddScalar(Sqrt(sum), a.epsilon))))
	}
}

// Clear implements optimizer.Interface.
func (a *adagrad) Clear(scope *model.Scope) error {
	return scope.Store().DeleteVariablesInScope("/" + AdagradScope)
}
