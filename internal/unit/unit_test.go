package unit

import (
	"slices"
	"testing"
)

// Units in brackets come off names, unless names would then be the same or what is in brackets is no
// unit, and Join puts them back.
func TestSplit(t *testing.T) {
	for _, c := range []struct{ names, bare, units []string }{
		{[]string{"Abd3 (uV)", "BP[mmHg]", "flow (L/min)"}, []string{"Abd3", "BP", "flow"}, []string{"uV", "mmHg", "L/min"}},
		{[]string{"sensor (A)", "sensor (V)"}, []string{"sensor (A)", "sensor (V)"}, []string{"", ""}},
		{[]string{"eye (left)", "(uV)", "Fp1", "x (2)"}, []string{"eye (left)", "(uV)", "Fp1", "x (2)"}, make([]string, 4)},
	} {
		bare, units := Split(c.names)
		if !slices.Equal(bare, c.bare) || !slices.Equal(units, c.units) {
			t.Errorf("%q: %q and %q, want %q and %q", c.names, bare, units, c.bare, c.units)
		}
	}
	for _, c := range [][3]string{
		{"Abd3", "uV", "Abd3 (uV)"}, {"Abd3", "", "Abd3"}, {"Abd3", "beans", "Abd3"},
	} {
		if got := Join(c[0], c[1]); got != c[2] {
			t.Errorf("%q with %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
