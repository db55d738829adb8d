package table

import (
	"fmt"
	"strings"
	"testing"
)

// The rate of OpenSignals' devices is that of the recording only if it is the same for all.
func TestOpenSignalsRates(t *testing.T) {
	for range 20 { // in the order of a map, which is random
		for rates, want := range map[[2]int]float64{{1000, 1000}: 1000, {1000, 100}: 0} {
			text := fmt.Sprintf("# OpenSignals Text File Format\n# {\"a\": {\"sampling rate\": %d}, "+
				"\"b\": {\"sampling rate\": %d}}\n# EndOfHeader\n", rates[0], rates[1])
			r, err := Open(strings.NewReader(text+strings.Repeat("1.5\t2.5\n", 4)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			isNoted := strings.Contains(strings.Join(r.Notes, "; "), "several rates")
			if r.Rate != want || isNoted != (want == 0) {
				t.Fatalf("devices of %v Hz: read as %g Hz, with notes %q", rates, r.Rate, r.Notes)
			}
		}
	}
}
