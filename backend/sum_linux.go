//go:build (amd64 || arm64) && cgo && !noxla

package backend

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// fileIdentity returns a string that differs after a file was changed or replaced: the device, the
// inode, the size, and the times of the last changes of the content (mtime) and of the inode
// (ctime). It also returns ctime, which programs can't set. The string is empty if the system
// doesn't provide these.
func fileIdentity(info fs.FileInfo) (identity string, changed time.Time) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}
	}
	return fmt.Sprint(s.Dev, s.Ino, s.Size, s.Mtim.Nano(), s.Ctim.Nano()), time.Unix(s.Ctim.Unix())
}
