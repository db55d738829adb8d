package network

import (
	"strings"
	"testing"
)

// One other run is singular.
func TestWhyOfOneOtherRun(t *testing.T) {
	m := &Model{}
	m.Agreement = 0.99
	for agreeing, want := range map[int]string{
		1: "and 1 other run recovered the same (MCC at least 0.990).",
		2: "and 2 other runs recovered the same (MCC at least 0.990).",
	} {
		m.Agreeing = agreeing
		if got := m.Why(); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
