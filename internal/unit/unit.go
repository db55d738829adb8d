// Package unit tells units of measurement from the names of channels.
package unit

import (
	"fmt"
	"slices"
	"strings"
)

// unitSymbols are units that may follow a prefix of the SI.
var unitSymbols = []string{
	"V", "A", "s", "Hz", "T", "g", "m", "N", "Nm", "Pa", "W", "Wh", "Ω", "Ohm", "F", "K", "J", "C", "S",
	"eV", "bar", "mol", "L", "l", "B", "rad", "G", "VA", "sec", "VAr", "cd", "lx", "lm", "Bq", "Gy", "Sv",
}

// unitPrefixes are prefixes of the SI.
var unitPrefixes = []string{"", "f", "p", "n", "u", "µ", "μ", "m", "c", "d", "h", "k", "M", "G", "T"}

// unitWords are other units, and units in words, in lower case and without an s at the end.
var unitWords = []string{
	"volt", "ampere", "amp", "second", "minute", "min", "hour", "hr", "h", "day", "d", "year", "yr",
	"hertz", "tesla", "gram", "meter", "metre", "newton", "pascal", "watt", "ohm", "kelvin", "celsiu",
	"celsius", "degree", "deg", "degc", "degf", "°", "°c", "°f", "%", "percent", "ppm", "ppb", "mmhg",
	"bpm", "rpm", "db", "dbm", "a.u.", "au", "a. u.", "arb", "arb.", "count", "ct", "adc", "adu", "unit",
	"sample", "pixel", "px", "psi", "torr", "atm", "gal", "inch", "in", "ft", "mile", "cp",
	"radian", "fahrenheit", "joule", "lux", "cm", "counts/s",
}

// Split takes units off names such as "Abd3 (uV)" or "Abd3 [uV]", and returns both; "" for no unit.
// It takes none if fewer names would differ.
func Split(names []string) (bare, units []string) {
	bare, units = slices.Clone(names), make([]string, len(names))
	for i, name := range names {
		for _, brackets := range []string{"()", "[]"} {
			before, ok := strings.CutSuffix(strings.TrimSpace(name), brackets[1:])
			at := strings.LastIndex(before, brackets[:1])
			if ok && at > 0 && strings.TrimSpace(before[:at]) != "" && Is(before[at+1:]) {
				bare[i], units[i] = strings.TrimSpace(before[:at]), before[at+1:]
			}
		}
	}
	if countDistinct(bare) < countDistinct(names) {
		return slices.Clone(names), make([]string, len(names))
	}
	return bare, units
}

func countDistinct(names []string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(names))))
}

// Join returns the name with its unit, or alone if Split wouldn't take them apart again.
func Join(name, unit string) string {
	joined := fmt.Sprintf("%s (%s)", name, unit)
	if bare, units := Split([]string{joined}); bare[0] == name && units[0] == unit {
		return joined
	}
	return name
}

// Is reports whether a cell is a unit: something in brackets, a unit, the form of a time, or a
// product or a quotient of units, such as m/s^2.
func Is(cell string) bool {
	inner := strings.Trim(cell, "'\"")
	for _, brackets := range []string{"()", "[]"} {
		if len(inner) > 2 && inner[0] == brackets[0] && inner[len(inner)-1] == brackets[1] {
			return true
		}
	}
	if strings.Contains(inner, ":") && strings.Trim(strings.ToLower(inner), "hmsdy:.,-/ ") == "" {
		return true // as hh:mm:ss
	}
	isSign := func(c rune) bool { return strings.ContainsRune("/*·^√ ", c) }
	parts := strings.FieldsFunc(inner, isSign)
	for k, part := range parts {
		word := strings.TrimRight(part, "-²³")
		if k > 0 {
			word = strings.Trim(word, "0123456789")
		}
		if isPower := k > 0 && word == ""; !isPower && !isSimpleUnit(word) {
			return false
		}
	}
	return len(parts) > 0
}

// isSimpleUnit reports whether a word is a unit.
func isSimpleUnit(word string) bool {
	lower := strings.ToLower(word)
	if slices.Contains(unitWords, strings.TrimSuffix(lower, "s")) ||
		slices.Contains(unitWords, lower) {
		return true
	}
	for _, prefix := range []string{"micro", "milli", "nano", "pico", "femto", "kilo", "centi", "mega"} {
		if rest, ok := strings.CutPrefix(lower, prefix); ok &&
			slices.Contains(unitWords, strings.TrimSuffix(rest, "s")) {
			return true
		}
	}
	return slices.ContainsFunc(unitPrefixes, func(prefix string) bool {
		rest, ok := strings.CutPrefix(word, prefix)
		return ok && slices.Contains(unitSymbols, rest)
	})
}
