package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/scripts/quality/mixtures"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// reading is a way to read what the paper leaves open of SICA-WGF: the step η, the
// signals' scale and whether networks go on from one iteration to the next.
type reading struct {
	name   string
	change func(c *sica.Config) // sica.PaperWGF
}

// readings are the preset, then one change of it each. The last two aren't
// readings: they show what is missing.
var readings = []reading{
	{"as `PaperWGF`", func(*sica.Config) {}},
	{"η = 0.1", step(0.1)},
	{"η = 10", step(10)},
	{"as they are mixed, η = 1", raw(1)},
	{"as they are mixed, η = 200", raw(200)},
	{"standardised after each iteration", func(c *sica.Config) { c.Flow.Standardise = true }},
	{"networks go on", func(c *sica.Config) { c.Flow.WarmStart = true }},
	{"new permutations each epoch", func(c *sica.Config) { c.Flow.FreshProduct = true }},
	{"learning rate 1e-3", func(c *sica.Config) { c.Flow.LearningRate = 1e-3 }},
	{"from ZCA", func(c *sica.Config) { c.Transforms = []preprocess.Transform{preprocess.ZCA} }},
}

func step(eta float64) func(*sica.Config) {
	return func(c *sica.Config) { c.Flow.FirstStep, c.Flow.LastStep = eta, eta }
}

// raw begins with the mixed signals, of whatever scale.
func raw(eta float64) func(*sica.Config) {
	return func(c *sica.Config) {
		c.Transforms = nil
		step(eta)(c)
	}
}

// readMixtures are those of the paper on which SICA-WGF takes seconds.
func readMixtures() []mixtures.Mixture {
	names := []string{"heart, u ordered", "AR(7), linear, J=5", "AR(7), GELU, J=5"}
	return slices.DeleteFunc(mixtures.All(), func(m mixtures.Mixture) bool { return !slices.Contains(names, m.Name) })
}

// readRun is one fit with a reading.
type readRun struct {
	Problem string `json:"problem"`
	Reading string `json:"reading"`
	Seed    uint64 `json:"seed"`
	Backend string `json:"backend"`
	// MCC holds that of the start and of each iterate, Best the place of the
	// result in it: the last, unless the flow went astray.
	MCC  []float64 `json:"mcc"`
	Best int       `json:"best"`
	Why  string    `json:"why"`
	// Machine is nil in runs of before it was recorded.
	Machine *provenance.Machine `json:"machine,omitempty"`
}

// measureReadings makes every fit that isn't in OUT/readings.jsonl yet, and writes
// OUT/readings.md.
func measureReadings(ctx context.Context, log io.Writer, b compute.Backend, seed uint64, runs int, out string) (err error) {
	if runs < 2 {
		return fmt.Errorf("%d runs: want at least 2, for a standard error", runs)
	}
	file, made, err := begin[readRun](out, "readings")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, mixture := range readMixtures() {
		for _, r := range readings {
			for at := seed; at < seed+uint64(runs); at++ {
				if slices.ContainsFunc(made, func(m readRun) bool { return m.Problem == mixture.Name && m.Reading == r.name && m.Seed == at }) {
					continue
				}
				run, err := read(ctx, b, mixture, r, at)
				if err != nil {
					return fmt.Errorf("%s, %s, seed %d: %w", mixture.Name, r.name, at, err)
				}
				fmt.Fprintf(log, "%s, %s, seed %d: MCC %.3f to %.3f\n", mixture.Name, r.name, at, run.MCC[0], run.MCC[run.Best])
				made = append(made, run)
				if err := file.Add(run); err != nil {
					return err
				}
			}
		}
	}
	return atomicfile.Write(filepath.Join(out, "readings.md"), func(w io.Writer) error {
		return writeReadings(io.MultiWriter(w, log), made)
	})
}

// read separates one mixture with a reading.
func read(ctx context.Context, b compute.Backend, mixture mixtures.Mixture, r reading, seed uint64) (readRun, error) {
	s, mixed, err := mixture.Draw(seed)
	if err != nil {
		return readRun{}, err
	}
	cfg := sica.PaperWGF()
	cfg.Shape, cfg.Seed = mixed.Shape(), seed
	r.change(&cfg)
	var iterates []*mat.Dense
	cfg.Flow.OnIteration = func(_ int, it sica.Iteration) { iterates = append(iterates, it.Z) }
	result, err := sica.Fit(ctx, b, mixed.X(), cfg)
	if err != nil && !errors.Is(err, sica.ErrNotFinite) { // an iterate that isn't finite is a result too
		return readRun{}, err
	}
	run := readRun{Problem: mixture.Name, Reading: r.name, Seed: seed, Backend: backend.NameOf(b), Best: result.Best, Why: result.Why, Machine: machineOf(b)}
	for _, z := range append([]*mat.Dense{result.Initial}, iterates...) {
		m, err := metric.MCC(z, s)
		if err != nil {
			return readRun{}, err
		}
		run.MCC = append(run.MCC, m.MCC)
	}
	return run, nil
}

// writeReadings writes a line for each reading: the mean MCC of the results and,
// as oracle, of the iterates that the truth says are best.
func writeReadings(w io.Writer, made []readRun) error {
	text, line := "| SICA-WGF |", "| --- |"
	for _, mixture := range readMixtures() {
		text += " " + mixture.Name + " | oracle |"
		line += " ---: | ---: |"
	}
	text += "\n" + line + "\n"
	for _, r := range readings {
		text += "| " + r.name + " |"
		for _, mixture := range readMixtures() {
			var last, best []float64
			for _, m := range made {
				if m.Problem == mixture.Name && m.Reading == r.name {
					last, best = append(last, m.MCC[m.Best]), append(best, slices.Max(m.MCC))
				}
			}
			if len(last) < 2 {
				text += " – | – |"
				continue
			}
			text += " " + inBrackets(last) + " | " + inBrackets(best) + " |"
		}
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
