package baseline

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestCentre(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{1, 2, 3, 6, -1, -1, -1, -1})
	before := mat.DenseCopyOf(x)
	mean, centred := Centre(x)
	if want := mat.NewDense(2, 4, []float64{-2, -1, 0, 3, 0, 0, 0, 0}); mean[0] != 3 || mean[1] != -1 || !mat.Equal(centred, want) {
		t.Errorf("means %v, centred\n%v", mean, mat.Formatted(centred))
	}
	if !mat.Equal(x, before) {
		t.Error("the signals were changed")
	}
}

// The whitening of the signals that it is of is their white signals, position by
// position.
func TestApply(t *testing.T) {
	x := mixed(4, 3, 50)
	w, err := Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	white, err := w.Apply(mat.DenseCopyOf(x.Slice(0, 3, 7, 9)))
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(white, w.Signals.Slice(0, 3, 7, 9), 1e-12) {
		t.Error("the whitening of two positions isn't that of all at those")
	}
	if white, err := w.Apply(mat.NewDense(2, 50, nil)); err == nil {
		t.Errorf("two signals gave %v, want an error", white)
	}
}
