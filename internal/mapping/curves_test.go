package mapping

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func twoCurves() *Curves {
	return &Curves{
		Values:   [][]float64{{-1, 0, 2}, {10, 11}},
		Straight: [][]float64{{-4, 0, 1}, {5, 5.5}},
	}
}

// Between the points curves are linear, beyond them they go on; the inverse goes back.
func TestCurves(t *testing.T) {
	c := twoCurves()
	x := mat.NewDense(2, 5, []float64{-2, -0.5, 0, 1, 4, 8, 10, 10.5, 11, 13})
	want := mat.NewDense(2, 5, []float64{-8, -2, 0, 0.5, 2, 4, 5, 5.25, 5.5, 6.5})
	z, err := c.Apply(x)
	if err != nil || !mat.EqualApprox(z, want, 1e-15) {
		t.Errorf("error %v,\n%v, want\n%v", err, mat.Formatted(z), mat.Formatted(want))
	}
	back, err := c.Invert(z)
	if err != nil || !mat.EqualApprox(back, x, 1e-14) {
		t.Errorf("error %v, back\n%v", err, mat.Formatted(back))
	}
	logDet, err := c.LogDet(x)
	if err != nil {
		t.Fatal(err)
	}
	for k, slope := range []float64{4, 4, 4, 0.5, 0.5} {
		if want := math.Log(slope * 0.5); math.Abs(logDet[k]-want) > 1e-15 {
			t.Errorf("position %d: %g, want %g", k, logDet[k], want)
		}
	}
	if _, err := c.Apply(mat.NewDense(3, 5, nil)); err == nil {
		t.Error("three signals: no error")
	}
}

func TestCurvesRecord(t *testing.T) {
	c := twoCurves()
	record, err := Write(t.TempDir(), "map", c)
	if err != nil {
		t.Fatal(err)
	}
	read, err := record.Read("", 2, 5)
	if err != nil || read != c {
		t.Errorf("error %v, %v", err, read)
	}
	nan := math.NaN()
	for name, bad := range map[string]*Curves{
		"none":     nil,
		"one":      {Values: c.Values[:1], Straight: c.Straight[:1]},
		"unpaired": {Values: c.Values, Straight: [][]float64{{1, 2}, {1, 2}}},
		"falling":  {Values: c.Values, Straight: [][]float64{{3, 2, 1}, {1, 2}}},
		"level":    {Values: c.Values, Straight: [][]float64{{1, 1, 2}, {1, 2}}},
		"NaN":      {Values: c.Values, Straight: [][]float64{{1, nan, 2}, {1, 2}}},
		"point":    {Values: [][]float64{{1}, {1}}, Straight: [][]float64{{1}, {1}}},
		"endless":  {Values: c.Values, Straight: [][]float64{{1, 2, math.Inf(1)}, {1, 2}}},
	} {
		record.Curves = bad
		if _, err := record.Read("", 2, 5); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
