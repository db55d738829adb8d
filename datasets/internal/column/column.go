// Package column recognises what a column of a file, or a channel, holds by its name and its
// values: a signal, times, a counter, markers, or codes of missing values. It words the results for
// errors and notes. Readers of several formats use it.
//
// A reader passes the values to [Stats], and those of a possible column of times to a [Clock], one
// after another, so a file needn't be in memory.
package column

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Name returns the name of column i; its number if names are nil.
func Name(names []string, i int) string {
	if names == nil {
		return fmt.Sprintf("column %d", i+1)
	}
	return names[i]
}

// DistinctNames returns names; repeated names get numbers.
func DistinctNames(names []string) (distinct []string) {
	used := map[string]bool{}
	for _, name := range names {
		unique := name
		for k := 2; used[unique]; k++ {
			unique = fmt.Sprintf("%s (%d)", name, k)
		}
		used[unique] = true
		distinct = append(distinct, unique)
	}
	return distinct
}

// hasWord reports whether a word of the name is one of the given lower-case words.
func hasWord(name string, some ...string) bool {
	notLetter := func(c rune) bool { return c < 'a' || c > 'z' }
	words := strings.FieldsFunc(strings.ToLower(name), notLetter)
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(some, word) })
}

// markerNames are the lower-case names of columns of triggers and events.
var markerNames = []string{
	"trigger", "triggers", "trig", "trg", "ttl", "marker", "markers", "event", "events", "stim",
	"stimulus", "sti", "status", "annotation", "annotations", "label", "labels",
}

// IsMarker reports whether a column with this name may hold triggers or events.
func IsMarker(name string) bool { return hasWord(name, markerNames...) }

// Notes say how columns were treated, by name.
type Notes []struct{ name, what string }

// Add adds how a column was treated.
func (a *Notes) Add(name, what string) {
	*a = append(*a, struct{ name, what string }{strconv.Quote(name), what})
}

// maxNotes is the largest number of columns with the same treatment that have separate notes.
const maxNotes = 3

// List returns a note for each column, or one note for many columns with the same treatment.
func (a Notes) List() (notes []string) {
	same, said := make(map[string][]string), make(map[string]bool)
	for _, c := range a {
		same[c.what] = append(same[c.what], c.name)
	}
	for _, c := range a {
		names := same[c.what]
		switch {
		case len(names) <= maxNotes:
			notes = append(notes, c.name+" "+c.what)
		case !said[c.what]:
			said[c.what] = true
			notes = append(notes, fmt.Sprintf("%d columns, such as %s: each %s", len(names),
				strings.Join(names[:maxNotes], ", "), c.what))
		}
	}
	return notes
}
