package datasets

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// A BrainVision recording is read by its header, and its markers go into EDF.
func TestBrainVision(t *testing.T) {
	r, err := ReadRecording("internal/brainvision/testdata/mne.vhdr")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.edf")
	if err := WriteRecording(path, r); err != nil {
		t.Fatal(err)
	}
	back, err := ReadRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(back.Names, " ") != "Fp1 Cz EOG1" || back.Rate != 250 || back.Units[0] != "uV" ||
		len(back.Events) != 1 || back.Events[0].Onset != 0.2 || back.Events[0].Text != "Comment/blink" {
		t.Errorf("%q in %q at %g Hz, %v", back.Names, back.Units, back.Rate, back.Events)
	}
	if _, err := ReadRecording("internal/brainvision/testdata/mne.eeg"); err == nil ||
		!strings.Contains(err.Error(), "its header, .vhdr") {
		t.Errorf("the file of values: %v", err)
	}
}

// Values that a binary format lacks are an error that says what may become of them, and do.
func TestMissingInBrainVision(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.vhdr")
	put(t, path, []byte("Brain Vision\n[Common Infos]\nNumberOfChannels=1\nSamplingInterval=4000\n"+
		"[Binary Infos]\nBinaryFormat=IEEE_FLOAT_32\n"))
	values, err := binary.Append(nil, binary.LittleEndian, []float32{1, 2, float32(math.NaN()), 4})
	if err != nil {
		t.Fatal(err)
	}
	put(t, strings.TrimSuffix(path, ".vhdr")+".eeg", values)
	if _, err := ReadRecording(path); err == nil || !strings.Contains(err.Error(), "MissingInterpolate") {
		t.Errorf("by default: %v", err)
	}
	r, err := ReadOptions{Missing: MissingInterpolate}.Recording(path)
	if err != nil || r.Signals.At(0, 2) != 3 {
		t.Errorf("interpolated: %+v (%v)", r, err)
	}
}
