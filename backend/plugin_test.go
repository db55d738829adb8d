//go:build ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && cgo && !noxla

package backend

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// closeCUDA lets the test open CUDA as if the process hadn't: what Open returned stays as it is,
// and is the process's again after the test.
func closeCUDA(t *testing.T) {
	t.Helper()
	opened.Lock()
	defer opened.Unlock()
	if b, ok := opened.byName[CUDA]; ok {
		delete(opened.byName, CUDA)
		t.Cleanup(func() {
			opened.Lock()
			defer opened.Unlock()
			opened.byName[CUDA] = b
		})
	}
}

// write makes a plugin's file in a new folder.
func write(t *testing.T, name, content string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindPlugin(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, path := range []string{
		filepath.Join(first, "pjrt_c_api_cuda_plugin.so"),
		filepath.Join(first, "pjrt_c_api_cpu_plugin.so.part"),
		filepath.Join(first, "pjrt_c_api_cpu_plugin.old"),
		filepath.Join(first, "pjrt_c_api_cpux_plugin.so"),
		filepath.Join(second, "pjrt_c_api_cpu_v0.114.0_plugin.so"),
		filepath.Join(second, "pjrt_c_api_cuda_plugin.so"),
	} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folders := []folder{{filepath.Join(first, "missing"), false}, {first, false}, {second, true}}

	for _, test := range []struct {
		plugin, want string
		gomlx        bool
	}{
		{"cpu", filepath.Join(second, "pjrt_c_api_cpu_v0.114.0_plugin.so"), true},
		{"cuda", filepath.Join(first, "pjrt_c_api_cuda_plugin.so"), false},
		{"tpu", "", false},
	} {
		got, gomlx, err := choosePlugin(test.plugin, folders)
		if got != test.want || gomlx != test.gomlx || (err == nil) != (test.want != "") {
			t.Errorf("choosePlugin(%q) = %q, %t, %v, want %q, %t", test.plugin, got, gomlx, err, test.want, test.gomlx)
		}
	}
}

// The error for a missing plugin says how to get one, also without a checkout.
func TestMissingPluginErrorHelpsWithoutCheckout(t *testing.T) {
	for plugin, setup := range map[string]string{"cpu": "./scripts/setup", "cuda": "docs/how-to/backends.md"} {
		_, _, err := choosePlugin(plugin, []folder{{t.TempDir(), false}})
		for _, want := range []string{"pjrt_c_api_" + plugin, setup, "pjrt_installer@latest", "PJRT_PLUGIN_LIBRARY_PATH", "backend go"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", plugin, err, want)
			}
		}
	}
}

func TestPluginFolders(t *testing.T) {
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "/a"+string(os.PathListSeparator)+"/b")
	checkout, err := filepath.Abs(filepath.Join("..", ".setup", "pjrt"))
	if err != nil {
		t.Fatal(err)
	}
	paths := func() (paths []string) {
		for _, f := range pluginFolders() {
			paths = append(paths, f.path)
			if gomlx := strings.Contains(f.path, "go-xla"); f.gomlx != gomlx {
				t.Errorf("%s counts as GoMLX's: %t", f.path, f.gomlx)
			}
		}
		return paths
	}
	folders := paths()
	if want := []string{"/a", "/b", checkout}; len(folders) < 4 || !slices.Equal(folders[:3], want) {
		t.Errorf("folders = %q, want %q first", folders, want)
	}
	if last := folders[len(folders)-2]; last != filepath.Join("/usr/local/lib", "go-xla") {
		t.Errorf("folders = %q, want /usr/local/lib's last", folders)
	}
	// As a binary built with -trimpath, which doesn't know its checkout, in a folder of it.
	inner := filepath.Join(t.TempDir(), "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(inner)
	for _, root := range []string{inner, filepath.Dir(inner)} {
		if want := filepath.Join(root, ".setup", "pjrt"); !slices.Contains(paths(), want) {
			t.Errorf("folders = %q, want %q among them", paths(), want)
		}
	}
}

func TestVerify(t *testing.T) {
	const content = "a plugin"
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
	list := "# " + strings.Repeat("0", 64) + "\n\n" + strings.Repeat("1", 64) + "  a\n" + sum + "  b\n"
	if got, err := verify(write(t, "plugin.so", content), list); err != nil || got != sum {
		t.Errorf("a listed plugin: %s, %v, want %s", got, err, sum)
	}

	changed := write(t, "plugin.so", "a plugIn")
	_, err := verify(changed, list)
	if !errors.Is(err, ErrUnverified) {
		t.Fatalf("a changed byte: %v", err)
	}
	for _, want := range []string{changed, fmt.Sprintf("%x", sha256.Sum256([]byte("a plugIn"))), "backend.AllowUnverified", "backend.Go"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q doesn't name %q", err, want)
		}
	}

	if _, err := verify(filepath.Join(t.TempDir(), "missing.so"), list); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// A cached sum is used until the file is changed or replaced, also by one of the same size and
