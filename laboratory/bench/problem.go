package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// The cases, each with its unit of work.
const (
	rfTrainStep  = "rf_train_step"  // a training step of the rectified flow's network
	wgfTrainStep = "wgf_train_step" // one of the density ratio's network
	refine       = "refine"         // an Euler step of the rectified flow, of every position
	fastFit      = "fastwgf_fit"    // all 25 iterations of sica.FastWGF
)

// problem is what every implementation is given.
type problem struct {
	kind  string // a case
	d     int
	shape []int // of the index
	runs  int
}

func (p problem) positions() int { return grid.Product(p.shape) }

func (p problem) String() string {
	return fmt.Sprintf("%s d=%d T=%s R=%d", p.kind, p.d, axes(p.shape), p.runs)
}

// problems returns those of the options, in the order of the table.
func problems(o options) []problem {
	var all []problem
	add := func(kind string, d, runs int, shape ...int) {
		all = append(all, problem{kind: kind, d: d, runs: runs, shape: shape})
	}
	if o.smoke {
		add(rfTrainStep, 2, 1, 32)
		add(wgfTrainStep, 2, 2, 4, 4)
		add(refine, 2, 1, 32)
		add(fastFit, 2, 1, 256)
	} else {
		for _, kind := range []string{rfTrainStep, wgfTrainStep} {
			for _, t := range []int{1024, 256, 4096} {
				add(kind, 2, 1, t)
			}
			for _, d := range []int{3, 8} {
				add(kind, d, 1, 1024)
			}
			add(kind, 2, 1, 32, 32)
			for _, runs := range []int{4, 20} {
				add(kind, 2, runs, 1024)
			}
		}
		for _, t := range []int{1024, 256, 4096} {
			add(refine, 2, 1, t)
		}
		add(refine, 2, 1, 32, 32)
		add(fastFit, 2, 1, 1024)
		add(fastFit, 3, 1, 1024)
		add(fastFit, 8, 1, 1024)
		add(fastFit, 2, 1, 4096)
		add(fastFit, 2, 4, 1024)
		add(fastFit, 2, 20, 1024)
	}
	return slices.DeleteFunc(all, func(p problem) bool { return !o.wants(p.String()) })
}

// wants reports whether a problem of this name is to be measured.
func (o options) wants(name string) bool {
	contains := func(part string) bool { return strings.Contains(name, part) }
	return len(o.only) == 0 || slices.ContainsFunc(o.only, contains)
}

const (
	steps    = 10 // batches, over which losses are compared
	channels = 16 // of the paper's network
)

// settings returns the settings of the case's method.
func (p problem) settings() *klflow.Config {
	switch p.kind {
	case wgfTrainStep:
		return sica.PaperWGF().Flow
	case fastFit:
		return sica.FastWGF().Flow
	}
	return sica.PaperRF().Flow
}

// networks returns the number of networks that are trained together: one a run, but with
// the settings of FastWGF one run's, on each fold one that sees the predictions and one
// that doesn't.
func (p problem) networks() int {
	if p.kind == fastFit {
		return 2 * p.settings().Folds
	}
	return p.runs
}

// array is a tensor that all implementations share: float32 or int32.
type array struct {
	dims   []int
	floats []float32
	ints   []int32
}

