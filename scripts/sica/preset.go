package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/sica"
)

// presetHelp is the table of presets for the help of separate.
const presetHelp = `The settings that a method and a preset stand for:

              default       paper        smoke
  sica        Default()     -            Default().Smoke()
  sica-wgf    Default()     PaperWGF()   PaperWGF().Smoke()
  sica-rf     PaperRF()     PaperRF()    PaperRF().Smoke()

Default is the project's own setting of the Wasserstein gradient flow, chosen by
measurement; PaperWGF and PaperRF are the paper's settings to the letter, and
slow; smoke is a small, quick version that shows that all works.`

var presets = map[string]map[string]func() sica.Config{
	"sica": {
		"default": sica.Default,
		"smoke":   func() sica.Config { return sica.Default().Smoke() },
	},
	"sica-wgf": {
		"default": sica.Default,
		"paper":   sica.PaperWGF,
		"smoke":   func() sica.Config { return sica.PaperWGF().Smoke() },
	},
	"sica-rf": {
		"default": sica.PaperRF,
		"paper":   sica.PaperRF,
		"smoke":   func() sica.Config { return sica.PaperRF().Smoke() },
	},
}

// config returns the settings of the method's preset.
func config(method, preset string) (sica.Config, error) {
	of, ok := presets[method]
	if !ok {
		return sica.Config{}, usagef("unknown --method %q: use %s", method, names(presets))
	}
	make, ok := of[preset]
	if !ok {
		return sica.Config{}, usagef("--method %s has no --preset %q: use %s", method, preset, names(of))
	}
	return make(), nil
}

// names lists the keys of m in order.
func names[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
