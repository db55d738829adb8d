package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// WriteJSON writes v to a file, whole or not at all.
func WriteJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error { return PrintJSON(w, v) })
}

// ReadJSON reads v from a file. If there is none, the error is fs.ErrNotExist.
func ReadJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// PrintJSON writes v as indented JSON.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// WritePicture writes the picture to a file, whole or not at all.
func WritePicture(path string, picture *plot.Picture, format plot.Format) error {
	return atomicfile.Write(path, func(w io.Writer) error { return picture.Write(w, format) })
}

// Wrote prints that signals were written to a file and, where its format can't hold their rate and
// names, to the file beside it that has these.
func Wrote(out io.Writer, path string) {
	fmt.Fprintln(out, "wrote", path)
	switch strings.ToLower(filepath.Ext(path)) {
	case ".npy", ".wav":
		if _, err := os.Stat(path + ".json"); err == nil {
			fmt.Fprintln(out, "wrote", path+".json")
		}
	}
}

// IsFolder reports whether a path is meant as a folder: one that is there, or ends in a slash.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) ||
		err == nil && info.IsDir()
}

// WritesImages reports whether signals of a file are written as images: if that or the value of
// --shape says that they are images, and they are written into a folder.
func WritesImages(in, shape, out string) bool {
	return IsFolder(out) && (datasets.IsImage(in) || strings.Count(shape, "x") == 1)
}

// WriteImages writes each signal as a PNG image, 1.png, 2.png and so on, of that shape into a
// folder, which it makes.
func WriteImages(folder string, z *mat.Dense, shape []int) error {
	if err := MakeFolder(folder); err != nil {
		return err
	}
	return datasets.WriteImages(z, shape, ImagePaths(folder, z.RawMatrix().Rows)...)
}

// MakeFolder makes the folder of --out unless it is there.
func MakeFolder(path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return usage.Errorf("--out %s: must be a folder, and is a file", path)
	}
	return os.MkdirAll(path, 0o777)
}

// ImagePaths returns the paths of d images in a folder: 1.png, 2.png and so on.
func ImagePaths(folder string, d int) (paths []string) {
	for i := range d {
		paths = append(paths, filepath.Join(folder, fmt.Sprintf("%d.png", i+1)))
	}
	return paths
}

// CheckSignalsName returns a usage error unless signals can be written to a file of that name.
func CheckSignalsName(path string) error {
	if !datasets.IsWritable(path) {
		return usage.Errorf("--out %s: use a name that ends in .csv, .tsv, .txt, .npy, .wav, "+
			".edf or .bdf, or, for images or with --shape 32x32, a folder ending in /", path)
	}
	return nil
}

// CheckWritable returns an error unless a file can be made at each path; "" is none. Commands
// that work for long call it before they begin.
func CheckWritable(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("can't write %s: it is a folder", path)
		}
		if err := datasets.CheckSidecar(path); err != nil {
			return err
		}
		probe, err := os.CreateTemp(filepath.Dir(path), ".sica-*.tmp")
		if err != nil {
			return fmt.Errorf("can't write %s: %w", path, errors.Unwrap(err))
		}
		probe.Close()
		if err := os.Remove(probe.Name()); err != nil {
			return err
		}
	}
	return nil
}

// A Place is a file or a folder that a flag names. Without a path it is none.
type Place struct{ Flag, Path string }

// Places returns the places of flags and paths in turn: Places("--out", out, "--json", report).
func Places(flagsAndPaths ...string) []Place {
	var places []Place
	for pair := range slices.Chunk(flagsAndPaths, 2) {
		places = append(places, Place{pair[0], pair[1]})
	}
	return places
}

// Each returns the places of a flag that names several files.
func Each(flag string, paths []string) (places []Place) {
	for _, path := range paths {
		places = append(places, Place{flag, path})
	}
	return places
}

// CheckPlaces returns a usage error if what is written could destroy something: if two of the
// folders and of the written files are the same or one is inside the other, or if a file that is
// read is written, too, be it as one of the images in the folder of --out. Sidecars of the files
// count.
func CheckPlaces(read, folders, written []Place, images ...string) error {
	read, written = withSidecars(read), withSidecars(written)
	if err := checkApart(append(folders, written...)); err != nil {
		return err
	}
	for _, w := range append(written, Each("--out", images)...) {
		for _, r := range read {
			if w.Path != "" && isSameFile(r.Path, w.Path) {
				return usage.Errorf("%s and %s name the same file, %s: it would be overwritten", r.Flag,
					w.Flag, r.Path)
			}
		}
	}
	return nil
}

// withSidecars returns the places of the files and of their sidecars.
func withSidecars(files []Place) []Place {
	all := slices.Clone(files)
	for _, f := range files {
		if sidecar := datasets.Sidecar(f.Path); sidecar != "" {
			all = append(all, Place{"the sidecar of " + f.Flag, sidecar})
		}
	}
	return all
}

// checkApart returns a usage error if two of the places are the same or one is inside the other.
func checkApart(places []Place) error {
	for i, a := range places {
		for _, b := range places[:i] {
			if a.Path == "" || b.Path == "" {
				continue
			}
			inA, inB := inside(b.Path, a.Path), inside(a.Path, b.Path)
			if inA && inB {
				return usage.Errorf("%s and %s name the same file or folder, %s", b.Flag, a.Flag,
					b.Path)
			}
			if inA {
				a, b = b, a
			}
			if inA || inB {
				return usage.Errorf("%s %s is within %s %s: use another place", a.Flag, a.Path,
					b.Flag, b.Path)
			}
		}
	}
	return nil
}

// inside reports whether a path is a folder or something in it.
func inside(path, folder string) bool {
	inner, err1 := filepath.Abs(path)
	outer, err2 := filepath.Abs(folder)
	if err1 != nil || err2 != nil {
		return false
	}
	relative, err := filepath.Rel(outer, inner)
	return err == nil && filepath.IsLocal(relative)
}

// isSameFile reports whether two paths lead to one existing file, also by a link.
func isSameFile(a, b string) bool {
	infoA, err1 := os.Stat(a)
	infoB, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(infoA, infoB)
}