// arrays draws the signals, the weights and the batches of a problem, by name.
func (p problem) arrays() map[string]array {
	rng := rand.New(rand.NewPCG(2026, uint64(p.positions()*100+p.d)))
	cfg, networks := p.settings(), p.networks()
	a := make(map[string]array)
	uniform := func(name string, bound float64, dims ...int) {
		a[name] = drawn(dims, func() float64 { return bound * (2*rng.Float64() - 1) })
	}
	normal := func(name string, scale float64, dims ...int) {
		a[name] = drawn(dims, func() float64 { return scale * rng.NormFloat64() })
	}
	positions := func(name string, dims ...int) {
		x := array{dims: dims}
		for range grid.Product(dims) {
			x.ints = append(x.ints, int32(rng.IntN(p.positions())))
		}
		a[name] = x
	}
	affine := func(name string, runs, fanIn int, kernel []int, outputs int) { // as PyTorch draws it
		bound := 1 / math.Sqrt(float64(fanIn))
		uniform(name+"_weights", bound, append(append([]int{runs}, kernel...), outputs)...)
		uniform(name+"_biases", bound, runs, outputs)
	}

	normal("z", 1, p.runs, p.d, p.positions())
	if p.kind == fastFit {
		normal("predictions", 1, 1, p.d, p.positions())
		normal("noise", cfg.Noise, steps, networks, 2*cfg.BatchSize, 2*p.d)
		positions("joint", steps, networks, cfg.BatchSize)
		positions("product", steps, networks, cfg.BatchSize, p.d)
		a["mask"] = defaultMask(networks, p.d)
		width := 2 * p.d
		for i, hidden := range cfg.Hidden {
			affine(fmt.Sprintf("hidden_%d", i), networks, width, []int{width}, hidden)
			width = hidden
		}
		affine("output", networks, width, []int{width}, 1)
		return a
	}
	inputs, outputs := 3*p.d, 1
	if cfg.Kind == klflow.RF {
		inputs, outputs = 5*p.d+1, p.d
	}
	taps, kernel := 1, []int(nil)
	for range p.shape {
		taps *= 3
		kernel = append(kernel, 3)
	}
	for i, in := range []int{inputs, channels, channels} {
		affine(fmt.Sprintf("conv_%d", i), p.runs, taps*in,
			append(kernel[:len(kernel):len(kernel)], in), channels)
	}
	affine("output", p.runs, p.positions()*channels, []int{p.positions() * channels}, outputs)
	positions("joint", steps, p.runs, cfg.BatchSize)
	positions("product", steps, p.runs, cfg.BatchSize, p.d)
	a["tau"] = drawn([]int{steps, p.runs, cfg.BatchSize}, rng.Float64)
	return a
}

// defaultMask lets the first half of the networks see the values only, the others
// their predictions too.
func defaultMask(networks, d int) array {
	mask := array{dims: []int{networks, 1, 2 * d}}
	for n := range networks {
		for i := range 2 * d {
			seen := float32(1)
			if n < networks/2 && i >= d {
				seen = 0
			}
			mask.floats = append(mask.floats, seen)
		}
	}
	return mask
}

func drawn(dims []int, draw func() float64) array {
	x := array{dims: dims}
	for range grid.Product(dims) {
		x.floats = append(x.floats, float32(draw()))
	}
	return x
}

// times repeats the array n times along its first axis.
func (a array) times(n int) array {
	dims := slices.Clone(a.dims)
	dims[0] *= n
	return array{dims: dims, floats: slices.Repeat(a.floats, n), ints: slices.Repeat(a.ints, n)}
}

// first returns the first entry of an array of floats along its first axis, which stays.
func (a array) first() array {
	dims := slices.Clone(a.dims)
	dims[0] = 1
	return array{dims: dims, floats: a.floats[:grid.Product(dims)]}
}

// writeArrays writes each array to folder/name.npy.
func writeArrays(folder string, arrays map[string]array) error {
	for name, a := range arrays {
		f, err := os.Create(filepath.Join(folder, name+".npy"))
		if err != nil {
			return err
		}
		err = a.write(f)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

// write writes the NPY format, version 1.0. (The npyio package writes no more
// than two axes.)
func (a array) write(w io.Writer) error {
	dtype, data := "<f4", any(a.floats)
	if len(a.ints) > 0 {
		dtype, data = "<i4", a.ints
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }", dtype,
		strings.Trim(strings.ReplaceAll(fmt.Sprint(a.dims), " ", ","), "[]"))
	const preamble = 10 // magic, version and the header's length
	header += strings.Repeat(" ", 63-(preamble+len(header))%64) + "\n"
	if _, err := io.WriteString(w, "\x93NUMPY\x01\x00"); err != nil {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, uint16(len(header))); err != nil {
		return err
	}
	if _, err := io.WriteString(w, header); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, data)
}
