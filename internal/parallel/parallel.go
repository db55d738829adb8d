// Package parallel distributes work over the processors.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns the number of workers for n pieces of work: one per processor that Go may use, at
// most n.
func Workers(n int) int { return min(runtime.GOMAXPROCS(0), n) }

// Do calls do for each piece of work 0 … n−1 on the given number of workers, and returns when all
// calls have returned. worker, from 0, serves to select memory that concurrent calls can't share;
// the caller's goroutine is worker 0. If ctx ends, no further piece is begun, and Do returns ctx's
// error.
func Do(ctx context.Context, workers, n int, do func(worker, i int)) error {
	if workers == 1 { // without goroutines and their allocations
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(0, i)
		}
		return ctx.Err()
	}
	var begun atomic.Int64
	var others sync.WaitGroup
	var panicked atomic.Pointer[any] // with what the first call to panic did
	work := func(worker int) {
		defer func() {
			if reason := recover(); reason != nil {
				panicked.CompareAndSwap(nil, &reason)
			}
		}()
		for ctx.Err() == nil && panicked.Load() == nil {
			i := int(begun.Add(1)) - 1
			if i >= n {
				return
			}
			do(worker, i)
		}
	}
	for worker := 1; worker < workers; worker++ {
		others.Go(func() { work(worker) })
	}
	work(0)
	others.Wait()
	if reason := panicked.Load(); reason != nil {
		panic(*reason)
	}
	return ctx.Err()
}
