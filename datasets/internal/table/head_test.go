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

// A head that promises more channels than an int can count is none.
func TestHeadOfManyChannels(t *testing.T) {
	text := "x.acq\n2 msec/sample\n5000000000000000000 channels\nECG\nmV\n1.5\n2.5\n3.5\n"
	if r, err := Open(strings.NewReader(text), Options{}); err == nil && r.Rate != 0 {
		t.Errorf("read at %g Hz with the names %q", r.Rate, r.Names)
	}
}
