package electrode

import "testing"

func TestNameDropsWhatRecordersAdd(t *testing.T) {
	for channel, want := range map[string]string{
		"Fp1": "fp1", " FP1 ": "fp1", "EEG Fp1-REF": "fp1", "EEG Fp1-Ref1": "fp1", "Fp1.": "fp1",
		"Cz-LE": "cz", "EEG Cz-AVG": "cz", "C3-A2": "c3-a2", "EOG left": "eog left", "": "",
	} {
		if got := Name(channel); got != want {
			t.Errorf("Name(%q) is %q, want %q", channel, got, want)
		}
	}
}
