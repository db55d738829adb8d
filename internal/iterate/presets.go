package iterate

import "github.com/seed-47b1e431/gosica/flows"

// FastWGF returns the settings of a gradient flow of seconds that stays linear. Small
// networks learn the density ratio on two folds of the positions, from z_t alone and with
// the signals' own predictions of it. What the held-out positions don't confirm moves
// nothing. The iterate of least dependence is kept.
func FastWGF() Config {
	return Config{
		Kind: WGF, Context: Prediction, Windows: []int{3}, Hidden: []int{32, 32}, Family: Linear,
		Iterations: 25, FirstStep: 1, LastStep: 0.1, MaxMove: 0.2,
		Standardise: true, KeepBest: true,
		Optimizer: Adam, LearningRate: 3e-3, BatchSize: 256, Steps: 50,
		FreshProduct: true, WarmStart: true, Noise: 0.3,
		Folds: 2, Block: 64,
	}
}

// PaperWGF returns the paper's settings of SICA-WGF; see sica.PaperWGF.
func PaperWGF() Config {
	return Config{
		Kind: WGF, Context: WholeSequence, Family: Free,
		Iterations: 10, FirstStep: 1, LastStep: 1,
		Optimizer: Adam, LearningRate: 1e-5, BatchSize: 100, Epochs: 10,
	}
}

// PaperRF returns the paper's settings of SICA-RF; see sica.PaperRF.
func PaperRF() Config {
	return Config{
		Kind: RF, Context: WholeSequence, Family: Free,
		Iterations: 30, Solver: flows.Euler, SolverSteps: 100,
		Optimizer: Adagrad, LearningRate: 1e-5, BatchSize: 100, Epochs: 100,
	}
}
