// Command proxy writes this checkout as a Go module proxy of files, so that other modules can be
// built with it as with a released version. Its argument is the folder to write to:
//
//	version=$(go run ./scripts/proxy FOLDER)
//	GOPROXY=file://FOLDER,$(go env GOPROXY) GONOSUMDB=github.com/seed-47b1e431/gosica \
//		go get github.com/seed-47b1e431/gosica@$version
//
// It prints the version, v0.0.0-checkout. and a hash of the contents, so that no cache mistakes
// one checkout for another or for a release.
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

const modulePath = "github.com/seed-47b1e431/gosica"

func main() {
	log.SetFlags(0)
	log.SetPrefix("proxy: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./scripts/proxy FOLDER")
	}
	version, err := write(os.Args[1], ".")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(version)
}

// ignored are folders of .gitignore.
var ignored = []string{"bin", "out", "__pycache__"}

// A moduleFile is a file of the module, by its path below the checkout.
type moduleFile struct{ root, path string }

func (f moduleFile) name() string {
	return filepath.Join(f.root, filepath.FromSlash(f.path))
}

func (f moduleFile) Path() string                 { return f.path }
func (f moduleFile) Lstat() (os.FileInfo, error)  { return os.Lstat(f.name()) }
func (f moduleFile) Open() (io.ReadCloser, error) { return os.Open(f.name()) }

// moduleFiles returns the module's files in the checkout, sorted. Files of modules in folders
// below, such as examples, aren't among them.
func moduleFiles(root string) ([]modzip.File, error) {
	var files []modzip.File
	checkout := os.DirFS(root)
	err := fs.WalkDir(checkout, ".", func(file string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case file == ".":
		case entry.IsDir():
			_, missing := fs.Stat(checkout, path.Join(file, "go.mod"))
			if missing == nil || name[0] == '.' || slices.Contains(ignored, name) {
				return fs.SkipDir
			}
		case entry.Type().IsRegular() && name[0] != '.' && path.Ext(name) != ".test":
			files = append(files, moduleFile{root, file})
		}
		return nil
	})
	return files, err
}

// zipped returns the module's zip, as the go command makes it of a repository, and its version.
func zipped(root string) (archive []byte, version string, err error) {
	files, err := moduleFiles(root)
	if err != nil {
		return nil, "", err
	}
	hash := sha256.New()
	for _, file := range files {
		content, err := os.ReadFile(file.(moduleFile).name())
		if err != nil {
			return nil, "", err
		}
		fmt.Fprintf(hash, "%s %x\n", file.Path(), sha256.Sum256(content))
	}
	version = fmt.Sprintf("v0.0.0-checkout.%x", hash.Sum(nil)[:6])
	var buffer bytes.Buffer
	err = modzip.Create(&buffer, module.Version{Path: modulePath, Version: version}, files)
	return buffer.Bytes(), version, err
}

// write writes what a proxy answers about the checkout's version, which it returns: a list, the
// version's info, its go.mod and its zip. See https://go.dev/ref/mod#goproxy-protocol.
func write(folder, root string) (version string, err error) {
	archive, version, err := zipped(root)
	if err != nil {
		return "", err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(folder, filepath.FromSlash(modulePath), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	info := fmt.Sprintf("{%q:%q,%q:%q}\n", "Version", version,
		"Time", time.Now().UTC().Format(time.RFC3339))
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": []byte(info),
		version + ".mod":  mod,
		version + ".zip":  archive,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return "", err
		}
	}
	return version, nil
}
