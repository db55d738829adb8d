package signal_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// The error for invalid signals names the signal and the position.
func TestCheckNamesSignalAndPosition(t *testing.T) {
	for _, test := range []struct {
		name string
		x    *mat.Dense
		want string // "" for no error
	}{
		{"good", mat.NewDense(2, 3, []float64{1, 2, 3, 3, 2, 1}), ""},
		{"nil", nil, "x: is empty"},
		{"empty", new(mat.Dense), "x: is empty"},
		{"one position", mat.NewDense(2, 1, []float64{1, 2}), "x: has 1 position"},
		{"NaN", mat.NewDense(1, 3, []float64{1, math.NaN(), 3}), "signal 1: has the value NaN at position 2"},
		{"Inf", mat.NewDense(2, 2, []float64{1, 2, 3, math.Inf(-1)}), "signal 2: has the value -Inf at position 2"},
		{"beyond", mat.NewDense(1, 2, []float64{1, 1e151}), "within ±1e+150"},
		{"constant", mat.NewDense(2, 2, []float64{1, 2, 5, 5}), "signal 2: has the same value"},
	} {
		err := signal.Check("x", test.x)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if constant := test.name == "constant"; errors.Is(err, signal.ErrConstant) != constant {
			t.Errorf("%s: %v: ErrConstant: want %t", test.name, err, constant)
		}
	}
}

func TestCheckNew(t *testing.T) {
	one := mat.NewDense(2, 1, []float64{1, 1})
	if err := signal.CheckNew("x", one, 2); err != nil {
		t.Errorf("one position of two signals: %v", err)
	}
	if err := signal.CheckNew("x", one, 3); err == nil || !strings.Contains(err.Error(), "x: has 2 signals; must have 3") {
		t.Errorf("two signals of three: %v", err)
	}
	const transpose = "x: has 2 signals; must have 1, as in the fit: a row is a signal, a column " +
		"a position; transpose x (mat.DenseCopyOf(x.T())) if it is the other way round"
	if err := signal.CheckNew("x", one, 1); err == nil || err.Error() != transpose {
		t.Errorf("a position of two signals as two of one: %v", err)
	}
	one.Set(1, 0, math.NaN())
	if err := signal.CheckNew("x", one, 2); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("NaN: %v", err)
	}
	if err := signal.CheckFinite(one); !errors.Is(err, signal.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}

// Centred signals have mean 0; adding their means restores them.
func TestCentredSignalsHaveMeanZero(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{1, 2, 3, 6, -5, -5, 5, 25})
	centred, means := signal.Centred(x)
	if means[0] != 3 || means[1] != 5 {
		t.Errorf("means %v, want 3 and 5", means)
	}
	if want := mat.NewDense(2, 4, []float64{-2, -1, 0, 3, -10, -10, 0, 20}); !mat.Equal(centred, want) {
		t.Errorf("centred %v", mat.Formatted(centred))
	}
	if !mat.Equal(signal.Added(centred, means, 1), x) {
		t.Error("the means don't bring the signals back")
	}
	if got, want := signal.RMS(mat.NewDense(1, 2, []float64{3, 4})), math.Sqrt(12.5); math.Abs(got-want) > 1e-15 {
		t.Errorf("RMS %g, want %g", got, want)
	}
}

func TestWithoutColumns(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	if got, want := signal.WithoutColumns(x, 1, 3), mat.NewDense(2, 2, []float64{1, 4, 5, 8}); !mat.Equal(got, want) {
		t.Errorf("%v", mat.Formatted(got))
	}
}
