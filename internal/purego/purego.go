// Package purego opens the pure-Go backend with this module's setting.
package purego

import (
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// New returns a pure-Go backend that executes one operation at a time, each on all cores. Two
// concurrent matrix products can wait for each other's cores for ever (compute v0.1.5).
func New() (compute.Backend, error) { return gobackend.New("ops_sequential") }

var shared = sync.OnceValues(New)

// Or returns b, or if it is nil one pure-Go backend that all share.
func Or(b compute.Backend) (compute.Backend, error) {
	if b != nil {
		return b, nil
	}
	return shared()
}
