// Package purego makes the pure-Go backend as this module uses it.
package purego

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// New is a pure-Go backend that makes one operation at a time, itself on all cores:
// of two matrix products at once, each can wait for the other's cores for ever
// (compute v0.1.5).
func New() (compute.Backend, error) { return gobackend.New("ops_sequential") }
