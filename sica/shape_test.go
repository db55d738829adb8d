package sica

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// smoothImages returns three smooth random images of that size, mixed.
func smoothImages(t *testing.T, height, width int) *mat.Dense {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 1))
	z := mat.NewDense(3, height*width, nil)
	for i := range 3 {
		image := z.RawRowView(i)
		for k := range image {
			image[k] = rng.NormFloat64()
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
	}
	x, err := datasets.LinearMix(mat.NewDense(3, 3, []float64{2, 1, 0, -1, 1, 1, .5, 0, 1}), z)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Images without a Shape are recognised and those with a wrong one get a hint; sequences are neither.
func TestShapeHint(t *testing.T) {
	recognise := func(x *mat.Dense, method Mode, shape ...int) ([]int, string) {
		f := &fitting{cfg: Config{Mode: method, Shape: shape}}
		f.recognise([]Run{{X: x}})
		return f.cfg.Shape, f.shapeHint(x)
	}
	x := smoothImages(t, 48, 64)
	for _, test := range []struct {
		method      Mode
		given, want []int
		hint        string
	}{
		{Auto, nil, []int{48, 64}, "images of 48×64 and were taken for such: set Config.Shape to {3072} if they are sequences"},
		{LinearOnly, nil, []int{48, 64}, "images of 48×64"},
		{NetworkOnly, nil, nil, "set Config.Shape to {48, 64}"},
		{Auto, []int{24, 128}, []int{24, 128}, "rows of 64 positions; Config.Shape has rows of 128"},
		{Auto, []int{48, 64}, []int{48, 64}, ""},
		{Auto, []int{48 * 64}, []int{48 * 64}, ""},
	} {
		shape, hint := recognise(x, test.method, test.given...)
		if !slices.Equal(shape, test.want) || (hint == "") != (test.hint == "") || !strings.Contains(hint, test.hint) {
			t.Errorf("images of 48×64 as %v by %v: shape %v, %q", test.given, test.method, shape, hint)
		}
	}
	other, _ := mixedAR7(t, 1, 48*64, 3, true)
	f := &fitting{}
	if f.recognise([]Run{{X: x}, {X: other}}); f.cfg.Shape != nil {
		t.Errorf("images and a sequence: shape %v", f.cfg.Shape)
	}
	photographs, _, err := datasets.Photographs()
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := datasets.LinearMix(mat.NewDense(3, 3, []float64{2, 1, 0, -1, 1, 1, .5, 0, 1}), photographs)
	if err != nil {
		t.Fatal(err)
	}
	if shape, _ := recognise(mixed, Auto); !slices.Equal(shape, []int{128, 128}) {
		t.Errorf("photographs of 128×128: shape %v", shape)
	}
	saw := mat.NewDense(2, 8000, nil)
	rng := rand.New(rand.NewPCG(6, 1))
	saw.Apply(func(i, t int, _ float64) float64 {
		return float64(t%[]int{50, 16}[i])/16 + 0.1*rng.NormFloat64()
	}, saw)
	if shape, hint := recognise(saw, Auto); shape != nil || hint != "" {
		t.Errorf("sawtooth waves: shape %v, %q", shape, hint)
	}
	for seed := range uint64(30) {
		x, _ := mixedAR7(t, seed, 1024, 3, true)
		if shape, hint := recognise(x, Auto); shape != nil || hint != "" {
			t.Errorf("AR(7), seed %d: shape %v, %q", seed, shape, hint)
		}
	}
}

// A fit drops axes of length 1: the result is that without them.
func TestFitDropsAxesOfLengthOne(t *testing.T) {
	x := smoothImages(t, 24, 32)
	fit := func(shape ...int) *Result {
		r, err := Fit(t.Context(), x, Config{Mode: LinearOnly, Shape: shape})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	got, want := fit(24, 1, 32), fit(24, 32)
	if !mat.Equal(got.Z, want.Z) || !slices.Equal(got.Shape, []int{24, 32}) || got.Why != want.Why {
		t.Errorf("shape %v: %s; want shape %v: %s", got.Shape, got.Why, want.Shape, want.Why)
	}
}

// Images without a Shape are separated as with it. A nil backend is pure Go, Why has a hint, and the
// text of a result has two lines.
func TestFitWithoutBackend(t *testing.T) {
	cfg := Default()
	cfg.Mode = LinearOnly
	r, err := Fit(t.Context(), smoothImages(t, 24, 32), cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Shape = []int{24, 32}
	if same, err := Fit(t.Context(), smoothImages(t, 24, 32), cfg); err != nil || !mat.Equal(same.Z, r.Z) ||
		!slices.Equal(r.Shape, cfg.Shape) {
		t.Errorf("without a shape: shape %v, other signals than with it; %v", r.Shape, err)
	}
	if r.Backend != "Go Backend" || !strings.HasSuffix(r.Why, "set Config.Shape to {768} if they are sequences.") {
		t.Errorf("backend %q: %s", r.Backend, r.Why)
	}
	text := fmt.Sprint(r)
	if lines := strings.Split(text, "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "3 signals at 768 positions by ") ||
		!strings.Contains(lines[0], "identified: ") || lines[1] != r.Why {
		t.Errorf("%q", text)
	}
}

// signed is a transform of one's own that says that it is pointwise.
type signed struct{ pointwise bool }

func (s signed) Apply(x *mat.Dense) (*mat.Dense, error)  { return mat.DenseCopyOf(x), nil }
func (s signed) Invert(z *mat.Dense) (*mat.Dense, error) { return mat.DenseCopyOf(z), nil }
func (s signed) Pointwise() bool                         { return s.pointwise }

// A custom transform says whether it is pointwise.
func TestPointwiseTransform(t *testing.T) {
	x, _ := mixedAR7(t, 3, 256, 2, true)
	for _, pointwise := range []bool{true, false} {
		cfg := Default()
		cfg.Mode = LinearOnly
		cfg.Prepare = fitterOf{signed{pointwise}}
		r, err := Fit(t.Context(), x, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.CheckPointwise(); (err == nil) != pointwise {
			t.Errorf("pointwise %v: %v", pointwise, err)
		}
	}
}

// fitterOf fits what it is.
type fitterOf struct{ preprocess.Applier }

func (f fitterOf) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) { return f.Applier, nil }

// The zero Config is Default with the seed 0.
func TestZeroConfig(t *testing.T) {
	x := smoothImages(t, 24, 32)
	cfg := Default()
	cfg.Seed = 0
	if !reflect.DeepEqual(cfg, Config{}) {
		t.Errorf("Default without a seed is %+v", cfg)
	}
	r, err := Fit(t.Context(), x, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if mat.Equal(r.Z, x) {
		t.Errorf("nothing was separated: %s", r.Why)
	}
}
