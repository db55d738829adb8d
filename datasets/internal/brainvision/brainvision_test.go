package brainvision_test

import (
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-47b1e431/gosica/datasets/internal/brainvision"
)

// value is what testdata/make.py writes into channel i at position t.
func value(i, t int) float64 { return 10*math.Sin(float64((i+1)*t)/10) + float64(i) }

// Files that pybv and MNE-Python wrote are read, with names, units, rate and markers.
func TestFiles(t *testing.T) {
	for _, c := range []struct {
		name, first string
		tolerance   float64
	}{
		{"pybv_int16.vhdr", "Fp1", 0.1001}, // steps of 0.1, which pybv cuts off
		{"pybv_float.vhdr", "Fp1", 1e-5},
		{"mne.vhdr", "Fp1", 1e-4},
	} {
		f, err := brainvision.Read(os.DirFS("testdata"), c.name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Rate != 250 || len(f.Channels) != 3 || f.Channels[0].Name != c.first ||
			f.Channels[0].Unit != "µV" {
			t.Errorf("%s: %g Hz, %d channels, %+v", c.name, f.Rate, len(f.Channels), f.Notes)
		}
		for i, channel := range f.Channels {
			if len(channel.Values) != 100 {
				t.Fatalf("%s: %d positions", c.name, len(channel.Values))
			}
			for k, v := range channel.Values {
				if math.Abs(v-value(i, k)) > c.tolerance {
					t.Fatalf("%s: channel %d is %g at %d, want %g", c.name, i+1, v, k, value(i, k))
				}
			}
		}
		last := f.Markers[len(f.Markers)-1]
		if last.Position != 50 || !strings.Contains(last.Description, "blink") &&
			!strings.Contains(last.Description, "7") {
			t.Errorf("%s: markers %+v", c.name, f.Markers)
		}
	}
}

const header = `Brain Vision Data Exchange Header File Version 1.0
[Common Infos]
DataFile=a.eeg
MarkerFile=a.vmrk
DataFormat=BINARY
DataOrientation=VECTORIZED
NumberOfChannels=2
SamplingInterval=4000
[Binary Infos]
BinaryFormat=INT_16
[Channel Infos]
; name, reference, resolution, unit
Ch1=a\1b,,0.5,mV
Ch2=c,,,
[Comment]
NumberOfChannels=7
`

func folder(header, markers, data string) fstest.MapFS {
	return fstest.MapFS{
		"a.vhdr": {Data: []byte(header)}, "a.vmrk": {Data: []byte(markers)},
		"a.eeg": {Data: []byte(data)},
	}
}

func TestVectorized(t *testing.T) {
	const markers = "Brain Vision\n[Marker Infos]\nMk1=Stimulus,S  1,2,1,0\n"
	data := "\x02\x00\x04\x00\x01\x00\xff\xff"
	f, err := brainvision.Read(folder(header, markers, data), "a.vhdr")
	if err != nil {
		t.Fatal(err)
	}
	if a := f.Channels[0]; a.Name != "a,b" || a.Unit != "mV" || a.Values[1] != 2 ||
		f.Channels[1].Values[1] != -1 || len(f.Markers) != 1 || f.Markers[0].Position != 1 {
		t.Errorf("%+v", f)
	}
	reversed := strings.Replace(header, "[Channel", "UseBigEndianOrder=YES\n[Channel", 1)
	f, err = brainvision.Read(folder(reversed, markers, data), "a.vhdr")
	if err != nil || f.Channels[0].Values[1] != 512 {
		t.Errorf("the most significant byte first: %+v, %v", f, err)
	}
}

// A damaged header names the key and what it must be.
func TestDamage(t *testing.T) {
	for old, c := range map[string]struct{ damaged, want string }{
		"Brain Vision D":        {"D", "must begin with Brain Vision"},
		"SamplingInterval=4000": {"SamplingInterval=0", "SamplingInterval"},
		"NumberOfChannels=2":    {"NumberOfChannels=x", "NumberOfChannels"},
		"Ch2=c,,,":              {"", "NumberOfChannels is 2, and Channel Infos has 1"},
		"DataFormat=BINARY":     {"DataFormat=ASCII", "must be BINARY"},
		"VECTORIZED":            {"SIDEWAYS", "DataOrientation"},
		"INT_16":                {"INT_12", "BinaryFormat"},
		"DataFile=a":            {"DataType=FREQUENCYDOMAIN\nDataFile=a", "must be TIMEDOMAIN"},
		"0.5,mV":                {"none,mV", "resolution of Ch1"},
		"a.eeg":                 {"../b.eeg", ""},
	} {
		f, err := brainvision.Read(folder(strings.Replace(header, old, c.damaged, 1), "Brain Vision",
			"\x02\x00\x04\x00"), "a.vhdr")
		if c.want == "" {
			if err != nil || len(f.Notes) != 1 {
				t.Errorf("a renamed file: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.damaged, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(header, "Brain Vision\n[Marker Infos]\nMk1=Stimulus,S  1,2,1,0\n", "\x02\x00\x04\x00")
	f.Fuzz(func(t *testing.T, header, markers, data string) {
		read, err := brainvision.Read(folder(header, markers, data), "a.vhdr")
		if err != nil {
			if len(err.Error()) > 500 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		most := max(len(header), len(markers), len(data)) // any of them may be the file of values
		if len(read.Channels)*len(read.Channels[0].Values) > most {
			t.Error("more values than bytes")
		}
	})
}

// Markers keep their order, also if some of their numbers are lacking.
func TestMarkersWithGaps(t *testing.T) {
	f, err := brainvision.Read(fstest.MapFS{
		"a.vhdr": {Data: []byte("Brain Vision\n[Common Infos]\nDataFile=a.eeg\nMarkerFile=a.vmrk\n" +
			"NumberOfChannels=1\nSamplingInterval=4000\n")},
		"a.eeg": {Data: make([]byte, 40)},
		"a.vmrk": {Data: []byte("Brain Vision\n[Marker Infos]\nMk10=Stimulus,c,9,1,0\n" +
			"Mk2=Stimulus,a,2,1,0\nMk4=Stimulus,b,4,1,0\n")},
	}, "a.vhdr")
	if err != nil {
		t.Fatal(err)
	}
	var names string
	for _, m := range f.Markers {
		names += m.Description
	}
	if names != "abc" {
		t.Errorf("markers %q, want a, b and c", names)
	}
}
