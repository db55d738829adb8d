package edf_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-47b1e431/gosica/datasets/internal/edf"
)

// recording has two signals of unlike rates and three annotations.
func recording(format edf.Format) *edf.File {
	f := &edf.File{
		Format: format, Patient: "X X X X", Recording: "Startdate 02-MAR-2024 X X X",
		Start: time.Date(2024, 3, 2, 13, 4, 5, 0, time.UTC), RecordSeconds: 1,
		Signals: []edf.Signal{
			{Label: "EEG Fp1", Unit: "µV", Transducer: "AgAgCl electrode", Prefilter: "HP:0.1Hz LP:75Hz", PerRecord: 100},
			{Label: "Resp", Unit: "L/s", PerRecord: 10},
		},
	}
	for t := range 350 {
		f.Signals[0].Values = append(f.Signals[0].Values, 120*math.Sin(float64(t)/7))
	}
	for t := range 35 {
		f.Signals[1].Values = append(f.Signals[1].Values, 0.01*float64(t)-0.1)
	}
	if format == edf.EDFPlus || format == edf.BDFPlus {
		f.Annotations = []edf.Annotation{
			{Onset: 0.25, Duration: -1, Text: "begin"},
			{Onset: 1.5, Duration: 0.75, Text: "Lidschluß"},
			{Onset: 2, Duration: 0, Text: "trigger 7"},
		}
	}
	return f
}

func written(t *testing.T, f *edf.File) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := edf.Write(&file, f); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func reading(t *testing.T, file []byte) *edf.File {
	t.Helper()
	f, err := edf.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What is written is read, to half a digital step; and what was read is written bit for bit.
func TestRoundTrip(t *testing.T) {
	for _, format := range []edf.Format{edf.EDF, edf.EDFPlus, edf.BDF, edf.BDFPlus} {
		f := recording(format)
		file := written(t, f)
		got := reading(t, file)
		if got.Format != format || got.Patient != f.Patient || got.Recording != f.Recording || !got.Start.Equal(f.Start) {
			t.Errorf("%s: read %+v", format, got)
		}
		if !reflect.DeepEqual(got.Annotations, f.Annotations) {
			t.Errorf("%s: annotations %v, want %v", format, got.Annotations, f.Annotations)
		}
		steps := 65535.
		if format == edf.BDF || format == edf.BDFPlus {
			steps = 1<<24 - 1
		}
		for i, s := range got.Signals {
			want := f.Signals[i]
			if s.Label != want.Label || s.Unit != want.Unit || s.Transducer != want.Transducer || s.Prefilter != want.Prefilter || s.Rate(got) != float64(want.PerRecord) {
				t.Errorf("%s: signal %+v", format, s)
			}
			half := (s.PhysicalMax - s.PhysicalMin) / steps / 2 * 1.001
			for k, v := range want.Values {
				if math.Abs(s.Values[k]-v) > half {
					t.Fatalf("%s: signal %d has %g at %d, want %g ± %g", format, i+1, s.Values[k], k, v, half)
				}
			}
			if len(s.Values) != 4*want.PerRecord || s.Values[len(s.Values)-1] != s.Values[len(want.Values)-1] {
				t.Errorf("%s: the last record isn't filled with the last value", format)
			}
		}
		if again := written(t, got); !bytes.Equal(again, file) {
			t.Errorf("%s: a file that was read and written differs", format)
		}
	}
}

// Files of other programs: written by pyEDFlib 0.1.42, with the values in a formula
// (testdata/make.py).
func TestFilesOfPyEDFlib(t *testing.T) {
	for name, format := range map[string]edf.Format{"pyedflib.edf": edf.EDFPlus, "pyedflib.bdf": edf.BDFPlus} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f := reading(t, data)
		if f.Format != format || len(f.Signals) != 2 || f.Signals[0].Label != "EEG Cz" || f.Signals[1].Unit != "mV" {
			t.Fatalf("%s: %+v", name, f)
		}
		if a, b := f.Signals[0].Rate(f), f.Signals[1].Rate(f); a != 64 || b != 32 {
			t.Errorf("%s: rates %g and %g, want 64 and 32", name, a, b)
		}
		for i, s := range f.Signals {
			tolerance := (s.PhysicalMax - s.PhysicalMin) / 65535
			for t1, v := range s.Values {
				want := 100 * math.Sin(0.1*float64(t1))
				if i == 1 {
					want = 0.01*float64(t1) - 0.5
				}
				if math.Abs(v-want) > tolerance {
					t.Fatalf("%s: signal %d is %g at %d, want %g", name, i+1, v, t1, want)
				}
			}
		}
		want := []edf.Annotation{{Onset: 0.5, Duration: -1, Text: "start"}, {Onset: 1.25, Duration: 0.5, Text: "blink"}}
		if !reflect.DeepEqual(f.Annotations, want) {
			t.Errorf("%s: annotations %v, want %v", name, f.Annotations, want)
		}
		if !f.Start.Equal(time.Date(2020, 2, 29, 23, 59, 58, 0, time.UTC)) {
			t.Errorf("%s: begins %v", name, f.Start)
		}
	}
}

