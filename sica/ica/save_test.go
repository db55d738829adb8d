package ica_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// A linear model that was saved and loaded has the same map and inverse, including the mean.
func TestSaveLoad(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	x := mat.NewDense(3, 400, nil)
	x.Apply(func(i, _ int, _ float64) float64 { return 100*float64(i+1) + math.Pow(rng.NormFloat64(), 3) }, x)
	m, err := ica.Separate(t.Context(), linear.Config{}, x)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "map.json")
	if err := m.SaveMap(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := ica.LoadMap(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := loaded.Apply(x)
	want, wantErr := m.Transform(x)
	if err != nil || wantErr != nil || !mat.Equal(z, want) {
		t.Errorf("the loaded map makes other signals, errors %v, %v", err, wantErr)
	}
	back, err := loaded.Invert(z)
	if err != nil || !mat.EqualApprox(back, x, 1e-9) {
		t.Errorf("and not the mixed signals of them, error %v", err)
	}

	few := mat.DenseCopyOf(x.Slice(0, 2, 0, 400))
	for _, f := range []func(*mat.Dense) (*mat.Dense, error){loaded.Apply, loaded.Invert} {
		if _, err := f(few); err == nil || err.Error() != "linear map: has 2 signals; must have 3" {
			t.Errorf("two signals for a map of three: %v", err)
		}
		if _, err := f(nil); err == nil {
			t.Error("no signals: no error")
		}
	}
	if err := m.SaveMap(""); err == nil || err.Error() != "ica: save map: the path is empty; must be that of a file" {
		t.Errorf("an empty path: %v", err)
	}
	nowhere := filepath.Join(t.TempDir(), "missing", "map.json")
	wantText := "ica: save map: write " + nowhere + ": the file must be in a folder that exists: file does not exist"
	if err := m.SaveMap(nowhere); !errors.Is(err, os.ErrNotExist) || err.Error() != wantText {
		t.Errorf("error %v, want %q", err, wantText)
	}

	nonlinear := &ica.Model{Signals: x, Map: cubes{}}
	if err := nonlinear.SaveMap(file); !errors.Is(err, ica.ErrNotLinear) {
		t.Errorf("a map that isn't linear: %v", err)
	}
	for text, want := range map[string]string{
		"{":                    "unexpected end of JSON",
		`{"format":"another"}`: `is a "another" of version 0; must be a "sica linear map" of version 1`,
		`{"format":"sica linear map","version":1}`:                                   "is empty",
		`{"format":"sica linear map","version":1,"matrix":[[1,2],[3]],"mean":[0,0]}`: "the matrix: row 2: has 1 values; must have 2",
		`{"format":"sica linear map","version":1,"matrix":[[1,2]],"mean":[0,0]}`:     "the matrix is 1×2; must be 2×2",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ica.LoadMap(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// cubes is a map that isn't linear.
type cubes struct{}

func (cubes) Apply(x *mat.Dense) (*mat.Dense, error) {
	var z mat.Dense
	z.Apply(func(_, _ int, v float64) float64 { return v * v * v }, x)
	return &z, nil
}

func (cubes) Invert(z *mat.Dense) (*mat.Dense, error) {
	var x mat.Dense
	x.Apply(func(_, _ int, v float64) float64 { return math.Cbrt(v) }, z)
	return &x, nil
}
