//go:build ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && cgo && !noxla

package backend

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// sumOf returns a file's SHA-256 in hexadecimal digits.
func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// settled is how old a change of a file must be for its sum to be remembered: a later one
// may have the same time on a file system that counts in seconds.
const settled = 2 * time.Second

// rememberedSum is sumOf, which takes a second for a plugin of 260 MB where the processor
// has no instructions for SHA-256: the user's cache remembers it for as long as the file
// stays the same one, by its number and the times of its last changes, which the system
// keeps. Where there is no such cache, or it can't be written, it is computed each time.
func rememberedSum(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	identity, changed := identityOf(info)
	caches, err := os.UserCacheDir()
	if err != nil || identity == "" {
		return sumOf(path)
	}
	file := filepath.Join(caches, "gosica", fmt.Sprintf("sum-%x", sha256.Sum256([]byte(path)))[:20])
	line := func(sum string) string { return sum + " " + identity + " " + path + "\n" }
	if kept, err := os.ReadFile(file); err == nil {
		if sum, _, _ := strings.Cut(string(kept), " "); len(sum) == 2*sha256.Size && string(kept) == line(sum) {
			return sum, nil
		}
	}
	sum, err := sumOf(path)
	if err != nil || time.Since(changed) < settled {
		return sum, err
	}
	if os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		os.WriteFile(file, []byte(line(sum)), 0o600) // without it the sum is computed again
	}
	return sum, nil
}
