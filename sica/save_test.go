package sica

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
)

// exported is a copy of r with its exported fields alone, NaN made comparable
// and nothing in Config that isn't saved.
func exported(r *Result) Result {
	copied := *r
	copied.maps, copied.backend, copied.moments, copied.sentences = nil, nil, nil, nil
	copied.Config = copied.Config.Clone()
	copied.Config.Checkpoint = ""
	if copied.Config.Flow != nil {
		copied.Config.Flow.OnIteration = nil
	}
	copied.Divergence = nil
	for _, v := range r.Divergence {
		if v != v {
			v = -1
		}
		copied.Divergence = append(copied.Divergence, v)
	}
	return copied
}

// checkEqual fails unless two results have the same fields, bit for bit, and map
// x to the same.
func checkEqual(t *testing.T, got, want *Result, x *mat.Dense) {
	t.Helper()
	if (got.moments == nil) != (want.moments == nil) || want.moments != nil &&
		(!mat.Equal(got.moments.Covariance, want.moments.Covariance) ||
			got.moments.Heavy != want.moments.Heavy || got.moments.ByCubes != want.moments.ByCubes ||
			!slices.Equal(got.moments.Cubes, want.moments.Cubes)) {
		t.Error("the moments of the recovered signals are others")
	}
	if g, w := exported(got), exported(want); !reflect.DeepEqual(g, w) {
		t.Errorf("the result is\n%+v, want\n%+v", g, w)
	}
	z, err := got.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := want.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(z, wanted) {
		t.Errorf("its transform differs by %g", largestDifference(z, wanted))
	}
}

func TestSaveLoad(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(followed())) {
		t.Run(name, func(t *testing.T) {
			result, x := followedFit(t, backendtest.Open(t, backend.Go), name)
			dir := filepath.Join(t.TempDir(), "result")
			if err := result.Save(dir); err != nil {
				t.Fatal(err)
			}
			loaded, err := Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			checkEqual(t, loaded, result, x)
			if err := result.Save(dir); !errors.Is(err, os.ErrExist) || !strings.Contains(err.Error(), "there already") {
				t.Errorf("saved over a folder: %v", err)
			}
		})
	}
}

// Load keeps signals that a recording's reader would set aside: a counter, and one with a value that
// programs write for missing ones.
func TestLoadKeepsEachSignal(t *testing.T) {
	result, _ := followedFit(t, backendtest.Open(t, backend.Go), "gaussianised")
	d, n := result.Z.Dims()
	z := mat.NewDense(d, n, nil)
	for k := range n {
		z.Set(0, k, float64(k))
		z.Set(1, k, math.Sin(float64(k)))
	}
	z.Set(1, 7, -999)
	z.Set(1, 9, -999)
	copied := *result
	copied.Z, copied.Initial = z, z
	loaded := reloaded(t, &copied)
	if !mat.Equal(loaded.Z, z) {
		t.Error("other signals were loaded")
	}
}

// The error for a changed byte, a truncated or a missing file names the file.
func TestDamagedFilesAreNamed(t *testing.T) {
	result, _ := followedFit(t, backendtest.Open(t, backend.Go), "free window")
	dir := filepath.Join(t.TempDir(), "result")
	if err := result.Save(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 4 {
		t.Fatalf("only %d files", len(entries))
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		refused := func(how string) {
			t.Helper()
			_, err := Load(dir)
			if !errors.Is(err, ErrSaved) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), e.Name()) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, %s: %v, want an error that names it", e.Name(), how, err)
			}
		}
		for _, at := range []int{0, len(whole) / 2, len(whole) - 1} {
			changed := slices.Clone(whole)
			changed[at] ^= 1
			put(t, path, changed)
			refused("a byte changed")
		}
		put(t, path, whole[:len(whole)-1])
		refused("cut short")
		put(t, path, []byte("x"))
		refused("of one letter")
		put(t, path, nil)
		refused("empty")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		refused("missing")
		put(t, path, whole)
	}
	if _, err := Load(dir); err != nil {
		t.Errorf("undamaged: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "result.json")); !errors.Is(err, ErrSaved) ||
		!strings.Contains(err.Error(), "this is a file") {
		t.Errorf("of a file: %v", err)
	}
	_, none := Load(filepath.Join(dir, "none"))
	_, other := Load(t.TempDir())
	if !errors.Is(none, fs.ErrNotExist) || errors.Is(none, ErrSaved) ||
		errors.Is(other, fs.ErrNotExist) || !errors.Is(other, ErrSaved) || !strings.Contains(other.Error(), "lacks") {
		t.Errorf("of no folder %v, of another %v", none, other)
	}
	if err := new(Result).Save(filepath.Join(t.TempDir(), "r")); err == nil {
		t.Error("a result without a fit was saved")
	}
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// golden are the folders of testdata, saved from fits of goldenSignals.
var golden = map[string]string{"conditional": "result-2-conditional"}

func goldenSignals(t testing.TB) *mat.Dense {
	x, _ := mixedAR7(t, 1, 130, 3, true)
	return x
}

// Results that earlier versions saved load, and map their mixed signals to their recovered ones.
// SICA_TEST_GOLDEN=1 writes the folders of this version if there are none.
func TestResultsOfEarlierVersionsLoad(t *testing.T) {
	x := goldenSignals(t)
	for name, folder := range golden {
		dir := filepath.Join("testdata", folder)
		if _, err := os.Stat(dir); err != nil && os.Getenv("SICA_TEST_GOLDEN") != "" {
			if err := fit(t, backendtest.Open(t, backend.Go), x, followed()[name]).Save(dir); err != nil {
				t.Fatal(err)
			}
		}
		result, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		there, back := checkFollows(t, result, x)
		t.Logf("%s: transform %.1e, inverse %.1e", name, there, back)
	}
}

// An empty path and a folder that isn't there are named, and not the temporary folder.
func TestSaveNowhere(t *testing.T) {
	x, _ := mixedAR7(t, 1, 64, 3, true)
	r := fit(t, nil, x, Config{Mode: LinearOnly})
	if err := r.Save(""); err == nil || err.Error() != "sica: save: the path is empty; must be that of a new folder" {
		t.Errorf("an empty path: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "missing", "model")
	want := "sica: save: " + dir + ": must be in a folder that exists: file does not exist"
	if err := r.Save(dir); !errors.Is(err, os.ErrNotExist) || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
