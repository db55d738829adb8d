package main

import "testing"

// maxDownload is how many bytes a program that imports a package of this module may download of
// it. In November 2026 it is 2.99 MB: 0.5 of the committed outcomes of the paper's figures, 0.6 of
// datasets, 0.6 of tests. With the notebooks, their pages, the tables' outcomes, and the pages of
// how-tos and evaluation, which are modules of their own to stay out, it was 14.9 MB. The
// electrocardiogram and the images are compressed by zopfli (15 iterations), which saved 0.035. So
// are the voices, as differences, high bytes before low ones, in place of a WAV file, which saved
// 0.034. The outcomes are sorted by method, preset, versions, device and why, as equal text within
// 32 KB is found: it saved 0.007.
const maxDownload = 3_000_000

func TestDownload(t *testing.T) {
	archive, version, err := zipped("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s is %d bytes", version, len(archive))
	if len(archive) > maxDownload {
		t.Errorf("the module's zip is %d bytes, want %d at most", len(archive), maxDownload)
	}
}
