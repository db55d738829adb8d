package datasets

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/edf"
)

// writeTestEDF writes a recording of two channels of 100 Hz, a trigger, and respiration of 10 Hz.
func writeTestEDF(t *testing.T, path string, format edf.Format) *edf.File {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	f := &edf.File{
		Format: format, Patient: "X X X X", Recording: "Startdate X X X X", RecordSeconds: 1,
	}
	for _, s := range []edf.Signal{
		{Label: "EEG Fp1", Unit: "uV", Prefilter: "HP:0.1Hz", Transducer: "AgCl", PerRecord: 100},
		{Label: "Trigger", PerRecord: 100},
		{Label: "EEG Cz", Unit: "uV", PerRecord: 100},
		{Label: "Resp", Unit: "mV", PerRecord: 10},
	} {
		s.PhysicalMin, s.PhysicalMax, s.DigitalMin, s.DigitalMax = -3276.8, 3276.7, -32768, 32767
		if s.Label == "Trigger" {
			s.PhysicalMin, s.PhysicalMax = -32768, 32767
		}
		for k := range 5 * s.PerRecord {
			v := float64(rng.IntN(2000)-1000) / 10
			if s.Label == "Trigger" {
				v = float64(k / 70 % 2)
			}
			s.Values = append(s.Values, v)
		}
		f.Signals = append(f.Signals, s)
	}
	f.Annotations = []edf.Annotation{{Onset: 1.5, Duration: 0.25, Text: "blink"}}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := edf.Write(file, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// A high-pass filter is in the header of what is written, unless an earlier one is higher.
func TestEDFHighpass(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.edf")
	writeTestEDF(t, path, edf.EDFPlus)
	for _, test := range []struct {
		hz      float64
		fp1, cz string // fp1 had HP:0.1Hz
	}{{0, "HP:0.1Hz", ""}, {1, "HP:1Hz", "HP:1Hz"}, {0.05, "HP:0.1Hz", "HP:0.05Hz"}} {
		r, err := ReadRecording(path)
		if err != nil {
			t.Fatal(err)
		}
		r.Highpass = test.hz
		out := filepath.Join(dir, "b.edf")
		if err := WriteRecording(out, r); err != nil {
			t.Fatal(err)
		}
		s := readTestEDF(t, out).Signals
		if s[0].Prefilter != test.fp1 || s[2].Prefilter != test.cz {
			t.Errorf("%g Hz: %q and %q, want %q and %q", test.hz, s[0].Prefilter, s[2].Prefilter, test.fp1, test.cz)
		}
		if s[1].Prefilter != "" || s[3].Prefilter != "" { // not of Signals
			t.Errorf("%g Hz: trigger %q, respiration %q", test.hz, s[1].Prefilter, s[3].Prefilter)
		}
	}
}

func readTestEDF(t *testing.T, path string) *edf.File {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f, err := edf.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A recording that is read and written again has all that the file had, and signals that were
// changed have the ranges, units and filters of those they were.
func TestEDF(t *testing.T) {
	for ending, format := range map[string]edf.Format{".edf": edf.EDFPlus, ".bdf": edf.BDFPlus} {
		in := filepath.Join(t.TempDir(), "in"+ending)
		was := writeTestEDF(t, in, format)
		r, err := ReadRecording(in)
		if err != nil {
			t.Fatal(err)
		}
		if d, n := r.Signals.Dims(); d != 2 || n != 500 || r.Rate != 100 {
			t.Errorf("%d signals, %d positions at %g Hz", d, n, r.Rate)
		}
		if !slices.Equal(r.Names, []string{"EEG Fp1", "EEG Cz"}) || r.Units[1] != "uV" {
			t.Errorf("names %q, units %q", r.Names, r.Units)
		}
		if len(r.Aside) != 1 || r.Aside[0].Name != "Trigger" || len(r.Events) != 1 {
			t.Errorf("set aside %v, events %v", r.Aside, r.Events)
		}
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "Resp (10 Hz)") {
			t.Errorf("notes %q", r.Notes)
		}
		clean := mat.DenseCopyOf(r.Signals)
		clean.Scale(0.5, clean)
		r.Signals = clean
		out := filepath.Join(t.TempDir(), "out"+ending)
		if err := WriteRecording(out, r); err != nil {
			t.Fatal(err)
		}
		is := readTestEDF(t, out)
		if is.Format != format || len(is.Signals) != 4 || !slices.Equal(is.Annotations, was.Annotations) {
			t.Fatalf("%s, %d signals, %v", is.Format, len(is.Signals), is.Annotations)
		}
		for i, s := range is.Signals {
			old := was.Signals[i]
			scale := 1.
			if strings.HasPrefix(s.Label, "EEG") {
				scale = 0.5
			}
			for k, v := range s.Values {
				if math.Abs(v-scale*old.Values[k]) > 0.0501 {
					t.Fatalf("%s is %g at %d, want %g", s.Label, v, k, scale*old.Values[k])
				}
			}
			s.Values, old.Values = nil, nil
			if s.Label != old.Label || s.Unit != old.Unit || s.Prefilter != old.Prefilter ||
				s.PhysicalMax != old.PhysicalMax || s.PerRecord != old.PerRecord {
				t.Errorf("%+v, want %+v", s, old)
			}
		}
	}
}

// Signals of other formats become EDF with a range of their own; without a rate they can't.
func TestEDFOfSignals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	z := mat.NewDense(2, 512, nil)
	for i := range z.RawMatrix().Data {
		z.RawMatrix().Data[i] = rng.NormFloat64()
	}
	path := filepath.Join(t.TempDir(), "z.edf")
	if err := WriteFile(path, z); err == nil || !strings.Contains(err.Error(), "the rate is unknown") {
		t.Errorf("without a rate: %v", err)
	}
	names := []string{"α", "a name longer than sixteen characters"}
	r := &Recording{Signals: z, Rate: 128, Names: names}
	if err := WriteRecording(path, r); err != nil {
		t.Fatal(err)
	}
	back, err := ReadRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	if back.Rate != 128 || back.Names[0] != "?" || !mat.EqualApprox(back.Signals, z, 1e-3) {
		t.Errorf("rate %g, names %q", back.Rate, back.Names)
	}
}

// Columns of the file between the signals, which were set aside, stay there, with their labels.
func TestEDFOfTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.edf")
	r := &Recording{
		Signals: mat.NewDense(2, 4, []float64{1, -1, 2, -2, 5, 6, 5, 6}), Names: []string{"a", "c"},
		Places: []int{0, 2}, Rate: 2,
		Aside: []Column{{Name: "b", Values: []float64{7, 8, 7, 8}, Place: 1}},
	}
	if err := WriteRecording(path, r); err != nil {
		t.Fatal(err)
	}
	back, err := ReadRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.Names, []string{"a", "b", "c"}) || math.Abs(back.Signals.At(2, 1)-6) > 1e-3 {
		t.Errorf("%q\n%v", back.Names, mat.Formatted(back.Signals))
	}
}

