package notes

import (
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

// Outliers are named by their numbers from 1 or, with a rate, by their times.
func TestOutliers(t *testing.T) {
	for _, c := range []struct {
		positions []int
		rate      float64
		want      string
	}{
		{nil, 0, ""}, {nil, 250, ""},
		{[]int{4}, 0, "Position 5 is an outlier ("},
		{[]int{4, 9}, 0, "Positions 5 and 10 are outliers ("},
		{grid.Range(7), 0, "Positions 1, 2, 3, 4, 5 and 2 more are outliers ("},
		{[]int{4}, 250, "At 10.016 s is an outlier ("},
		{[]int{4, 9}, 250, "At 10.016, 10.036 s are outliers ("},
		{grid.Range(7), 250, "At 10, 10.004, 10.008, 10.012, 10.016 s and at 2 more times are outliers ("},
	} {
		got := Outliers(c.positions, c.rate, 10)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v at %g Hz: %q, want %q", c.positions, c.rate, got, c.want)
		}
	}
}
