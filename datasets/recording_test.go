package datasets

import (
	"os"
	"path/filepath"
	"reflect"
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
		{"third.csv", Recording{Names: []string{"I", "II"}, Rate: 1. / 3, TimeColumn: "Time"}, Recording{}},
		{"plain.npy", Recording{}, Recording{}},
		{"named.npy", Recording{Names: []string{"I", "II"}, Rate: 250}, Recording{}},
		{"rate.npy", Recording{Rate: 0.5}, Recording{}},
		{"unknown.wav", Recording{}, Recording{Rate: 44100}},
		{"named.wav", Recording{Names: []string{"left", "right"}, Rate: 16000}, Recording{}},
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
	}
}

// A first column is one of times only if it is called so and they are evenly spaced.
func TestTimeColumn(t *testing.T) {
	for text, signals := range map[string]int{
		"time,a\n0,1\n1,2\n2,3\n":        1,
		"TIMESTAMP,a\n5,1\n5.5,2\n6,3\n": 1,
		"time,a\n0,1\n1,2\n5,3\n":        2, // uneven
		"time,a\n3,1\n2,2\n1,3\n":        2, // backwards
		"times,a\n0,1\n1,2\n2,3\n":       2,
		"a,time\n0,1\n1,2\n2,3\n":        2,
		"0,1\n1,2\n2,3\n":                2,
		"time\n0\n1\n2\n":                1, // nothing else
	} {
		r, err := readCSV(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if d, _ := r.Signals.Dims(); d != signals {
			t.Errorf("%q: %d signals, want %d", text, d, signals)
		}
	}
}

func TestRecordingErrors(t *testing.T) {
	z := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	dir := t.TempDir()
	for name, r := range map[string]*Recording{
		"no recording":           nil,
		"no signals":             {},
		"1 names of 2 signals":   {Signals: z, Names: []string{"a"}},
		"a rate of -1 from 0 on": {Signals: z, Rate: -1},
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
		`{"names":["a"]}`: "1 names of 2 signals",
		`{"rate":-5}`:     "a rate of -5 Hz",
		`{"rate":`:        "unexpected EOF",
	} {
		if err := os.WriteFile(path+".json", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRecording(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "z.npy.json") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