// Channels that were set aside keep their units, also beside those of other files.
func TestUnitsOfAside(t *testing.T) {
	const n = 128
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	rng := rand.New(rand.NewPCG(4, 0))
	z := mat.NewDense(3, n, nil)
	for i := range z.RawMatrix().Data {
		z.RawMatrix().Data[i] = rng.NormFloat64()
	}
	eeg, ecg, slow := at("eeg.edf"), at("ecg.edf"), z.RawRowView(2)[:n/4]
	for path, r := range map[string]*Recording{
		eeg: {Names: []string{"Cz", "EOG", "Oz"}, Units: []string{"uV", "mV", "uV"}},
		ecg: {Names: []string{"ECG", "x", "y"}},
	} {
		r.Signals, r.Rate = z, n
		if path == eeg {
			r.OtherRates = []Column{{Name: "Resp", Values: slow, Unit: "mmHg"}}
		}
		if err := WriteRecording(path, r); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		in   []string
		want map[string]string
	}{
		{[]string{"testdata/mat/mne.set"}, map[string]string{"Cz": "uV", "Fp1": "uV", "EOG": "uV"}},
		{[]string{eeg}, map[string]string{"Cz": "uV", "EOG": "mV", "Oz": "uV", "Resp": "mmHg"}},
		{[]string{eeg, eeg}, map[string]string{"Cz": "uV", "EOG": "mV", "Oz": "uV"}},
		{[]string{eeg, ecg}, map[string]string{"Cz": "uV", "EOG": "mV", "Oz": "uV", "ECG": "",
			"x": "", "y": ""}},
		{[]string{ecg, eeg}, map[string]string{"Cz": "uV", "EOG": "mV", "Oz": "uV", "ECG": "",
			"x": "", "y": ""}},
	} {
		for _, ending := range []string{".edf", ".bdf"} {
			r, err := ReadOptions{Without: []string{"Cz"}}.Recordings(c.in...)
			if err != nil {
				t.Fatal(err)
			}
			r.Origin = nil // as of a file in another format
			out := at("out" + ending)
			if err := WriteRecording(out, r); err != nil {
				t.Fatal(err)
			}
			units := map[string]string{}
			for _, s := range readTestEDF(t, out).Signals {
				units[s.Label] = s.Unit
			}
			if !maps.Equal(units, c.want) {
				t.Errorf("%s of %v has the units %q, want %q", ending, c.in, units, c.want)
			}
		}
	}
}

