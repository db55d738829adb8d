package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// What is known of signals survives each format.
func TestRecording(t *testing.T) {
	z := mat.NewDense(2, 3, []float64{1, -2.5, 0.25, 4, 5, 6})
	for _, c := range []struct {
		file string
		r    Recording
		want Recording // if it isn't r
	}{
		{"named.csv", Recording{Names: []string{"Fp1", "a, b"}}, Recording{}},
		{"timed.csv", Recording{Names: []string{"I", "II"}, Rate: 1000, TimeColumn: "t [s]", Start: 12.5}, Recording{}},
		{"third.csv", Recording{Names: []string{"I", "II"}, Rate: 1. / 3, TimeColumn: "Time (s)"}, Recording{}},
		{"plain.npy", Recording{}, Recording{}},
		{"named.npy", Recording{Names: []string{"I", "II"}, Rate: 250}, Recording{}},
		{"rate.npy", Recording{Rate: 0.5}, Recording{}},
		{"unknown.wav", Recording{}, Recording{Rate: 44100}},
		{"named.wav", Recording{Names: []string{"left", "right"}, Rate: 16000}, Recording{}},
		{"units.npy", Recording{Units: []string{"µV", ""}}, Recording{}},
		{"units.wav", Recording{Units: []string{"µV", "mV"}, Rate: 250.5}, Recording{}},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		c.r.Signals = z
		if err := WriteRecording(path, &c.r); err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		got, err := ReadRecording(path)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		want := c.r
		if c.want.Rate > 0 {
			want = c.want
		}
		if !mat.Equal(got.Signals, z) {
			t.Errorf("%s: signals %v", c.file, mat.Formatted(got.Signals))
		}
		got.Signals, want.Signals = nil, nil
		if d := got.Rate - want.Rate; d < 1e-9 && d > -1e-9 {
			got.Rate = want.Rate
		}
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v, want %+v", c.file, *got, want)
		}
		if s, err := OpenStream(path); err != nil {
			t.Error(err)
		} else if about := s.About(); !slices.Equal(about.Units, want.Units) {
			t.Errorf("%s: the stream has the units %q, want %q", c.file, about.Units, want.Units)
		}
	}
}

// A first column is one of times only if it is called so and never falls; then they must be
// evenly spaced, to two steps.
func TestTimeColumn(t *testing.T) {
	for text, signals := range map[string]int{
		"time,a\n0,1\n1,2\n2,3\n":        1,
		"TIMESTAMP,a\n5,1\n5.5,2\n6,3\n": 1,
		"time,a\n0,1\n0,2\n.01,3\n":      1, // rounded
		"time,a\n3,1\n2,2\n1,3\n":        2, // backwards
		"tempo,a\n0,1\n1,2\n2,3\n":       2,
		"a,time\n0,1\n1,2\n2,3\n":        2,
		"0,1\n1,2\n2,3\n":                2,
		"time\n0\n1\n2\n":                1, // nothing else
	} {
		r, err := formatOf(".csv").read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if d, _ := r.Signals.Dims(); d != signals {
			t.Errorf("%q: %d signals, want %d", text, d, signals)
		}
	}
	gap := "time,a\n0,1\n1,2\n2,1\n3,2\n4,1\n5,3\n16,2\n"
	if _, err := formatOf(".csv").read(strings.NewReader(gap)); err == nil || !strings.Contains(err.Error(), "line 8: the times have a gap of 11,") {
		t.Errorf("a gap: %v", err)
	}
	uneven, time := "time,a\n", 0.0
	for k := range 40 { // steps of 1, and then of 1.5
		uneven += fmt.Sprintf("%g,%d\n", time, k*k%7)
		time += 1 + 0.5*float64(k/20)
	}
	if _, err := formatOf(".csv").read(strings.NewReader(uneven)); err == nil || !strings.Contains(err.Error(), "the times aren't evenly spaced") {
		t.Errorf("two rates: %v", err)
	}
}

