package baselinetest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/contexttest"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Linear checks a linear method on the mixed signals x, 3×n:
//
//   - two fits of x are equal, and x doesn't change;
//   - Transform of x gives the model's Signals to 1e-10, and InverseTransform x again;
//   - the same signals mixed by another matrix, with an offset and at scales from 1e-120 to 1e120,
//     give the same Signals to 1e-6, up to order and sign;
//   - signals that can't be separated are an error: a value that isn't finite, a constant or
//     linearly dependent signal, too few positions;
//   - a context that has ended is an error at each of the first four calls of ctx.Err(), of which
//     there is at least one: rival.Demix makes it, and iterations should before each;
//   - degenerate signals give finite results or an error.
//
// The method's settings must make it converge to about 1e-9. A different mixing rotates the white
// signals. So if the optimum depends on the start, as in deflation, the start must rotate with the
// white signals: the outermost position does, an axis or a random direction doesn't.
func Linear(t *testing.T, x *mat.Dense, method ica.Method) {
	t.Run("repeats", func(t *testing.T) { repeats(t, x, method) })
	t.Run("transforms", func(t *testing.T) { transforms(t, x, method) })
	t.Run("mixing does not matter", func(t *testing.T) { mixingDoesNotMatter(t, x, method) })
	t.Run("refuses", func(t *testing.T) { refuses(t, x, method, true) })
	t.Run("ends", func(t *testing.T) { ends(t, x, method) })
	t.Run("never NaN", func(t *testing.T) { neverNaN(t, method) })
}

