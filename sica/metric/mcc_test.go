package metric

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// permuted returns s with its signals permuted, signed, scaled and shifted.
func permuted(s *mat.Dense, rows []int, scale, shift []float64) *mat.Dense {
	_, n := s.Dims()
	z := mat.NewDense(len(rows), n, nil)
	z.Apply(func(i, t int, _ float64) float64 { return shift[i] + scale[i]*s.At(rows[i], t) }, z)
	return z
}

func TestMCCIgnoresOrderSignScaleAndOffset(t *testing.T) {
	s := ar7(rand.New(rand.NewPCG(21, 22)), 4, 300)
	z := permuted(s, []int{2, 0, 3, 1}, []float64{-3, 1e-6, 1e6, -1}, []float64{0, 5, -1, 2})
	m, err := MCC(z, s)
	if err != nil {
		t.Fatal(err)
	}
	if m.MCC < 1-1e-10 || m.MCC > 1 {
		t.Errorf("MCC = %.17g, want 1", m.MCC)
	}
	if want := []int{1, 3, 0, 2}; !slices.Equal(m.Assignment, want) {
		t.Errorf("assignment = %v, want %v", m.Assignment, want)
	}
	for i, want := range []float64{1, -1, -1, 1} {
		if math.Abs(m.Correlation[i]-want) > 1e-10 {
			t.Errorf("correlation of source %d = %g, want %g", i, m.Correlation[i], want)
		}
	}
}

func TestMCCOfRotation(t *testing.T) {
	// A rotation by θ of uncorrelated signals correlates by |cos θ| and
	// |sin θ|: the MCC is the larger of the two.
	s := mat.NewDense(2, 4, []float64{1, -1, 1, -1, 1, 1, -1, -1})
	for _, angle := range []float64{0.1, math.Pi / 4, 1.2, 3} {
		sin, cos := math.Sincos(angle)
		var z mat.Dense
		z.Mul(mat.NewDense(2, 2, []float64{cos, -sin, sin, cos}), s)
		m, err := MCC(&z, s)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(math.Abs(sin), math.Abs(cos)); math.Abs(m.MCC-want) > 1e-14 {
			t.Errorf("MCC after a rotation by %g = %g, want %g", angle, m.MCC, want)
		}
	}
}

func TestMCCIsSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	a, b := ar7(rng, 5, 60), ar7(rng, 5, 60)
	ab, err := MCC(a, b)
	if err != nil {
		t.Fatal(err)
	}
	ba, err := MCC(b, a)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(ab.MCC-ba.MCC) > 1e-14 {
		t.Errorf("MCC(a, b) = %g and MCC(b, a) = %g", ab.MCC, ba.MCC)
	}
	for i, j := range ab.Assignment {
		if ba.Assignment[j] != i {
			t.Errorf("assignments %v and %v are not inverse", ab.Assignment, ba.Assignment)
		}
	}
}

func TestCorrelationOracles(t *testing.T) {
	row := func(v ...float64) *mat.Dense { return mat.NewDense(1, len(v), v) }
	for _, test := range []struct {
		name      string
		metric    func(z, s *mat.Dense) (Match, error)
		z, s      *mat.Dense
		want      float64
		tolerance float64
	}{
		{
			// The first set of Anscombe, "Graphs in statistical analysis",
			// The American Statistician 27:17–21, 1973.
			"Pearson", MCC,
			row(10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5),
			row(8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68),
			0.81642, 1e-5,
		},
		{
			// IQ and hours of television, the worked example of Wikipedia's
			// "Spearman's rank correlation coefficient": ρ = −29/165.
			"Spearman", SpearmanMCC,
			row(106, 100, 86, 101, 99, 103, 97, 113, 112, 110),
			row(7, 27, 2, 50, 28, 29, 20, 12, 6, 17),
			-29.0 / 165, 1e-14,
		},
		{
			// Pearson's of the ranks (0, 1.5, 1.5, 3) and (0, 1, 2, 3):
			// 4.5/√(4.5·5).
			"Spearman with a tie", SpearmanMCC,
			row(1, 2, 2, 9), row(1, 2, 3, 4),
			4.5 / math.Sqrt(4.5*5), 1e-14,
		},
	} {
		m, err := test.metric(test.z, test.s)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(m.Correlation[0]-test.want) > test.tolerance ||
			math.Abs(m.MCC-math.Abs(test.want)) > test.tolerance {
			t.Errorf("%s: correlation %g and MCC %g, want %g", test.name, m.Correlation[0], m.MCC,
				test.want)
		}
	}
}

