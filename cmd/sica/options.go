package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

// Flags of every command, for backend.AllowUnverified and backend.Portable.
const (
	allowUnverified = "allow-unverified-plugin"
	deterministic   = "deterministic"
)

// addBackend adds --backend to a command.
func addBackend(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "backend", backend.Auto,
		"`BACKEND`: "+strings.Join(backend.Names(), ", "))
}

// addSeed adds --seed to a command.
func addSeed(cmd *cobra.Command, seed *uint64) {
	cmd.Flags().Uint64Var(seed, "seed", 1, "seed `N` of every random draw")
}

// addShape adds --shape to a command that separates.
func addShape(cmd *cobra.Command, shape *string) {
	cmd.Flags().StringVar(shape, "shape", "", "`SHAPE` of the positions, such as 32x32 for images; by "+
		"default a sequence, or images that are recognised by their rows")
}

// checkBackend returns a usage error unless name is that of a backend.
func checkBackend(name string) error {
	if !slices.Contains(backend.Names(), name) {
		return usage.Errorf("unknown --backend %q: use %s", name,
			strings.Join(backend.Names(), ", "))
	}
	return nil
}

// openBackend opens the named backend, according to the command's flags.
func openBackend(
	cmd *cobra.Command, name string, options ...backend.Option,
) (compute.Backend, error) {
	for flag, option := range map[string]backend.Option{
		allowUnverified: backend.AllowUnverified,
		deterministic:   backend.Portable,
	} {
		if set, err := cmd.Flags().GetBool(flag); err == nil && set {
			options = append(options, option)
		}
	}
	return backend.Open(name, options...)
}

// require marks flags that a command requires.
func require(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag doesn't exist
		}
	}
}

// noArgs returns an error if there is an argument that isn't a flag, as in --in a.png b.png.
func noArgs(cmd *cobra.Command, args []string) error {
	if resume := cmd.Flags().Lookup("resume"); len(args) > 0 && resume != nil && resume.Changed {
		return usage.Errorf("%q belongs to no flag: --resume takes no folder, use --checkpoint %s",
			args[0], args[0])
	}
	if len(args) > 0 {
		return usage.Errorf("%q belongs to no flag: give each file a flag, as in --in a.png --in "+
			"b.png", args[0])
	}
	return nil
}

// checkComponents returns a usage error if the value of --components exceeds the number d of
// channels of a file to separate.
func checkComponents(components, d int, file string) error {
	if components > d {
		return usage.Errorf("--components %d: must be at most %d, the number of channels of %s that "+
			"are separated", components, d, file)
	}
	return nil
}

