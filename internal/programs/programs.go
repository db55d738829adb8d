// Package programs keeps compiled programs, with the variables that they train, for the
// next fit that needs the same. A fit of a thousand positions takes XLA about as long to
// compile as to run, and what is compiled depends on the shapes and settings alone.
//
// Neither a compilation nor a call of XLA can be interrupted. [Attend] leaves such work in the
// background when a context ends, and its program later returns to the [Pool].
package programs

import (
	"context"
	"slices"
	"sync"

	"github.com/gomlx/compute"
)

// A Key identifies what a program was compiled for. Programs with equal keys must be the same
// except for the values of their variables.
type Key struct {
	Backend compute.Backend
	Spec    string // all else that the program depends on
}

// most is the largest number of idle programs in a Pool. A fit by sica.Default compiles one or two,
// and its report one.
const most = 8

// A Pool keeps idle programs of one kind. Its methods may be called concurrently. Programs of a
// finalized backend are dropped.
type Pool[P any] struct {
	free func(P)

	mu      sync.Mutex
	idle    []*Lease[P] // last released at the end
	held    []*Lease[P]
	changed chan struct{} // closed, and replaced, when a held program is released or discarded
}

// NewPool returns an empty pool that calls free for programs that don't fit.
func NewPool[P any](free func(P)) *Pool[P] {
	return &Pool[P]{free: free, changed: make(chan struct{})}
}

// A Lease gives its holder exclusive use of a program until it is released or discarded.
type Lease[P any] struct {
	Program P
	// Reused is whether the program was held before: its variables have the values that were left
	// there.
	Reused bool

	pool *Pool[P]
	key  Key
	left <-chan struct{} // the end of the holder's context
}

// Acquire returns an idle program with the given key, or the result of build. If a program is held
// by work whose context has ended, it will soon be idle, and Acquire waits for it. If ctx ends
// meanwhile, Acquire returns its error.
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

// take returns a lease of an idle program, or a lease whose program must be built.
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

// tryTake is take without waiting: if a program will soon be idle, it returns nil, and a channel
// that is closed when a program is released or discarded.
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

// Release returns the program to the pool, where others may acquire it. A full pool frees the
// program that was released first.
func (l *Lease[P]) Release() {
	p := l.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(l)
	// A new lease, since the holder keeps the old one.
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

// remove removes a lease from the held ones, and wakes those who wait. It panics if the lease isn't
// held, since another holder may have its program.
func (p *Pool[P]) remove(l *Lease[P]) {
	i := slices.Index(p.held, l)
	if i < 0 {
		panic("programs: a lease ended twice")
	}
	p.held = slices.Delete(p.held, i, i+1)
	close(p.changed)
	p.changed = make(chan struct{})
}

// forget drops the programs of finalized backends, whose memory is already freed.
func (p *Pool[P]) forget() {
	p.idle = slices.DeleteFunc(p.idle, func(l *Lease[P]) bool { return l.key.Backend.IsFinalized() })
}
