//go:build !(((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && cgo && !noxla)

package backend

import (
	"errors"

	"github.com/gomlx/compute"
)

// openXLA says why there is no XLA in this build.
func openXLA(string, bool) (compute.Backend, string, error) {
	return nil, "", errors.New("this program was built without XLA, which needs cgo, a platform that go-xla knows, and no build tag noxla")
}
