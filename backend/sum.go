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

// fileSum returns a file's SHA-256 in hexadecimal digits.
func fileSum(path string) (string, error) {
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

// settled is the minimum age of the last change of a file whose sum is cached: after a more recent
// one, another change may have the same time on a file system that counts in seconds.
const settled = 2 * time.Second

// cachedSum returns fileSum(path), from the user's cache as long as fileIdentity is the same.
// fileSum takes 0.25 s for a plugin of 260 MB, or a second on a processor without SHA instructions.
// Without a cache folder the sum is computed each time.
func cachedSum(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	identity, changed := fileIdentity(info)
	caches, err := os.UserCacheDir()
	if err != nil || identity == "" {
		return fileSum(path)
	}
	name := fmt.Sprintf("sum-%x", sha256.Sum256([]byte(path)))[:20]
	file := filepath.Join(caches, "gosica", name)
	line := func(sum string) string { return sum + " " + identity + " " + path + "\n" }
	if kept, err := os.ReadFile(file); err == nil {
		sum, _, _ := strings.Cut(string(kept), " ")
		if len(sum) == 2*sha256.Size && string(kept) == line(sum) {
			return sum, nil
		}
	}
	sum, err := fileSum(path)
	if err != nil || time.Since(changed) < settled {
		return sum, err
	}
	if os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		os.WriteFile(file, []byte(line(sum)), 0o600) // without it the sum is computed again
	}
	return sum, nil
}