// time. An entry of the cache for another file is ignored.
func TestCachedSumNoticesChangedFile(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	path := write(t, "plugin.so", "a plugin")
	stat := func() string {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		identity, _ := fileIdentity(info)
		return identity
	}
	if stat() == "" {
		t.Skip("this system doesn't say whether a file is the same")
	}
	check := func(name, content string) {
		t.Helper()
		if got, err := cachedSum(path); err != nil || got != fmt.Sprintf("%x", sha256.Sum256([]byte(content))) {
			t.Errorf("%s: %s (%v)", name, got, err)
		}
	}
	kept := func() string {
		names, err := filepath.Glob(filepath.Join(cache, "gosica", "sum-*"))
		if err != nil || len(names) > 1 {
			t.Fatal(names, err)
		}
		if len(names) == 0 {
			return ""
		}
		return names[0]
	}
	check("new", "a plugin")
	if kept() != "" {
		t.Error("remembered of a file that was written just now")
	}
	time.Sleep(settled + 100*time.Millisecond)
	check("settled", "a plugin")
	if kept() == "" {
		t.Fatal("nothing is remembered")
	}
	// It is the cache that answers: another sum in it is what comes back.
	data, err := os.ReadFile(kept())
	if err != nil {
		t.Fatal(err)
	}
	other := fmt.Sprintf("%x", sha256.Sum256([]byte("other")))
	if err := os.WriteFile(kept(), []byte(other+string(data[64:])), 0o600); err != nil {
		t.Fatal(err)
	}
	check("from the cache", "other")

	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("a plugIn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	check("changed, with the time and size of before", "a plugIn")
	for name, content := range map[string]string{"empty": "", "cut short": other[:30], "of another": other + " 1 2 3 /elsewhere\n"} {
		if err := os.WriteFile(kept(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		check("a cache that is "+name, "a plugIn")
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	check("without a cache", "a plugIn")
}

func TestVerifiedIsSHA256SumsFormat(t *testing.T) {
	line := regexp.MustCompile(`^(#.*|[0-9a-f]{64}  pjrt_c_api_(cpu|cuda)_plugin\.(so|dylib|dll))?\n$`)
	for l := range strings.Lines(verified) {
		if !line.MatchString(l) {
			t.Errorf("plugins.sha256: %q", l)
		}
	}
	if n := strings.Count(verified, "_cpu_plugin."); n == 0 {
		t.Error("plugins.sha256 has no CPU plugin")
	}
}

// The plugin that ./scripts/setup installs is among the verified ones.
func TestPluginOfSetupIsVerified(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("..", ".setup", "pjrt", "pjrt_c_api_cpu_plugin.so"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("./scripts/setup wasn't run, or had no plugin for this machine")
	}
	if _, err := verify(path, verified); err != nil {
		t.Error(err)
	}
}

// An unknown file is loaded only with AllowUnverified, by name and by Auto. As this one is no
// library, loading it is an error by name, and makes Auto go on to the next backend.
func TestUnverifiedPluginNeedsOption(t *testing.T) {
	closeCUDA(t)
	path := write(t, "pjrt_c_api_cuda_plugin.so", "not a library")
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", filepath.Dir(path))
	for _, name := range []string{Auto, CUDA} {
		b, err := Open(name)
		if b != nil || !errors.Is(err, ErrUnverified) || !strings.Contains(err.Error(), path) {
			t.Errorf("Open(%q) = %v, %v, want ErrUnverified", name, b, err)
		}
	}
	if b, err := Open(CUDA, AllowUnverified); err == nil || errors.Is(err, ErrUnverified) {
		t.Errorf("Open(%q, AllowUnverified) = %v, %v, want go-xla's error", CUDA, b, err)
	}
	if b, err := Open(Auto, AllowUnverified); err != nil || NameOf(b) == CUDA {
		t.Errorf("Open(%q, AllowUnverified) = %v, %v", Auto, b, err)
	}
}

// A plugin that GoMLX's installer installed is loaded without verification. As this one is no
// library, Auto goes on to the next backend, and by name the error is go-xla's.
func TestPluginOfGoMLXNeedsNoVerification(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("GoMLX's folder is elsewhere")
	}
	closeCUDA(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "")
	folder := filepath.Join(home, ".local", "lib", "go-xla")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "pjrt_c_api_cuda_v0.114.0_plugin.so"), []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := Open(CUDA); err == nil || errors.Is(err, ErrUnverified) || strings.Contains(err.Error(), "is installed") {
		t.Errorf("Open(%q) = %v, %v, want go-xla's error", CUDA, b, err)
	}
	if b, err := Open(Auto); err != nil || NameOf(b) == CUDA {
		t.Errorf("Open(%q) = %v, %v", Auto, b, err)
	}
}
