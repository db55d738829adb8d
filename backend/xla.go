//go:build ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && cgo && !noxla

package backend

import (
	"errors"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
)

// pluginOptions are passed to go-xla after the plugin. Otherwise go-xla would guess them from "cpu"
// or "cuda" anywhere in the path of the plugin.
var pluginOptions = map[string]string{
	"cpu":  "shared_buffers=true,tf32=false",
	"cuda": "shared_buffers=false,tf32=false",
}

// openXLA starts XLA with the PJRT plugin "cpu" or "cuda", and also returns the SHA-256 of the
// plugin.
func openXLA(plugin string, allowUnverified bool) (compute.Backend, string, error) {
	path, sum, err := verifiedPlugin(plugin, allowUnverified)
	if err != nil {
		return nil, "", err
	}
	// With a path, go-xla neither downloads nor searches.
	b, err := xla.New(path + "," + pluginOptions[plugin])
	return b, sum, err
}

// verifiedPlugin returns the path and the SHA-256 of the PJRT plugin "cpu" or "cuda", and an error
// unless the plugin may be loaded.
func verifiedPlugin(plugin string, allowUnverified bool) (path, sum string, err error) {
	path, gomlx, err := choosePlugin(plugin, pluginFolders())
	if err != nil {
		return "", "", err
	}
	sum, err = verify(path, verified)
	if err != nil && !((allowUnverified || gomlx) && errors.Is(err, ErrUnverified)) {
		return "", "", err
	}
	return path, sum, nil
}