// validate returns the error of settings that are invalid for d signals at n positions of a file.
// If n is too small and the file has more positions, total, the error has both numbers.
func validate(cfg sica.Config, d, n, total int, file string) error {
	err := cfg.Validate(d, n)
	switch {
	case errors.Is(err, sica.ErrSignals) && n < total:
		return fmt.Errorf("%s: %d of %d positions are used: %w", file, n, total, err)
	case err != nil:
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// readPart returns the part of the mixed signals that a command works on.
func readPart(
	cmd *cobra.Command, learnOn files.LearnOn, reading *files.Reading, fitting *files.Fitting,
	inputs []string, shape []int,
) (files.Part, error) {
	shown := progress.NewQuiet(cmd.ErrOrStderr())
	defer shown.Done()
	if shape != nil {
		reading.Shape = shape
	}
	return learnOn.Read(cmd.Context(), reading, fitting, inputs, shape, shown.Part)
}

// fitOptions are the flags of commands that make one fit.
type fitOptions struct {
	shape          string
	method, preset string
	iterations     int
	components     int
	seed           uint64
	backend        string

	notes []string // on a preset chosen by default
}

func (opt *fitOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	addShape(cmd, &opt.shape)
	f.StringVar(&opt.method, "method", "sica", "`METHOD`: "+methodNames(fitMethods()))
	f.StringVar(&opt.preset, "preset", string(methods.Default),
		"`PRESET`: default, paper or smoke; by default the first of these that the method has")
	f.Lookup("preset").DefValue = "" // the help says it already
	f.IntVar(&opt.iterations, "iterations", 0,
		"largest number `J` of iterations of the method's flow, the preset's by default. After a "+
			"method without a flow they are sica-fast's. These can make a good separation worse")
	f.IntVar(&opt.components, "components", 0,
		"reduce the mixed signals to `K` principal components first; 0, the default, is their rank; "+
			"in sica remove the flag lists recovered signals")
	addSeed(cmd, &opt.seed)
	addBackend(cmd, &opt.backend)
}

// config returns the settings given by the flags, or a usage error. changed reports whether a flag
// was given.
func (opt *fitOptions) config(changed func(flag string) bool) (sica.Config, error) {
	m, err := fitMethod(opt.method)
	if err != nil {
		return sica.Config{}, err
	}
	if nearest := string(m.Nearest(methods.Preset(opt.preset))); !changed("preset") && nearest != opt.preset {
		opt.preset = nearest
		opt.notes = []string{fmt.Sprintf("--preset %s, which is slow: --method %s has no preset %s",
			nearest, m.Name, methods.Default)}
	}
	cfg, err := m.Config(methods.Task{Preset: methods.Preset(opt.preset)})
	if err != nil {
		return cfg, usage.Errorf("--method %s has no --preset %q: use %s", m.Name, opt.preset, presetNames(m))
	}
	if err := checkBackend(opt.backend); err != nil {
		return cfg, err
	}
	cfg.Seed = opt.seed
	if changed("iterations") {
		if opt.iterations < 1 {
			return cfg, usage.Errorf("--iterations %d: use at least 1", opt.iterations)
		}
		if cfg.Flow == nil { // FastWGF's iterations follow the method
			fast := sica.FastWGF()
			if opt.preset == string(methods.Smoke) {
				fast = fast.Smoke()
			}
			cfg.Flow = fast.Flow
		}
		cfg.Flow.Iterations = opt.iterations
	}
	if opt.components < 0 || opt.components == 1 {
		return cfg, usage.Errorf("--components %d: use at least 2, or 0 for their rank", opt.components)
	}
	cfg.Components = opt.components
	if changed("shape") {
		if cfg.Shape, err = files.ParseShape(opt.shape); err != nil {
			return cfg, err
		}
	}
	return cfg, nil
}

// fitMethods returns the methods whose settings are a sica.Config, including the linear demixing
// alone.
func fitMethods() (all []methods.Entry) {
	for _, m := range methods.All() {
		if m.Name == "sica-linear" {
			m.Presets = []methods.Preset{methods.Default, methods.Smoke}
			m.New = methods.SICA(func() sica.Config {
				cfg := sica.Default()
				cfg.Mode, cfg.NetworkSteps = sica.LinearOnly, 0
				return cfg
			})
		}
		if _, err := m.Config(methods.Task{Preset: m.Nearest(methods.Default)}); err == nil {
			all = append(all, m)
		}
	}
	return all
}

// fitMethod returns the method of a fit with this name, or a usage error.
func fitMethod(name string) (methods.Entry, error) {
	all := fitMethods()
	if i := slices.IndexFunc(all, func(m methods.Entry) bool { return m.Name == name }); i >= 0 {
		return all[i], nil
	}
	if _, err := methods.Named(name); err == nil {
		return methods.Entry{}, usage.Errorf("--method %s is another method than SICA: "+
			"use sica compare --methods sica,%s; here use %s", name, name, methodNames(all))
	}
	return methods.Entry{}, usage.Errorf("unknown --method %q: use %s", name, methodNames(all))
}

func methodNames(all []methods.Entry) string {
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

func presetNames(m methods.Entry) string {
	var names []string
	for _, p := range m.Presets {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// presetHelp lists the methods of a fit with their presets.
func presetHelp() string {
	var b strings.Builder
	b.WriteString("The methods, and their presets:\n\n")
	for _, m := range fitMethods() {
		fmt.Fprintf(&b, "  %-22s%s\n", m.Name, presetNames(m))
	}
	b.WriteString(`
Sica, the default, makes no iterations. It compares whitening, a linear demixing
and, if there are signs of a nonlinear mixing, a curve for each channel, as
saturating sensors need it, and invertible networks by their code lengths, and
takes the best. Sica-linear takes the linear demixing, sica-direct
always fits a network. Sica-fast is a quick flow that is limited to linear maps.
Sica-wgf and sica-rf are the paper's two flows. They take the preset paper if none is
given. On two cores sica-wgf then takes 1 to 2 minutes at 1,024 positions, and sica-rf
15 to 28 (medians; docs/evaluation/performance.md). Sica-rf-standardised also
standardises the signals after each iteration. The preset smoke takes seconds, to show
that everything works; its result means nothing.`)
	return b.String()
}

// parsePreset returns the preset with this name, from --preset.
func parsePreset(name string) (methods.Preset, error) {
	p := methods.Preset(name)
	switch p {
	case methods.Paper, methods.Default, methods.Smoke:
		return p, nil
	}
	return "", usage.Errorf("unknown --preset %q: use default, paper or smoke", name)
}