// A first row that counts the columns may be a header or values: it is refused unless all are
// whole numbers.
func TestCountedColumns(t *testing.T) {
	for text, positions := range map[string]int{
		"0,1\n1,0\n1,1\n":   3,
		"0,1,2\n":           1,
		"1,2\n2,1\n3.5,1\n": 3,
		"0.0,1.0\n.5,2\n":   2,
		"0,2\n.5,2\n":       2,
		"0;1\n1;0\n":        2,
		"0,1,2\n.1,.2,.3\n": 0,
		"1,2,3\n1,2,.3\n":   0,
		"0;1\n0,5;1\n":      0,
	} {
		r, err := formatOf(".csv").read(strings.NewReader(text))
		if positions == 0 {
			if err == nil || !strings.Contains(err.Error(), "line 1 has the numbers of the columns") {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if _, n := r.Signals.Dims(); n != positions {
			t.Errorf("%q: %d positions, want %d", text, n, positions)
		}
	}
}

func TestRecordingErrors(t *testing.T) {
	z := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	dir := t.TempDir()
	for name, r := range map[string]*Recording{
		"no recording": nil,
		"no signals":   {},
	} {
		if err := WriteRecording(filepath.Join(dir, "r.npy"), r); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	path := filepath.Join(dir, "z.npy")
	if err := WriteFile(path, z); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"units":["V"]}`: "Units: 1 for 2 signals",
		`{"names":["a"]}`: "Names: 1 for 2 signals",
		`{"rate":-5}`:     "Rate is -5; must be",
		`{"rate":`:        "unexpected EOF",
		`{"rate":5} 6`:    "text after the JSON",
		`{"title":"a"}`:   `unknown field "title"`,
		`[1, 2]`:          "cannot unmarshal array",
	} {
		if err := os.WriteFile(path+".json", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRecording(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "z.npy.json") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A sidecar with a rate alone leaves the names of the file, and one with names alone the rate.
func TestSidecarSaysAPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.mat")
	data, err := os.ReadFile(filepath.Join("testdata", "mat", "vectors.mat")) // left and right at 20 Hz
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]Recording{
		`{"rate":20.25}`:       {Names: []string{"left", "right"}, Rate: 20.25},
		`{"names":["a", "b"]}`: {Names: []string{"a", "b"}, Rate: 20},
	} {
		if err := os.WriteFile(path+".json", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := ReadRecording(path)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Names, want.Names) || r.Rate != want.Rate {
			t.Errorf("%s: %q at %g Hz, want %q at %g", text, r.Names, r.Rate, want.Names, want.Rate)
		}
	}
}

// A file that isn't a sidecar stays, and nothing is written.
func TestOtherFileInPlaceOfSidecar(t *testing.T) {
	z := mat.NewDense(2, 3, []float64{.1, .2, .3, .4, .5, .6})
	for _, name := range []string{"u.npy", "u.wav"} {
		path := filepath.Join(t.TempDir(), name)
		const other = `{"title": "a report"}`
		if err := os.WriteFile(path+".json", []byte(other), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, r := range []*Recording{{Signals: z, Rate: 8}, {Signals: z, Names: []string{"a", "b"}, Rate: 8}} {
			err := WriteRecording(path, r)
			if err == nil || !strings.Contains(err.Error(), name+".json") {
				t.Errorf("%v, want an error about %s.json", err, name)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want no file", name, err)
			}
			if kept, _ := os.ReadFile(path + ".json"); string(kept) != other {
				t.Errorf("%s.json became %q", name, kept)
			}
		}
	}
}

// What lies beside a file doesn't speak of the one that takes its place.
func TestStaleSidecar(t *testing.T) {
	two := mat.NewDense(2, 3, []float64{.1, .2, .3, .4, .5, .6})
	for name, write := range map[string]func(path string) error{
		"x.wav": func(path string) error { return WriteRecording(path, &Recording{Signals: two, Rate: 8000}) },
		"y.wav": func(path string) error {
			return WriteBlocks(path, &Recording{Rate: 8000}, 3, func(yield func(*mat.Dense, error) bool) { yield(two, nil) })
		},
		"x.npy": func(path string) error { return WriteFile(path, two) },
		"y.npy": func(path string) error {
			return WriteBlocks(path, &Recording{}, 3, func(yield func(*mat.Dense, error) bool) { yield(two, nil) })
		},
	} {
		path := filepath.Join(t.TempDir(), name)
		three := mat.NewDense(3, 4, nil)
		if err := WriteRecording(path, &Recording{Signals: three, Names: []string{"a", "b", "c"}, Rate: 250}); err != nil {
			t.Fatal(err)
		}
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		r, err := ReadRecording(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := 0.0
		if extension(path) == ".wav" {
			want = 8000
		}
		if r.Names != nil || r.Rate != want {
			t.Errorf("%s: %q at %g Hz, as before it was overwritten; want none at %g", name, r.Names, r.Rate, want)
		}
	}
}

// Times come back evenly spaced, also those that count from 1970.
func TestTimes(t *testing.T) {
	const n = 2000
	for _, test := range []struct{ start, rate float64 }{{0, 250}, {0, 44100}, {-3, 1. / 3}, {1.7e9, 250}, {1.7e9, 44100}, {1e5, 1e6}} {
		path := filepath.Join(t.TempDir(), "x.csv")
		x := mat.NewDense(2, n, nil)
		x.Apply(func(i, t int, _ float64) float64 { return float64(i + t%7) }, x)
		if err := WriteRecording(path, &Recording{Signals: x, Names: []string{"a", "b"}, TimeColumn: "time", Start: test.start, Rate: test.rate}); err != nil {
			t.Fatal(err)
		}
		r, err := ReadRecording(path)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(r.Signals, x) || math.Abs(r.Rate/test.rate-1) > 1e-5 || math.Abs(r.Start-test.start) > .01/test.rate {
			t.Errorf("from %g on at %g Hz: read as %d signals from %g on at %g Hz", test.start, test.rate, r.Signals.RawMatrix().Rows, r.Start, r.Rate)
		}
	}
}

// A header that would be read as something else isn't written.
func TestUnreadableNames(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 7})
	for _, name := range []string{"", "2", "Inf", "a;b", "a\tb", " a"} {
		path := filepath.Join(t.TempDir(), "x.csv")
		if err := WriteRecording(path, &Recording{Signals: x, Names: []string{"b", name}}); err == nil {
			t.Errorf("%q was written", name)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%q left a file", name)
		}
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	names := []string{"a,b", `a "b"`}
	if err := WriteRecording(path, &Recording{Signals: x, Names: names}); err != nil {
		t.Fatal(err)
	}
	if r, err := ReadRecording(path); err != nil || !slices.Equal(r.Names, names) {
		t.Errorf("%q came back as %v, %v", names, r, err)
	}
}

// A file has the columns of numbers that were left out or set aside where they were, beside signals
// that were changed, and their units.
func TestAsideIsWritten(t *testing.T) {
	const d, n = 4, 300
	x := mat.NewDense(d, n, nil)
	rng := rand.New(rand.NewPCG(5, 0))
	for k := range n {
		for i := range d {
			x.Set(i, k, rng.NormFloat64())
		}
		x.Set(1, k, 0.5) // constant: set aside
	}
	for _, names := range [][]string{nil, {"a", "b", "c", "d"}} {
		for _, ending := range []string{".wav", ".npy", ".csv", ".edf", ".bdf"} {
			units := []string{"uV", "", "mV", "uV"}
			in, out := filepath.Join(t.TempDir(), "in"+ending), filepath.Join(t.TempDir(), "out"+ending)
			r := &Recording{Signals: x, Rate: 100, Names: names, Units: units}
			if err := WriteRecording(in, r); err != nil {
				t.Fatal(err)
			}
			without := "3"
			if names != nil {
				without = "c"
			}
			r, err := ReadOptions{Without: []string{without}}.Recording(in)
			if err != nil {
				t.Fatalf("%s: %v", ending, err)
			}
			if rows, _ := r.Signals.Dims(); rows != 2 || len(r.Aside) != 2 {
				t.Fatalf("%s: %d signals, %d set aside", ending, rows, len(r.Aside))
			}
			r.Signals.Scale(2, r.Signals)
			if err := WriteRecording(out, r); err != nil {
				t.Fatalf("%s: %v", ending, err)
			}
			all, err := readColumns(out, &ReadOptions{}, true)
			if err != nil {
				t.Fatalf("%s: %v", ending, err)
			}
			if rows, _ := all.Signals.Dims(); rows != d || names != nil && !slices.Equal(all.Names, names) {
				t.Fatalf("%s: %d columns, names %q", ending, rows, all.Names)
			}
			if !slices.Equal(all.Units, units) {
				t.Errorf("%s: the units %q, want %q", ending, all.Units, units)
			}
			for i, scale := range []float64{2, 1, 1, 2} {
				for k := range n {
					if v := all.Signals.At(i, k); math.Abs(v-scale*x.At(i, k)) > 1e-3 {
						t.Fatalf("%s: column %d is %g at %d, want %g", ending, i, v, k, scale*x.At(i, k))
					}
				}
			}
		}
	}
}

// The keys of the JSON are those of package sica's.
func TestRecordingJSON(t *testing.T) {
	text, err := json.Marshal(&Recording{
		Aside: []Column{{}}, Events: []Event{{}}, Interpolated: []Stretch{{}}, Highpass: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"names":null,"units":null,"rate":0,"shape":null,"time_column":"","start":0,` +
		`"aside":[{"name":"","values":null,"text":null,"unit":"","place":0,"reason":""}],` +
		`"other_rates":null,"highpass":1,"places":null,"no_header":false,` +
		`"events":[{"onset":0,"duration":0,"text":""}],"interpolated":[{"begin":0,"end":0}],` +
		`"joints":null,"notes":null,"unit_note":""}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// A Recording and ReadOptions have no state that a literal of them lacks.
func TestNoHiddenState(t *testing.T) {
	for _, v := range []any{Recording{}, Column{}, Event{}, Stretch{}, ReadOptions{}} {
		kind := reflect.TypeOf(v)
		for k := range kind.NumField() {
			if f := kind.Field(k); !f.IsExported() {
				t.Errorf("%v has the field %s, which no literal can set", kind, f.Name)
			}
		}
	}
}

// A literal with the fields of a recording that was read, with missing values filled in, columns set
// aside and signals of other rates, is written as that one is.
func TestLiteralIsWrittenAsRead(t *testing.T) {
	dir := t.TempDir()
	text := "time,nr,a,b,note\n"
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range 100 {
		a := fmt.Sprint(rng.NormFloat64())
		if k%30 == 7 {
			a = "NA"
		}
		text += fmt.Sprintf("%g,%d,%s,%g,x%d\n", float64(k)/100, k, a, rng.NormFloat64(), k%3)
	}
	table := filepath.Join(dir, "a.csv")
	put(t, table, []byte(text))
	edf := filepath.Join("internal", "edf", "testdata", "pyedflib.edf")
	for _, in := range []string{table, edf} {
		read, err := ReadOptions{Missing: MissingInterpolate}.Recording(in)
		if err != nil {
			t.Fatal(err)
		}
		literal := &Recording{
			Signals: read.Signals, Names: read.Names, Units: read.Units, Rate: read.Rate,
			Shape: read.Shape, TimeColumn: read.TimeColumn, Start: read.Start, Aside: read.Aside,
			OtherRates: read.OtherRates, Highpass: read.Highpass, Places: read.Places,
			NoHeader: read.NoHeader, Events: read.Events, Interpolated: read.Interpolated,
			Joints: read.Joints, Notes: read.Notes, UnitNote: read.UnitNote, Origin: read.Origin,
		}
		if !reflect.DeepEqual(literal, read) {
			t.Errorf("%s: the literal lacks a field", in)
		}
		for _, ending := range []string{".csv", ".npy", ".wav", ".edf", ".bdf"} {
			var files [2]string
			for k, r := range []*Recording{read, literal} {
				path := filepath.Join(dir, fmt.Sprint(k)+ending)
				if err := WriteRecording(path, r); err != nil {
					t.Fatal(err)
				}
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				files[k] = string(data)
			}
			if files[0] != files[1] {
				t.Errorf("%s as %s: the literal is written differently", in, ending)
			}
		}
	}
}
