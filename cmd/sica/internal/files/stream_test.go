package files

import "testing"

// A value's form is checked without a recording, its size by the recording's rate.
func TestLearnOn(t *testing.T) {
	for _, c := range []struct {
		value     string
		malformed bool
		want      int // of 1000 positions at 250 Hz; 0 for an error
	}{
		{"1s", false, 250}, {"500ms", false, 125}, {"4s", false, 1000}, {"10s", false, 0}, {"1ms", false, 0},
		{"60", false, 60}, {"1001", false, 0}, {"1/10", false, 100}, {"1/1000", false, 0}, {"all", false, 1000},
		{"1", false, 0}, {"1/0", true, 0}, {"1 s", true, 0}, {"-1/2", true, 0},
	} {
		l := LearnOn(c.value)
		if err := l.Check(); (err != nil) != c.malformed {
			t.Errorf("%s: error %v of its form", c.value, err)
		}
		if n, err := l.Positions(1000, 250); n != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%s: %d positions and error %v, want %d", c.value, n, err, c.want)
		}
	}
}
