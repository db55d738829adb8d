package ica_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// mixed returns normal signals in a random mixture with an offset.
func mixed(seed uint64, d, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	normal := func(_, _ int, _ float64) float64 { return rng.NormFloat64() }
	s, a := mat.NewDense(d, n, nil), mat.NewDense(d, d, nil)
	s.Apply(normal, s)
	a.Apply(normal, a)
	var x mat.Dense
	x.Mul(a, s)
	x.Apply(func(i, _ int, v float64) float64 { return v + float64(i) - 3 }, &x)
	return &x
}

func TestDemixing(t *testing.T) {
	x := mixed(2, 3, 100)
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	white, err := signals.Whitening()
	if err != nil {
		t.Fatal(err)
	}
	// A rotation about (1, 1, 1) by a third of a turn is a permutation.
	w := mat.NewDense(3, 3, []float64{0, 1, 0, 0, 0, 1, 1, 0, 0})
	end := ica.Convergence{Converged: true, Iterations: 7}
	m, err := ica.Demix(signals, w, end)
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range []int{1, 2, 0} {
		if !mat.Equal(m.Signals.RowView(i), white.White.RowView(j)) {
			t.Errorf("recovered signal %d isn't white signal %d", i, j)
		}
	}
	z, err := m.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(z, m.Signals, 1e-10) {
		t.Error("the transform of the mixed signals isn't the recovered signals")
	}
	back, err := m.InverseTransform(z)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(back, x, 1e-10) {
		t.Error("the inverse transform doesn't undo the transform")
	}
	one, err := m.Transform(mat.DenseCopyOf(x.Slice(0, 3, 7, 8)))
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(one, z.Slice(0, 3, 7, 8), 1e-12) {
		t.Error("the transform of one position isn't that position of the transform")
	}
	demixing, err := m.Demixing()
	if err != nil {
		t.Fatal(err)
	}
	var by mat.Dense
	by.Apply(func(i, _ int, v float64) float64 { return v - demixing.Mean[i] }, x)
	by.Mul(demixing.Unmixing, mat.DenseCopyOf(&by))
	if !mat.EqualApprox(&by, z, 1e-10) {
		t.Error("Unmixing isn't the transform")
	}
	var identity mat.Dense
	identity.Mul(demixing.Mixing, demixing.Unmixing)
	if !mat.EqualApprox(&identity, rotation.Identity(3), 1e-10) {
		t.Error("Mixing isn't the inverse of Unmixing")
	}
	if m.Convergence != end {
		t.Errorf("convergence %+v, want %+v", m.Convergence, end)
	}
}

// A demixing of the wrong size is an error, and so is a method that returns no whole model.
func TestDemixingOfTheWrongSize(t *testing.T) {
	x := mixed(2, 3, 100)
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	for want, w := range map[string]mat.Matrix{
		"ica: demix: w is 2×2; must be 3×3": mat.NewDense(2, 2, []float64{1, 0, 0, 1}),
		"ica: demix: w is 2×3; must be 3×3": mat.NewDense(2, 3, nil),
		"ica: demix: w is 4×4; must be 3×3": mat.NewDense(4, 4, nil),
	} {
		if _, err := ica.Demix(signals, w, ica.Convergence{}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for want, model := range map[string]*ica.Model{
		"ica: the model is nil; must be set if there is no error":  nil,
		"ica: Model.Signals is nil; must be the recovered signals": {Map: cubes{}},
		"ica: Model.Map is nil; must be one, such as Demix makes":  {Signals: x},
	} {
		if _, err := ica.Separate(t.Context(), returning{model}, x); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// returning is a method that returns this model.
type returning struct{ model *ica.Model }

func (returning) Name() string { return "returning" }

func (r returning) Fit(context.Context, *ica.Signals) (*ica.Model, error) { return r.model, nil }

// A singular unmixing matrix has no mixing matrix.
func TestSingularDemixing(t *testing.T) {
	x, err := ica.New(mixed(1, 2, 12))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ica.Demix(x, mat.NewDense(2, 2, []float64{1, 0, 0, 0}), ica.Convergence{})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := m.Demixing(); err == nil {
		t.Errorf("a mixing matrix of a singular demixing: %v", d)
	}
}

// Invalid signals are an error before and after a fit.
func TestErrors(t *testing.T) {
	if _, err := ica.New(mat.NewDense(2, 2, []float64{1, 2, 2, 1})); !errors.Is(err, ica.ErrSignals) {
		t.Errorf("two signals at two positions: %v", err)
	}
	if _, err := ica.New(mixed(1, 2, 12), 3, 5); err == nil {
		t.Error("12 positions of shape 3×5: no error")
	}
	signals, err := ica.New(mixed(1, 2, 12), 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ica.Demix(signals, mat.NewDense(2, 2, []float64{1, 0, 0, 1}), ica.Convergence{})
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]*mat.Dense{
		"nil": nil, "three signals": mixed(1, 3, 5),
		"NaN": mat.NewDense(2, 1, []float64{1, math.NaN()}),
	} {
		if _, err := m.Transform(x); !errors.Is(err, ica.ErrSignals) {
			t.Errorf("%s: %v", name, err)
		}
	}
	singular := &ica.Model{
		Signals: m.Signals,
		Map:     preprocess.LinearMap(mat.NewDense(2, 2, nil), []float64{0, 0}),
	}
	_, err = singular.InverseTransform(m.Signals)
	if !errors.Is(err, preprocess.ErrNotInvertible) {
		t.Errorf("the inverse of a singular map: %v", err)
	}
}

// Signals in the place of others keep the shape and the joints, and must have as many positions.
func TestWithX(t *testing.T) {
	x := mat.NewDense(2, 6, []float64{1, 5, 2, 4, 3, 9, 2, 1, 7, 3, 8, 4})
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	if signals, err = signals.WithJoints([]int{4}); err != nil {
		t.Fatal(err)
	}
	one := mat.NewDense(1, 6, []float64{3, 1, 4, 1, 5, 9})
	other, err := signals.WithX(one)
	if err != nil {
		t.Fatal(err)
	}
	if other.X() != one || !slices.Equal(other.Joints(), []int{4}) || !slices.Equal(other.Shape(), []int{6}) {
		t.Errorf("signals %v, joints %v, shape %v", other.X() == one, other.Joints(), other.Shape())
	}
	if _, err := signals.WithX(mat.NewDense(1, 5, []float64{3, 1, 4, 1, 5})); err == nil {
		t.Error("no error for fewer positions")
	}
	if _, err := new(ica.Signals).WithX(one); !errors.Is(err, ica.ErrSignals) {
		t.Errorf("zero Signals: %v", err)
	}
}

// cubes is a map that isn't linear.
type cubes struct{}

func (cubes) Apply(x *mat.Dense) (*mat.Dense, error) {
	var z mat.Dense
	z.Apply(func(_, _ int, v float64) float64 { return v * v * v }, x)
	return &z, nil
}

func (cubes) Invert(z *mat.Dense) (*mat.Dense, error) {
	var x mat.Dense
	x.Apply(func(_, _ int, v float64) float64 { return math.Cbrt(v) }, z)
	return &x, nil
}
