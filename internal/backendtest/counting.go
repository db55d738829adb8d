// Package backendtest has helpers for tests with backends: a backend that counts executions, and a
// loop over all backends that open here.
package backendtest

import (
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// A Counting is a backend that counts the compilations and executions of its programs. It is safe
// for concurrent use.
type Counting struct {
	compute.Backend
	calls, compilations atomic.Int64
	onCall, onCompile   func(n int64)
}

// Count returns b as a counting backend. If onCall isn't nil, it is called at the beginning of each
// execution with its number, from 1.
func Count(b compute.Backend, onCall func(n int64)) *Counting {
	return &Counting{Backend: b, onCall: onCall}
}

// OnCompile sets a function that is called at the beginning of each compilation with its number,
// from 1. It must be called before the first compilation.
func (c *Counting) OnCompile(f func(n int64)) { c.onCompile = f }

// Compilations returns the number of compilations that have begun.
func (c *Counting) Compilations() int64 { return c.compilations.Load() }

// Calls returns the number of executions that have begun.
func (c *Counting) Calls() int64 { return c.calls.Load() }

// Builder implements compute.Backend.
func (c *Counting) Builder(name string) compute.Builder {
	return &builder{c.Backend.Builder(name), c}
}

type builder struct {
	compute.Builder
	counting *Counting
}

func (b *builder) Compile() (compute.Executable, error) {
	n := b.counting.compilations.Add(1)
	if b.counting.onCompile != nil {
		b.counting.onCompile(n)
	}
	e, err := b.Builder.Compile()
	if err != nil {
		return nil, err
	}
	return &executable{e, b.counting}, nil
}

type executable struct {
	compute.Executable
	counting *Counting
}

func (e *executable) Execute(
	inputs []compute.Buffer, donate []bool, device compute.DeviceNum,
) ([]compute.Buffer, error) {
	n := e.counting.calls.Add(1)
	if e.counting.onCall != nil {
		e.counting.onCall(n)
	}
	below := make([]compute.Buffer, len(inputs))
	for i, in := range inputs {
		below[i] = in.(*buffer).Buffer
	}
	outputs, err := e.Executable.Execute(below, donate, device)
	for i, out := range outputs {
		outputs[i] = &buffer{out, e.counting}
	}
	return outputs, err
}

// A buffer belongs to the counting backend, not to the one below.
type buffer struct {
	compute.Buffer
	counting *Counting
}

func (b *buffer) Backend() compute.Backend { return b.counting }

func (b *buffer) CopyToDevice(device compute.DeviceNum) (compute.Buffer, error) {
	return b.counting.wrap(b.Buffer.CopyToDevice(device))
}

func (c *Counting) wrap(b compute.Buffer, err error) (compute.Buffer, error) {
	if err != nil {
		return nil, err
	}
	return &buffer{b, c}, nil
}

// BufferFromFlatData implements compute.Backend.
func (c *Counting) BufferFromFlatData(
	device compute.DeviceNum, flat any, shape shapes.Shape,
) (compute.Buffer, error) {
	return c.wrap(c.Backend.BufferFromFlatData(device, flat, shape))
}

// NewSharedBuffer implements compute.Backend.
func (c *Counting) NewSharedBuffer(
	device compute.DeviceNum, shape shapes.Shape,
) (compute.Buffer, any, error) {
	b, flat, err := c.Backend.NewSharedBuffer(device, shape)
	b, err = c.wrap(b, err)
	return b, flat, err
}
