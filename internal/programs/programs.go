// Package programs keeps compiled programs, with the variables that they train, for the
// next fit that needs the same. A fit of a thousand positions takes XLA about as long to
// compile as to run, and what is compiled depends on the shapes and settings alone.
package programs

import (
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

	mu   sync.Mutex
	idle []entry[P] // the one that was put back last at the end
}

type entry[P any] struct {
	key     Key
	program P
}

// NewPool returns an empty pool that frees by free what it has no room for.
func NewPool[P any](free func(P)) *Pool[P] { return &Pool[P]{free: free} }

// Take takes a program of that key out of the pool, if there is one. It is the caller's
// alone until it is put back; its variables have the values that they were left with.
func (p *Pool[P]) Take(k Key) (program P, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if p.idle[i].key == k {
			program = p.idle[i].program
			p.idle = slices.Delete(p.idle, i, i+1)
			return program, true
		}
	}
	return program, false
}

// Put puts a program into the pool, from which it may be taken by others. The one that was
// put there first makes room for it.
func (p *Pool[P]) Put(k Key, program P) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, entry[P]{k, program})
	p.forget()
	if len(p.idle) > most {
		p.free(p.idle[0].program)
		p.idle = slices.Delete(p.idle, 0, 1)
	}
}

// forget drops the programs of finalized backends, with which their memory went.
func (p *Pool[P]) forget() {
	p.idle = slices.DeleteFunc(p.idle, func(e entry[P]) bool { return e.key.Backend.IsFinalized() })
}
