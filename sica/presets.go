package sica

import (
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Default is what to use for signals of one's own. It whitens the signals
// symmetrically. If that leaves a dependence, it tries the rotation whose
// signals are each best known from their own rest (of more than three signals, from
// their own past; see Config.Rotations), then a conditional
// normalisation, which undoes many nonlinear mixings, and takes the first that
// leaves much less. What is still dependent then moves along a Wasserstein
// gradient flow kept to linear maps. Its density ratio is learned, on two folds
// of the positions, by small networks that see z_t alone and by ones that also
// see the signals' own predictions of it; what the held-out positions don't
// confirm moves nothing.
func Default() Config {
	return Config{
		Seed: 1,
		Preparation: Preparation{
			Start:        []preprocess.Transform{preprocess.ZCA},
			Settled:      0.06,
			Rotations:    3,
			Alternatives: [][]preprocess.Transform{{preprocess.Conditional}},
			Standardise:  true,
		},
		VectorField: VectorField{Flow: WGF, Context: Prediction, Windows: []int{3}, Hidden: []int{32, 32}, Family: Linear},
		Movement:    Movement{Iterations: 25, FirstStep: 1, LastStep: 0.1, MaxMove: 0.2},
		Training: Training{
			Optimizer:    Adam,
			LearningRate: 3e-3,
			BatchSize:    256,
			Steps:        50,
			FreshProduct: true,
			WarmStart:    true,
			Noise:        0.3,
		},
		HeldOut: HeldOut{Folds: 2, Block: 64},
		Running: Running{KeepBest: true},
	}
}

// PaperWGF is SICA-WGF with the paper's settings: the network over the whole
// sequence, Adam 1e-5, batches of 100, 10 epochs, one Euler step an iteration,
// J = 10. The paper gives neither η nor the scale of the signals; η = 1 on
// standardised signals is how it is read here (see docs/paper.md).
func PaperWGF() Config {
	return Config{
		Seed:        1,
		Preparation: Preparation{Start: []preprocess.Transform{preprocess.Standardise}},
		VectorField: VectorField{Flow: WGF, Context: WholeSequence, Family: Free},
		Movement:    Movement{Iterations: 10, FirstStep: 1, LastStep: 1},
		Training:    Training{Optimizer: Adam, LearningRate: 1e-5, BatchSize: 100, Epochs: 10},
	}
}

// PaperRF is SICA-RF with the paper's settings: the network over the whole
// sequence, Adagrad 1e-5, batches of 100, 100 epochs, 100 Euler steps, J = 30
// (the paper uses J = 20 for images).
func PaperRF() Config {
	return Config{
		Seed:        1,
		Preparation: Preparation{Start: []preprocess.Transform{preprocess.Standardise}},
		VectorField: VectorField{Flow: RF, Context: WholeSequence, Family: Free},
		Movement:    Movement{Iterations: 30, Solver: flows.Euler, SolverSteps: 100},
		Training:    Training{Optimizer: Adagrad, LearningRate: 1e-5, BatchSize: 100, Epochs: 100},
	}
}

// Smoke is c cut down to what shows in seconds that everything works: a few
// iterations, which are made from any start and kept. Its separations mean
// nothing.
func (c Config) Smoke() Config {
	c.Settled, c.KeepBest = 0, false
	c.Iterations = min(c.Iterations, 2)
	c.Epochs = min(c.Epochs, 1)
	c.Steps = min(c.Steps, 20)
	c.SolverSteps = min(c.SolverSteps, 2)
	return c
}
