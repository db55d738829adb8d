package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/seed-47b1e431/gosica/backend"
)

// Limits of the number of rounds, in each of which every contender solves a problem once. Both are
// choices; --seconds ends between them.
const (
	minRounds = 5
	maxRounds = 100
)

// prepared is a contender that is ready to be timed.
type prepared struct {
	contender
	row  row
	ms   []float64     // of each round
	used time.Duration // in all rounds
}

// measure times the contenders that support the problem, in turns. It is an error if they compute
// different losses.
func measure(
	ctx context.Context, p problem, contenders []contender, o options,
) ([]row, error) {
	fmt.Fprintf(os.Stderr, "%s on %d cores:\n", p, o.cores)
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	arrays := p.arrays()
	if err := writeArrays(folder, arrays); err != nil {
		return nil, err
	}

	var ready []*prepared
	defer func() {
		for _, c := range ready {
			c.release()
		}
	}()
	var expected []float64
	for _, c := range contenders {
		if !c.supports(p) {
			continue
		}
		losses, compile, err := c.prepare(ctx, p, arrays, folder)
		if err != nil {
			fmt.Fprintf(os.Stderr, "  %s left out: %v\n", label(c), err)
			c.release()
			continue
		}
		ready = append(ready, &prepared{contender: c,
			row: newRow(p, c, o.cores, losses[0], compile)})
		if expected == nil {
			expected = losses
		}
		if err := equalLosses(expected, losses); err != nil {
			return nil, fmt.Errorf("%s: %s computes another loss than %s: %w", p, label(c),
				label(ready[0]), err)
		}
	}
	if len(ready) == 0 {
		fmt.Fprintln(os.Stderr, "  no implementation supports it")
		return nil, nil
	}
	if err := takeTurns(ctx, ready, p, o); err != nil {
		return nil, err
	}

	var rows []row
	for _, c := range ready {
		c.row.summarise(c.ms)
		fmt.Fprintf(os.Stderr, "  %-28s %9.2f ms (%.2f to %.2f, %d times; compiled in %.0f ms)\n",
			label(c), c.row.Median, c.row.P10, c.row.P90, c.row.Repeats, c.row.Compile)
		if err := c.addRoofline(p); err != nil {
			return nil, err
		}
		rows = append(rows, c.row)
	}
	return rows, nil
}

// addRoofline adds to the row of this library on XLA the arithmetic and the traffic of a training
// step or a refinement, and the machine's peaks.
func (c *prepared) addRoofline(p problem) error {
	o, isOurs := c.contender.(*ours)
	need, counted := p.requirements()
	if !isOurs || !counted || o.literal || o.backendName == backend.Go {
		return nil
	}
	if o.peak == (work{}) {
		var err error
		if o.peak, err = machinePeak(o.backend); err != nil {
			return err
		}
	}
	c.row.Roofline = &roofline{GFLOP: need.gflop, GB: need.gb, PeakGFLOPs: o.peak.gflop,
		PeakGBs: o.peak.gb}
	return nil
}

// takeTurns lets every contender solve the problem once a round, each round beginning with the next
// of them, until the time is used up. A contender that has used all of it by itself sits out.
func takeTurns(ctx context.Context, ready []*prepared, p problem, o options) error {
	rounds, limit := minRounds, maxRounds
	if o.smoke {
		rounds, limit = 1, 1
	}
	begin := time.Now()
	for round := 0; round < rounds || round < limit &&
		time.Since(begin).Seconds() < o.seconds; round++ {
		for k := range ready {
			c := ready[(round+k)%len(ready)]
			if len(c.ms) > 1 && c.used.Seconds() > o.seconds {
				continue
			}
			began := time.Now()
			ms, err := c.time(ctx)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", p, label(c), err)
			}
			c.used += time.Since(began)
			c.ms = append(c.ms, ms)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// equalLosses compares the losses of the first steps.
func equalLosses(want, got []float64) error {
	const tolerance = 1e-5
	if len(got) != len(want) {
		return fmt.Errorf("%d losses, want %d", len(got), len(want))
	}
	for k := range want {
		if !(math.Abs(got[k]-want[k]) <= tolerance*math.Abs(want[k])) {
			return fmt.Errorf("step %d: %.8g, want %.8g", k, got[k], want[k])
		}
	}
	return nil
}
