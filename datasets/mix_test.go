package datasets

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestGELU(t *testing.T) {
	// x·Φ(x) from tables of the normal distribution; those at ±1 are also what
	// torch.nn.functional.gelu gives.
	for x, want := range map[float64]float64{
		0:    0,
		1:    0.8413447460685429,
		-1:   -0.15865525393145707,
		0.7:  0.7 * 0.7580363477769270,
		2:    1.9544997361036416,
		-10:  -7.619853024160527e-23,
		40:   40,
		1e30: 1e30,
	} {
		// In the tail, an error of ε in x is one of x²·ε in Φ(x).
		if got := GELU(x); math.Abs(got-want) > 4e-16*max(1, x*x)*math.Abs(want) {
			t.Errorf("GELU(%v) = %v, want %v", x, got, want)
		}
	}
	for x := -6.; x <= 6; x += .37 {
		// Φ(x) + Φ(−x) = 1.
		if got := GELU(x) - GELU(-x); math.Abs(got-x) > 1e-15 {
			t.Errorf("GELU(%v) − GELU(%v) = %v", x, -x, got)
		}
	}
}

// With the identity, the updates are (I + W)ᴶ·s.
func TestMixLinear(t *testing.T) {
	s, err := AR7(newRand(1), 3, 50)
	if err != nil {
		t.Fatal(err)
	}
	before := mat.DenseCopyOf(s)
	random := mat.NewDense(3, 3, []float64{.3, -1, .2, 0, .5, 2, -.7, .1, 1})
	for _, w := range []*mat.Dense{nil, random} {
		for _, steps := range []int{0, 1, 5, 20} {
			x, err := Mix(s, MixOptions{Steps: steps, W: w})
			if err != nil {
				t.Fatal(err)
			}
			var update, A mat.Dense
			update.Add(mat.NewDiagDense(3, []float64{1, 1, 1}), orPaperW(w, 3))
			A.Pow(&update, steps)
			want, err := LinearMix(&A, s)
			if err != nil {
				t.Fatal(err)
			}
			var diff mat.Dense
			diff.Sub(x, want)
			if mat.Norm(&diff, 2) > 1e-12*mat.Norm(want, 2) {
				t.Errorf("J = %d: differs from (I + W)ᴶ·s by %v", steps, mat.Norm(&diff, 2))
			}
		}
	}
	if !mat.Equal(s, before) {
		t.Error("the sources were changed")
	}
}

func orPaperW(w *mat.Dense, d int) *mat.Dense {
	if w == nil {
		return PaperW(d)
	}
	return w
}

// The paper's I + W has the eigenvectors [1, 1] and [1, −1] at d = 2, with the
// eigenvalues 2.7 and 1.3.
func TestMixEigenvectors(t *testing.T) {
	s := mat.NewDense(2, 2, []float64{1, 1, 1, -1})
	x, err := Mix(s, MixOptions{Steps: 20})
	if err != nil {
		t.Fatal(err)
	}
	a, b := math.Pow(2.7, 20), math.Pow(1.3, 20)
	if want := mat.NewDense(2, 2, []float64{a, b, a, -b}); !mat.EqualApprox(x, want, 1e-6) {
		t.Errorf("got %v, want %v", mat.Formatted(x), mat.Formatted(want))
	}
}