// Damaged files say what is wrong; those that can be read to their end are.
func TestDamage(t *testing.T) {
	file := written(t, recording(edf.EDFPlus))
	change := func(at int, text string) []byte {
		damaged := bytes.Clone(file)
		copy(damaged[at:], text)
		return damaged
	}
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"empty":             {nil, "the header is cut off"},
		"no recording":      {change(0, "PK\x03\x04    "), `must be "0" (EDF)`},
		"cut header":        {file[:300], "the header of 3 signals is cut off"},
		"number of signals": {change(252, "many"), `the number of signals is "many"`},
		"duration":          {change(244, "1 second"), `the duration of a data record is "1 second"`},
		"digital range":     {change(256+3*(16+80+8+8+8), "99999   "), "digital minimum of signal 1 (EEG Fp1)"},
		"values a record":   {change(256+3*(16+80+8+8+8+8+8+80), "-1      "), "number of values in a data record of signal 1"},
	} {
		if _, err := edf.Read(bytes.NewReader(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
	for name, damaged := range map[string][]byte{"cut off": file[:len(file)-7], "of unknown length": change(236, "-1      "), "bad date": change(168, "99.99.99")} {
		f := reading(t, damaged)
		if len(f.Notes) == 0 || len(f.Signals[0].Values) < 300 {
			t.Errorf("%s: notes %q, %d values", name, f.Notes, len(f.Signals[0].Values))
		}
	}
}

// Times of annotations that aren't finite, as other programs may write them, aren't read.
func TestInfiniteAnnotations(t *testing.T) {
	f := recording(edf.EDFPlus)
	f.Annotations = []edf.Annotation{
		{Onset: math.Inf(-1), Text: "a"}, {Onset: 1, Duration: math.Inf(1), Text: "b"},
	}
	got := reading(t, written(t, f))
	want := []edf.Annotation{{Onset: 1, Duration: -1, Text: "b"}}
	if !reflect.DeepEqual(got.Annotations, want) {
		t.Errorf("annotations %v, want %v", got.Annotations, want)
	}
}

// A file that begins as one format and is as long as the other is read as the other.
func TestWrongFormat(t *testing.T) {
	for format, begins := range map[edf.Format]string{
		edf.EDF: "\xffBIOSEMI", edf.EDFPlus: "\xffBIOSEMI", edf.BDFPlus: "0       ",
	} {
		file := written(t, recording(format))
		want := reading(t, file)
		copy(file, begins)
		got := reading(t, file)
		if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "it was read as that") {
			t.Errorf("%s: notes %q", format, got.Notes)
		}
		if !reflect.DeepEqual(got.Signals, want.Signals) ||
			!reflect.DeepEqual(got.Annotations, want.Annotations) {
			t.Errorf("%s that begins %q has other signals or annotations", format, begins)
		}
	}
}

// What follows the data records is left out with a note, and read if the header gives none.
func TestRest(t *testing.T) {
	file := written(t, recording(edf.EDF))
	want := reading(t, file)
	got := reading(t, append(bytes.Clone(file), file[600:700]...))
	if !reflect.DeepEqual(got.Signals, want.Signals) || len(got.Notes) != 1 ||
		!strings.Contains(got.Notes[0], "100 bytes, was left out") {
		t.Errorf("with 100 bytes more: notes %q", got.Notes)
	}
	copy(file[236:], "0       ")
	if got := reading(t, file); !reflect.DeepEqual(got.Signals, want.Signals) {
		t.Errorf("of 0 data records: %d values, notes %q", len(got.Signals[0].Values), got.Notes)
	}
}

// An input that isn't used, whose ranges are 0 to 0, is read and written with the others.
func TestNoRange(t *testing.T) {
	file := written(t, recording(edf.EDF))
	want := reading(t, file)
	for _, before := range []int{16 + 80 + 8, 16 + 80 + 16, 16 + 80 + 24, 16 + 80 + 32} {
		copy(file[256+2*before+8:], "0       ") // of the second of two signals
	}
	got := reading(t, file)
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "signal 2") ||
		!reflect.DeepEqual(got.Signals[0], want.Signals[0]) {
		t.Fatalf("notes %q", got.Notes)
	}
	again := reading(t, written(t, got))
	for k, v := range got.Signals[1].Values {
		if v != math.Trunc(v) || math.Abs(v-again.Signals[1].Values[k]) > 1 {
			t.Fatalf("value %d of the signal without a range is %g, written and read again %g", k, v,
				again.Signals[1].Values[k])
		}
	}
}

