// Package text lays out sentences for people: lines of a terminal's width, lists, and numbers.
package text

import (
	"fmt"
	"strconv"
	"strings"
)

// Width is the largest number of characters in a line of Wrap.
const Width = 79

// Wrap returns the words of s in lines of at most Width characters, each ended by a line break. The
// first line begins with the prefix, and the others are indented by its length. A word longer than
// Width gets its own line.
func Wrap(prefix, s string) string {
	var lines strings.Builder
	indent := strings.Repeat(" ", len([]rune(prefix)))
	line, empty := prefix, true
	for word := range strings.FieldsSeq(s) {
		switch {
		case empty:
		case len([]rune(line))+1+len([]rune(word)) > Width:
			lines.WriteString(line + "\n")
			line = indent
		default:
			line += " "
		}
		line += word
		empty = false
	}
	return lines.String() + line + "\n"
}

// List joins words as a sentence does: "a", "a and b", "a, b and c".
func List(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Numbers lists signals, counted from 1: "1", "1 and 2", "1, 2 and 3".
func Numbers(signals []int) string {
	var numbers []string
	for _, i := range signals {
		numbers = append(numbers, fmt.Sprint(i+1))
	}
	return List(numbers)
}

// Signals names signals, counted from 1: "signal 1", "signals 1 and 2".
func Signals(signals []int) string {
	if len(signals) == 1 {
		return "signal " + Numbers(signals)
	}
	return "signals " + Numbers(signals)
}

// Capitalise returns s with a capital first letter, which must be of ASCII.
func Capitalise(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Groups names the groups of several signals, counted from 1: "1, 2; and 4, 5".
func Groups(groups [][]int) string {
	var names []string
	for _, g := range groups {
		if len(g) > 1 {
			var members []string
			for _, i := range g {
				members = append(members, fmt.Sprint(i+1))
			}
			names = append(names, strings.Join(members, ", "))
		}
	}
	return strings.Join(names, "; and ")
}

// Counted returns n and a noun, with an s unless n is 1.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Fixed formats a number with the given number of decimals. A number that rounds to zero has no
// sign.
func Fixed(number float64, decimals int) string {
	s := strconv.FormatFloat(number, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// Shortened returns the beginning of a file's text, for an error.
func Shortened(s string) string {
	const length = 40
	if len(s) <= length {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.ToValidUTF8(s[:length], "") + "…"
}