// Fit returns the method's model of the mixed signals x.
func Fit(t *testing.T, x *mat.Dense, method ica.Method) *ica.Model {
	t.Helper()
	m, err := ica.Separate(t.Context(), method, x)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// White checks that the method's signals are uncorrelated with variance 1, even a single signal,
// and returns the model of x.
func White(t *testing.T, x *mat.Dense, method ica.Method) *ica.Model {
	t.Helper()
	m := Fit(t, x, method)
	one := Fit(t, mat.NewDense(1, 4, []float64{1, 2, 3, 6}), method)
	for _, z := range []*mat.Dense{m.Signals, one.Signals} {
		d, n := z.Dims()
		var covariance mat.Dense
		covariance.Mul(z, z.T())
		covariance.Scale(1/float64(n), &covariance)
		if !mat.EqualApprox(&covariance, rotation.Identity(d), 1e-12) {
			t.Errorf("the covariance of the signals is\n%.3g", mat.Formatted(&covariance))
		}
	}
	sign := math.Copysign(1, one.Signals.At(0, 3))
	for k, want := range []float64{-2, -1, 0, 3} {
		if got := one.Signals.At(0, k); math.Abs(sign*got-want/math.Sqrt(3.5)) > 1e-12 {
			t.Errorf("signal %g at %d, want ±%g/√3.5", got, k, want)
		}
	}
	return m
}

func fit(t *testing.T, method ica.Method, x *mat.Dense) *ica.Model {
	t.Helper()
	m := Fit(t, x, method)
	if c := m.Convergence; !c.Converged || c.Warning != "" {
		t.Errorf("convergence %+v", c)
	}
	return m
}

// repeats checks that the same signals give the same result and don't change.
func repeats(t *testing.T, x *mat.Dense, method ica.Method) {
	before := mat.DenseCopyOf(x)
	first, again := fit(t, method, x), fit(t, method, x)
	if !mat.Equal(first.Signals, again.Signals) {
		t.Error("the same signals give another result")
	}
	if !mat.Equal(x, before) {
		t.Error("the fit changed the mixed signals")
	}
}

// transforms checks Transform and InverseTransform against the signals of the fit.
func transforms(t *testing.T, x *mat.Dense, method ica.Method) {
	offset := mat.DenseCopyOf(x)
	offset.Apply(func(i, _ int, v float64) float64 { return v + 10*float64(i) }, x)
	m := fit(t, method, offset)
	z, err := m.Transform(offset)
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
	if !mat.EqualApprox(back, offset, 1e-10) {
		t.Error("the inverse transform isn't the mixed signals")
	}
}

// mixingDoesNotMatter checks that the recovered signals are the same after a further mixing, at
// other scales and with an offset.
func mixingDoesNotMatter(t *testing.T, x *mat.Dense, method ica.Method) {
	want := fit(t, method, x).Signals
	for _, scale := range []float64{1e-120, 1, 1e120} {
		var mixed mat.Dense
		mixed.Mul(mat.NewDense(3, 3, []float64{1, 2, 0, -1, 1, 0.1, 0, 3, 0.2}), x)
		mixed.Apply(func(_, _ int, v float64) float64 { return scale * (v + 100) }, &mixed)
		distance := Distance(fit(t, method, &mixed).Signals, want)
		if !(distance < 1e-6) {
			t.Errorf("scale %g: the signals are off by %g", scale, distance)
		}
	}
}

// refuses checks the errors for signals that can't be separated, including linearly dependent
// signals if dependent is true.
func refuses(t *testing.T, x *mat.Dense, method ica.Method, dependent bool) {
	with := func(row []float64) *mat.Dense {
		bad := mat.DenseCopyOf(x)
		bad.SetRow(1, row)
		return bad
	}
	_, n := x.Dims()
	nan := make([]float64, n)
	nan[3] = math.NaN()
	all := map[string]*mat.Dense{
		"x: is empty":                 nil,
		"at 2 positions":              mat.NewDense(2, 2, []float64{1, 2, 2, 1}),
		"the value NaN at position 4": with(nan),
		"at every position":           with(make([]float64, n)),
	}
	if dependent {
		all["linearly dependent"] = with(x.RawRowView(0))
	}
	for want, x := range all {
		model, err := ica.Separate(t.Context(), method, x)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if model != nil {
			t.Errorf("model %v with an error", model)
		}
	}
}

// ends checks that the fit ends with its context, at each of its first four checks of it.
func ends(t *testing.T, x *mat.Dense, method ica.Method) {
	ctx, checks := contexttest.Counted(t.Context())
	if _, err := ica.Separate(ctx, method, x); err != nil {
		t.Fatal(err)
	}
	if checks() == 0 {
		t.Error("the fit never calls ctx.Err()")
	}
	for k := range min(checks(), 4) {
		ctx := contexttest.EndsAfter(t.Context(), k)
		if _, err := ica.Separate(ctx, method, x); !errors.Is(err, context.Canceled) {
			t.Errorf("the context ended at check %d of ctx.Err(): error %v, want that of the context",
				k+1, err)
		}
	}
}

// neverNaN checks that degenerate signals give finite results or an error.
func neverNaN(t *testing.T, method ica.Method) {
	rng := rand.New(rand.NewPCG(1, 2))
	draws := map[string]func() float64{
		"signs":    func() float64 { return float64(2*rng.IntN(2) - 1) },
		"gaussian": rng.NormFloat64,
		"spikes":   func() float64 { return math.Pow(rng.NormFloat64(), 15) },
	}
	for name, draw := range draws {
		for _, size := range [][2]int{{1, 10}, {2, 3}, {2, 8}, {3, 30}, {3, 1000}} {
			x := mat.NewDense(size[0], size[1], nil)
			x.Apply(func(_, _ int, _ float64) float64 { return draw() }, x)
			m, err := ica.Separate(t.Context(), method, x)
			if err != nil {
				continue
			}
			z, err := m.Transform(x)
			if err != nil { // of values that aren't finite
				t.Errorf("%s %v: %v", name, size, err)
				continue
			}
			if sum := mat.Sum(m.Signals); math.IsNaN(sum) || math.IsInf(sum, 0) {
				t.Errorf("%s %v: a value isn't finite", name, size)
			}
			if _, err := m.InverseTransform(z); err != nil {
				t.Errorf("%s %v: %v", name, size, err)
			}
		}
	}
}
