package text

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	long := strings.Repeat("x", 90)
	for _, test := range []struct{ prefix, text, want string }{
		{"  ", "", "  \n"},
		{"  ", "made all 2 iterations", "  made all 2 iterations\n"},
		{"  ", strings.Repeat("abcde ", 14), // 2 + 13·6 − 1 = 79
			"  " + strings.Repeat("abcde ", 12) + "abcde\n  abcde\n"},
		{"– ", "ä " + long + " b", "– ä\n  " + long + "\n  b\n"},
	} {
		if got := Wrap(test.prefix, test.text); got != test.want {
			t.Errorf("Wrap(%q, %q) = %q, want %q", test.prefix, test.text, got, test.want)
		}
	}
}

func TestList(t *testing.T) {
	for want, words := range map[string][]string{
		"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"},
	} {
		if got := List(words); got != want {
			t.Errorf("List(%q) = %q, want %q", words, got, want)
		}
	}
}

func TestGroups(t *testing.T) {
	for want, groups := range map[string][][]int{
		"": {{0}, {1}}, "1, 3": {{0, 2}, {1}}, "1, 2; and 4, 5": {{0, 1}, {2}, {3, 4}},
	} {
		if got := Groups(groups); got != want {
			t.Errorf("Groups(%v) = %q, want %q", groups, got, want)
		}
	}
}

func TestFixed(t *testing.T) {
	for _, test := range []struct {
		number   float64
		decimals int
		want     string
	}{{-0.04, 1, "0.0"}, {-0.06, 1, "-0.1"}, {0, 2, "0.00"}, {-0.4, 0, "0"}, {-1, 0, "-1"}, {9.96, 1, "10.0"}} {
		if got := Fixed(test.number, test.decimals); got != test.want {
			t.Errorf("%g with %d decimals is %q; want %q", test.number, test.decimals, got, test.want)
		}
	}
}

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 signals", 1: "1 signal", 2: "2 signals"} {
		if got := Counted(n, "signal"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSignals(t *testing.T) {
	for want, signals := range map[string][]int{
		"Signal 1": {0}, "Signals 2 and 4": {1, 3}, "Signals 1, 2 and 3": {0, 1, 2},
	} {
		if got := Capitalise(Signals(signals)); got != want {
			t.Errorf("%v: %q, want %q", signals, got, want)
		}
	}
}
