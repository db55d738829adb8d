// Package methods lists SICA and its rivals by name, each with its presets of settings, so that
// programs can compare them on the same signals:
//
//	x, err := ica.New(mixed)
//	for _, name := range []string{"sica", "fastica", "picard"} {
//		m, err := methods.Named(name)
//		r, err := m.Fit(ctx, methods.Task{
//			Backend: b, Signals: x, Preset: m.Nearest(methods.Default), Seed: 1,
//		})
//		match, err := metric.MCC(r.Signals, sources)
//	}
//
// The names to know are All, Named and Entry.Fit. The rivals themselves, with all of their
// settings, are the packages below sica/baseline; SICA is package sica.
package methods

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/jade"
	"github.com/seed-47b1e431/gosica/sica/baseline/sobi"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// A Preset names a method's settings.
type Preset string

const (
	// Paper is the settings that SICA's paper gives.
	Paper Preset = "paper"
	// Default is the settings that this project chose by measurement.
	Default Preset = "default"
	// Smoke is a few steps of Paper, or of Default for a method that isn't in the paper: it
	// shows in seconds that everything works, and nothing else.
	Smoke Preset = "smoke"
)

// An Entry is one method of All, which separates mixed signals with the settings of a preset.
type Entry struct {
	// Name is short, in lower case, such as "sica-rf": for flags and files.
	Name string
	// Label is the method's name in pictures and tables; see plot.HasStyle. In tables sica.Default
	// is "Default".
	Label string
	// Presets are those that the method has, none if it has no settings.
	Presets []Preset
	// New returns the method with the settings of a task.
	New func(t Task) ica.Method
}

// A Task is what a method gets to do.
type Task struct {
	Backend compute.Backend
	Signals *ica.Signals
	Preset  Preset // one of the method's, "" if it has none
	Seed    uint64
	// Checkpoint is a folder for sica.Config.Checkpoint, "" for none. Only SICA with the paper's
	// settings, which takes minutes an iteration, uses it.
	Checkpoint string
}

// All returns all methods: SICA with this project's settings, by the linear rule alone, by
// invertible networks and by a flow of seconds; SICA with the paper's two flows, the rectified
// one also kept to scale; the paper's rivals and other linear methods; and what needs no
// training at all.
func All() []Entry {
	all := []Preset{Paper, Default, Smoke}
	paper := []Preset{Paper, Smoke}
	chosen := []Preset{Default, Smoke}
	return []Entry{
		{Name: "sica", Label: plot.Default, Presets: chosen, New: SICA(sica.Default)},
		{Name: "sica-linear", Label: plot.SICALinear, New: newLinear},
		{Name: "sica-direct", Label: plot.SICADirect, Presets: chosen, New: SICA(sica.Direct)},
		{Name: "sica-fast", Label: plot.SICAFast, Presets: chosen, New: SICA(sica.FastWGF)},
		{Name: "sica-wgf", Label: plot.SICAWGF, Presets: paper, New: SICA(sica.PaperWGF)},
		{Name: "sica-rf", Label: plot.SICARF, Presets: paper, New: SICA(sica.PaperRF)},
		{Name: "sica-rf-standardised", Label: plot.StandardisedRF, Presets: paper,
			New: SICA(standardisedRF)},
		{Name: "fastica", Label: plot.FastICA, Presets: all, New: newFastICA},
		{Name: "lica", Label: plot.LICA, Presets: all, New: newLICA},
		{Name: "pcl", Label: plot.PCL, Presets: all, New: newPCL},
		{Name: "ivae", Label: plot.IVAE, Presets: all, New: newIVAE},
		{Name: "sobi", Label: plot.SOBI, Presets: chosen, New: fixed(sobi.Default())},
		{Name: "jade", Label: plot.JADE, Presets: chosen, New: fixed(jade.Default())},
		{Name: "picard", Label: plot.Picard, Presets: chosen, New: newPicard},
		{Name: "zca", Label: plot.ZCA, New: fixed(zca.Whitening{})},
		{Name: "gaussianise+zca", Label: plot.GaussianisedZCA, New: fixed(zca.Gaussianised{})},
		{Name: "mixed", Label: plot.Mixed, New: fixed(asMixed{})},
	}
}

// Named returns the method of that name. The error lists the names.
func Named(name string) (Entry, error) {
	var names []string
	for _, m := range All() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Entry{}, fmt.Errorf("methods: name: unknown (%q); must be one of %s", name,
		strings.Join(names, ", "))
}

// has reports whether p is one of the method's presets, or "" and it has none.
func (m Entry) has(p Preset) bool {
	if len(m.Presets) == 0 {
		return p == ""
	}
	return slices.Contains(m.Presets, p)
}

// CheckPreset returns an error that names the presets unless the method has p.
func (m Entry) CheckPreset(p Preset) error {
	switch {
	case m.has(p):
		return nil
	case len(m.Presets) == 0:
		return fmt.Errorf("methods: preset: %s has no %q; must be empty, as it has no settings",
			m.Name, p)
	}
	return fmt.Errorf("methods: preset: %s has no %q; must be one of %q", m.Name, p, m.Presets)
}

// Nearest returns the preset that comes nearest to p: p itself if the method has it, else the
// first that it has, and "" if it has no settings.
func (m Entry) Nearest(p Preset) Preset {
	switch {
	case len(m.Presets) == 0:
		return ""
	case m.has(p):
		return p
	}
	return m.Presets[0]
}

// A Fitted is what a method has made of mixed signals. Its Details are a *sica.Result for
// SICA and a *linear.Solution for the linear rule alone.
type Fitted struct {
	*ica.Model
	// Config is the method's settings, as JSON shows them; nil if it has none.
	Config any
	// Elapsed is how long it took, in all processes if it went on from a checkpoint.
	Elapsed time.Duration
}

// Fit does the task. Linearly dependent signals are reduced to their principal components first;
// see sica.Config.Components. The same task gives the same signals. It is an error if the method
// has no such preset, if the signals don't suit it, if the checkpoint can't be used (it wraps
// sica.ErrCheckpoint) or, with ctx.Err() wrapped, once ctx has ended.
func (m Entry) Fit(ctx context.Context, t Task) (*Fitted, error) {
	config, err := m.Settings(t)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	model, err := m.fit(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("methods: %w", err)
	}
	f := &Fitted{Model: model, Config: config, Elapsed: time.Since(began)}
	if r, ok := model.Details.(*sica.Result); ok {
		f.Elapsed = max(f.Elapsed, r.Elapsed)
	}
	return f, nil
}

func (m Entry) fit(ctx context.Context, t Task) (*ica.Model, error) {
	method, x := m.New(t), t.Signals
	if err := x.Validate(); err != nil {
		return nil, err
	}
	switch method.(type) {
	case sicaMethod, asMixed: // without reduction, or with its own
	default:
		var err error
		if x, err = reduced(x); err != nil {
			return nil, err
		}
	}
	return method.Fit(ctx, x)
}

// reduced returns the signals, or their principal components if some of them determine
// others.
func reduced(x *ica.Signals) (*ica.Signals, error) {
	r, err := mapping.Reduce(x.X(), 0, nil)
	if err != nil || r.Components() == r.Channels() {
		return x, nil // each method says itself what is wrong with x
	}
	y, err := r.Apply(x.X())
	if err != nil {
		return nil, err
	}
	return x.WithX(y)
}