// With steps of δ the updates are (I + δ·W)ᴶ·s: δ·W in place of W, for the identity.
// Of GELU they aren't, as δ is outside of it.
func TestMixStepSize(t *testing.T) {
	s, err := AR7(newRand(1), 2, 50)
	if err != nil {
		t.Fatal(err)
	}
	var scaled mat.Dense
	scaled.Scale(.1, PaperW(2))
	a, err := Mix(s, MixOptions{Steps: 20, StepSize: .1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Mix(s, MixOptions{Steps: 20, W: &scaled})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(a, b, 1e-9) {
		t.Error("(I + δ·W)ᴶ·s came out otherwise")
	}
	x, err := Mix(mat.NewDense(2, 1, []float64{1, 0}), MixOptions{Steps: 1, StepSize: .1, H: GELU})
	if err != nil {
		t.Fatal(err)
	}
	if want := mat.NewDense(2, 1, []float64{1.08413447460685429, 0.05306254434438489}); !mat.EqualApprox(x, want, 1e-15) {
		t.Errorf("got %v, want %v", mat.Formatted(x), mat.Formatted(want))
	}
}

// One update of [1, 0] is [1 + GELU(1), GELU(0.7)], by hand.
func TestMixGELU(t *testing.T) {
	x, err := Mix(mat.NewDense(2, 1, []float64{1, 0}), MixOptions{Steps: 1, H: GELU})
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(2, 1, []float64{1.8413447460685429, 0.5306254434438489})
	if !mat.EqualApprox(x, want, 1e-15) {
		t.Errorf("got %v, want %v", mat.Formatted(x), mat.Formatted(want))
	}
}

// The paper's heart is one linear update with W = [[0, .5], [.5, 0]].
func TestHeartMixing(t *testing.T) {
	s, err := Heart(newRand(2), PaperHeart())
	if err != nil {
		t.Fatal(err)
	}
	a, err := LinearMix(HeartMixing(), s)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Mix(s, MixOptions{Steps: 1, W: mat.NewDense(2, 2, []float64{0, .5, .5, 0})})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(a, b, 1e-15) {
		t.Error("the two ways differ")
	}
}

func TestMixErrors(t *testing.T) {
	ones := mat.NewDense(2, 1, []float64{1, 1})
	// 2.7^714 is the last power within float64: 308.2547/log₁₀ 2.7 = 714.6.
	if _, err := Mix(ones, MixOptions{Steps: 2000}); err == nil || !strings.Contains(err.Error(), "step 715 of 2000") {
		t.Errorf("overflow: %v", err)
	}
	nan := mat.NewDense(2, 2, []float64{1, 0, 0, math.NaN()})
	for name, f := range map[string]func() (*mat.Dense, error){
		"no sources":     func() (*mat.Dense, error) { return Mix(nil, MixOptions{}) },
		"empty sources":  func() (*mat.Dense, error) { return Mix(new(mat.Dense), MixOptions{}) },
		"NaN in sources": func() (*mat.Dense, error) { return Mix(nan, MixOptions{}) },
		"negative steps": func() (*mat.Dense, error) { return Mix(ones, MixOptions{Steps: -1}) },
		"negative step":  func() (*mat.Dense, error) { return Mix(ones, MixOptions{Steps: 1, StepSize: -1}) },
		"infinite step":  func() (*mat.Dense, error) { return Mix(ones, MixOptions{Steps: 1, StepSize: math.Inf(1)}) },
		"W too large":    func() (*mat.Dense, error) { return Mix(ones, MixOptions{W: PaperW(3)}) },
		"W empty":        func() (*mat.Dense, error) { return Mix(ones, MixOptions{W: PaperW(0)}) },
		"NaN in W":       func() (*mat.Dense, error) { return Mix(ones, MixOptions{W: nan}) },
		"too many for W": func() (*mat.Dense, error) { return Mix(mat.NewDense(1<<20, 1, nil), MixOptions{}) },
		"A nil":          func() (*mat.Dense, error) { return LinearMix(nil, ones) },
		"A not square":   func() (*mat.Dense, error) { return LinearMix(mat.NewDense(1, 2, nil), ones) },
		"A·s overflows":  func() (*mat.Dense, error) { return LinearMix(mat.NewDense(2, 2, []float64{1e308, 1e308, 0, 0}), ones) },
		"A without s":    func() (*mat.Dense, error) { return LinearMix(HeartMixing(), nil) },
		"GELU overflows": func() (*mat.Dense, error) { return Mix(ones, MixOptions{Steps: 2000, H: GELU}) },
		"H is not finite": func() (*mat.Dense, error) {
			return Mix(ones, MixOptions{Steps: 1, H: func(float64) float64 { return math.Inf(1) }})
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
