//go:build !(((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && cgo && !noxla)

package backend

import (
	"errors"

	"github.com/gomlx/compute"
)

var errNoXLA = errors.New("this program was built without XLA; " +
	"must be built with cgo, for a platform that go-xla knows, without the tag noxla")

// openXLA and verifiedPlugin return errNoXLA in a build without XLA.
func openXLA(string, bool) (compute.Backend, string, error) { return nil, "", errNoXLA }

func verifiedPlugin(string, bool) (path, sum string, err error) { return "", "", errNoXLA }
