//go:build ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && cgo && !noxla

package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
)

func init() {
	xla.EnableAutoInstall(false)
}

// options are passed to go-xla after the plugin. It would guess them from the
// letters "cpu" and "cuda" in the plugin's path, wherever they stand.
var options = map[string]string{
	"cpu":  "shared_buffers=true,tf32=false",
	"cuda": "shared_buffers=false,tf32=false",
}

// openXLA starts XLA with the PJRT plugin "cpu" or "cuda".
func openXLA(plugin string) (compute.Backend, error) {
	path := findPlugin(plugin, pluginFolders())
	if path == "" {
		b, err := newXLA(plugin + "," + options[plugin])
		if err != nil {
			return nil, fmt.Errorf("no PJRT plugin: %s (go-xla: %w)", advice[plugin], err)
		}
		return b, nil
	}
	if strings.Contains(path, ",") {
		return nil, fmt.Errorf("go-xla can't load a plugin whose path has a comma in it: %s", path)
	}
	return newXLA(path + "," + options[plugin])
}

var advice = map[string]string{
	"cpu":  "./scripts/setup installs one",
	"cuda": "install one with go-xla's pjrt_installer, or name its folder in PJRT_PLUGIN_LIBRARY_PATH",
}

// newXLA is xla.New, which panics where a plugin that it finds can't be
// loaded, with an error instead.
func newXLA(config string) (b compute.Backend, err error) {
	defer func() {
		if r := recover(); r != nil {
			b, err = nil, errors.New("a plugin in its folders can't be loaded")
		}
	}()
	return xla.New(config)
}

// pluginFolders are the folders searched before go-xla's own.
func pluginFolders() []string {
	folders := filepath.SplitList(os.Getenv("PJRT_PLUGIN_LIBRARY_PATH"))
	// The path is relative in a binary built with -trimpath, which then
	// belongs to no checkout.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		root := filepath.Dir(filepath.Dir(file))
		folders = append(folders, filepath.Join(root, ".setup", "pjrt"))
	}
	return folders
}

// findPlugin returns the absolute path of the first plugin of that name in
// the folders, with or without a version (pjrt_c_api_cpu_v0.114.0_plugin.so),
// or "".
func findPlugin(plugin string, folders []string) string {
	for _, folder := range folders {
		folder, err := filepath.Abs(folder)
		if err != nil {
			continue
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			name := strings.TrimSuffix(entry.Name(), filepath.Ext(entry.Name()))
			name, isPlugin := strings.CutSuffix(name, "_plugin")
			if isPlugin && (name == "pjrt_c_api_"+plugin || strings.HasPrefix(name, "pjrt_c_api_"+plugin+"_v")) {
				return filepath.Join(folder, entry.Name())
			}
		}
	}
	return ""
}
