package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
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

// maxSteps is the largest number of steps of a mixing; the paper has at most 20. Signals that are
// finite after that many no longer grow.
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
			if err := opt.complete(cmd.Flags().Changed); err != nil {
				return err
			}
			return opt.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.signals, "signals", "",
		"`KIND` of the sources: heart, ar7 or mnist (required)")
	f.StringVar(&opt.out, "out", "", "folder `DIR` for the files, made if need be (required)")
	f.StringVar(&opt.mixing, "mixing", "linear", "`MIXING`: linear, gelu or none")
	f.IntVar(&opt.steps, "steps", 5, "number `J` of steps of the mixing; 1 by default for heart")
	f.Float64Var(&opt.stepSize, "step-size", 1,
		"size `D` of a step of the mixing, above 0; 1 as the paper prints it, 0.1 gives its "+
			"figures' order")
	addSeed(cmd, &opt.seed)
	f.IntVar(&opt.d, "d", 2, "number `D` of signals; 3 by default for mnist")
	f.IntVar(&opt.length, "length", 1024,
		"number `T` of positions; 1000 by default for heart, always 1024 for mnist")
	f.StringVar(&opt.order, "order", "sorted", "`ORDER` of the heart's angles: sorted or iid")
	f.Float64Var(&opt.noise, "noise", datasets.HeartNoise,
		"standard deviation `E` of the noise in the heart's sources; none is added to the channels")
	require(cmd, "signals", "out")
	return cmd
}

// complete sets the defaults that depend on the kind of signals. It returns an error for
// conflicting flags. changed reports whether a flag was given.
func (opt *generateOptions) complete(changed func(flag string) bool) error {
	setDefault := func(flag string, value *int, preset int) {
		if !changed(flag) {
			*value = preset
		}
	}
	switch opt.signals {
	case "heart":
		setDefault("steps", &opt.steps, 1)
		setDefault("length", &opt.length, datasets.PaperHeart().T)
		if opt.d != 2 {
			return usage.Errorf("--d %d: the heart has 2 signals", opt.d)
		}
	case "ar7":
	case "mnist":
		setDefault("d", &opt.d, 3)
		if opt.length != datasets.MNISTSide*datasets.MNISTSide {
			return usage.Errorf("--length %d: MNIST's images have %d positions", opt.length,
				datasets.MNISTSide*datasets.MNISTSide)
		}
	default:
		return usage.Errorf("unknown --signals %q: use heart, ar7 or mnist", opt.signals)
	}
	if opt.signals != "heart" {
		for _, flag := range []string{"order", "noise"} {
			if changed(flag) {
				return usage.Errorf("--%s is for --signals heart only", flag)
			}
		}
	}
	if opt.order != "sorted" && opt.order != "iid" {
		return usage.Errorf("unknown --order %q: use sorted or iid", opt.order)
	}
	if opt.steps < 0 || opt.steps > maxSteps {
		return usage.Errorf("--steps %d: use 0 or more, at most %d", opt.steps, maxSteps)
	}
	if opt.d < 2 {
		return usage.Errorf("--d %d: use at least 2 signals, which can be mixed", opt.d)
	}
	if !(opt.noise >= 0) || math.IsInf(opt.noise, 1) {
		return usage.Errorf("--noise %g: use a number from 0 on", opt.noise)
	}
	return opt.completeMixing(changed)
}

// completeMixing is complete for the flags of the mixing.
func (opt *generateOptions) completeMixing(changed func(flag string) bool) error {
	if !(opt.stepSize > 0) {
		return usage.Errorf("--step-size %g: use a number above 0", opt.stepSize)
	}
	switch opt.mixing {
	case "linear", "gelu":
	case "none":
		for _, flag := range []string{"steps", "step-size"} {
			if changed(flag) {
				return usage.Errorf("--%s is for --mixing linear or gelu", flag)
			}
		}
		opt.steps = 0
	default:
		return usage.Errorf("unknown --mixing %q: use linear, gelu or none", opt.mixing)
	}
	return nil
}

func (opt *generateOptions) run(cmd *cobra.Command) error {
	// The only error here is a size out of range.
	s, shape, err := opt.sources()
	if err != nil {
		return usage.Error(err)
	}
	x, err := opt.mix(s)
	if err != nil {
		return usage.Error(err)
	}
	picture, err := opt.picture(shape, s, x)
	if err != nil {
		return usage.Error(err)
	}

	if err := files.MakeFolder(opt.out); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(path string) error
	}{
		{"sources.csv", func(path string) error { return datasets.WriteFile(path, s) }},
		{"mixed.csv", func(path string) error { return datasets.WriteFile(path, x) }},
		{"mixed.png", func(path string) error { return writePNG(path, picture) }},
	} {
		path := filepath.Join(opt.out, file.name)
		if err := file.write(path); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), "wrote", path)
	}
	return nil
}

// sources draws the sources, d×n, and returns the shape of their positions; nil for sequences.
func (opt *generateOptions) sources() (s *mat.Dense, shape []int, err error) {
	rng := rand.New(rand.NewPCG(opt.seed, 0))
	switch opt.signals {
	case "heart":
		s, err = datasets.Heart(rng,
			datasets.HeartOptions{T: opt.length, Noise: opt.noise, Ordered: opt.order == "sorted"})
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
	for _, group := range []plot.Group{
		{Method: plot.Truth, Signals: s},
		{Method: plot.Mixed, Signals: x},
	} {
		z, err := preprocess.Apply(group.Signals, preprocess.Standardise)
		if err != nil {
			return nil, fmt.Errorf("%s signals: %w", group.Method, err)
		}
		groups = append(groups, plot.Group{Method: group.Method, Signals: z})
	}
	if opt.signals == "heart" {
		return plot.Scatter(0, 1, groups...)
	}
	return drawSignals(shape, groups...)
}
