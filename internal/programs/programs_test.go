package programs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// closed is a backend that was finalized.
type closed struct{ compute.Backend }

func (closed) IsFinalized() bool { return true }

func TestPool(t *testing.T) {
	var freed []string
	p := NewPool(func(name string) { freed = append(freed, name) })
	b := gobackend.GetBackend()
	key := func(spec string) Key { return Key{b, spec} }
	// take acquires a program, which is the one that is wanted or a new one.
	take := func(k Key, want string) *Lease[string] {
		t.Helper()
		l, err := p.Acquire(t.Context(), k, func() (string, error) { return "", nil })
		if err != nil || l.Program != want || l.Reused != (want != "") {
			t.Errorf("took %q, %v, want %q", l.Program, err, want)
		}
		return l
	}
	put := func(k Key, program string) {
		l := take(k, "")
		l.Program = program
		l.Release()
	}
	first, second, third := take(key("a"), ""), take(key("b"), ""), take(key("a"), "")
	first.Program, second.Program, third.Program = "1", "2", "3"
	first.Release()
	second.Release()
	third.Release()
	take(key("c"), "")
	take(key("a"), "3") // the last one first: it is the likelier to be in a cache
	take(key("a"), "1")
	take(key("a"), "")
	take(key("b"), "2")
	if freed != nil {
		t.Errorf("freed %q, which are their holders'", freed)
	}
	for i := range most + 2 {
		put(key(fmt.Sprint(i)), fmt.Sprint(i))
	}
	if !slices.Equal(freed, []string{"0", "1"}) {
		t.Errorf("freed %q, want the two that were released first", freed)
	}
	take(key("0"), "")
	take(key("2"), "2").Discard()
	if freed = freed[2:]; !slices.Equal(freed, []string{"2"}) {
		t.Errorf("freed %q, want what was discarded", freed)
	}

	put(Key{closed{b}, "3"}, "of a finalized backend")
	take(Key{closed{b}, "3"}, "")
	if len(freed) != 1 {
		t.Errorf("freed %q: a program of a finalized backend can't be freed any more", freed)
	}
	take(key("3"), "3")
}

// A program that cannot be built is an error, and the next Acquire builds it.
func TestPoolBuildsAgainAfterFailure(t *testing.T) {
	p := NewPool(func(string) { t.Error("freed what was never built") })
	ctx, cancel := context.WithCancel(t.Context())
	k := Key{gobackend.GetBackend(), "a"}
	wrong := errors.New("wrong")
	if _, err := p.Acquire(ctx, k, func() (string, error) { return "", wrong }); err != wrong {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() { recover() }()
		p.Acquire(ctx, k, func() (string, error) { panic("at building") })
	}()
	cancel()
	if l, err := p.Acquire(t.Context(), k, func() (string, error) { return "new", nil }); err != nil || l.Reused {
		t.Errorf("%+v, error %v", l, err)
	}
}

// Acquire waits only for a program whose holder was cancelled, and no longer than its own context.
func TestPoolWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		built := 0
		build := func() (int, error) { built++; return built, nil }
		p := NewPool(func(int) {})
		k := Key{gobackend.GetBackend(), "a"}
		acquire := func(ctx context.Context) (*Lease[int], error) { return p.Acquire(ctx, k, build) }
		must := func(l *Lease[int], err error) *Lease[int] {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			return l
		}

		ctx, cancel := context.WithCancel(t.Context())
		compiling := must(acquire(ctx))
		other := must(acquire(t.Context())) // doesn't wait
		if other.Reused || built != 2 {
			t.Errorf("%+v, %d built", other, built)
		}
		cancel() // the first is left behind

		short, stop := context.WithCancel(t.Context())
		var early error
		go func() { _, early = acquire(short) }()
		var waited *Lease[int]
		go func() { waited, _ = acquire(t.Context()) }()
		synctest.Wait()
		if waited != nil || early != nil {
			t.Fatalf("nobody waited: %+v, %v", waited, early)
		}
		stop()
		synctest.Wait()
		if early != context.Canceled {
			t.Errorf("error %v, want that of the context", early)
		}
		compiling.Release()
		synctest.Wait()
		if waited == nil || !waited.Reused || waited.Program != 1 || built != 2 {
			t.Errorf("%+v, %d built; want the program that was left behind", waited, built)
		}
	})
}
