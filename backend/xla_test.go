//go:build ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && cgo && !noxla

package backend

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFindPlugin(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, path := range []string{
		filepath.Join(first, "pjrt_c_api_cuda_plugin.so"),
		filepath.Join(first, "pjrt_c_api_cpu_plugin.so.part"),
		filepath.Join(first, "pjrt_c_api_cpux_plugin.so"),
		filepath.Join(second, "pjrt_c_api_cpu_v0.114.0_plugin.so"),
		filepath.Join(second, "pjrt_c_api_cuda_plugin.so"),
	} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folders := []string{filepath.Join(first, "missing"), first, second}

	for _, test := range []struct {
		plugin, want string
	}{
		{"cpu", filepath.Join(second, "pjrt_c_api_cpu_v0.114.0_plugin.so")},
		{"cuda", filepath.Join(first, "pjrt_c_api_cuda_plugin.so")},
		{"tpu", ""},
	} {
		if got := findPlugin(test.plugin, folders); got != test.want {
			t.Errorf("findPlugin(%q) = %q, want %q", test.plugin, got, test.want)
		}
	}
}

func TestPluginFoldersBeginWithEnvironment(t *testing.T) {
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "/a"+string(os.PathListSeparator)+"/b")
	folders := pluginFolders()
	if len(folders) < 2 || folders[0] != "/a" || folders[1] != "/b" {
		t.Errorf("folders = %q, want /a and /b first", folders)
	}
	checkout, err := filepath.Abs(filepath.Join("..", ".setup", "pjrt"))
	if err != nil {
		t.Fatal(err)
	}
	if folders[len(folders)-1] != checkout {
		t.Errorf("folders = %q, want %s last", folders, checkout)
	}
}

// A file that is no library must give an error, not go-xla's panic.
func TestNewXLAOnBrokenPlugin(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "pjrt_c_api_cpu_plugin.so")
	if err := os.WriteFile(broken, []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newXLA(broken); err == nil {
		t.Error("a broken plugin gave no error")
	}
}
