package iterate

import "github.com/seed-47b1e431/gosica/flows"

// FastWGF returns the settings of a Wasserstein gradient flow that takes seconds and keeps the
// signals a linear map of the mixed ones. In each iteration two small networks learn the density
// ratio on each of two folds of the positions. One sees z_t, the other also the prediction of each
// signal at t from its neighbours. Each is weighted by its fit to the held-out positions, so that
// one that fits noise moves nothing. The result is the iterate with the smallest dependence. The
// settings are explained in sica.FastWGF.
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
