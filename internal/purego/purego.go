// Package purego opens GoMLX's pure-Go backend, with the setting that this module needs.
package purego

import (
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// New returns a pure-Go backend that executes one operation at a time, each on all cores. With
// concurrent operations, two matrix products can deadlock over the cores (compute v0.1.5).
func New() (compute.Backend, error) { return gobackend.New("ops_sequential") }

var shared = sync.OnceValues(New)

// Or returns b. If that is nil, it returns a pure-Go backend, the same in every call.
func Or(b compute.Backend) (compute.Backend, error) {
	if b != nil {
		return b, nil
	}
	return shared()
}
