package programs

import (
	"context"
	"errors"
	"time"
)

// grace is how long Attend waits, after a context has ended, for the work to end by itself. It
// does so within milliseconds unless it compiles or makes long calls. Half of it leaves more
// work in the background, twice returns later.
const grace = 50 * time.Millisecond

// Attend calls work and returns its results. If ctx ends it returns ctx's error after 50 ms at
// most, while work goes on in the background until it sees that ctx has ended. So work must own
// all that it uses and frees, and its results are lost then.
//
// Work runs in a goroutine of its own if ctx can end. By foreground it calls a function in the
// goroutine of Attend's caller and waits for it, as for callbacks; after Attend has returned,
// foreground does nothing. A panic of work is one of Attend.
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

// An outcome is how work ended.
type outcome[T any] struct {
	value    T
	err      error
	panicked any
}

// attended is a context that ends for work also when a call in the foreground panicked.
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
