// Package electrode normalises the names of EEG channels, and has the places of electrodes and maps
// of the head.
package electrode

import "strings"

// references are the suffixes in lower case that recorders add for references: linked ears and
// averages.
var references = []string{"-le", "-avg", "-av", "-car"}

// Name returns the name of a channel's electrode in lower case, without the additions of recorders:
// "EEG Fp1-REF", "Fp1." and "FP1" all give "fp1".
func Name(channel string) string {
	name := strings.ToLower(strings.TrimSpace(channel))
	name = strings.TrimPrefix(name, "eeg ")
	name, _, _ = strings.Cut(name, "-ref")
	for _, reference := range references {
		name = strings.TrimSuffix(name, reference)
	}
	return strings.Trim(name, ". ")
}

// Find returns the indices of the channels with the given name, up to surrounding spaces, or if
// there is none, of the channels with the same [Name].
func Find(channels []string, name string) []int {
	var equal, same []int
	for i, channel := range channels {
		if strings.TrimSpace(channel) == strings.TrimSpace(name) {
			equal = append(equal, i)
		}
		if Name(channel) == Name(name) {
			same = append(same, i)
		}
	}
	if equal != nil {
		return equal
	}
	return same
}
