// Package contexttest has contexts for tests of cancelling.
package contexttest

import "context"

// EndsAfter is ctx until its Err was called the given number of times, and then
// cancelled, so that a test ends work at a place and not at a time. Its Done stays
// ctx's. It is for one goroutine.
func EndsAfter(ctx context.Context, calls int) context.Context {
	return &endsAfter{ctx, calls}
}

type endsAfter struct {
	context.Context
	calls int
}

func (c *endsAfter) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}
