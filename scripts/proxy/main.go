// Command proxy writes this checkout as a Go module proxy of files, so that other modules can be
// built with it as with a released version. Its argument is the folder to write to:
//
//	version=$(go run ./scripts/proxy FOLDER)
//	GOPROXY=file://FOLDER,$(go env GOPROXY) GONOSUMDB=github.com/seed-47b1e431/gosica \
//		go get github.com/seed-47b1e431/gosica@$version
//
// It prints the version of all modules, v0.0.0-checkout. and a hash of their contents, so that no
// cache mistakes one checkout for another or for a release.
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

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

const modulePath = "github.com/seed-47b1e431/gosica"

// folders are those of the modules that are released, the library's first.
var folders = []string{".", "laboratory"}

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

// A moduleFile is a file of a module, by its path below the module's folder.
type moduleFile struct {
	root, path string
	content    []byte // in place of the file's, if it isn't nil
}

func (f moduleFile) name() string {
	return filepath.Join(f.root, filepath.FromSlash(f.path))
}

func (f moduleFile) Path() string                { return f.path }
func (f moduleFile) Lstat() (os.FileInfo, error) { return os.Lstat(f.name()) }

func (f moduleFile) Open() (io.ReadCloser, error) {
	if f.content != nil {
		return io.NopCloser(bytes.NewReader(f.content)), nil
	}
	return os.Open(f.name())
}

// moduleFiles returns the files of the module in a folder of the checkout, sorted. Files of modules
// in folders below, such as examples, aren't among them.
func moduleFiles(root string) ([]moduleFile, error) {
	var files []moduleFile
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
			files = append(files, moduleFile{root: root, path: file})
		}
		return nil
	})
	return files, err
}

// versionOf returns the version of the checkout.
func versionOf(root string) (string, error) {
	hash := sha256.New()
	for _, folder := range folders {
		files, err := moduleFiles(filepath.Join(root, folder))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			content, err := os.ReadFile(file.name())
			if err != nil {
				return "", err
			}
			fmt.Fprintf(hash, "%s %x\n", path.Join(folder, file.path), sha256.Sum256(content))
		}
	}
	return fmt.Sprintf("v0.0.0-checkout.%x", hash.Sum(nil)[:6]), nil
}

// requirements returns the go.mod of a module's folder, in which what it requires of the checkout's
// modules has the checkout's version.
func requirements(root, version string) ([]byte, error) {
	name := filepath.Join(root, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		required := path.Join(modulePath, folder)
		if !slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool {
			return r.Mod.Path == required
		}) {
			continue
		}
		if err := mod.AddRequire(required, version); err != nil {
			return nil, err
		}
		if err := mod.DropReplace(required, ""); err != nil {
			return nil, err
		}
	}
	return mod.Format()
}

// zipped returns the go.mod and the zip of the module in a folder of the checkout, as the go command
// makes it of a repository.
func zipped(root, folder, version string) (mod, archive []byte, err error) {
	if mod, err = requirements(filepath.Join(root, folder), version); err != nil {
		return nil, nil, err
	}
	files, err := moduleFiles(filepath.Join(root, folder))
	if err != nil {
		return nil, nil, err
	}
	var zipFiles []modzip.File
	for _, file := range files {
		if file.path == "go.mod" {
			file.content = mod
		}
		zipFiles = append(zipFiles, file)
	}
	var buffer bytes.Buffer
	err = modzip.Create(&buffer,
		module.Version{Path: path.Join(modulePath, folder), Version: version}, zipFiles)
	return mod, buffer.Bytes(), err
}

// write writes what a proxy answers about the checkout's version, which it returns: for each module a
// list, the version's info, its go.mod and its zip. See https://go.dev/ref/mod#goproxy-protocol.
func write(out, root string) (version string, err error) {
	if version, err = versionOf(root); err != nil {
		return "", err
	}
	info := fmt.Sprintf("{%q:%q,%q:%q}\n", "Version", version,
		"Time", time.Now().UTC().Format(time.RFC3339))
	for _, folder := range folders {
		mod, archive, err := zipped(root, folder, version)
		if err != nil {
			return "", err
		}
		dir := filepath.Join(out, filepath.FromSlash(modulePath), folder, "@v")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return "", err
		}
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
	}
	return version, nil
}
