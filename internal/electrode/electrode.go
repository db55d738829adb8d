// Package electrode normalises the names of EEG channels.
package electrode

import "strings"

// Name returns the name of a channel's electrode in lower case, without what recorders add to it:
// "EEG Fp1-REF", "Fp1." and "FP1" are all "fp1".
func Name(channel string) string {
	name := strings.ToLower(strings.TrimSpace(channel))
	name = strings.TrimPrefix(name, "eeg ")
	name, _, _ = strings.Cut(name, "-ref")
	for _, reference := range []string{"-le", "-avg"} {
		name = strings.TrimSuffix(name, reference)
	}
	return strings.Trim(name, ". ")
}
