package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-47b1e431/gosica/backend"
)

// contender is an implementation that solves some of the problems, one at a
// time.
type contender interface {
	// name is the impl of its rows, and where it computes.
	name() (impl, backend string)
	// takes tells whether it has the case, and would take seconds with it rather
	// than minutes.
	takes(p problem) bool
	// prepare compiles, and returns the losses of the first steps and the
	// milliseconds until the first was known.
	prepare(
		ctx context.Context, p problem, arrays map[string]array, folder string,
	) (losses []float64, compile float64, err error)
	// time solves the unit of work and returns the milliseconds of each time.
	time(ctx context.Context, repeats int) ([]float64, error)
	drop()
}

// contenders returns this module on every backend of this machine, and the peers.
func contenders(ctx context.Context, o options) (all []contender, closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for _, c := range closers {
			_ = c() // nothing is lost with a peer that doesn't end well
		}
	}
	for _, name := range backend.Available() {
		b, err := backend.Open(name)
		if err != nil {
			return nil, closeAll, err
		}
		all = append(all, &ours{backend: b, where: name})
		if name != backend.Go {
			all = append(all, &ours{backend: b, where: name, literal: true})
		}
	}
	for _, line := range o.peers {
		impls, where, err := greet(ctx, line)
		if err != nil {
			return nil, closeAll, err
		}
		for _, impl := range impls {
			p, err := startPeer(ctx, line, impl, where)
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

// label returns how a contender is shown.
func label(c contender) string {
	impl, where := c.name()
	return fmt.Sprintf("%s (%s)", impl, where)
}
