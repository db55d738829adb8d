package zca

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

var methods = []ica.Method{Whitening{}, Gaussianised{}}

// problem returns the paper's: autoregressive sources s and their linear mixture x.
func problem(t *testing.T, d, n, steps int) (s, x *mat.Dense) {
	t.Helper()
	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 0)), d, n)
	if err != nil {
		t.Fatal(err)
	}
	return s, baselinetest.Mixed(t, s, datasets.MixOptions{Steps: steps})
}

func fit(t *testing.T, m ica.Method, x *mat.Dense) *ica.Model {
	t.Helper()
	model, err := ica.Separate(context.Background(), m, x)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func TestSignalsAreSICAsTransforms(t *testing.T) {
	_, x := problem(t, 3, 300, 3)
	for _, test := range []struct {
		method ica.Method
		steps  []preprocess.Transform
	}{
		{Whitening{}, []preprocess.Transform{preprocess.ZCA}},
		{Gaussianised{}, []preprocess.Transform{preprocess.Gaussianise, preprocess.ZCA}},
	} {
		want, err := preprocess.Apply(x, test.steps...)
		if err != nil {
			t.Fatal(err)
		}
		before := mat.DenseCopyOf(x)
		if got := fit(t, test.method, x).Signals; !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%s: the signals aren't those of preprocess.Apply", test.method.Name())
		}
		if !mat.Equal(x, before) {
			t.Errorf("%s: the fit changed the mixed signals", test.method.Name())
		}
	}
}

func TestTransformOfTheFitIsItsSignals(t *testing.T) {
	_, clean := problem(t, 3, 400, 3)
	ties := mat.DenseCopyOf(clean)
	ties.Apply(func(_, _ int, v float64) float64 { return math.Round(v) }, ties)
	offset := mat.DenseCopyOf(clean)
	offset.Apply(func(_, _ int, v float64) float64 { return v + 1000 }, offset)
	for name, x := range map[string]*mat.Dense{
		"plain": clean, "equal values": ties, "an offset": offset,
	} {
		for _, method := range methods {
			m := fit(t, method, x)
			z, err := m.Transform(x)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(z, m.Signals, 1e-9) {
				t.Errorf("%s, %s: the transform of the mixed signals isn't the signals",
					method.Name(), name)
			}
			back, err := m.InverseTransform(z)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(back, x, 1e-8) {
				t.Errorf("%s, %s: the inverse transform isn't the mixed signals",
					method.Name(), name)
			}
			if c := m.Convergence; !c.Converged || c.Iterations != 0 || c.Warning != "" {
				t.Errorf("%s: convergence %+v", method.Name(), c)
			}
		}
	}
}

func TestUnmixingIsSymmetric(t *testing.T) {
	_, x := problem(t, 4, 300, 2)
	unmixing := baselinetest.Unmixing(t, fit(t, Whitening{}, x))
	if !mat.EqualApprox(unmixing, unmixing.T(), 1e-12) {
		t.Errorf("unmixing\n%.4f\nmust be symmetric", mat.Formatted(unmixing))
	}
}

func TestTransformOfNewPositions(t *testing.T) {
	// On the values −3, −1, 1 and 3 the quantiles are those of 1/8, 3/8, 5/8 and
	// 7/8. Halfway between two values is halfway between their quantiles, and
	// beyond the last the slope is one over the standard deviation √5.
	const q58, q78 = 0.3186393639643752, 1.1503493803760079 // R's qnorm
	x := mat.NewDense(1, 4, []float64{1, -3, 3, -1})
	m := fit(t, Gaussianised{}, x)
	sd := math.Sqrt((q58*q58 + q78*q78) / 2) // what whitening divides by
	at := mat.NewDense(1, 6, []float64{1, 2, -2, 3, 3 + math.Sqrt(5), -3 - 2*math.Sqrt(5)})
	want := mat.NewDense(1, 6,
		[]float64{q58, (q58 + q78) / 2, -(q58 + q78) / 2, q78, q78 + 1, -q78 - 2})
	want.Scale(1/sd, want)
	got, err := m.Transform(at)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("transform %v, want %v", got.RawRowView(0), want.RawRowView(0))
	}
	back, err := m.InverseTransform(got)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(back, at, 1e-12) {
		t.Errorf("inverse transform %v, want %v", back.RawRowView(0), at.RawRowView(0))
	}
}

func TestUndoesThePapersMixing(t *testing.T) {
	s, x := problem(t, 2, 1024, 5)
	for _, method := range methods {
		mcc := baselinetest.MCC(t, fit(t, method, x).Signals, s)
		if mcc < 0.93 { // the mixed signals have .65
			t.Errorf("%s: MCC %.3f, want at least .93", method.Name(), mcc)
		}
	}
}

func TestErrors(t *testing.T) {
	_, x := problem(t, 2, 50, 1)
	with := func(v float64) *mat.Dense {
		bad := mat.DenseCopyOf(x)
		bad.Set(1, 7, v)
		return bad
	}
	copied := mat.DenseCopyOf(x)
	copied.SetRow(1, copied.RawRowView(0))
	for _, method := range methods {
		for _, test := range []struct {
			name string
			x    *mat.Dense
			want string
		}{
			{"nil", nil, "x: is empty"},
			{"too few positions", mat.NewDense(2, 2, []float64{1, 2, 2, 1}),
				"at least 3 positions"},
			{"NaN", with(math.NaN()), "signal 2: has the value NaN at position 8"},
			{"infinite", with(math.Inf(-1)), "-Inf"},
			{"constant", mat.NewDense(1, 3, []float64{2, 2, 2}), "every position"},
			{"equal signals", copied, "linearly dependent"},
		} {
			if _, err := ica.Separate(t.Context(), method, test.x); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("%s of %s: error %v, want one with %q",
					method.Name(), test.name, err, test.want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := ica.Separate(ctx, method, x); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: error %v", method.Name(), err)
		}
		m := fit(t, method, x)
		for _, bad := range []*mat.Dense{nil, mat.NewDense(3, 2, nil), with(math.Inf(1))} {
			if _, err := m.Transform(bad); err == nil {
				t.Errorf("%s: no error from transform", method.Name())
			}
			if _, err := m.InverseTransform(bad); err == nil {
				t.Errorf("%s: no error from inverse transform", method.Name())
			}
		}
	}
}
