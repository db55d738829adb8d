package main

import "testing"

// maxDownload is how many bytes a program that imports a package of the library may download of it.
// In November 2026 it is 2.26 MB: 0.6 of datasets, 0.6 of tests. The notebooks, their pages, the
// tables' outcomes and the laboratory are modules of their own to stay out. The electrocardiogram
// and the images are compressed by zopfli (15 iterations), and so are the voices, as differences,
// high bytes before low ones.
const maxDownload = 2_300_000

func TestDownload(t *testing.T) {
	version, err := versionOf("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		_, archive, err := zipped("../..", folder, version)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s of %s is %d bytes", version, folder, len(archive))
		if folder == "." && len(archive) > maxDownload {
			t.Errorf("the module's zip is %d bytes, want %d at most", len(archive), maxDownload)
		}
	}
}
