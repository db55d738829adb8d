package datasets

import (
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
		len(back.Events) != 1 || back.Events[0].Onset != 0.2 {
		t.Errorf("%q in %q at %g Hz, %v", back.Names, back.Units, back.Rate, back.Events)
	}
	if _, err := ReadRecording("internal/brainvision/testdata/mne.eeg"); err == nil ||
		!strings.Contains(err.Error(), "its header, .vhdr") {
		t.Errorf("the file of values: %v", err)
	}
}
