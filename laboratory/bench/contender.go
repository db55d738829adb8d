package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-47b1e431/gosica/backend"
)

// contender is an implementation that solves some of the problems, one at a time.
type contender interface {
	// name returns the names of the implementation and of its backend, as in its rows.
	name() (impl, backend string)
	// supports reports whether it can solve the problem, in seconds and not in minutes.
	supports(p problem) bool
	// prepare compiles a problem's unit of work. It returns the losses of the first steps and
	// the milliseconds until the first was known. The folder has the arrays as files.
	prepare(
		ctx context.Context, p problem, arrays map[string]array, folder string,
	) (losses []float64, compile float64, err error)
	// time does the prepared unit of work and returns its milliseconds.
	time(ctx context.Context) (float64, error)
	// release frees what prepare has made.
	release()
}

// contenders returns this module on every backend of this machine, and the peers.
func contenders(ctx context.Context, o options) (all []contender, closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for _, c := range closers {
			_ = c() // the rows are written already
		}
	}
	for _, name := range backend.Available() {
		b, err := backend.Open(name)
		if err != nil {
			return nil, closeAll, err
		}
		all = append(all, &ours{backend: b, backendName: name})
		if name != backend.Go {
			all = append(all, &ours{backend: b, backendName: name, literal: true})
		}
	}
	for _, line := range o.peers {
		impls, backendName, err := greet(ctx, line)
		if err != nil {
			return nil, closeAll, err
		}
		for _, impl := range impls {
			p, err := startPeer(ctx, line, impl, backendName)
			if err != nil {
				return nil, closeAll, err
			}
			closers = append(closers, p.close)
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		err = errors.New("nothing to measure: no backend and no peer")
	}
	return all, closeAll, err
}

// label returns the name of a contender in messages.
func label(c contender) string {
	impl, backendName := c.name()
	return fmt.Sprintf("%s (%s)", impl, backendName)
}
