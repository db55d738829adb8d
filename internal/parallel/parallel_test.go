package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/parallel"
)

// Each piece is done once, for any number of workers, and no two concurrent calls have the same
// worker number.
func TestEachPieceIsDoneOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		const n = 1000
		var times [n]atomic.Int32
		busy := make([]atomic.Bool, workers)
		err := parallel.Do(t.Context(), workers, n, func(worker, i int) {
			if busy[worker].Swap(true) {
				t.Errorf("worker %d of %d does two pieces at once", worker, workers)
			}
			times[i].Add(1)
			busy[worker].Store(false)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range times {
			if got := times[i].Load(); got != 1 {
				t.Errorf("%d workers: piece %d was done %d times", workers, i, got)
			}
		}
	}
}

// When the context ends, each worker finishes its current piece and starts no other.
func TestDoCancelled(t *testing.T) {
	const workers = 3
	ctx, cancel := context.WithCancel(t.Context())
	var after atomic.Int32
	err := parallel.Do(ctx, workers, 1000, func(_, i int) {
		if ctx.Err() != nil {
			after.Add(1)
		}
		if i == 10 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context canceled", err)
	}
	// A worker that had looked at the context before it ended begins one piece more.
	if after.Load() > workers {
		t.Errorf("%d pieces were begun after the end, want at most one a worker", after.Load())
	}
}

// A panic of any worker is the caller's, who can recover, when all workers have ended.
func TestPanicIsTheCallers(t *testing.T) {
	want := errors.New("no such piece")
	for _, workers := range []int{1, 3} {
		for bad := range workers {
			var begun sync.WaitGroup // so that each worker has one piece
			begun.Add(workers)
			var ended atomic.Int32
			got := panicOf(func() {
				parallel.Do(t.Context(), workers, workers, func(worker, _ int) {
					begun.Done()
					begun.Wait()
					defer ended.Add(1)
					if worker == bad {
						panic(want)
					}
				})
			})
			if got != want || int(ended.Load()) != workers {
				t.Errorf("worker %d of %d: panic %v when %d had ended", bad, workers, got, ended.Load())
			}
		}
	}
}

// panicOf returns what f panics with.
func panicOf(f func()) (reason any) {
	defer func() { reason = recover() }()
	f()
	return nil
}

func ExampleDo() {
	squares := make([]int, 5)
	err := parallel.Do(context.Background(), parallel.Workers(len(squares)), len(squares), func(_, i int) {
		squares[i] = i * i
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16] <nil>
}
