package experiment

import "time"

// A kind is what cells that take about as long have in common.
type kind struct {
	data, method string
	preset       Preset
}

func kindOf(c Cell) kind { return kind{c.Data, c.Method, c.Preset} }

// A clock tells how long cells will take by those made before.
type clock struct {
	jobs    int
	waiting map[kind]int
	seconds map[kind]float64 // of all that were made
	count   map[kind]int
}

func newClock(before []Outcome, missing []Cell, jobs int) *clock {
	c := &clock{jobs: jobs, waiting: make(map[kind]int), seconds: make(map[kind]float64), count: make(map[kind]int)}
	for _, o := range before {
		c.learn(o)
	}
	for _, cell := range missing {
		c.waiting[kindOf(cell)]++
	}
	return c
}

func (c *clock) learn(o Outcome) {
	c.seconds[kindOf(o.Cell)] += o.Seconds
	c.count[kindOf(o.Cell)]++
}

// made takes note of a cell that was waited for.
func (c *clock) made(o Outcome) {
	c.learn(o)
	c.waiting[kindOf(o.Cell)]--
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
