package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/seed-47b1e431/gosica/sica"
)

// A method without a default preset has its first one if none is given, with a note.
func TestOnlyPreset(t *testing.T) {
	given := func(flags ...string) func(string) bool {
		return func(flag string) bool { return slices.Contains(flags, flag) }
	}
	for _, c := range []struct {
		method, preset string
		given          []string
		want           string // the preset, or a part of the error
		noted          bool
	}{
		{"sica-wgf", "default", nil, "paper", true},
		{"sica-wgf", "smoke", []string{"preset"}, "smoke", false},
		{"sica-wgf", "default", []string{"preset"}, "use paper, smoke", false},
		{"sica", "default", nil, "default", false},
		{"sica-linear", "default", nil, "default", false},
	} {
		opt := fitOptions{method: c.method, preset: c.preset, backend: "go", seed: 1}
		cfg, err := opt.config(given(c.given...))
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if opt.preset != c.want || len(opt.notes) > 0 != c.noted {
			t.Errorf("%+v: preset %s, notes %q", c, opt.preset, opt.notes)
		}
		if paper := sica.PaperWGF(); c.want == "paper" && cfg.Flow.Iterations != paper.Flow.Iterations {
			t.Errorf("%+v: %d iterations, want the paper's %d", c, cfg.Flow.Iterations,
				paper.Flow.Iterations)
		}
		if c.method == "sica-linear" && cfg.Mode != sica.LinearOnly {
			t.Errorf("%+v: method %q", c, cfg.Mode)
		}
	}
}

// A flag that is given twice adds up, or is an error: no value is ignored.
func TestFlagsGivenTwice(t *testing.T) {
	values := map[string][2]string{
		"bool": {"true", "true"}, "int": {"3", "4"}, "uint64": {"3", "4"}, "float64": {"1.5", "2"},
		"string": {"a", "b"}, "stringArray": {"a", "b"}, "stringSlice": {"a", "b"},
		"intSlice": {"3", "4"}, "float64Slice": {"50", "60"},
	}
	for _, cmd := range newRoot(func() {}).Commands() {
		if !cmd.Runnable() { // a topic of the help
			continue
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			v := values[flag.Value.Type()]
			if flag.Name == "help" {
				return
			}
			if err := cmd.Flags().Set(flag.Name, v[0]); err != nil {
				t.Fatalf("%s --%s: %v", cmd.Name(), flag.Name, err)
			}
			err := cmd.Flags().Set(flag.Name, v[1])
			list, isList := flag.Value.(pflag.SliceValue)
			if isList && (err != nil || len(list.GetSlice()) != 2) {
				t.Errorf("%s --%s: %v, has %q", cmd.Name(), flag.Name, err, list.GetSlice())
			}
			if !isList && err == nil {
				t.Errorf("%s --%s: %s is ignored", cmd.Name(), flag.Name, v[0])
			}
		})
	}
}

// Without a flow there are no iterations to keep, which is said; the linear demixing alone has a name.
func TestResumeWithoutAFlow(t *testing.T) {
	dir := t.TempDir()
	x := mixedLaplace(t, 2, 400)
	var rows strings.Builder
	for k := range 400 {
		fmt.Fprintf(&rows, "%g,%g\n", x.At(0, k), x.At(1, k))
	}
	in := write(t, dir, "in.csv", rows.String())
	said := must(t, "separate", "--in", in, "--out", filepath.Join(dir, "z.csv"), "--method", "sica-linear",
		"--resume")
	if !strings.Contains(said, "this fit makes none") || !strings.Contains(said, "signals are identified") {
		t.Errorf("separate printed %q", said)
	}
}

// A recording with a rate isn't taken for images, whatever it looks like.
func TestNoImagesOfARate(t *testing.T) {
	dir := t.TempDir()
	const width, n = 50, 50 * 60
	var plain, timed strings.Builder
	timed.WriteString("time,a,b\n")
	random := rand.New(rand.NewPCG(3, 0)).NormFloat64
	image := make([]float64, n) // smooth along rows of 50 and across them, with edges between
	for k := range image {
		image[k] = 0.1 * random()
		if k%width > 0 {
			image[k] += 0.9 * image[k-1]
		}
		if k >= width {
			image[k] += 0.9 * image[k-width]
		}
		if k%width > 0 && k >= width {
			image[k] -= 0.81 * image[k-width-1]
		}
	}
	for k := range n {
		other := 0.3*image[k] + 0.2*random()
		fmt.Fprintf(&plain, "%g,%g\n", image[k], other)
		fmt.Fprintf(&timed, "%g,%g,%g\n", float64(k)/100, image[k], other)
	}
	for name, text := range map[string]string{"plain.csv": plain.String(), "timed.csv": timed.String()} {
		said := must(t, "separate", "--in", write(t, dir, name, text), "--out", filepath.Join(dir, "z.csv"),
			"--method", "sica-linear", "--backend", "go")
		if hinted := strings.Contains(said, "look like images of"); hinted != (name == "plain.csv") {
			t.Errorf("%s: separate printed %q", name, said)
		}
	}
}