// A file that was copied as text, which changes its values, is refused, whole or cut to the
// length that its head promises.
func TestTextCopy(t *testing.T) {
	file := written(t, recording(edf.EDF))
	for at := 1100; at < 1300; at += 9 {
		file[at] = '\n'
	}
	reading(t, file)
	copied := bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n"))
	for _, data := range [][]byte{copied, copied[:len(file)]} {
		_, err := edf.Read(bytes.NewReader(data))
		if err == nil || !strings.Contains(err.Error(), "copied as text") {
			t.Errorf("%d of %d bytes: error %v", len(data), len(copied), err)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	for want, change := range map[string]func(*edf.File){
		"must be at most 16":             func(f *edf.File) { f.Signals[0].Label = "a label of eighteen" },
		"the value at position 3 is NaN": func(f *edf.File) { f.Signals[1].Values[2] = math.NaN() },
		"must be of Latin-1":             func(f *edf.File) { f.Signals[0].Unit = "Ω" },
		"there are 0 signals":            func(f *edf.File) { f.Signals = nil },
		"RecordSeconds is 0":             func(f *edf.File) { f.RecordSeconds = 0 },
		"choose a larger unit":           func(f *edf.File) { f.Signals[1].Values[0] = 1e12 },
	} {
		f := recording(edf.EDFPlus)
		change(f)
		if err := edf.Write(new(bytes.Buffer), f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// Gaps between data records are kept.
func TestGaps(t *testing.T) {
	f := recording(edf.EDFPlus)
	f.RecordStarts = []float64{0, 1, 10, 11.5}
	got := reading(t, written(t, f))
	if !reflect.DeepEqual(got.RecordStarts, f.RecordStarts) {
		t.Errorf("records begin at %v, want %v", got.RecordStarts, f.RecordStarts)
	}
}

func FuzzRead(f *testing.F) {
	for _, format := range []edf.Format{edf.EDF, edf.EDFPlus, edf.BDF, edf.BDFPlus} {
		var file bytes.Buffer
		r := recording(format)
		for i := range r.Signals {
			r.Signals[i].Values = r.Signals[i].Values[:r.Signals[i].PerRecord]
		}
		if err := edf.Write(&file, r); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := edf.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, s := range read.Signals {
			if len(s.Values) > len(data) {
				t.Fatalf("%d values from %d bytes", len(s.Values), len(data))
			}
		}
	})
}

func Example() {
	f := &edf.File{
		Format: edf.EDFPlus, RecordSeconds: 1,
		Signals: []edf.Signal{
			{Label: "EEG Fp1", Unit: "uV", PerRecord: 4, Values: []float64{1, 2, 3, 4, 5, 6, 7, 8}},
		},
		Annotations: []edf.Annotation{{Onset: 0.5, Duration: -1, Text: "blink"}},
	}
	var file bytes.Buffer
	if err := edf.Write(&file, f); err != nil {
		panic(err)
	}
	g, err := edf.Read(&file)
	if err != nil {
		panic(err)
	}
	s := g.Signals[0]
	fmt.Printf("%s: %d values at %g Hz, the last %.1f %s\n", s.Label, len(s.Values), s.Rate(g), s.Values[7], s.Unit)
	fmt.Println(g.Annotations[0].Text, "at", g.Annotations[0].Onset, "s")
	// Output:
	// EEG Fp1: 8 values at 4 Hz, the last 8.0 uV
	// blink at 0.5 s
}

// The starts of data records are multiples of their duration without rounding errors, which other
// programs take for gaps.
func TestRecordStarts(t *testing.T) {
	f := recording(edf.EDFPlus)
	f.RecordSeconds = 0.1
	if file := written(t, f); !bytes.Contains(file, []byte("+0.3\x14\x14\x00")) {
		t.Error("the fourth data record of 0.1 s doesn't begin at 0.3 s")
	}
}

// A file without gaps may begin a part of a second after its header's time, from which annotations
// count.
func TestFirstStart(t *testing.T) {
	f := recording(edf.EDFPlus)
	file := written(t, f)
	file = bytes.Replace(file, []byte("+0\x14\x14\x00+0.25"), []byte("+.5\x14\x14\x00+.25"), 1)
	got := reading(t, file)
	for i, a := range got.Annotations {
		if want := f.Annotations[i].Onset - 0.5; a.Onset != want {
			t.Errorf("annotation %d is %g s after the first position, want %g", i, a.Onset, want)
		}
	}
}
