package programs

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Attend returns the result of the work, and runs its callbacks in the caller's goroutine.
func TestAttendReturnsWorksResult(t *testing.T) {
	wrong := errors.New("wrong")
	for _, ctx := range []context.Context{context.Background(), t.Context()} {
		counted := 0 // the race detector sees whether the callbacks are the caller's
		got, err := Attend(ctx, func(_ context.Context, foreground func(func())) (int, error) {
			for range 3 {
				foreground(func() { counted++ })
			}
			return 7, wrong
		})
		if got != 7 || err != wrong || counted != 3 {
			t.Errorf("%d, %v, %d callbacks", got, err, counted)
		}
	}
}

// When the context ends, Attend returns within the grace period: with the result of work that ends
// by then, else without it. Such work goes on, without callbacks.
func TestAttendReturnsWhenContextEnds(t *testing.T) {
	for _, test := range []struct{ work, want time.Duration }{
		{10 * time.Second, time.Second + grace},
		{time.Second + grace/2, time.Second + grace/2},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			ended := make(chan error, 1)
			got, err := Attend(ctx, func(ctx context.Context, foreground func(func())) (int, error) {
				time.Sleep(test.work) // as XLA compiles
				foreground(func() {
					if test.work > test.want {
						t.Error("a callback after Attend has returned")
					}
				})
				ended <- ctx.Err()
				return 7, nil
			})
			if took := time.Since(began); took != test.want {
				t.Errorf("it took %v, want %v", took, test.want)
			}
			if left := test.work > test.want; left != (got == 0) || left != errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%d, error %v", got, err)
			}
			if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the work sees %v, want the end of the context", err)
			}
		})
	}
}

// Panics of the work and of a callback are passed on to the caller. Work whose callback panicked
// ends.
func TestAttendPassesPanicsOn(t *testing.T) {
	panicOf := func(f func()) (p any) {
		defer func() { p = recover() }()
		f()
		return nil
	}
	if p := panicOf(func() {
		_, _ = Attend(t.Context(), func(context.Context, func(func())) (int, error) { panic("work") })
	}); p != "work" {
		t.Errorf("%v", p)
	}
	seen := make(chan error)
	if p := panicOf(func() {
		_, _ = Attend(t.Context(), func(ctx context.Context, foreground func(func())) (int, error) {
			foreground(func() { panic("callback") })
			for ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			seen <- ctx.Err()
			return 0, nil
		})
	}); p != "callback" {
		t.Errorf("%v", p)
	}
	if err := <-seen; err != context.Canceled {
		t.Errorf("the work sees %v", err)
	}
}
