package sica_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/report"
)

var updateRecorded = flag.Bool("update-recorded", false,
	"write testdata anew: what TestRecoveryAsRecorded and TestReportAsRecorded compare with, and a checkpoint")

// A recordedFit is what came out of a fit on one machine.
type recordedFit struct {
	MCC  float64 `json:"mcc"`
	Best int     `json:"best"` // as Result.Best
}

// roundingMCC is how far other instructions may move an MCC: XLA kept to AVX2 and to SSE4.2, and Go
// with and without its vectors, moved none by more than a tenth of it.
const roundingMCC = 1e-4

// Fits recover the sources as well as they did for testdata/recorded.json, up to the rounding of other
// processors: the paper's presets at smoke size, and Default on mixtures of two, three and eight
// signals, images and a video, on each backend; on XLA without --long only two of them.
func TestRecoveryAsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	path := filepath.Join("testdata", "recorded.json")
	recorded := make(map[string]recordedFit) // by backend and name
	if err := json.Unmarshal(readFile(t, path), &recorded); err != nil && !*updateRecorded {
		t.Fatal(err)
	}
	found := make(map[string]recordedFit)
	for _, name := range backend.Available() {
		b := backendtest.Open(t, name)
		for _, f := range smallFits(t) {
			if name != backend.Go && !f.compiled && !sica.Long() && !*updateRecorded {
				continue
			}
			key := name + " " + f.name
			t.Run(key, func(t *testing.T) {
				got := f.fit(t, b)
				found[key] = got
				if *updateRecorded {
					return
				}
				want, ok := recorded[key]
				if !ok {
					t.Fatal("it isn't recorded")
				}
				if math.Abs(got.MCC-want.MCC) > roundingMCC {
					t.Errorf("MCC %.6f, was %.6f", got.MCC, want.MCC)
				}
			})
		}
	}
	if *updateRecorded {
		data, err := json.MarshalIndent(found, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(data, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A smallFit is a fit of TestRecoveryAsRecorded.
type smallFit struct {
	name  string
	s, x  *mat.Dense
	shape []int
	cfg   sica.Config

	// compiled says that it is made on XLA without --long too.
	compiled bool
}

func (f smallFit) fit(t *testing.T, b compute.Backend) recordedFit {
	t.Helper()
	cfg := f.cfg
	cfg.Shape = f.shape
	r, err := sica.Fit(t.Context(), f.x, cfg.On(b))
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	match, err := metric.MCC(r.Z, f.s)
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return recordedFit{MCC: match.MCC, Best: r.Best}
}

// smallFits are the fits of TestRecoveryAsRecorded. Default makes few iterations, which use
// every part of it.
func smallFits(t *testing.T) []smallFit {
	t.Helper()
	few := sica.FastWGF()
	few.Flow.Iterations, few.Flow.Steps = 4, 20
	narrow := few.Clone()
	narrow.Flow.Windows = []int{1}
	wgf, rf := sica.PaperWGF().Smoke(), sica.PaperRF().Smoke()
	window := sica.FastWGF().Smoke()
	window.Flow.Context, window.Flow.Windows, window.Flow.Hidden, window.Flow.Family = klflow.LocalWindow, []int{0, 2}, []int{16}, klflow.Free

	ar := func(d, n int, innovation func(*rand.Rand) float64, coefficients ...float64) *mat.Dense {
		process := datasets.ARProcess{Coefficients: coefficients, Scale: 1, Innovation: innovation}
		return must(t)(datasets.AR(rand.New(rand.NewPCG(uint64(d), uint64(n))), n, slices.Repeat([]datasets.ARProcess{process}, d)...))
	}
	spectra := func(d, n int) *mat.Dense {
		var processes []datasets.ARProcess
		for i := range d {
			c := .9 - 1.8*float64(i)/float64(d-1)
			processes = append(processes, datasets.ARProcess{Coefficients: []float64{c}, Scale: 1})
		}
		return must(t)(datasets.AR(rand.New(rand.NewPCG(7, uint64(d))), n, processes...))
	}
	random := func(s *mat.Dense) *mat.Dense {
		d, _ := s.Dims()
		rng := rand.New(rand.NewPCG(11, uint64(d)))
		a := mat.NewDense(d, d, nil)
		a.Apply(func(i, j int, _ float64) float64 { return rng.NormFloat64() + map[bool]float64{true: 2}[i == j] }, a)
		return must(t)(datasets.LinearMix(a, s))
	}
	steps := func(s *mat.Dense, n int, h func(float64) float64) *mat.Dense {
		return must(t)(datasets.Mix(s, datasets.MixOptions{Steps: n, H: h}))
	}
	ar7 := must(t)(datasets.AR7(rand.New(rand.NewPCG(1, 0)), 2, 256))
	ar7x3 := must(t)(datasets.AR7(rand.New(rand.NewPCG(2, 0)), 3, 300))
	heart := must(t)(datasets.Heart(rand.New(rand.NewPCG(3, 0)), datasets.HeartOptions{T: 256, Noise: .1, Ordered: true}))
	digits, _, err := datasets.MNIST(rand.New(rand.NewPCG(4, 0)), 3)
	if err != nil {
		t.Fatal(err)
	}
	side := datasets.MNISTSide
	laplace2, uniform3, laplace8 := ar(2, 256, datasets.Laplace), ar(3, 300, datasets.Uniform), ar(8, 256, datasets.Laplace, .7)
	gauss2, gauss8 := spectra(2, 300), spectra(8, 300)
	video, clip := ar(2, 4*8*8, datasets.Laplace), ar(2, 4*4*4, datasets.Laplace)
	return []smallFit{
		{"wgf ar7 gelu", ar7, steps(ar7, 5, datasets.GELU), nil, wgf, false},
		{"rf ar7 gelu", ar7, steps(ar7, 5, datasets.GELU), nil, rf, false},
		{"wgf video", clip, random(clip), []int{4, 4, 4}, wgf, false},
		{"window ar7", ar7, steps(ar7, 5, nil), nil, window, false},
		{"ar7 linear", ar7, steps(ar7, 5, nil), nil, few, true},
		{"ar7 gelu", ar7, steps(ar7, 5, datasets.GELU), nil, few, false},
		{"three ar7", ar7x3, steps(ar7x3, 10, nil), nil, few, false},
		{"heart", heart, must(t)(datasets.LinearMix(datasets.HeartMixing(), heart)), nil, few, false},
		{"laplace", laplace2, random(laplace2), nil, few, false},
		{"three uniform", uniform3, random(uniform3), nil, few, false},
		{"eight laplace", laplace8, random(laplace8), nil, few, false},
		{"two spectra", gauss2, random(gauss2), nil, few, false},
		{"eight spectra", gauss8, random(gauss8), nil, few, false},
		{"digits linear", digits, steps(digits, 5, nil), []int{side, side}, few, false},
		{"digits gelu", digits, random(steps(digits, 3, datasets.GELU)), []int{side, side}, few, true},
		{"video", video, random(video), []int{4, 8, 8}, narrow, false},
	}
}

// A report comes to the verdict and the dependence that it had for testdata/report.json, up to the
// rounding of other processors.
func TestReportAsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	b := backendtest.Open(t, backend.Go)
	s := must(t)(datasets.AR7(rand.New(rand.NewPCG(5, 0)), 2, 200))
	x := must(t)(datasets.Mix(s, datasets.MixOptions{Steps: 3, H: datasets.GELU}))
	cfg := sica.FastWGF()
	cfg.Flow.Iterations, cfg.Flow.Steps = 2, 10
	r, err := sica.Fit(t.Context(), x, cfg.On(b))
	if err != nil {
		t.Fatal(err)
	}
	found, err := report.New(t.Context(), r, x, report.Config{Backend: b, Refits: 2})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "report.json")
	if *updateRecorded {
		found.Elapsed = 0
		got, err := json.MarshalIndent(found, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(got, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var was report.Report
	if err := json.Unmarshal(readFile(t, path), &was); err != nil {
		t.Fatal(err)
	}
	got, want := found.Recovered.Dependence, was.Recovered.Dependence
	if was.Verdict != found.Verdict || math.Abs(want.Estimate-got.Estimate) > 1e-3 {
		t.Errorf("the verdict is %q of dependence %v, was %q of %v", found.Verdict, got, was.Verdict,
			want)
	}
}

// A fit continues from a checkpoint that the last version wrote after the first of two iterations:
// it makes only the second, and has the signals of an uninterrupted fit.
func TestCheckpointOfLastVersionContinues(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	golden := filepath.Join("testdata", "checkpoint-2")
	cfg := sica.FastWGF().Smoke()
	cfg.Flow.Hidden, cfg.Flow.Steps = []int{4}, 5
	mixed := filepath.Join("testdata", "checkpoint-2-mixed.npy")
	if *updateRecorded {
		s := must(t)(datasets.AR7(rand.New(rand.NewPCG(6, 0)), 2, 128))
		if err := datasets.WriteFile(mixed, must(t)(datasets.Mix(s, datasets.MixOptions{Steps: 2}))); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(golden); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		interrupted := cfg.Clone()
		interrupted.Checkpoint = golden
		interrupted.Flow.OnIteration = func(int, klflow.Iteration) { cancel() }
		if _, err := sica.Fit(ctx, must(t)(datasets.ReadFile(mixed)), interrupted.On(b)); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	x := must(t)(datasets.ReadFile(mixed))
	whole, err := sica.Fit(t.Context(), x, cfg.On(b))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	if err := os.CopyFS(cfg.Checkpoint, os.DirFS(golden)); err != nil {
		t.Fatal(err)
	}
	var made []int
	cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) { made = append(made, it.J) }
	r, err := sica.Fit(t.Context(), x, cfg.On(b))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(made, []int{2}) {
		t.Errorf("going on made iterations %v, want the second", made)
	}
	if !mat.EqualApprox(r.Z, whole.Z, 1e-4) { // float32 on another machine
		t.Error("going on came to other signals")
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !*updateRecorded {
		t.Fatal(err)
	}
	return data
}

func must(t *testing.T) func(*mat.Dense, error) *mat.Dense {
	return func(x *mat.Dense, err error) *mat.Dense {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}
