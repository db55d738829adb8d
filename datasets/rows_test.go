package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// readText reads the text of a CSV file.
func readText(text string, o ReadOptions) (*Recording, error) {
	return formatOf(".csv").readRecording(strings.NewReader(text), &o)
}

// A row below the names that lacks values, or has text, is a position: an error, or a missing one.
// Units, in brackets or not, are none.
func TestSecondRowIsAPosition(t *testing.T) {
	body := func(first string) string {
		var all strings.Builder
		for k := range 40 {
			if first != "" {
				fmt.Fprintf(&all, first+",", k)
			}
			fmt.Fprintf(&all, "%g,%g\n", float64(k*k%17)+0.5, float64(k*k%13)+0.25)
		}
		return all.String()
	}
	for _, c := range []struct {
		names, second, first string
		lost                 bool // the second row isn't a position
	}{
		{"a,b", ",", "", false},
		{"a,b", "NA,NaN", "", false},
		{"a,b", "bad,ok", "", false},
		{"a,b", "OVL,OVL", "", false},
		{"a,b", "uV,mV", "", true},
		{"a,b", "(N),m/s^2", "", true},
		{"a,b", "Millivolts,counts", "", true},
		{"Date,a,b", "2018-12-17,,", "2019-01-%02d", false},
		{"subject,a,b", "s0,,", "s%d", false},
		{"subject,a,b", "s0,x,y", "s%d", false},
		{"a,b", "bad,bad\nbad,ok", "", false},
		{"a,b", ",\nbad,bad", "", false},
	} {
		text := c.names + "\n" + c.second + "\n" + body(c.first)
		_, err := readText(text, ReadOptions{})
		r, filled := readText(text, ReadOptions{Missing: MissingInterpolate})
		if (err == nil) != c.lost || filled != nil {
			t.Errorf("%q: errors %v, %v", c.second, err, filled)
			continue
		}
		want := 40
		if !c.lost {
			want += strings.Count(c.second, "\n") + 1
		}
		if d, n := r.Signals.Dims(); d != 2 || n != want || r.Names[d-1] != "b" {
			t.Errorf("%q: %d signals %q at %d positions, want %d", c.second, d, r.Names, n, want)
		}
	}
}

// Rows of empty cells are positions, except at the end of a file.
func TestRowsOfEmptyCells(t *testing.T) {
	text := "a,b\n1,2\n,\n,\n4,5\n,\n,\n"
	r, err := readText(text, ReadOptions{Missing: MissingInterpolate})
	if err != nil {
		t.Fatal(err)
	}
	if _, n := r.Signals.Dims(); n != 4 || math.Abs(r.Signals.At(0, 1)-2) > 1e-12 || !slices.Equal(r.Interpolated, []Stretch{{1, 3}}) {
		t.Errorf("%v, filled in %v", r.Signals, r.Interpolated)
	}
	if _, err := readText(text, ReadOptions{}); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("%v, want line 3", err)
	}
}

// Rows of any length are read alike: a name and then all values of a signal.
func TestLongRows(t *testing.T) {
	for _, n := range []int{100, 12_000} {
		for _, separator := range []string{",", ";", "\t"} {
			for _, header := range []bool{false, true} {
				var text strings.Builder
				if header {
					text.WriteString("channel")
					for k := range n {
						fmt.Fprintf(&text, "%st%d", separator, k)
					}
					text.WriteByte('\n')
				}
				for i := range 3 {
					fmt.Fprintf(&text, "ch%d", i)
					for k := range n {
						number := fmt.Sprintf("%s%.4f", separator, float64((i+2)*k%997)/8)
						if separator == ";" {
							number = strings.ReplaceAll(number, ".", ",")
						}
						text.WriteString(number)
					}
					text.WriteByte('\n')
				}
				r, err := readText(text.String(), ReadOptions{Transpose: true})
				if err != nil {
					t.Fatalf("%d values, %q: %v", n, separator, err)
				}
				d, positions := r.Signals.Dims()
				if d != 3 || positions != n || r.Names[2] != "ch2" || r.Signals.At(1, 5) != 1.875 {
					t.Errorf("%d values, %q: %d×%d of %q, %g", n, separator, d, positions, r.Names,
						r.Signals.At(1, 5))
				}
			}
		}
	}
}
