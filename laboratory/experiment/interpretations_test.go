package experiment

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

// The rejected interpretation has the step size inside the nonlinearity, x + GELU(δ·W·x). Its
// linear mixing equals that with the size outside.
func TestInnerMixing(t *testing.T) {
	p := Problem{Data: AR7, Mixing: innerMixing, Steps: 1, StepSize: 0.3, Seed: 5}
	s, x, err := p.Draw()
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	want.Mul(datasets.PaperW(2), s)
	want.Apply(func(i, k int, v float64) float64 { return s.At(i, k) + datasets.GELU(0.3*v) },
		&want)
	if !mat.EqualApprox(x.X(), &want, 1e-14) {
		t.Error("a step isn't x + GELU(0.3·W·x)")
	}
	group := interpretationGroups()[0]
	inner, outer := group.Interpretations[len(group.Interpretations)-1], group.Interpretations[2]
	if inner.GELU != innerMixing || outer.GELU != GELUMixing {
		t.Fatalf("the interpretations are %+v and %+v", inner, outer)
	}
	linear := group.problems(outer, "linear")
	for k, problem := range group.problems(inner, "linear") {
		if problem != linear[k] {
			t.Errorf("the linear mixing is %+v inside and %+v outside", problem, linear[k])
		}
	}
}

// No interpretation uses a run of a figure.
func TestInterpretationsUseOtherRuns(t *testing.T) {
	figures := make(map[Trial]bool)
	for _, f := range Figures() {
		for _, p := range []methods.Preset{methods.Paper, PrintedPreset} {
			for _, c := range f.Trials(p, PaperRuns) {
				figures[c] = true
			}
		}
	}
	for _, c := range InterpretationTrials() {
		if figures[c] {
			t.Errorf("%s is a figure's, too", c)
		}
	}
}

// An interpretation with the results that the paper reports has "yes" in each column, except for
// the mixed signals, which are drawn; one in which SICA is ahead at J = 20, too, does not.
func TestInterpretationTables(t *testing.T) {
	var outcomes []Outcome
	for _, c := range InterpretationTrials() {
		score := 0.85
		switch {
		case c.Method == "sica-wgf-summed":
			score = 0.5
		case strings.HasPrefix(c.Method, "ivae"):
			score = 0.3
		case c.Mixing != LinearMixing:
			score -= float64(c.Steps) / 100
			if c.Method == "sica-wgf" {
				score += 0.1
			}
		case c.Method == "sica-wgf":
			score = 0.98
			if c.StepSize == 0.1 {
				score -= float64(c.Steps) / 100
			} else {
				score -= float64(c.Steps) / 1000
			}
		}
		outcomes = append(outcomes, Outcome{Trial: c, MCC: &score})
	}
	var out bytes.Buffer
	if err := WriteInterpretations(&out, newResults(fstest.MapFS{}, outcomes)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"(n=1) | yes | yes | yes | yes | yes |\n| x + 0.05·h(W·x)", // the line of 0.1
		"(n=1) | yes | yes | no | yes | yes |\n| x + h(0.1·W·x)",   // that of 0.05
		"| GELU, x + h(W·x) | 0.800 (0.000) | 0.900 (0.000) |",
		"| GELU, x + 0.1·h(W·x) | same | same |", // as of those of size 1
		"| linear, x + 0.1·h(W·x) | same | 0.930 (0.000) |",
		"| d outputs, summed | no | no | yes | no | no |", // whose outcomes are .5 below
		"| two, with a border | no | no | yes | yes |",    // behind 20 linear steps at .78
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %q:\n%s", want, out.String())
		}
	}

	// Without one of its trials an interpretation says nothing.
	var fewer []Outcome
	for _, o := range outcomes {
		if o.Method != "sica-wgf-summed" || o.Steps != 20 || o.Seed != firstInterpretationSeed {
			fewer = append(fewer, o)
		}
	}
	out.Reset()
	if err := WriteInterpretations(&out, newResults(fstest.MapFS{}, fewer)); err != nil {
		t.Fatal(err)
	}
	if want := "| d outputs, summed |" + strings.Repeat(" not measured |", 5) +
		"\n| standardised after each iteration | no | no | no | yes | no |"; !strings.Contains(out.String(), want) {
		t.Errorf("without a trial: no %q:\n%s", want, out.String())
	}
}

// A plane of pixels stays a plane, with its values at the centres of the new pixels, and beyond the
// outermost old centres those of the nearest.
func TestResizeIsBilinear(t *testing.T) {
	const side, border = datasets.MNISTSide, datasets.MNISTBorder
	const within = side - 2*border
	plane := func(row, col float64) float64 { return 3 + 2*row - col }
	s := mat.NewDense(1, side*side, nil)
	for row := range within {
		for col := range within {
			s.Set(0, (row+border)*side+col+border, plane(float64(row), float64(col)))
		}
	}
	resize(s)
	centre := func(k int) float64 { return min(max((float64(k)+0.5)*within/side-0.5, 0), within-1) }
	for row := range side {
		for col := range side {
			if got, want := s.At(0, row*side+col),
				plane(centre(row), centre(col)); math.Abs(got-want) > 1e-12 {
				t.Fatalf("pixel (%d, %d) is %v, want %v", row, col, got, want)
			}
		}
	}
}

// The digits of an interpretation are those of MNIST for the same seed.
func TestInterpretationDigits(t *testing.T) {
	draw := func(data string) *mat.Dense {
		s, in, err := Problem{Data: data, Mixing: LinearMixing, Steps: 1, Seed: 9}.Draw()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(in.Shape(), []int{datasets.MNISTSide, datasets.MNISTSide}) {
			t.Errorf("%s is shaped %v", data, in.Shape())
		}
		return s
	}
	three, two, resized := draw(MNIST), draw(twoDigits), draw(resizedDigits)
	if !mat.Equal(two, three.Slice(0, 2, 0, three.RawMatrix().Cols)) {
		t.Error("the two digits aren't the first two of three")
	}
	if ratio := mat.Sum(resized) / mat.Sum(three); math.Abs(ratio-32.*32/28/28) > 0.02 {
		t.Errorf("resized digits have %.3f times the ink, want 32²/28²", ratio)
	}
}

// Variants cannot be named by users, and each differs from its method in a setting.
func TestVariantsDifferInOneSetting(t *testing.T) {
	for _, m := range variants() {
		if _, err := methods.Named(m.Name); err == nil {
			t.Errorf("%s is among Methods", m.Name)
		}
		if found, err := methodNamed(m.Name); err != nil || found.Name != m.Name {
			t.Errorf("%s isn't found: %v", m.Name, err)
		}
		if !strings.HasPrefix(m.Name, "sica") {
			continue
		}
		cfg, err := m.Config(methods.Task{Preset: m.Presets[0]})
		if err != nil {
			t.Fatal(err)
		}
		for _, preset := range []sica.Config{
			sica.Default(), sica.FastWGF(), sica.PaperWGF(), sica.PaperRF(),
		} {
			if reflect.DeepEqual(cfg, preset) {
				t.Errorf("%s is the preset", m.Name)
			}
		}
	}
	u := segments(1024)
	for t0 := range 1024 {
		if mat.Sum(u.ColView(t0)) != 1 || u.At(t0/32, t0) != 1 {
			t.Fatalf("position %d isn't in segment %d", t0, t0/32)
		}
	}
}
