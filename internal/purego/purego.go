// Package purego opens GoMLX's pure-Go backend with the settings that this module needs.
package purego

import (
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// New returns a pure-Go backend that executes one operation at a time, each on all cores. With
// concurrent operations, two matrix products can deadlock over the cores (compute v0.1.5).
func New() (compute.Backend, error) { return gobackend.New("ops_sequential") }

var shared struct {
	sync.Mutex
	backend compute.Backend
}

// Shared returns the pure-Go backend of the process, the same as backend.Open(backend.Go). GoMLX's
// tensors belong to one instance of a backend, so a store must be used on the instance on which it
// was trained. If the backend was finalized, Shared returns a new one.
func Shared() (compute.Backend, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.backend != nil && !shared.backend.IsFinalized() {
		return shared.backend, nil
	}
	b, err := New()
	if err != nil {
		return nil, err
	}
	shared.backend = b
	return b, nil
}

// Or returns b, or Shared if b is nil.
func Or(b compute.Backend) (compute.Backend, error) {
	if b != nil {
		return b, nil
	}
	return Shared()
}
