package main

import (
	"fmt"
	"strings"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/experiment"
)

// presetHelp says which presets the methods of separate and report have.
func presetHelp() string {
	var b strings.Builder
	b.WriteString("The methods, and their presets:\n\n")
	for _, m := range flowMethods() {
		fmt.Fprintf(&b, "  %-22s%s\n", m.Name, presetNames(m))
	}
	b.WriteString(`
Sica, the default, is a rule and no flow: the linear demixing that describes the
signals in the fewest nats, or an invertible network where that leaves a sign of a
nonlinear mixing. Sica-direct always fits a network; sica-fast is a quick flow kept
to linear maps. Sica-wgf and sica-rf are the paper's two flows, whose preset paper
has the paper's settings, as docs/paper.md reads them, and is slow;
sica-rf-standardised standardises the signals after each iteration of the second,
which otherwise lets them shrink. Smoke is a small, quick version that shows that
all works.`)
	return b.String()
}

// flowMethods are the methods that are SICA.
func flowMethods() []experiment.Method {
	var methods []experiment.Method
	for _, m := range experiment.Methods() {
		if _, err := m.Config(experiment.SmokePreset); err == nil {
			methods = append(methods, m)
		}
	}
	return methods
}

func flowNames() string {
	var names []string
	for _, m := range flowMethods() {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

func presetNames(m experiment.Method) string {
	var names []string
	for _, p := range m.Presets {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// config returns the settings of the method's preset.
func config(method, preset string) (sica.Config, error) {
	for _, m := range flowMethods() {
		if m.Name != method {
			continue
		}
		cfg, err := m.Config(experiment.Preset(preset))
		if err != nil {
			return cfg, usagef("--method %s has no --preset %q: use %s", method, preset, presetNames(m))
		}
		return cfg, nil
	}
	return sica.Config{}, usagef("unknown --method %q: use %s", method, flowNames())
}
