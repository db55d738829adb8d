// Package programs keeps compiled programs, with the variables that they train, for the
// next fit that needs the same. A fit of a thousand positions takes XLA about as long to
// compile as to run, and what is compiled depends on the shapes and settings alone.
//
// Neither a compilation nor a call of XLA can be interrupted. [Attend] leaves such work in the
// background when a context ends, and its program comes back to the [Pool].
package programs

import (
	"context"
	"slices"
	"sync"

	"github.com/gomlx/compute"
)

// A Key says what a program was compiled for. Programs of equal keys must be the same but
// for the values of their variables.
type Key struct {
	Backend compute.Backend
	Spec    string // all else that it depends on
}

// most is how many idle programs a Pool keeps. A fit by sica.Default compiles one or two,
// and its report one.
const most = 8

// A Pool keeps idle programs of one kind. Its methods may be called at once. Programs of a
// backend that was finalized are forgotten.
type Pool[P any] struct {
	free func(P)

	mu      sync.Mutex
	idle    []*Lease[P] // the one that was released last at the end
	held    []*Lease[P]
	changed chan struct{} // closed, and replaced, when a held program is released or discarded
}

// NewPool returns an empty pool that frees by free what it has no room for.
func NewPool[P any](free func(P)) *Pool[P] {
	return &Pool[P]{free: free, changed: make(chan struct{})}
}

// A Lease is a program that is its holder's alone until it is released or discarded.
type Lease[P any] struct {
	Program P
	// Reused is whether others held the program before: its variables have the values that they
	// were left with.
	Reused bool

	pool *Pool[P]
	key  Key
	left <-chan struct{} // the end of the holder's context
}

// Acquire returns an idle program of that key, or what build returns. A program that is held by
// work whose context has ended will soon be idle, so that Acquire waits for it. If ctx ends
// meanwhile, so does Acquire, with its error.
func (p *Pool[P]) Acquire(
	ctx context.Context, k Key, build func() (P, error),
) (*Lease[P], error) {
	l, err := p.take(ctx, k)
	if err != nil || l.Reused {
		return l, err
	}
	built := false
	defer func() {
		if !built {
			p.drop(l)
		}
	}()
	if l.Program, err = build(); err != nil {
		return nil, err
	}
	built = true
	return l, nil
}

// take returns a lease of an idle program, or one whose program is to be built.
func (p *Pool[P]) take(ctx context.Context, k Key) (*Lease[P], error) {
	for {
		l, changed := p.tryTake(ctx, k)
		if l != nil {
			return l, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// tryTake is take, without waiting: it returns nil, and a channel that is closed when something
// has changed, if a program will soon be idle.
func (p *Pool[P]) tryTake(ctx context.Context, k Key) (*Lease[P], <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if l := p.idle[i]; l.key == k {
			p.idle = slices.Delete(p.idle, i, i+1)
			l.Reused, l.left = true, ctx.Done()
			p.held = append(p.held, l)
			return l, nil
		}
	}
	for _, l := range p.held {
		select {
		case <-l.left:
			if l.key == k {
				return nil, p.changed
			}
		default:
		}
	}
	l := &Lease[P]{pool: p, key: k, left: ctx.Done()}
	p.held = append(p.held, l)
	return l, nil
}

// Release gives the program back to the pool, from which it may be taken by others. The one that
// was released first makes room for it.
func (l *Lease[P]) Release() {
	p := l.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(l)
	// A lease of its own: the holder keeps the old one, which has nothing any more.
	p.idle = append(p.idle, &Lease[P]{Program: l.Program, pool: p, key: l.key})
	p.forget()
	if len(p.idle) > most {
		p.free(p.idle[0].Program)
		p.idle = slices.Delete(p.idle, 0, 1)
	}
}

// Discard frees the program.
func (l *Lease[P]) Discard() {
	l.pool.drop(l)
	l.pool.free(l.Program)
}

// drop ends a lease without a program.
func (p *Pool[P]) drop(l *Lease[P]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(l)
}

// remove removes a lease from those that are held and wakes who waits for it. It panics if the
// lease isn't held, as its program may be another's by now.
func (p *Pool[P]) remove(l *Lease[P]) {
	i := slices.Index(p.held, l)
	if i < 0 {
		panic("programs: a lease ended twice")
	}
	p.held = slices.Delete(p.held, i, i+1)
	close(p.changed)
	p.changed = make(chan struct{})
}

// forget drops the programs of finalized backends, with which their memory went.
func (p *Pool[P]) forget() {
	p.idle = slices.DeleteFunc(p.idle, func(l *Lease[P]) bool { return l.key.Backend.IsFinalized() })
}
