package plot

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

func TestStripLayout(t *testing.T) {
	for _, test := range []struct {
		name           string
		texts          []string
		columns, lines int
	}{
		{"short", []string{"a", "b", "c"}, 3, 1},
		{"none", nil, 0, 0},
		{"two long, one short", []string{strings.Repeat("long ", 20), "a", strings.Repeat("also ", 20)}, 2, 2},
		{"too long for a line", []string{strings.Repeat("long ", 100), "b"}, 1, 2},
		// Five of six would fit into a line.
		{"balanced", []string{
			strings.Repeat("x", 20), strings.Repeat("x", 19), strings.Repeat("x", 18),
			strings.Repeat("x", 17), strings.Repeat("x", 16), strings.Repeat("x", 15)}, 3, 2},
	} {
		var s strip
		for _, text := range test.texts {
			s.add(text, &plotter.Line{})
		}
		columns, line := s.layout(width)
		if len(columns) != test.columns {
			t.Errorf("%s: %d columns, want %d", test.name, len(columns), test.columns)
		}
		var want vg.Length
		if test.lines > 0 {
			want = vg.Length(test.lines)*line + margin
		}
		if got := s.height(width); got != want {
			t.Errorf("%s: %v high, want %v for %d lines", test.name, got, want, test.lines)
		}
		if len(columns) > 1 && sum(columns) > width {
			t.Errorf("%s: columns %v don't fit into %v", test.name, columns, width)
		}
	}
}
