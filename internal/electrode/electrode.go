// Package electrode has the names of EEG channels, normalised, the places of their electrodes, and maps
// of the head.
package electrode

import "strings"

// references are the names of references that recorders add, in lower case: of linked ears and of
// an average.
var references = []string{"-le", "-avg", "-av", "-car"}

// Name returns the name of a channel's electrode in lower case, without what recorders add to it:
// "EEG Fp1-REF", "Fp1." and "FP1" are all "fp1".
func Name(channel string) string {
	name := strings.ToLower(strings.TrimSpace(channel))
	name = strings.TrimPrefix(name, "eeg ")
	name, _, _ = strings.Cut(name, "-ref")
	for _, reference := range references {
		name = strings.TrimSuffix(name, reference)
	}
	return strings.Trim(name, ". ")
}

// Find returns the indices of the channels that a name means: of those that are equal up to spaces
// around them or, if there is none, of those with the same [Name].
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
