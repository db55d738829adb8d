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

// left is how long the cells that are waited for take, 0 if it can't be told.
func (c *clock) left() time.Duration {
	var seconds float64
	for k, n := range c.waiting {
		if n == 0 {
			continue
		}
		if c.count[k] == 0 {
			return 0
		}
		seconds += float64(n) * c.seconds[k] / float64(c.count[k])
	}
	return time.Duration(seconds / float64(c.jobs) * float64(time.Second)).Round(time.Second)
}
