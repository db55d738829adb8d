// Package backendtest has a backend for tests that counts what it is asked to
// execute.
package backendtest

import (
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// Counting is a backend that counts the executions of the programs compiled on it.
// It is safe for concurrent use.
type Counting struct {
	compute.Backend
	calls  atomic.Int64
	onCall func(n int64)
}

// Count returns b as a backend that counts. If onCall isn't nil, it is called as an
// execution begins, with its number, counted from 1.
func Count(b compute.Backend, onCall func(n int64)) *Counting {
	return &Counting{Backend: b, onCall: onCall}
}

// Calls is the number of executions that have begun.
func (c *Counting) Calls() int64 { return c.calls.Load() }

// Builder is the backend's, whose programs count.
func (c *Counting) Builder(name string) compute.Builder {
	return &builder{c.Backend.Builder(name), c}
}

type builder struct {
	compute.Builder
	counting *Counting
}

func (b *builder) Compile() (compute.Executable, error) {
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

func (e *executable) Execute(inputs []compute.Buffer, donate []bool, device compute.DeviceNum) ([]compute.Buffer, error) {
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

// A buffer says that it is of the counting backend, and not of the one below.
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

// BufferFromFlatData is the backend's.
func (c *Counting) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	return c.wrap(c.Backend.BufferFromFlatData(device, flat, shape))
}

// NewSharedBuffer is the backend's.
func (c *Counting) NewSharedBuffer(device compute.DeviceNum, shape shapes.Shape) (compute.Buffer, any, error) {
	b, flat, err := c.Backend.NewSharedBuffer(device, shape)
	b, err = c.wrap(b, err)
	return b, flat, err
}
