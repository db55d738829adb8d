package programs

import (
	"context"
	"errors"
	"time"
)

// grace is the time that Attend waits for the work to end after its context has. Work ends within
// milliseconds unless it compiles or makes long calls. Half of it leaves more work in the
// background, twice returns later.
const grace = 50 * time.Millisecond

// Attend calls work and returns its results. If ctx ends, Attend returns ctx's error after at most
// 50 ms, while work continues in the background until it notices the end of ctx, and its results
// are lost. So work must own all that it uses and frees.
//
// work runs in a separate goroutine if ctx can end. foreground calls a function, such as a
// callback, in the goroutine of Attend's caller and waits for it; after Attend has returned,
// foreground does nothing. If work panics, Attend panics.
func Attend[T any](
	ctx context.Context, work func(ctx context.Context, foreground func(func())) (T, error),
) (T, error) {
	if ctx.Done() == nil {
		return work(ctx, func(f func()) { f() })
	}
	left := make(chan struct{})
	defer close(left)
	calls := make(chan func())
	done := make(chan outcome[T], 1)
	go func() {
		o := outcome[T]{err: errors.New("the work exited its goroutine")}
		defer func() {
			o.panicked = recover()
			done <- o
		}()
		o.value, o.err = work(attended{ctx, left}, func(f func()) {
			called := make(chan struct{})
			select {
			case calls <- func() { defer close(called); f() }:
				<-called
			case <-left:
			}
		})
	}()
	ended := ctx.Done()
	var patience <-chan time.Time
	for {
		select {
		case o := <-done:
			if o.panicked != nil {
				panic(o.panicked)
			}
			return o.value, o.err
		case call := <-calls:
			call()
		case <-ended:
			ended, patience = nil, time.After(grace)
		case <-patience:
			var none T
			return none, ctx.Err()
		}
	}
}

// An outcome is the outcome of work.
type outcome[T any] struct {
	value    T
	err      error
	panicked any
}

// attended is a context for work that also ends when a call in the foreground has panicked.
type attended struct {
	context.Context
	left <-chan struct{}
}

func (c attended) Err() error {
	select {
	case <-c.left:
		if err := c.Context.Err(); err != nil {
			return err
		}
		return context.Canceled
	default:
		return c.Context.Err()
	}
}
