package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

type generateOptions struct {
	signals, mixing, out, order string
	steps, length, d            int
	noise, stepSize             float64
	seed                        uint64
}

// maxSteps is the most steps of a mixing; the paper has 20. What hasn't grown
// beyond float64 by then never will.
const maxSteps = 1_000_000

func newGenerate() *cobra.Command {
	var opt generateOptions
	cmd := &cobra.Command{
		Use:   "generate --signals heart|ar7|mnist --out DIR",
		Short: "Make the paper's mixed signals and their sources",
		Long: `Generate draws sources, mixes them, and writes sources.csv, mixed.csv (a row for
each position, a column for each signal) and the picture mixed.png to a folder.

A step of the mixing is x + δ·h(Wx), with a step size δ and the identity for h
(linear) or GELU. W is 1 on the diagonal and 0.7 elsewhere; for heart it is 0 and
0.5, so that one linear step of 1 is the paper's [[1, .5], [.5, 1]].`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := require(cmd, "signals", "out"); err != nil {
				return err
			}
			if err := opt.complete(cmd.Flags().Changed); err != nil {
				return err
			}
			return opt.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.signals, "signals", "", "`KIND` of the sources: heart, ar7 or mnist (required)")
	f.StringVar(&opt.out, "out", "", "folder `DIR` for the files, made if need be (required)")
	f.StringVar(&opt.mixing, "mixing", "linear", "`MIXING`: linear, gelu or none")
	f.IntVar(&opt.steps, "steps", 5, "number `J` of steps of the mixing; 1 by default for heart")
	f.Float64Var(&opt.stepSize, "step-size", 1, "size `D` of a step of the mixing, above 0; 1 is the paper's text, .1 what its figures have here")
	f.Uint64Var(&opt.seed, "seed", 1, "seed `N` of every random draw")
	f.IntVar(&opt.d, "d", 2, "number `D` of signals; 3 by default for mnist")
	f.IntVar(&opt.length, "length", 1024, "number `T` of positions; 1000 by default for heart, always 1024 for mnist")
	f.StringVar(&opt.order, "order", "sorted", "`ORDER` of the heart's angles: sorted or iid")
	f.Float64Var(&opt.noise, "noise", datasets.HeartNoise, "standard deviation `E` of the heart's noise")
	return cmd
}

// complete fills in the defaults that depend on the kind of signals, and
// returns an error for flags that don't go together.
func (opt *generateOptions) complete(given func(flag string) bool) error {
	byDefault := func(flag string, value *int, preset int) {
		if !given(flag) {
			*value = preset
		}
	}
	switch opt.signals {
	case "heart":
		byDefault("steps", &opt.steps, 1)
		byDefault("length", &opt.length, datasets.PaperHeart().T)
		if opt.d != 2 {
			return usagef("--d %d: the heart has 2 signals", opt.d)
		}
	case "ar7":
	case "mnist":
		byDefault("d", &opt.d, 3)
		if opt.length != datasets.MNISTSide*datasets.MNISTSide {
			return usagef("--length %d: MNIST's images have %d positions", opt.length, datasets.MNISTSide*datasets.MNISTSide)
		}
	default:
		return usagef("unknown --signals %q: use heart, ar7 or mnist", opt.signals)
	}
	if opt.signals != "heart" {
		for _, flag := range []string{"order", "noise"} {
			if given(flag) {
				return usagef("--%s is for --signals heart only", flag)
			}
		}
	}
	if opt.order != "sorted" && opt.order != "iid" {
		return usagef("unknown --order %q: use sorted or iid", opt.order)
	}
	if opt.steps > maxSteps {
		return usagef("--steps %d: use at most %d", opt.steps, maxSteps)
	}
	if !(opt.stepSize > 0) {
		return usagef("--step-size %g: use a number above 0", opt.stepSize)
	}
	switch opt.mixing {
	case "linear", "gelu":
	case "none":
		if given("steps") {
			return usagef("--steps is for --mixing linear or gelu")
		}
		if given("step-size") {
			return usagef("--step-size is for --mixing linear or gelu")
		}
		opt.steps = 0
	default:
		return usagef("unknown --mixing %q: use linear, gelu or none", opt.mixing)
	}
	return nil
}

func (opt *generateOptions) run(cmd *cobra.Command) error {
	// What fails here is a size out of range.
	s, shape, err := opt.sources()
	if err != nil {
		return usageError{err}
	}
	x, err := opt.mix(s)
	if err != nil {
		return usageError{err}
	}
	picture, err := opt.picture(shape, s, x)
	if err != nil {
		return usageError{err}
	}

	if err := os.MkdirAll(opt.out, 0o777); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(path string) error
	}{
		{"sources.csv", func(path string) error { return datasets.WriteFile(path, s) }},
		{"mixed.csv", func(path string) error { return datasets.WriteFile(path, x) }},
		{"mixed.png", func(path string) error { return savePicture(path, picture) }},
	} {
		path := filepath.Join(opt.out, file.name)
		if err := file.write(path); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), "wrote", path)
	}
	return nil
}

// sources draws the sources, d×T, and tells the shape of their position index,
// nil for sequences.
func (opt *generateOptions) sources() (s *mat.Dense, shape []int, err error) {
	rng := rand.New(rand.NewPCG(opt.seed, 0))
	switch opt.signals {
	case "heart":
		s, err = datasets.Heart(rng, datasets.HeartOptions{T: opt.length, Noise: opt.noise, Ordered: opt.order == "sorted"})
	case "ar7":
		s, err = datasets.AR7(rng, opt.d, opt.length)
	case "mnist":
		s, _, err = datasets.MNIST(rng, opt.d)
		shape = []int{datasets.MNISTSide, datasets.MNISTSide}
	}
	return s, shape, err
}

// mix returns the mixed signals.
func (opt *generateOptions) mix(s *mat.Dense) (*mat.Dense, error) {
	mixing := datasets.MixOptions{Steps: opt.steps, StepSize: opt.stepSize}
	if opt.signals == "heart" {
		w := datasets.HeartMixing()
		w.Sub(w, mat.NewDiagDense(2, []float64{1, 1}))
		mixing.W = w
	}
	if opt.mixing == "gelu" {
		mixing.H = datasets.GELU
	}
	return datasets.Mix(s, mixing)
}

// picture draws the sources and the mixed signals, both standardised.
func (opt *generateOptions) picture(shape []int, s, x *mat.Dense) (*plot.Picture, error) {
	var groups []plot.Group
	for _, of := range []struct {
		method string
		z      *mat.Dense
	}{{plot.Truth, s}, {plot.Mixed, x}} {
		z, err := preprocess.Apply(of.z, preprocess.Standardise)
		if err != nil {
			return nil, fmt.Errorf("%s signals: %w", of.method, err)
		}
		groups = append(groups, plot.Group{Method: of.method, Signals: z})
	}
	if opt.signals == "heart" {
		return plot.Scatter(0, 1, groups...)
	}
	return drawSignals(shape, groups...)
}
