package mapping

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

func TestCheck(t *testing.T) {
	for _, name := range []string{"standardise", "zca", "gaussianise", "conditional"} {
		if err := Check(name); err != nil {
			t.Errorf("Check(%q) = %v", name, err)
		}
	}
	err := Check("ZCA")
	if err == nil || !strings.Contains(err.Error(),
		`["standardise" "zca" "gaussianise" "conditional"]`) {
		t.Errorf("error %v: want one that lists the transforms", err)
	}
}

func TestApplyIsPure(t *testing.T) {
	// Few different values, so that there are ties in every order.
	rng := rand.New(rand.NewPCG(7, 8))
	x := mat.NewDense(3, 400, nil)
	x.Apply(func(int, int, float64) float64 { return float64(rng.IntN(6)) }, x)
	before := mat.DenseCopyOf(x)
	for _, transform := range transforms {
		first, err := apply(x, transform)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(x, before) {
			t.Errorf("%s changed its argument", transform)
		}
		second, err := apply(x, transform)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(first, second) {
			t.Errorf("%s gave two results for one argument", transform)
		}
	}

	z, err := apply(x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(z, x) {
		t.Error("without steps the result isn't x")
	}
	z.Set(0, 0, 100)
	if !mat.Equal(x, before) {
		t.Error("without steps the result shares memory with x")
	}
}

func TestApplyInOrder(t *testing.T) {
	x := mixGELU(ar7(rand.New(rand.NewPCG(9, 10)), 2, 200), 5)
	z, err := apply(x, Gaussianise, ZCA)
	if err != nil {
		t.Fatal(err)
	}
	g, err := apply(x, Gaussianise)
	if err != nil {
		t.Fatal(err)
	}
	want, err := apply(g, ZCA)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(z, want) {
		t.Error("two steps at once differ from one after the other")
	}
}

func TestApplyErrors(t *testing.T) {
	fine := []float64{1, 2, 4, 3}
	rows := func(rows ...[]float64) *mat.Dense {
		x := mat.NewDense(len(rows), len(rows[0]), nil)
		for i, row := range rows {
			x.SetRow(i, row)
		}
		return x
	}
	for _, test := range []struct {
		name  string
		x     *mat.Dense
		step  string
		error string
	}{
		{"nil", nil, ZCA, "x: is empty"},
		{"empty", new(mat.Dense), ZCA, "x: is empty"},
		{"one position", mat.NewDense(2, 1, nil), ZCA, "at least 2"},
		{"NaN", rows(fine, []float64{1, math.NaN(), 2, 3}), Standardise, "signal 2: has the value NaN at position 2"},
		{"infinite", rows([]float64{1, 2, 3, math.Inf(-1)}, fine), Standardise, "signal 1: has the value -Inf at position 4"},
		{"constant", rows(fine, []float64{7, 7, 7, 7}), Gaussianise, "signal 2: has the same value"},
		{"unknown", rows(fine, fine), "whiten", `transform: is "whiten"; must be one of`},
		{"no name", rows(fine, fine), "", `transform: is ""; must be one of`},
		{"twice the same", rows(fine, fine), ZCA, "zca: the 2 signals are linearly dependent"},
		{"sum", rows(fine, []float64{.1, .7, .2, .3}, []float64{1.1, 2.7, 4.2, 3.3}), Conditional, "linearly dependent"},
		{"too few positions", rows(fine[:2], []float64{0, 1}), ZCA, "2 signals at 2 positions; must have at least 3"},
		{"overflow", rows([]float64{1e300, -1e300, 0, 1}), Standardise, "within ±1e+150"},
	} {
		_, err := apply(test.x, test.step)
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		found := false
		for want := range strings.SplitSeq(test.error, "|") {
			found = found || strings.Contains(err.Error(), want)
		}
		if !found {
			t.Errorf("%s: error %q doesn't contain %q", test.name, err, test.error)
		}
	}
	if _, err := apply(rows([]float64{7, 7})); !errors.Is(err, signal.ErrConstant) {
		t.Errorf("without steps a constant signal gives %v", err)
	}
}

// wantWhite fails t unless z has mean 0 and covariance 1.
func wantWhite(t *testing.T, z *mat.Dense, tolerance float64) {
	t.Helper()
	d, n := z.Dims()
	for i := range d {
		if mean := mat.Sum(z.RowView(i)) / float64(n); math.Abs(mean) > tolerance {
			t.Errorf("mean of signal %d = %g", i, mean)
		}
	}
	var covariance mat.Dense
	covariance.Mul(z, z.T())
	covariance.Scale(1/float64(n), &covariance)
	for i := range d {
		for j := range d {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := covariance.At(i, j); !scalar.EqualWithinAbs(got, want, tolerance) {
				t.Errorf("covariance[%d,%d] = %g, want %g", i, j, got, want)
			}
		}
	}
}

func FuzzApply(f *testing.F) {
	encode := func(values ...float64) (data []byte) {
		for _, v := range values {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		return data
	}
	f.Add(uint8(1), encode(1, 2))
	f.Add(uint8(2), encode(1, 2, 3, 3, 2, 2))
	f.Add(uint8(3), encode(0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1))
	f.Add(uint8(1), encode(math.NaN(), 1, math.MaxFloat64, -math.MaxFloat64))
	f.Add(uint8(2), encode(5e-324, 0, 0, 0, 1e300, 1, 1, 2))
	f.Fuzz(func(t *testing.T, d uint8, data []byte) {
		values := make([]float64, 0, len(data)/8)
		for ; len(data) >= 8; data = data[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		if d == 0 || len(values) < int(d) {
			return
		}
		n := len(values) / int(d)
		x := mat.NewDense(int(d), n, values[:int(d)*n])
		for _, transform := range transforms {
			z, err := apply(x, transform)
			if err != nil {
				continue
			}
			for i := range int(d) {
				for position, v := range z.RawRowView(i) {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%s: z[%d,%d] = %g", transform, i, position, v)
					}
				}
			}
		}
	})
}

// Gaussian signals after a triangular nonlinear mixing have the same code length after conditional
// normalisation, including the log-Jacobian term, up to the error of slopes estimated from a
// thousand positions.
func TestLogDetOfConditionalNormalisation(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(3, 0))
	x := mat.NewDense(2, n, nil)
	exact := 0.0 // −log p(x) on average
	for k := range n {
		u, v := rng.NormFloat64(), rng.NormFloat64()
		a := 3 * u
		scale := .3 + .1*a*a/9
		x.SetCol(k, []float64{a, a*a/9 + scale*v})
		exact += (u*u/2 + v*v/2 + math.Log(2*math.Pi) + math.Log(3) + math.Log(scale)) / n
	}
	z, maps, err := Fit(t.Context(), x, []string{Conditional})
	if err != nil {
		t.Fatal(err)
	}
	again, logDet, err := ApplyLogDet(t.Context(), x, maps)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(again, z, 1e-9) {
		t.Error("ApplyLogDet doesn't make the signals that Fit made")
	}
	got := 0.0
	for k := range n {
		a, b := z.At(0, k), z.At(1, k)
		got += (a*a/2 + b*b/2 + math.Log(2*math.Pi) - logDet[k]) / n
	}
	if got < exact-.01 || got > exact+.08 {
		t.Errorf("a code length of %.4f nats per position, want %.4f", got, exact)
	}
	// Of linear maps it is exact: whitening, then its inverse.
	if _, maps, err = Fit(t.Context(), x, []string{Standardise, ZCA}); err != nil {
		t.Fatal(err)
	}
	if _, logDet, err = ApplyLogDet(t.Context(), x, maps); err != nil {
		t.Fatal(err)
	}
	var cov mat.SymDense
	centred, _ := signal.Centred(x)
	cov.SymOuterK(1./n, centred)
	if want := -math.Log(mat.Det(&cov)) / 2; math.Abs(logDet[7]-want) > 1e-9 {
		t.Errorf("of whitening %.6f, want %.6f", logDet[7], want)
	}
	// Normal quantiles of signals whose densities are known give their code length.
	exact = 0
	for k := range n {
		u, v := rng.NormFloat64(), rng.NormFloat64()
		x.SetCol(k, []float64{3 * u, math.Exp(v)})
		exact += (u*u/2 + v*v/2 + math.Log(2*math.Pi) + math.Log(3) + v) / n
	}
	if z, maps, err = Fit(t.Context(), x, []string{Gaussianise}); err != nil {
		t.Fatal(err)
	}
	if _, logDet, err = ApplyLogDet(t.Context(), x, maps); err != nil {
		t.Fatal(err)
	}
	got = 0
	for k := range n {
		a, b := z.At(0, k), z.At(1, k)
		got += (a*a/2 + b*b/2 + math.Log(2*math.Pi) - logDet[k]) / n
	}
	if math.Abs(got-exact) > .05 {
		t.Errorf("of normal quantiles a code length of %.4f nats per position, want %.4f", got, exact)
	}
}

// apply returns what the transforms make of x.
func apply(x *mat.Dense, steps ...string) (*mat.Dense, error) {
	z, _, err := Fit(context.Background(), x, steps)
	return z, err
}
