package sica

import (
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	gomlx "github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// mlp is the network that Hidden: {8} stands for.
func mlp(scope *model.Scope, x *Node, outputs int) *Node {
	return layers.MLP(scope, x).Hidden(8).Outputs(outputs).Done()
}

// tanh is another one.
func tanh(scope *model.Scope, x *Node, outputs int) *Node {
	return layers.Dense(scope.In("out"), Tanh(layers.Dense(scope.In("in"), x, 8)), outputs)
}

// A custom network and optimizer that are those of the settings give the same bits, and others do
// not. The result transforms. It can be saved if its maps have no networks, and otherwise the error
// says why not.
func TestCustomNetwork(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x, _ := mixedAR7(t, 1, 128, 3, true)
	cfgs := smokes()
	for _, name := range []string{"window", "free", "local RF"} {
		cfg := cfgs[name]
		cfg.Flow.Steps = min(cfg.Flow.Steps, 5)
		given := fit(t, b, x, cfg)
		own := cfg.Clone()
		own.Flow.Network = mlp
		if cfg.Flow.Optimizer == klflow.Adam {
			own.Flow.NewOptimizer = func() optimizer.Interface {
				return optimizer.Adam().LearningRate(cfg.Flow.LearningRate).Epsilon(1e-8).Done()
			}
		}
		result := fit(t, b, x, own)
		if !mat.Equal(result.Z, given.Z) {
			t.Errorf("%s: differs by %g from the same settings by name", name, largestDifference(result.Z, given.Z))
		}
		checkFollows(t, result, x)
		dir := filepath.Join(t.TempDir(), "result")
		err := result.Save(dir)
		if cfg.Flow.Family == klflow.Free {
			if err == nil || !strings.Contains(err.Error(), "Network") {
				t.Errorf("%s: saved: %v", name, err)
			}
		} else if _, err := Load(dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}

		other := cfg.Clone()
		other.Flow.Network = tanh
		if mat.Equal(fit(t, b, x, other).Z, given.Z) {
			t.Errorf("%s: another network made no difference", name)
		}
		other = cfg
		other.Flow.NewOptimizer = func() optimizer.Interface {
			return optimizer.StochasticGradientDescent().WithLearningRate(1e-2).Done()
		}
		if mat.Equal(fit(t, b, x, other).Z, given.Z) {
			t.Errorf("%s: another optimizer made no difference", name)
		}
	}
}

func TestCustomNetworkErrors(t *testing.T) {
	x, _ := mixedAR7(t, 1, 128, 3, true)
	for want, change := range map[string]func(*Config){
		"whole": func(c *Config) { *c = PaperWGF(); c.Flow.Network = mlp },
		`Flow.Network: its variable "/field/shared/dense/weights" isn't of layers.Dense`: func(c *Config) {
			c.Flow.Network = func(scope *model.Scope, x *Node, outputs int) *Node {
				return mlp(scope, gomlx.Dense(scope.In("shared"), x, true, 4), outputs)
			}
		},
		`Flow.Network: layers: scope "/field" has no variables`: func(c *Config) {
			c.Flow.Network = func(scope *model.Scope, x *Node, outputs int) *Node {
				return gomlx.Dense(scope, x, true, outputs)
			}
		},
		"Flow.Network: flows: building the training step: the output is (Float32)[4, 128, 7]; must be (Float32)[4, 128, 1], [R, B, outputs]": func(c *Config) {
			c.Flow.Network = func(scope *model.Scope, x *Node, _ int) *Node { return mlp(scope, x, 7) }
		},
		"the output is nil; must be (Float32)[": func(c *Config) {
			c.Flow.Network = func(*model.Scope, *Node, int) *Node { return nil }
		},
		"Flow.Network: flows: building the training step: the loss uses no trainable variable": func(c *Config) {
			c.Flow.Network = func(_ *model.Scope, x *Node, outputs int) *Node {
				return Slice(x, AxisRange(), AxisRange(), AxisRange(0, outputs))
			}
		},
		"optimizer is nil":     func(c *Config) { c.Flow.NewOptimizer = func() optimizer.Interface { return nil } },
		"beside Flow.Network;": func(c *Config) { c.Flow.Network, c.Checkpoint = mlp, t.TempDir() },
		"beside Flow.NewOptimizer;": func(c *Config) {
			c.Checkpoint = t.TempDir()
			c.Flow.NewOptimizer = func() optimizer.Interface { return nil }
		},
	} {
		cfg := smokes()["window"]
		change(&cfg)
		result, err := Fit(t.Context(), x, cfg.On(backendtest.Open(t, backend.Go)))
		if result != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("result %v, error %v; want an error with %q", result, err, want)
		}
	}
}
