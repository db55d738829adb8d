package experiment

import "time"

// Kind is what the cell has in common with others that take about as long: its data,
// method and preset.
func (c Cell) Kind() Cell {
	return Cell{Problem: Problem{Data: c.Data}, Method: c.Method, Preset: c.Preset}
}

// A clock tells how long cells will take by those made before.
type clock struct {
	jobs    int
	waiting map[Cell]int
	seconds map[Cell]float64 // of all that were made
	count   map[Cell]int
}

func newClock(before []Outcome, missing []Cell, jobs int) *clock {
	c := &clock{jobs: jobs, waiting: make(map[Cell]int), seconds: make(map[Cell]float64), count: make(map[Cell]int)}
	for _, o := range before {
		c.learn(o)
	}
	for _, cell := range missing {
		c.waiting[cell.Kind()]++
	}
	return c
}

func (c *clock) learn(o Outcome) {
	c.seconds[o.Kind()] += o.Seconds
	c.count[o.Kind()]++
}

// made takes note of a cell that was waited for.
func (c *clock) made(o Outcome) {
	c.learn(o)
	c.waiting[o.Kind()]--
}

// left is how long the cells that are waited for take, and whether something is
// known of all of them: if not, it is without the others.
func (c *clock) left() (left time.Duration, sure bool) {
	var seconds float64
	sure = true
	for k, n := range c.waiting {
		switch {
		case n == 0:
		case c.count[k] == 0:
			sure = false
		default:
			seconds += float64(n) * c.seconds[k] / float64(c.count[k])
		}
	}
	return time.Duration(seconds / float64(c.jobs) * float64(time.Second)).Round(time.Second), sure
}
