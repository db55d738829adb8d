//go:build ((darwin && arm64) || (windows && amd64)) && cgo && !noxla

package backend

import (
	"io/fs"
	"time"
)

// identityOf is empty: nothing here tells for sure that a file is the same as before.
func identityOf(fs.FileInfo) (identity string, changed time.Time) { return "", time.Time{} }
