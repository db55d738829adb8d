//go:build (amd64 || arm64) && cgo && !noxla

package backend

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// fileIdentity returns what changes when a file is changed or exchanged: its device and number, its
// size, and the times of the last changes of its content and of its inode. No program can set the
// second, which is returned too. It is empty if the system doesn't tell.
func fileIdentity(info fs.FileInfo) (identity string, changed time.Time) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}
	}
	return fmt.Sprint(s.Dev, s.Ino, s.Size, s.Mtim.Nano(), s.Ctim.Nano()), time.Unix(s.Ctim.Unix())
}
