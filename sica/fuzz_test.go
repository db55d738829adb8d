package sica

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/sealed"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// folderFiles are the files below a folder by their path in it, manifests left
// out.
func folderFiles(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == sealed.Manifest {
			return err
		}
		files[path], err = os.ReadFile(filepath.Join(dir, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// putSealed writes files below a folder anew, each folder with the manifest that
// belongs to them, so that fuzzing gets behind the checksums.
func putSealed(t testing.TB, dir string, files map[string][]byte, format string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	manifests := make(map[string]string)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		folder := filepath.Dir(path)
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), files[path], 0o600); err != nil {
			t.Fatal(err)
		}
		if manifests[folder] == "" {
			manifests[folder] = format + " 1\n"
		}
		manifests[folder] += fmt.Sprintf("%x  %s\n", sha256.Sum256(files[path]), filepath.Base(path))
	}
	for folder, lines := range manifests {
		lines += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(lines)), sealed.Manifest)
		if err := os.WriteFile(filepath.Join(dir, folder, sealed.Manifest), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// changed is a file with data for its content. If the file and data are JSON, data
// takes the place of one of the file's values, the at-th, so that fuzzing gets
// behind the syntax.
func changed(path string, file []byte, at int, data []byte) []byte {
	if filepath.Ext(path) != ".json" || !json.Valid(data) {
		return data
	}
	document := json.NewDecoder(bytes.NewReader(file))
	document.UseNumber()
	var root any
	if err := document.Decode(&root); err != nil {
		panic(err)
	}
	count := 0
	eachValue(root, func(any) any { count++; return nil })
	at %= count
	replaced, err := json.Marshal(eachValue(root, func(any) any {
		if at--; at == -1 {
			return json.RawMessage(data)
		}
		return nil
	}))
	if err != nil {
		panic(err)
	}
	return replaced
}

// eachValue is a JSON value with each value in it, in a fixed order, replaced by
// what replace returns, unless that is nil.
func eachValue(v any, replace func(any) any) any {
	if by := replace(v); by != nil {
		return by
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = eachValue(v[i], replace)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = eachValue(v[key], replace)
		}
	}
	return v
}

// hostile are values to put into JSON.
var hostile = []string{
	"null", "-1", "0", "1", "3", "1e300", "9223372036854775807", "4611686018427387904", `""`, `"../../x"`, `"free"`, `"prediction"`, `"sequence"`,
	`"rf"`, "[]", "[[]]", "[null]", "[1]", "[-1,-1]", "[2,65]", "[4294967296,4294967296]", "{}", "true",
}

// checkMessage fails unless err is a line.
func checkMessage(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); text == "" || strings.Contains(text, "\n") || len(text) > 2000 {
		t.Errorf("the error is %q: want a line", text)
	}
}

// checkUse fails if using what was loaded panics or gives signals that aren't
// finite.
func checkUse(t *testing.T, r *Result, x *mat.Dense) {
	t.Helper()
	if r.Config.Flow.SolverSteps > 1000 || slices.Max(append(r.Config.Flow.Hidden, 0)) > 1000 {
		return // as good as any, but it takes long
	}
	z, err := r.Transform(x)
	if err != nil {
		checkMessage(t, err)
	} else if err := signal.CheckFinite(z); err != nil {
		t.Error(err)
	}
	if z, err = r.InverseTransform(r.Z); err != nil {
		checkMessage(t, err)
	} else if err := signal.CheckFinite(z); err != nil {
		t.Error(err)
	}
}

// For any files of a result with valid checksums, Load returns an error or a result that maps
// signals.
func FuzzLoad(f *testing.F) {
	var folders []map[string][]byte
	for _, folder := range slices.Sorted(maps.Values(golden)) {
		files := folderFiles(f, filepath.Join("testdata", folder))
		for place, path := range slices.Sorted(maps.Keys(files)) {
			f.Add(uint8(len(folders)), uint8(place), uint16(0), files[path])
			for at, value := range hostile {
				f.Add(uint8(len(folders)), uint8(place), uint16(7*at), []byte(value))
			}
		}
		folders = append(folders, files)
	}
	for _, tried := range triedLoads {
		f.Add(tried.folder, tried.place, tried.at, []byte(tried.data))
	}
	parent := f.TempDir()
	f.Fuzz(func(t *testing.T, folder, place uint8, at uint16, data []byte) {
		files := maps.Clone(folders[int(folder)%len(folders)])
		paths := slices.Sorted(maps.Keys(files))
		path := paths[int(place)%len(paths)]
		files[path] = changed(path, files[path], int(at), data)
		dir := filepath.Join(parent, "result")
		putSealed(t, dir, files, resultFormat)
		result, err := Load(dir)
		if err != nil {
			checkMessage(t, err)
			return
		}
		checkUse(t, result, goldenSignals(t))
	})
}

// For any files of a checkpoint with valid checksums, the fit returns an error, or a result that
// maps signals.
func FuzzResume(f *testing.F) {
	b, err := backend.Open(backend.Go)
	if err != nil {
		f.Fatal(err)
	}
	x := goldenSignals(f)
	cfg := followed()["free prediction"]
	cfg.Flow.Iterations, cfg.Flow.Steps, cfg.Flow.Hidden, cfg.Flow.KeepBest = 2, 2, []int{2}, true
	cfg.Checkpoint = filepath.Join(f.TempDir(), "checkpoint")
	if _, err := Fit(context.Background(), x, cfg.On(b)); err != nil {
		f.Fatal(err)
	}
	whole := folderFiles(f, cfg.Checkpoint)
	delete(whole, "lock")
	paths := slices.Sorted(maps.Keys(whole))
	for place, path := range paths {
		f.Add(uint8(place), uint16(0), whole[path])
		for at, value := range hostile {
			f.Add(uint8(place), uint16(5*at), []byte(value))
		}
	}
	f.Fuzz(func(t *testing.T, place uint8, at uint16, data []byte) {
		files := maps.Clone(whole)
		path := paths[int(place)%len(paths)]
		files[path] = changed(path, files[path], int(at), data)
		putSealed(t, cfg.Checkpoint, files, checkpointFormat)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		resumed := cfg.Clone()
		resumed.Flow.OnIteration = func(_ int, it klflow.Iteration) {
			if it.J > 2 {
				t.Errorf("iteration %d of 2", it.J)
			}
			cancel() // one is enough
		}
		result, err := Fit(ctx, x, resumed.On(b))
		if err != nil && !errors.Is(err, context.Canceled) {
			checkMessage(t, err)
			return
		}
		checkUse(t, result, x)
	})
}
