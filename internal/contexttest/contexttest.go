// Package contexttest has contexts for tests of cancelling.
package contexttest

import (
	"context"
	"sync/atomic"
)

// EndsAfter returns a context that is cancelled after the given number of calls of Err, so that a
// test ends work at a place and not at a time. Its Done is that of ctx.
func EndsAfter(ctx context.Context, calls int) context.Context {
	e := &endsAfter{Context: ctx}
	e.calls.Store(int64(calls))
	return e
}

type endsAfter struct {
	context.Context
	calls atomic.Int64 // left
}

func (c *endsAfter) Err() error {
	if c.calls.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Counted returns ctx with a counter, and a function that returns the number of calls of Err so
// far.
func Counted(ctx context.Context) (counted context.Context, calls func() int) {
	c := &counting{Context: ctx}
	return c, func() int { return int(c.calls.Load()) }
}

type counting struct {
	context.Context
	calls atomic.Int64
}

func (c *counting) Err() error {
	c.calls.Add(1)
	return c.Context.Err()
}