func TestSpearmanMCCIgnoresMonotoneTransforms(t *testing.T) {
	s := ar7(rand.New(rand.NewPCG(25, 26)), 2, 200)
	var z mat.Dense
	z.Apply(func(_, _ int, v float64) float64 { return -math.Exp(5 * v) }, s)
	m, err := SpearmanMCC(&z, s)
	if err != nil {
		t.Fatal(err)
	}
	if m.MCC < 1-1e-12 {
		t.Errorf("SpearmanMCC = %g, want 1", m.MCC)
	}
	pearson, err := MCC(&z, s)
	if err != nil {
		t.Fatal(err)
	}
	if pearson.MCC > 0.95 {
		t.Errorf("MCC = %g of distorted signals; Pearson's correlation should have noticed", pearson.MCC)
	}
}

func TestMCCErrors(t *testing.T) {
	s := mat.NewDense(2, 3, []float64{1, 2, 4, 3, 1, 1})
	for _, test := range []struct {
		name  string
		z     *mat.Dense
		error string
	}{
		{"nil", nil, "z: is empty"},
		{"signals", mat.NewDense(1, 3, []float64{1, 2, 3}), "z is 1×3 and s is 2×3"},
		{"positions", mat.NewDense(2, 2, []float64{1, 2, 3, 4}), "z is 2×2 and s is 2×3"},
		{"constant", mat.NewDense(2, 3, []float64{1, 2, 3, 4, 4, 4}), "z: signal 2"},
		{"NaN", mat.NewDense(2, 3, []float64{1, 2, math.NaN(), 4, 4, 5}), "z: signal 1"},
	} {
		for name, metric := range map[string]func(z, s *mat.Dense) (Match, error){"MCC": MCC,
			"SpearmanMCC": SpearmanMCC} {
			_, err := metric(test.z, s)
			if err == nil || !strings.Contains(err.Error(), test.error) ||
				!strings.HasPrefix(err.Error(), "metric: "+name) {
				t.Errorf("%s: %s gave the error %v, want one with %q", test.name, name, err,
					test.error)
			}
		}
	}
	tall := mat.NewDense(500, 3, nil)
	for k := range tall.RawMatrix().Data {
		tall.RawMatrix().Data[k] = math.Sin(float64(k * k))
	}
	const transposed = "z and s are 500×3: more signals than positions; must be d×n, a row for"
	if _, err := MCC(tall, tall); err == nil || !strings.Contains(err.Error(), transposed) {
		t.Errorf("transposed signals gave the error %v, want %q", err, transposed)
	}
	if _, err := MCC(s, mat.NewDense(2, 3, []float64{1, 1, 1, 1, 2, 3})); err == nil ||
		!strings.Contains(err.Error(), "s: signal 1") {
		t.Errorf("a constant source gave the error %v", err)
	}
}

func TestMatchJSON(t *testing.T) {
	m := Match{MCC: 0.75, Assignment: []int{1, 0}, Correlation: []float64{-1, 0.5}}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"mcc":0.75,"assignment":[1,0],"correlation":[-1,0.5]}`; string(data) != want {
		t.Errorf("JSON is %s, want %s", data, want)
	}
	var again Match
	if err := json.Unmarshal(data, &again); err != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("back from JSON: %v, %v", again, err)
	}
}

func TestAlign(t *testing.T) {
	s := ar7(rand.New(rand.NewPCG(27, 28)), 3, 100)
	z := permuted(s, []int{1, 2, 0}, []float64{-2, 3, -100}, []float64{1, 2, 3})
	before := mat.DenseCopyOf(z)
	got, err := Align(z, s)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, s, 1e-10) {
		t.Error("aligning permuted, signed, scaled and shifted sources doesn't give them back")
	}
	if !mat.Equal(z, before) {
		t.Error("Align changed its argument")
	}
	if _, err := Align(z, mat.NewDense(1, 2, []float64{1, 2})); err == nil {
		t.Error("no error for different sizes")
	}
}

// ar7 are d sources of the paper's.
func ar7(rng *rand.Rand, d, n int) *mat.Dense {
	s, err := datasets.AR7(rng, d, n)
	if err != nil {
		panic(err)
	}
	return s
}
