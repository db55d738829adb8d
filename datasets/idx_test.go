package datasets

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two images of 1×3 pixels and their labels, byte by byte as MNIST's home page
// describes the format.
const (
	twoImages = "\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x03\x00\x7f\xff\x01\x02\x03"
	twoLabels = "\x00\x00\x08\x01\x00\x00\x00\x02\x07\x09"
)

func TestReadIDX(t *testing.T) {
	images, err := readIDXImages(strings.NewReader(twoImages))
	if err != nil {
		t.Fatal(err)
	}
	if images.N != 2 || images.Rows != 1 || images.Cols != 3 {
		t.Errorf("%d images of %d×%d, want 2 of 1×3", images.N, images.Rows, images.Cols)
	}
	if got := images.Image(1); !bytes.Equal(got, []byte{1, 2, 3}) {
		t.Errorf("image 1 is %v, want [1 2 3]", got)
	}
	labels, err := readIDXLabels(strings.NewReader(twoLabels))
	if err != nil || !bytes.Equal(labels, []byte{7, 9}) {
		t.Errorf("labels %v (%v), want [7 9]", labels, err)
	}
}

func TestReadIDXErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "EOF"},
		{"cut header", twoImages[:9], "EOF"},
		{"labels for images", twoLabels + "more than a header", "need 0x00000803"},
		{"cut", twoImages[:20], "need 6 bytes, found 4"},
		{"longer", twoImages + "x", "need 6 bytes, found more"},
		{"no images", "\x00\x00\x08\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x03", "need 1 to"},
		{"absurd", "\x00\x00\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "need 1 to"},
	} {
		_, err := readIDXImages(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := readIDXLabels(strings.NewReader(twoImages)); err == nil {
		t.Error("images for labels: no error")
	}
}

func TestLoadIDX(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if filepath.Ext(name) == ".gz" {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			io.WriteString(z, data)
			z.Close()
			data = b.String()
		}
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	images, labels := write("images.gz", twoImages), write("labels", twoLabels)
	digits, err := LoadIDX(images, labels)
	if err != nil {
		t.Fatal(err)
	}
	s, classes, err := digits.Sources(newRand(1), 2)
	if err != nil {
		t.Fatal(err)
	}
	if d, T := s.Dims(); d != 2 || T != 5*7 || classes[0]+classes[1] != 7+9 {
		t.Errorf("%d×%d with labels %v, want 2×35 with 7 and 9", d, T, classes)
	}
	for name, paths := range map[string][2]string{
		"no images":  {filepath.Join(dir, "none"), labels},
		"no labels":  {images, filepath.Join(dir, "none")},
		"too few":    {images, write("few", "\x00\x00\x08\x01\x00\x00\x00\x01\x07")},
		"exchanged":  {labels, images},
		"labels bad": {images, images},
	} {
		if _, err := LoadIDX(paths[0], paths[1]); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	os.WriteFile(filepath.Join(dir, "text.gz"), []byte("text, not compressed"), 0o666)
	if _, err := LoadIDX(filepath.Join(dir, "text.gz"), labels); err == nil || !strings.Contains(err.Error(), "gzip") {
		t.Errorf("not gzip: %v", err)
	}
}

func FuzzReadIDXImages(f *testing.F) {
	f.Add([]byte(twoImages))
	f.Add([]byte(twoLabels))
	f.Add([]byte(twoImages[:20]))
	f.Add([]byte("\x00\x00\x08\x03\x00\x01\x00\x00\x00\x00\x10\x00\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if labels, err := readIDXLabels(bytes.NewReader(data)); err == nil && len(labels)+8 != len(data) {
			t.Errorf("%d labels from %d bytes", len(labels), len(data))
		}
		images, err := readIDXImages(bytes.NewReader(data))
		if err != nil {
			checkError(t, err)
			return
		}
		if images.N < 1 || len(images.Pixels) != images.N*images.Rows*images.Cols || len(images.Pixels)+16 != len(data) {
			t.Errorf("%d images of %d×%d in %d bytes", images.N, images.Rows, images.Cols, len(data))
		}
		images.Image(images.N - 1)
	})
}

// Compressed or not, images have a label each and fit their size.
func FuzzLoadIDX(f *testing.F) {
	f.Add([]byte(zipped(f, strings.NewReader(twoImages))), []byte(zipped(f, strings.NewReader(twoLabels))))
	f.Add([]byte(zipped(f, strings.NewReader(twoImages)))[:20], []byte(twoLabels))
	f.Add([]byte(zipped(f, io.MultiReader(strings.NewReader(twoImages), zeros(1<<16)))), []byte(twoLabels))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, images, labels []byte) {
		for _, ending := range []string{".gz", ".idx"} {
			imagesPath, labelsPath := filepath.Join(dir, "images"+ending), filepath.Join(dir, "labels"+ending)
			put(t, imagesPath, images)
			put(t, labelsPath, labels)
			digits, err := LoadIDX(imagesPath, labelsPath)
			if err != nil {
				checkError(t, err)
				continue
			}
			if len(digits.Labels) != digits.N || len(digits.Pixels) != digits.N*digits.Rows*digits.Cols {
				t.Errorf("%d labels and %d pixels of %d images of %d×%d", len(digits.Labels), len(digits.Pixels), digits.N, digits.Rows, digits.Cols)
			}
			digits.Image(digits.N - 1)
		}
	})
}
