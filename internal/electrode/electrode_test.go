package electrode

import (
	"slices"
	"testing"
)

func TestNameDropsWhatRecordersAdd(t *testing.T) {
	for channel, want := range map[string]string{
		"Fp1": "fp1", " FP1 ": "fp1", "EEG Fp1-REF": "fp1", "EEG Fp1-Ref1": "fp1", "Fp1.": "fp1",
		"Cz-LE": "cz", "EEG Cz-AVG": "cz", "C3-A2": "c3-a2", "Fp1-Av": "fp1", "EOG left": "eog left", "": "",
	} {
		if got := Name(channel); got != want {
			t.Errorf("Name(%q) is %q, want %q", channel, got, want)
		}
	}
}

// A name means the channel that is called so or, without one, those of its electrode, or those with
// that type or with that name after a type.
func TestFind(t *testing.T) {
	channels := []string{"EEG Fp1-REF", "EEG Fp1-LE", " Fp2", "EEG Fp2-REF", "EOG left", "A", "A", "ECG ECG", "EMG chin-REF", "EMG leg"}
	for name, want := range map[string][]int{
		"EEG Fp1-LE": {1}, "Fp1": {0, 1}, "Fp2": {2}, "eeg fp2": {2, 3}, "eog LEFT": {4}, "Cz": nil, "A": {5, 6},
		"ECG": {7}, "EOG": {4}, "left": {4}, "Chin": {8}, "EMG": {8, 9}, "": nil,
	} {
		if got := Find(channels, name); !slices.Equal(got, want) {
			t.Errorf("%q: channels %v, want %v", name, got, want)
		}
	}
}