// Positions that aren't whole seconds are read as they were written, in data records that they fill
// exactly, or else up to a few positions.
func TestEDFRecords(t *testing.T) {
	for _, test := range []struct {
		rate   float64
		d, n   int
		filled int // at most
		exact  bool
	}{
		{250, 2, 2500, 0, true}, {250, 2, 2501, 0, true}, {250, 2, 2600, 0, true},
		{250, 19, 10007, 1, true}, // a prime number
		{8000, 3, 44880, 0, true}, {44100, 2, 44101, 440, true}, {256, 2, 2501, 3, true},
		{360, 2, 6501, 6, true}, {173.61, 1, 4097, 40, false}, {1000. / 3, 2, 3001, 0, false},
		{2, 2, 4, 0, true}, {1. / 3600, 2, 1000, 0, true}, {2048, 64, 4097, 31, true},
		{44100, 2, 16, 440, true},
	} {
		rng := rand.New(rand.NewPCG(7, 0))
		z := mat.NewDense(test.d, test.n, nil)
		for i := range z.RawMatrix().Data {
			z.RawMatrix().Data[i] = rng.NormFloat64()
		}
		for ending, size := range map[string]int{".edf": 2, ".bdf": 3} {
			name := fmt.Sprintf("%g Hz, %d signals, %d positions, %s", test.rate, test.d, test.n, ending)
			first, second := filepath.Join(t.TempDir(), "a"+ending), filepath.Join(t.TempDir(), "b"+ending)
			if err := WriteRecording(first, &Recording{Signals: z, Rate: test.rate}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			back, err := ReadRecording(first)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			file := readTestEDF(t, first)
			n := back.Signals.RawMatrix().Cols
			t.Logf("%s: records of %d positions, %g s, %d filled, %.12g Hz", name,
				file.Signals[0].PerRecord, file.RecordSeconds, n-test.n, back.Rate)
			if n < test.n || n-test.n > test.filled {
				t.Errorf("%s: %d positions, filled at most %d", name, n, test.filled)
			}
			if test.exact && back.Rate != test.rate ||
				math.Abs(back.Rate-test.rate) > 1e-6*test.rate {
				t.Errorf("%s: a rate of %v", name, back.Rate)
			}
			if bytes := file.Signals[0].PerRecord * test.d * size; bytes > 61440 {
				t.Errorf("%s: %d bytes in a data record", name, bytes)
			}
			if !mat.EqualApprox(back.Signals.Slice(0, test.d, 0, test.n), z, 1e-3) {
				t.Errorf("%s: other values", name)
			}
			if err := WriteRecording(second, back); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			a, _ := os.ReadFile(first)
			b, _ := os.ReadFile(second)
			if !bytes.Equal(a, b) {
				t.Errorf("%s: read and written again it is another file", name)
			}
		}
	}
}

// Signals of another rate have a whole number of values in the data records, which the positions
// fill.
func TestEDFRecordsOfRates(t *testing.T) {
	z, slow := mat.NewDense(1, 2600, nil), make([]float64, 260)
	for k := range 2600 {
		z.Set(0, k, math.Sin(0.37*float64(k)))
		slow[k/10] = math.Cos(0.7 * float64(k/10))
	}
	path := filepath.Join(t.TempDir(), "a.edf")
	r := &Recording{
		Signals: z, Rate: 250, OtherRates: []Column{{Name: "Resp", Values: slow}},
	}
	if err := WriteRecording(path, r); err != nil {
		t.Fatal(err)
	}
	f := readTestEDF(t, path)
	if len(f.Signals) != 2 || len(f.Signals[0].Values) != 2600 || len(f.Signals[1].Values) != 260 {
		t.Errorf("%d signals in records of %g s, of %d values", len(f.Signals), f.RecordSeconds,
			len(f.Signals[0].Values))
	}
}

// A last data record that was filled is in the notes, with the stretch to leave out.
func TestFilledRecord(t *testing.T) {
	const n, begin = 2750, 2501
	rng := rand.New(rand.NewPCG(8, 0))
	f := &edf.File{Format: edf.EDFPlus, RecordSeconds: 1}
	for _, label := range []string{"a", "b"} {
		values := make([]float64, begin)
		for k := range values {
			values[k] = rng.NormFloat64()
		}
		f.Signals = append(f.Signals, edf.Signal{Label: label, PerRecord: 250, Values: values})
	}
	f.Signals = append(f.Signals, edf.Signal{Label: "c", PerRecord: 250, Values: make([]float64, begin)})
	path := filepath.Join(t.TempDir(), "a.edf")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := edf.Write(file, f); err != nil {
		t.Fatal(err)
	}
	r, err := ReadRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(r.Notes, "\n")
	if !strings.Contains(notes, "the last 1 s is padding") {
		t.Errorf("notes %q", notes)
	}
	z, err := Skip(r.Signals, Stretch{Begin: begin - 1, End: n})
	if err != nil {
		t.Fatal(err)
	}
	r.Signals, r.Notes = z, nil
	if err := WriteRecording(path, r); err != nil {
		t.Fatal(err)
	}
	if r, err = ReadRecording(path); err != nil {
		t.Fatal(err)
	}
	if _, n := r.Signals.Dims(); n != begin-1 || strings.Contains(strings.Join(r.Notes, "\n"), "the last") {
		t.Errorf("without the stretch: %d positions, notes %q", n, r.Notes)
	}
}

// Events are seconds after the first position, also if that isn't at the start of the file or data
// records have gaps, and come back as they were in what is written.
func TestEDFEventsAfterGaps(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.edf")
	f := writeTestEDF(t, in, edf.EDFPlus)
	f.RecordStarts = []float64{0.5, 1.5, 10, 11, 20}
	f.Annotations = []edf.Annotation{
		{Onset: 1, Duration: -1, Text: "first"}, {Onset: 5, Duration: -1, Text: "in a gap"},
		{Onset: 10.25, Duration: 0.5, Text: "third"}, {Onset: 20.75, Duration: -1, Text: "fifth"},
	}
	var file bytes.Buffer
	if err := edf.Write(&file, f); err != nil {
		t.Fatal(err)
	}
	put(t, in, file.Bytes())
	r, err := ReadRecording(in)
	if err != nil {
		t.Fatal(err)
	}
	want := []Event{{0.5, -1, "first"}, {2, -1, "in a gap"}, {2.25, 0.5, "third"}, {4.75, -1, "fifth"}}
	if !slices.Equal(r.Events, want) {
		t.Errorf("events %v, want %v", r.Events, want)
	}
	out := filepath.Join(t.TempDir(), "out.edf")
	if err := WriteRecording(out, r); err != nil {
		t.Fatal(err)
	}
	f.Annotations[1].Onset = 10 // the end of its gap
	if is := readTestEDF(t, out).Annotations; !slices.Equal(is, f.Annotations) {
		t.Errorf("written: %v, want %v", is, f.Annotations)
	}
}
