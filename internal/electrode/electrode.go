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
// there is none, of the channels with the same [Name], or else of those whose type, such as ECG in
// "ECG V2", or what follows it has that Name.
func Find(channels []string, name string) []int {
	var equal, same, part []int
	wanted := Name(name)
	for i, channel := range channels {
		channel = strings.TrimSpace(channel)
		kind, rest, hasType := strings.Cut(channel, " ")
		switch {
		case channel == strings.TrimSpace(name):
			equal = append(equal, i)
		case Name(channel) == wanted:
			same = append(same, i)
		case hasType && (Name(kind) == wanted || Name(rest) == wanted):
			part = append(part, i)
		}
	}
	switch {
	case equal != nil:
		return equal
	case same != nil:
		return same
	}
	return part
}
