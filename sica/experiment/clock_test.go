package experiment

import (
	"testing"
	"time"
)

// Two quick cells of 1 s on average and a slow one of 10 s are left: 12 s for one
// job, 6 s for two.
func TestClock(t *testing.T) {
	quick := Outcome{Cell: Cell{Problem: Problem{Data: AR7, Steps: 5}, Method: "zca"}}
	slow := quick
	slow.Method = "pcl"
	quick.Seconds = 1.5
	for jobs, want := range map[int]time.Duration{1: 12 * time.Second, 2: 6 * time.Second} {
		missing := []Cell{quick.Cell, quick.Cell, quick.Cell, slow.Cell, slow.Cell}
		c := newClock([]Outcome{quick}, missing, jobs)
		if left, sure := c.left(); sure {
			t.Errorf("%v left, though nothing is known of the slow cells", left)
		}
		made := quick
		made.Seconds = 0.5
		c.made(made)
		slow.Seconds = 10
		c.made(slow)
		if left, sure := c.left(); left != want || !sure {
			t.Errorf("%d jobs: %v left, want %v", jobs, left, want)
		}
	}
}
