package datasets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The error for a format that isn't read says how to convert the file.
func TestConversion(t *testing.T) {
	for name, want := range map[string]string{
		"rec.xlsx": "save the sheet as CSV", "rec.csv.gz": "gunzip", "rec.npz": "numpy.save",
		"rec.FIF": "MNE-Python", "rec.flac": "write it as WAV", "rec.xyz": ".png or .pgm: export it as EDF",
		"rec.csv.xz": "unpack it", "rec.adicht": "in the program that wrote it",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("PK"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRecording(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; must say %q", name, err, want)
		}
	}
}
