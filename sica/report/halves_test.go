package report

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// The halves of one mixture agree. If the second half is rotated by an angle, the signals of the
// two demixings have its cosine as correlation. The half of an image is its upper rows. Without
// enough positions, or with a signal that is constant in a half, there is no comparison.
func TestHalvesOfOneMixtureAgree(t *testing.T) {
	laplace := noise(rng(1), 2, 4000, datasets.Laplace)
	rotated := mat.DenseCopyOf(laplace)
	rotated.Slice(0, 2, 2000,
		4000).(*mat.Dense).Copy(rotated2(mat.DenseCopyOf(laplace.Slice(0, 2, 2000, 4000)),
		math.Pi/6))
	for _, test := range []struct {
		name  string
		s     *mat.Dense
		shape []int
		want  float64
	}{
		{"one mixture", laplace, []int{4000}, 1},
		{"an image", laplace, []int{40, 100}, 1},
		{"rotated", rotated, []int{4000}, math.Cos(math.Pi / 6)},
	} {
		h, err := separateHalves(t.Context(), wholeOf(test.s, test.shape...), linear.Config{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(h.Agreement-test.want) > .02 ||
			math.Abs(h.Agreement-(h.Signals[0]+h.Signals[1])/2) > 1e-12 {
			t.Errorf("%s: %+v, want %.3f", test.name, *h, test.want)
		}
	}
	short := mat.DenseCopyOf(laplace.Slice(0, 2, 0, 90))
	still := mat.DenseCopyOf(laplace)
	for k := range 2000 {
		still.Set(0, k, 1)
	}
	for _, z := range []*mat.Dense{short, still} {
		h, err := separateHalves(t.Context(), wholeOf(z), linear.Config{Seed: 1})
		if h != nil || err == nil {
			t.Errorf("%v, no error", h)
		}
	}
}

// Where the halves can't be compared, Grades returns why, beside the grades without them, and a
// report has the reason.
func TestGradesWithoutHalves(t *testing.T) {
	x := noise(rng(9), 2, 90, datasets.Laplace)
	r := fit(t, nil, x, sica.Config{Mode: sica.LinearOnly, Seed: 1})
	grades, err := Grades(t.Context(), r, x, Config{})
	if !errors.Is(err, ErrHalves) || len(grades) != 2 || grades[0].Repeat != 0 {
		t.Errorf("%+v, error %v", grades, err)
	}
	rep, err := New(t.Context(), r, x, Config{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "The halves weren't compared: a half has 45 positions of 2 signals; must have at " +
		"least 48."
	data, err := json.Marshal(rep)
	if err != nil || rep.Halves != nil || rep.NotHalved != want ||
		!strings.Contains(string(data), `"not_halved":"The halves`) ||
		!strings.Contains(strings.Join(strings.Fields(rep.String()), " "), want) {
		t.Errorf("halves %v, %q; %s, error %v", rep.Halves, rep.NotHalved, rep, err)
	}
	for i, g := range slices.Concat(grades, rep.Grades) {
		if g.Grade != Identified && g.Grade != NotIdentified {
			t.Errorf("signal %d: %+v, though the halves weren't compared", i, g)
		}
	}
}

// If one signal moves, the halves disagree on that signal.
func TestHalvesNameTheSignalThatMoves(t *testing.T) {
	s := noise(rng(3), 3, 3000, datasets.Laplace)
	s.SetRow(2, noise(rng(4), 1, 3000, datasets.Uniform).RawRowView(0))
	x := mat.DenseCopyOf(s)
	x.Slice(0, 2, 1500,
		3000).(*mat.Dense).Copy(rotated2(mat.DenseCopyOf(s.Slice(0, 2, 1500, 3000)), math.Pi/5))
	h, err := separateHalves(t.Context(), wholeOf(x), linear.Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if h.Signals[2] < .99 || h.Signals[0] > .9 || h.Signals[1] > .9 {
		t.Errorf("%+v, want the third alone to agree", *h)
	}
}

// Long halves are compared by parts if these agree, and by all positions otherwise.
func TestLongHalvesAreComparedByParts(t *testing.T) {
	const n = 4 * 8 * signal.PartBlock
	same := noise(rng(8), 2, n, datasets.Laplace)
	moved := mat.DenseCopyOf(same)
	second := moved.Slice(0, 2, n/2, n).(*mat.Dense)
	second.Copy(rotated2(mat.DenseCopyOf(second), math.Pi/5))
	opt := linear.Config{Seed: 1, Noiseless: true}
	for _, z := range []*mat.Dense{same, moved} {
		got, err := separateHalves(t.Context(), wholeOf(z), opt)
		if err != nil {
			t.Fatal(err)
		}
		halves := [2]recording{wholeOf(z).slice(0, n/2), wholeOf(z).slice(n/2, n)}
		if z == same {
			for k, half := range halves {
				halves[k] = part(half)
			}
		}
		want, err := compareHalves(t.Context(), z, halves, opt)
		if err != nil {
			t.Fatal(err)
		}
		if got.Agreement != want.Agreement || agree(got.Signals) != (z == same) {
			t.Errorf("one mixture: %v: %+v, want %+v", z == same, got, want)
		}
	}
}
