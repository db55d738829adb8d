package sica

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A result whose signals were put into another order, with other signs, gets those of the first
// back: signals, demixing, findings, patterns, what it says and what it saves.
func TestOrderedLikeRestores(t *testing.T) {
	_, surplus := surplusMixture(1, 6000) // nothing is identified, so patterns aren't columns of A
	order, signs := []int{2, 0, 3, 1}, []float64{-1, 1, -1, -1}
	_, wide := surplusMixture(2, 6000)
	copied := mat.NewDense(5, 6000, nil) // of rank 4
	copied.Slice(0, 4, 0, 6000).(*mat.Dense).Copy(wide)
	copied.SetRow(4, wide.RawRowView(0))
	for name, x := range map[string]*mat.Dense{"surplus": surplus, "reduced": copied} {
		r, err := Fit(t.Context(), x, Config{Mode: LinearOnly})
		if err != nil {
			t.Fatal(err)
		}
		moved := r.reordered(order, signs)
		if got, want := moved.Z.At(1, 7), r.Z.At(0, 7); got != want {
			t.Errorf("%s: signal 2 begins with %g, want %g", name, got, want)
		}
		back, correlations, err := moved.OrderedLike(r)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range correlations {
			if math.Abs(c-1) > 1e-9 {
				t.Errorf("%s: signal %d correlates by %g", name, i+1, c)
			}
		}
		dir := filepath.Join(t.TempDir(), "saved")
		if err := back.Save(dir); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, again := range []*Result{back, loaded} {
			if !mat.Equal(again.Z, r.Z) || again.Why != r.Why ||
				!reflect.DeepEqual(again.Linear, r.Linear) {
				t.Errorf("%s: %s, %+v; want %s, %+v", name, again.Why, again.Linear, r.Why, r.Linear)
			}
			z, err := again.Transform(x)
			if err != nil || !mat.EqualApprox(z, r.Z, 1e-9) {
				t.Errorf("%s: Transform gives other signals, error %v", name, err)
			}
			got, err := again.Patterns()
			want, err2 := r.Patterns()
			if err != nil || err2 != nil || !mat.EqualApprox(got, want, 1e-9) {
				t.Errorf("%s: patterns %v, want %v", name, mat.Formatted(got), mat.Formatted(want))
			}
		}
	}
}

// The sentence about the signals that depend on each other names them in the new order, too.
func TestOrderedLikeRenumbersDependence(t *testing.T) {
	draw := rng(10)
	s := noise(draw, 3, 1024, func(r *rand.Rand) float64 { return 2*r.Float64() - 1 })
	x := mixed(t, s, 1, false)
	for c := range 2 { // the third channel is linear
		row := x.RawRowView(c)
		for k, v := range row {
			row[k] = v + 0.5*v*v*v
		}
	}
	r, err := Fit(t.Context(), x, Config{})
	if err != nil {
		t.Fatal(err)
	}
	sentence := regexp.MustCompile(`(?:Signals|most of all) (\d) and (\d)`)
	named := func(why string) []string { return sentence.FindStringSubmatch(why) }
	pair := named(r.Why)
	if pair == nil || named(r.Linear.Why) == nil {
		t.Fatalf("no pair is named: %q, %q", r.Why, r.Linear.Why)
	}
	dir := filepath.Join(t.TempDir(), "saved")
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	if r, err = Load(dir); err != nil {
		t.Fatal(err)
	}
	moved := r.reordered([]int{2, 0, 1}, []float64{1, 1, 1}) // signal 1 is now the second
	place := map[string]string{"1": "2", "2": "3", "3": "1"}
	want := []string{place[pair[1]], place[pair[2]]}
	slices.Sort(want)
	for _, why := range []string{moved.Why, moved.Linear.Why} {
		if got := named(why); !slices.Equal(got[1:], want) {
			t.Errorf("%q; want signals %v", why, want)
		}
	}
}

// The two halves of a recording give signals in the same order, with the same signs.
func TestHalvesOrderedLike(t *testing.T) {
	s := noise(rng(5), 4, 4000, func(r *rand.Rand) float64 { return r.ExpFloat64() })
	var x mat.Dense
	x.Mul(mat.NewDense(4, 4, []float64{1, .9, .2, 0, .3, 1, .8, .1, 0, .4, 1, .9, .8, .1, .3, 1}), s)
	half := func(k int) *mat.Dense { return mat.DenseCopyOf(x.Slice(0, 4, 2000*k, 2000*(k+1))) }
	first, err := Fit(t.Context(), half(0), Config{Mode: LinearOnly})
	if err != nil {
		t.Fatal(err)
	}
	first = first.reordered([]int{3, 1, 0, 2}, []float64{1, -1, 1, -1})
	second, err := Fit(t.Context(), half(1), Config{Mode: LinearOnly})
	if err != nil {
		t.Fatal(err)
	}
	second, correlations, err := second.OrderedLike(first)
	if err != nil {
		t.Fatal(err)
	}
	z, err := first.Transform(half(1))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		c := stat.Correlation(z.RawRowView(i), second.Z.RawRowView(i), nil)
		if c < 0.95 || math.Abs(c-correlations[i]) > 1e-6 {
			t.Errorf("signal %d correlates by %.3f, OrderedLike says %.3f", i+1, c, correlations[i])
		}
	}
}

// Signals follow those that they match, and the others come last, of fewer and of more.
func TestMatched(t *testing.T) {
	wide := mat.NewDense(2, 3, []float64{0.1, 0.2, -0.9, 0.8, 0.7, 0.1})
	order, correlations := matched(wide)
	if !slices.Equal(order, []int{1, 0}) || !slices.Equal(correlations, []float64{0.8, -0.9}) {
		t.Errorf("%v, %v", order, correlations)
	}
	order, correlations = matched(mat.DenseCopyOf(wide.T()))
	if !slices.Equal(order, []int{2, 0, 1}) || !slices.Equal(correlations, []float64{-0.9, 0.8, 0}) {
		t.Errorf("%v, %v", order, correlations)
	}
}

// Another number of channels, or other names, are an error.
func TestOrderedLikeErrors(t *testing.T) {
	_, x := surplusMixture(1, 1000)
	r, err := Fit(t.Context(), x, Config{Mode: LinearOnly})
	if err != nil {
		t.Fatal(err)
	}
	fewer, err := Fit(t.Context(), mat.DenseCopyOf(x.Slice(0, 3, 0, 1000)),
		Config{Mode: LinearOnly})
	if err != nil {
		t.Fatal(err)
	}
	named := *r
	named.Channels = []string{"a", "b", "c", "d"}
	other := *r
	other.Channels = []string{"a", "b", "x", "d"}
	for want, pair := range map[string][2]*Result{
		"sica: ordered like: channels: are 4; must be 3, as in the fit":      {r, fewer},
		`sica: ordered like: channels: 3 is "x"; must be "c", as in the fit`: {&other, &named},
	} {
		if _, _, err := pair[0].OrderedLike(pair[1]); !errors.Is(err, ErrSignals) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, _, err := r.OrderedLike(nil); err == nil || !strings.Contains(err.Error(), "earlier: must not") {
		t.Errorf("error %v of no earlier result", err)
	}
	if _, _, err := named.OrderedLike(r); err != nil {
		t.Errorf("an earlier result without names: %v", err)
	}
}
