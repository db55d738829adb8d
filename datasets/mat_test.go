package datasets

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// matSignals are the signals that testdata/mat/make.py writes.
func matSignals() *mat.Dense {
	x := mat.NewDense(3, 40, nil)
	x.Apply(func(i, t int, _ float64) float64 {
		return math.Sin(float64(i+1)*float64(t)/3) + float64(i)
	}, x)
	return x
}

// MAT-files that scipy.io.savemat wrote, and data sets of EEGLAB by MNE-Python, have the signals,
// names and rates that they were given.
func TestReadMAT(t *testing.T) {
	x := matSignals()
	first := mat.DenseCopyOf(x.Slice(0, 2, 0, 40))
	plusOne := mat.DenseCopyOf(x)
	plusOne.Apply(func(_, _ int, v float64) float64 { return v + 1 }, plusOne)
	labels := []string{"Fp1", "Cz", "EOG"}
	for _, c := range []struct {
		file    string
		options ReadOptions
		want    *mat.Dense
		names   []string
		rate    float64
		note    string
	}{
		{"matrix.mat", ReadOptions{}, x, labels, 250, `and not "note" (1×7 char), "info"`},
		{"channels_by_times.mat", ReadOptions{Transpose: true}, x, nil, 20, ""},
		{"vectors.mat", ReadOptions{}, first, []string{"left", "right"}, 20, ""},
		{"several.mat", ReadOptions{Variable: "b"}, plusOne, nil, 0, `and not "a"`},
		{"struct.mat", ReadOptions{}, x, nil, 500, ""},
		{"struct.mat", ReadOptions{Variable: "recording.data"}, x, nil, 500, ""},
		{"eeglab.mat", ReadOptions{}, x, labels, 250, ""},
		{"fieldtrip.mat", ReadOptions{}, x, labels, 250, "2 trials are put one after the other"},
		{"mne.set", ReadOptions{}, x, labels, 250, ""},
		{"acqknowledge.mat", ReadOptions{}, x, labels, 250, `"isi" gives the rate, 250 Hz`},
		{"spike2.mat", ReadOptions{}, x, labels, 250, `"Ch1.interval" gives the rate`},
		{"timelock.mat", ReadOptions{}, x, labels, 20, ""},
		{"labchart.mat", ReadOptions{}, x, labels, 250, "2 blocks are put one after the other"},
		{"mne_epochs.set", ReadOptions{}, x, labels, 250, "4 epochs of 10 positions"},
	} {
		r, err := c.options.Recording(filepath.Join("testdata", "mat", c.file))
		if err != nil {
			t.Error(err)
			continue
		}
		if !mat.EqualApprox(r.Signals, c.want, 1e-6) {
			t.Errorf("%s: other signals were read", c.file)
		}
		if !slices.Equal(r.Names, c.names) || r.Rate != c.rate {
			t.Errorf("%s: names %q and rate %g, want %q and %g", c.file, r.Names, r.Rate, c.names, c.rate)
		}
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", c.file, notes, c.note)
		}
		if c.file == "acqknowledge.mat" && !slices.Equal(r.Units, []string{"mV", "mV", "Volts"}) {
			t.Errorf("%s: units %q", c.file, r.Units)
		}
		if c.file == "mne.set" && (len(r.Events) != 2 || r.Events[0].Text != "blink" ||
			math.Abs(r.Events[0].Onset-0.1) > 1e-9 || r.Events[1].Text != "17") {
			t.Errorf("%s: events %+v", c.file, r.Events)
		}
	}
}

// A file that leaves open which numbers are the signals says what to do.
func TestMATErrors(t *testing.T) {
	for _, c := range []struct{ file, variable, want string }{
		{"several.mat", "", `chosen by ReadOptions.Variable, from "a" (40×3 double), "b"`},
		{"several.mat", "c", `no variable "c"; must be one of "a"`},
		{"lengths.mat", "", `one of "a" (1×40 double), "b" (1×39 double) by ReadOptions.Variable`},
		{"complex.mat", "", `"z" (40×3 complex double)`},
		{"complex.mat", "z", "must be an array of real numbers"},
		{"epochs.mat", "", "must have two axes"},
		{"matrix.mat", "note", `"note" (1×7 char)`},
		{"mne.set", "data", "only MAT-files have variables"},
	} {
		_, err := ReadOptions{Variable: c.variable}.Recording(filepath.Join("testdata", "mat", c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %q: %v, want %q", c.file, c.variable, err, c.want)
		}
	}
	if err := WriteFile(filepath.Join(t.TempDir(), "a.mat"), matSignals()); err == nil {
		t.Error("a MAT-file was written")
	}
	if _, err := ReadFile("a.fdt"); err == nil || !strings.Contains(err.Error(), "by its .set") {
		t.Errorf("an .fdt: %v", err)
	}
}

// The numbers of a data set of EEGLAB may be in a file beside it, by the name in it or by its own.
func TestEEGLABBeside(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile("testdata/mat/beside.set")
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := os.ReadFile("testdata/mat/beside.fdt")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "renamed.set")
	put(t, path, data)
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "beside.fdt") {
		t.Errorf("without the file of numbers: %v", err)
	}
	for _, name := range []string{"renamed.fdt", "beside.fdt"} {
		put(t, filepath.Join(dir, name), numbers)
		if z, err := ReadFile(path); err != nil || !mat.EqualApprox(z, matSignals(), 1e-6) {
			t.Errorf("%s: %v", name, err)
		}
	}
	put(t, filepath.Join(dir, "beside.fdt"), numbers[:100])
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "has 100 bytes") {
		t.Errorf("a short file of numbers: %v", err)
	}
}

// A file of LabChart whose blocks have several rates is an error.
func TestLabChartRates(t *testing.T) {
	data, err := os.ReadFile("testdata/mat/labchart.mat")
	if err != nil {
		t.Fatal(err)
	}
	file := bytes.NewBuffer(data[:128:128]) // the header, then compressed elements
	for rest := data[128:]; len(rest) > 0; {
		size := binary.LittleEndian.Uint32(rest[4:])
		unpacker, err := zlib.NewReader(bytes.NewReader(rest[8 : 8+size]))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(file, unpacker); err != nil {
			t.Fatal(err)
		}
		rest = rest[8+size:]
	}
	path := filepath.Join(t.TempDir(), "labchart.mat")
	put(t, path, file.Bytes())
	if _, err := ReadFile(path); err != nil {
		t.Fatal(err)
	}
	rate := func(hz float64) []byte {
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(hz))
	}
	at := bytes.LastIndex(file.Bytes(), rate(250)) // of the last channel in the second block
	copy(file.Bytes()[at:], rate(500))
	put(t, path, file.Bytes())
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "several rates") {
		t.Errorf("blocks of 250 and 500 Hz: %v", err)
	}
}
