package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/experiment"
)

// fitOptions are the flags of every command that makes a fit.
type fitOptions struct {
	shape          string
	method, preset string
	iterations     int
	components     int
	seed           uint64
	backend        string
}

func (opt *fitOptions) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&opt.shape, "shape", "", "`SHAPE` of the positions, such as 32x32 for images; a sequence by default")
	f.StringVar(&opt.method, "method", "sica", "`METHOD`: "+flowNames())
	f.StringVar(&opt.preset, "preset", string(experiment.DefaultPreset), "`PRESET`: default, paper or smoke, of those that the method has")
	f.IntVar(&opt.iterations, "iterations", 0, "largest number `J` of iterations; the preset's by default")
	f.IntVar(&opt.components, "components", 0, "reduce the mixed signals to `K` principal components first; to their rank by default")
	f.Uint64Var(&opt.seed, "seed", 1, "seed `N` of every random draw")
	f.StringVar(&opt.backend, "backend", backend.Auto, "`BACKEND`: "+strings.Join(backend.Names(), ", "))
}

// config returns the settings that the flags stand for, or a usage error.
func (opt *fitOptions) config(given func(flag string) bool) (sica.Config, error) {
	cfg, err := config(opt.method, opt.preset)
	if err != nil {
		return cfg, err
	}
	if err := checkBackend(opt.backend); err != nil {
		return cfg, err
	}
	cfg.Seed = opt.seed
	if given("iterations") {
		if opt.iterations < 1 {
			return cfg, usagef("--iterations %d: use at least 1", opt.iterations)
		}
		cfg.Iterations = opt.iterations
	}
	if opt.components < 0 || opt.components == 1 {
		return cfg, usagef("--components %d: use at least 2", opt.components)
	}
	cfg.Components = opt.components
	if given("shape") {
		if cfg.Shape, err = parseShape(opt.shape); err != nil {
			return cfg, err
		}
	}
	return cfg, nil
}

// parseShape reads a shape such as "32x32".
func parseShape(s string) ([]int, error) {
	var shape []int
	for axis := range strings.SplitSeq(s, "x") {
		n, err := strconv.Atoi(axis)
		if err != nil || n < 1 {
			return nil, usagef("--shape %q: use positive whole numbers with an x between them, such as 32x32", s)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
