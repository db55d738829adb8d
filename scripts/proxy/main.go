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
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

const module = "github.com/seed-47b1e431/gosica"

func main() {
	log.SetFlags(0)
	log.SetPrefix("proxy: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./scripts/proxy FOLDER")
	}
	files, err := moduleFiles()
	if err != nil {
		log.Fatal(err)
	}
	version, err := write(os.Args[1], files)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(version)
}

// ignored are folders of .gitignore.
var ignored = []string{"bin", "out", "__pycache__"}

// moduleFiles returns the paths of the module's files in the working folder, sorted. Files of
// modules in folders below, such as examples, aren't among them.
func moduleFiles() ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case file == ".":
		case entry.IsDir():
			_, missing := os.Stat(path.Join(file, "go.mod"))
			if missing == nil || name[0] == '.' || slices.Contains(ignored, name) {
				return fs.SkipDir
			}
		case entry.Type().IsRegular() && name[0] != '.' && path.Ext(name) != ".test":
			files = append(files, file)
		}
		return nil
	})
	return files, err
}

// write writes what a proxy answers about the files' version, which it returns: a list, the
// version's info, its go.mod and its zip. See https://go.dev/ref/mod#goproxy-protocol.
func write(folder string, files []string) (version string, err error) {
	contents := make(map[string][]byte)
	hash := sha256.New()
	for _, file := range files {
		if contents[file], err = os.ReadFile(file); err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %x\n", file, sha256.Sum256(contents[file]))
	}
	version = fmt.Sprintf("v0.0.0-checkout.%x", hash.Sum(nil)[:6])
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	for _, file := range files {
		w, err := z.Create(module + "@" + version + "/" + file)
		if err != nil {
			return "", err
		}
		if _, err := w.Write(contents[file]); err != nil {
			return "", err
		}
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	dir := filepath.Join(folder, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	info := fmt.Sprintf("{%q:%q,%q:%q}\n", "Version", version,
		"Time", time.Now().UTC().Format(time.RFC3339))
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": []byte(info),
		version + ".mod":  contents["go.mod"],
		version + ".zip":  zipped.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return "", err
		}
	}
	return version, nil
}
