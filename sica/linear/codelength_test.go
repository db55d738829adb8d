package linear_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/linear"
)

func fit(t *testing.T, z *mat.Dense) *linear.Models {
	t.Helper()
	m, err := linear.FitSources(t.Context(), z, linear.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The code length of processes with known entropy rates is that: of a Gaussian one
// ½·log(2πe) for innovations of variance 1, of a Laplace one of variance 1
// 1 + ½·log 2. The parameters and the noise of the resolution add a little.
func TestEntropyRate(t *testing.T) {
	const T = 50000
	gaussian := math.Log(2*math.Pi*math.E) / 2
	for _, c := range []struct {
		name string
		z    *mat.Dense
		want float64
	}{
		{"white", processes(10, T, 0), gaussian},
		{"AR(.7)", processes(11, T, 0.7), gaussian},
		{"two", processes(12, T, -0.5, 0.5), 2 * gaussian},
		{"Laplace", laplace(13, 1, T), 1 + math.Log(2)/2},
	} {
		got := fit(t, c.z).CodeLength
		// Three standard errors of the mean log density, which has variance ½ or 1,
		// and what the noise adds.
		if slack := 3 / math.Sqrt(T); got < c.want-slack || got > c.want+slack+0.006 {
			t.Errorf("%s: %.4f nats a position, want %.4f", c.name, got, c.want)
		}
	}
}

// Scaling a signal by c adds log c, and the code length of a linear solution is that
// of its signals less log|det B|.
func TestCurrency(t *testing.T) {
	x := mixed(14, laplace(14, 2, 5000))
	sol := separate(t, x, linear.Options{})
	z := recovered(sol, x)
	code := fit(t, z).CodeLength
	logDet, _ := mat.LogDet(sol.Demixing)
	if got := code - logDet; math.Abs(got-sol.CodeLength) > 0.01 { // other noise
		t.Errorf("%.4f nats a position, want the solution's %.4f", got, sol.CodeLength)
	}
	var larger mat.Dense
	larger.Scale(100, z)
	if got, want := fit(t, &larger).CodeLength, code+2*math.Log(100); math.Abs(got-want) > 1e-9 {
		t.Errorf("%.6f nats at 100 times the size, want %.6f", got, want)
	}
}

// Of positions held out the right models take the entropy rate, and those of other
// sources take more.
func TestScore(t *testing.T) {
	const T = 20000
	models := fit(t, processes(15, T, 0.9))
	want := math.Log(2*math.Pi*math.E) / 2
	same, err := models.Score(t.Context(), processes(16, T, 0.9), nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(same-want) > 3/math.Sqrt(2*T)+0.01 { // the noise of the resolution: .005
		t.Errorf("%.4f nats a position, want %.4f", same, want)
	}
	// Predicting white noise from .9 of the last value leaves variance 1.81, which
	// costs .81/2 more.
	other, err := models.Score(t.Context(), processes(17, T, 0), nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(other-want-0.405) > 0.04 {
		t.Errorf("%.4f nats a position of white noise, want %.4f", other, want+0.405)
	}
	for _, c := range []struct {
		z     *mat.Dense
		shape []int
		want  string
	}{
		{processes(18, 100, 0, 0), nil, "2 signals"},
		{processes(18, 20, 0), nil, "too few positions"},
		{processes(18, 100, 0), []int{7}, "product"},
		{nil, nil, "nil"},
	} {
		if _, err := models.Score(t.Context(), c.z, c.shape); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if _, err := linear.FitSources(t.Context(), mat.NewDense(1, 30, nil), linear.Options{}); err == nil || !strings.Contains(err.Error(), "constant") {
		t.Errorf("error %v, want one with constant", err)
	}
}
