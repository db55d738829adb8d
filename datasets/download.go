package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// remoteFile is a file to download and the SHA-256 it must have, in hex.
type remoteFile struct{ name, sha256 string }

// mnistFiles are the four files that MNIST has always consisted of.
var mnistFiles = []remoteFile{
	{"train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
	{"train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
	{"t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
	{"t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
}

// maxDownload is the most bytes that are kept of one file. MNIST's largest has
// 9 912 422.
const maxDownload = 64 << 20

// DownloadMNIST fetches the four files of MNIST, 11 MB, into dir, which it
// makes if need be, for [LoadMNIST]. The caller says from where: the files are
// at baseURL followed by their names, as in baseURL/train-images-idx3-ubyte.gz.
//
// A file that is there and whole is not fetched again. One that is on its way
// has the ending .part and is gone on with by the next call, if the server can
// (HTTP range requests). Only when its SHA-256 is right does a file get its
// name; otherwise what came is removed and DownloadMNIST fails.
func DownloadMNIST(ctx context.Context, dir, baseURL string) error {
	return download(ctx, dir, baseURL, mnistFiles)
}

func download(ctx context.Context, dir, baseURL string, files []remoteFile) error {
	base, err := url.Parse(baseURL)
	if err != nil {
		return fmt.Errorf("datasets: download: base URL: %w", err)
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return fmt.Errorf("datasets: download: base URL %q: need http(s)://host/path", baseURL)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("datasets: download: %w", err)
	}
	for _, f := range files {
		if err := downloadFile(ctx, base.JoinPath(f.name).String(), filepath.Join(dir, f.name), f.sha256); err != nil {
			return fmt.Errorf("datasets: download %s: %w", f.name, err)
		}
	}
	return nil
}

func downloadFile(ctx context.Context, from, path, want string) error {
	switch sum, err := fileSHA256(path); {
	case err == nil && sum == want:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	part := path + ".part"
	if err := fetch(ctx, from, part); err != nil {
		return err
	}
	sum, err := fileSHA256(part)
	if err != nil {
		return err
	}
	if sum != want {
		return errors.Join(
			fmt.Errorf("SHA-256 is %s: need %s; what was downloaded is removed, so that the next try starts afresh", sum, want),
			os.Remove(part))
	}
	return os.Rename(part, path)
}

// fetch downloads to the file part, from where it ends if it exists.
func fetch(ctx context.Context, from, part string) (err error) {
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return err
	}
	// The bytes must come as they are, for the checksum and for resuming.
	req.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()

	switch resp.StatusCode {
	case http.StatusPartialContent:
		if got := resp.Header.Get("Content-Range"); !strings.HasPrefix(got, fmt.Sprintf("bytes %d-", have)) {
			return fmt.Errorf("the server answered a request for the bytes from %d on with Content-Range %q", have, got)
		}
	case http.StatusOK: // The whole file, whether or not part of it was asked for.
		if err := f.Truncate(0); err != nil {
			return err
		}
		if have, err = f.Seek(0, io.SeekStart); err != nil {
			return err
		}
	case http.StatusRequestedRangeNotSatisfiable:
		return nil // There is no more: the checksum tells whether this is all.
	default:
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	n, err := io.Copy(f, io.LimitReader(resp.Body, maxDownload-have+1))
	if err != nil {
		return err
	}
	if have+n > maxDownload {
		return errors.Join(fmt.Errorf("more than the limit of %d bytes", maxDownload), f.Truncate(0))
	}
	return f.Sync()
}

func fileSHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
