// Proxy writes this checkout as a Go module proxy of files, so that other modules
// can be built with it as with a released version:
//
//	version=$(go run ./scripts/proxy FOLDER)
//	GOPROXY=file://FOLDER,$(go env GOPROXY) GONOSUMDB=github.com/seed-47b1e431/gosica go get github.com/seed-47b1e431/gosica@$version
//
// It prints the version: v0.0.0-checkout. and a hash of the contents, so that no cache
// takes one for another, or for a release. With -version it is the one given. The
// files of modules in folders of this one, such as examples, aren't its own.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"flag"
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
	version := flag.String("version", "", "the version to write, in place of v0.0.0-checkout.HASH")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: go run ./scripts/proxy [-version v1.2.3] FOLDER") }
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	files, err := moduleFiles()
	if err == nil {
		if *version == "" {
			*version, err = contentVersion(files)
		}
		if err == nil {
			err = write(flag.Arg(0), *version, files)
		}
	}
	if err != nil {
		log.Fatalf("proxy: %v", err)
	}
	fmt.Println(*version)
}

// ignored are names that .gitignore has.
var ignored = []string{"bin", "out", "__pycache__"}

// moduleFiles are the paths of the module's files in the working folder, sorted.
func moduleFiles() ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case file == ".":
		case entry.IsDir():
			_, inner := os.Stat(path.Join(file, "go.mod"))
			if inner == nil || name[0] == '.' || slices.Contains(ignored, name) {
				return fs.SkipDir
			}
		case entry.Type().IsRegular() && name[0] != '.' && path.Ext(name) != ".test": // a module has no links
			files = append(files, file)
		}
		return nil
	})
	return files, err
}

// contentVersion is a version that says what is in the files.
func contentVersion(files []string) (string, error) {
	hash := sha256.New()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %x\n", file, sha256.Sum256(content))
	}
	return fmt.Sprintf("v0.0.0-checkout.%x", hash.Sum(nil)[:6]), nil
}

// write writes what a proxy answers about the version: its list, info, go.mod and
// zip, see https://go.dev/ref/mod#goproxy-protocol.
func write(folder, version string, files []string) error {
	gomod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		w, err := z.Create(module + "@" + version + "/" + file)
		if err != nil {
			return err
		}
		if _, err := w.Write(content); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	at := filepath.Join(folder, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}\n", version, time.Now().UTC().Format(time.RFC3339))
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": []byte(info),
		version + ".mod":  gomod,
		version + ".zip":  zipped.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
