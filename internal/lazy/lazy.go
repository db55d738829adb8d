// Package lazy has a backend that opens when a program is first built for it. So a separation
// without networks doesn't spend the tens of milliseconds that loading a plugin takes.
package lazy

import (
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// A Backend represents another backend, which the first use opens. Since GoMLX compares backends,
// code that compiles programs must use the result of Opened.
type Backend struct {
	name   string
	open   func() compute.Backend
	opened atomic.Bool
}

// New returns a Backend that calls open once, on first use. Until then its Name is name.
func New(name string, open func() compute.Backend) *Backend {
	b := &Backend{name: name}
	b.open = sync.OnceValue(func() compute.Backend {
		defer b.opened.Store(true)
		return open()
	})
	return b
}

// Opened opens and returns the backend that a Backend represents, and returns any other backend
// unchanged.
func Opened(b compute.Backend) compute.Backend {
	if l, ok := b.(*Backend); ok {
		return l.open()
	}
	return b
}

// IsOpen reports whether b is open: false only for a Backend before its first use.
func IsOpen(b compute.Backend) bool {
	l, ok := b.(*Backend)
	return !ok || l.opened.Load()
}

// Name implements compute.Backend. It opens nothing.
func (b *Backend) Name() string {
	if b.opened.Load() {
		return b.open().Name()
	}
	return b.name
}

// String implements compute.Backend. It opens nothing.
func (b *Backend) String() string { return b.Name() }

// Description implements compute.Backend. It opens nothing.
func (b *Backend) Description() string {
	if b.opened.Load() {
		return b.open().Description()
	}
	return "not opened: all was computed in Go, on the CPU"
}

// NumDevices implements compute.Backend.
func (b *Backend) NumDevices() int { return b.open().NumDevices() }

// DeviceDescription implements compute.Backend.
func (b *Backend) DeviceDescription(device compute.DeviceNum) string {
	return b.open().DeviceDescription(device)
}

// Capabilities implements compute.Backend.
func (b *Backend) Capabilities() compute.Capabilities { return b.open().Capabilities() }

// Builder implements compute.Backend.
func (b *Backend) Builder(name string) compute.Builder { return b.open().Builder(name) }

// BufferFromFlatData implements compute.Backend.
func (b *Backend) BufferFromFlatData(
	device compute.DeviceNum, flat any, shape shapes.Shape,
) (compute.Buffer, error) {
	return b.open().BufferFromFlatData(device, flat, shape)
}

// HasSharedBuffers implements compute.Backend.
func (b *Backend) HasSharedBuffers() bool { return b.open().HasSharedBuffers() }

// NewSharedBuffer implements compute.Backend.
func (b *Backend) NewSharedBuffer(
	device compute.DeviceNum, shape shapes.Shape,
) (compute.Buffer, any, error) {
	return b.open().NewSharedBuffer(device, shape)
}

// Finalize implements compute.Backend.
func (b *Backend) Finalize() {
	if b.opened.Load() {
		b.open().Finalize()
	}
}

// IsFinalized implements compute.Backend.
func (b *Backend) IsFinalized() bool { return b.opened.Load() && b.open().IsFinalized() }
