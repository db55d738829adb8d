package datasets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// site serves one file and notes the range that each request asked for.
type site struct {
	*httptest.Server
	content []byte
	ranges  []string
	answer  func(http.ResponseWriter, *http.Request) // If not nil, instead of the file.
}

func newSite(t *testing.T) *site {
	s := &site{content: bytes.Repeat([]byte("handwritten digits\n"), 5000)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		switch {
		case r.URL.Path != "/mnist/file.gz":
			http.NotFound(w, r)
		case s.answer != nil:
			s.answer(w, r)
		default:
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.content))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// get downloads the site's file to dir.
func (s *site) get(ctx context.Context, dir string) error {
	sum := sha256.Sum256(s.content)
	return download(ctx, dir, s.URL+"/mnist", []remoteFile{{"file.gz", hex.EncodeToString(sum[:])}})
}

// check fails the test unless dir holds the file, whole, and nothing else.
func (s *site) check(t *testing.T, dir string) {
	t.Helper()
	if got, err := os.ReadFile(filepath.Join(dir, "file.gz")); err != nil || !bytes.Equal(got, s.content) {
		t.Errorf("the file has %d bytes (%v), want %d", len(got), err, len(s.content))
	}
	if got := names(t, dir); !slices.Equal(got, []string{"file.gz"}) {
		t.Errorf("the folder holds %q, want only the file", got)
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestDownload(t *testing.T) {
	s, dir := newSite(t), filepath.Join(t.TempDir(), "made", "for", "it")
	for range 2 {
		if err := s.get(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		s.check(t, dir)
	}
	if !slices.Equal(s.ranges, []string{""}) {
		t.Errorf("requests for the ranges %q, want one for the whole", s.ranges)
	}
}

// A connection that breaks leaves what came, and the next call asks for the
// rest only.
func TestDownloadResumes(t *testing.T) {
	s, dir := newSite(t), t.TempDir()
	half := len(s.content) / 2
	s.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(s.content)))
		w.Write(s.content[:half])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	if err := s.get(t.Context(), dir); err == nil {
		t.Fatal("the connection broke: no error")
	}
	part, err := os.ReadFile(filepath.Join(dir, "file.gz.part"))
	if err != nil || len(part) == 0 || !bytes.HasPrefix(s.content, part) {
		t.Fatalf("the part has %d bytes (%v)", len(part), err)
	}
	s.answer = nil
	if err := s.get(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s.check(t, dir)
	if want := []string{"", fmt.Sprintf("bytes=%d-", len(part))}; !slices.Equal(s.ranges, want) {
		t.Errorf("requests for the ranges %q, want %q", s.ranges, want)
	}
}

func TestDownloadFromPart(t *testing.T) {
	whole := func(s *site) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { w.Write(s.content) }
	}
	for _, c := range []struct {
		name   string
		part   func(content []byte) []byte
		answer func(*site) func(http.ResponseWriter, *http.Request)
	}{
		{"the server ignores the range", func(c []byte) []byte { return c[:100] }, whole},
		{"wrong bytes, the server ignores the range", func(c []byte) []byte { return bytes.Repeat([]byte("x"), 2*len(c)) }, whole},
		{"all there but the name", func(c []byte) []byte { return c }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := newSite(t), t.TempDir()
			if c.answer != nil {
				s.answer = c.answer(s)
			}
			if err := os.WriteFile(filepath.Join(dir, "file.gz.part"), c.part(s.content), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := s.get(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			s.check(t, dir)
		})
	}
}

// What has the wrong checksum is removed, and the next call is not spoilt by it.
func TestDownloadChecksum(t *testing.T) {
	s, dir := newSite(t), t.TempDir()
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("a page that says: log in")) }
	if err := s.get(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("wrong content: %v", err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %q, want nothing", got)
	}

	s.answer = nil
	if err := os.WriteFile(filepath.Join(dir, "file.gz.part"), []byte("wrong beginning"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.get(t.Context(), dir); err == nil {
		t.Error("wrong beginning: no error")
	}
	if err := s.get(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s.check(t, dir)

	if err := os.WriteFile(filepath.Join(dir, "file.gz"), []byte("spoilt since"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.get(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s.check(t, dir)
}

func TestDownloadErrors(t *testing.T) {
	s := newSite(t)
	if err := download(t.Context(), t.TempDir(), s.URL, []remoteFile{{"other", ""}}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("no such file: %v", err)
	}
	for _, base := range []string{"", "mnist", "ftp://example.org/mnist", "http://", ":"} {
		if err := DownloadMNIST(t.Context(), t.TempDir(), base); err == nil || !strings.Contains(err.Error(), "base URL") {
			t.Errorf("base URL %q: %v", base, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.get(ctx, t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file.gz.part"), s.content[:10], 0o666); err != nil {
		t.Fatal(err)
	}
	s.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(s.content)-1, len(s.content)))
		w.WriteHeader(http.StatusPartialContent)
		w.Write(s.content)
	}
	if err := s.get(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "Content-Range") {
		t.Errorf("another range than asked for: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "file.gz")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another range than asked for: the file is there (%v)", err)
	}
}

func TestMNISTFiles(t *testing.T) {
	if len(mnistFiles) != 4 {
		t.Errorf("%d files, want 4", len(mnistFiles))
	}
	for _, f := range mnistFiles {
		if sum, err := hex.DecodeString(f.sha256); err != nil || len(sum) != sha256.Size {
			t.Errorf("%s: %q is no SHA-256", f.name, f.sha256)
		}
	}
}
