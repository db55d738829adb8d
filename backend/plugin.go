//go:build ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && cgo && !noxla

package backend

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gomlx/go-xla/installer"
)

// verified lists the plugins that are loaded without AllowUnverified.
//
//go:embed plugins.sha256
var verified string

// advice says how to get a plugin that is missing.
const advice = "GoMLX's installer puts one where it is found: " +
	"go run github.com/gomlx/go-xla/cmd/pjrt_installer@latest -autoinstall; " +
	"or name a plugin's folder in PJRT_PLUGIN_LIBRARY_PATH, or do without one with the backend go"

// adviceFor is the beginning of the advice for a plugin, by its name.
var adviceFor = map[string]string{
	"cpu":  "in a checkout of gosica ./scripts/setup installs it; anywhere, ",
	"cuda": "docs/how-to/backends.md of gosica says how to install it for a GPU; ",
}

// A folder is searched for a plugin.
type folder struct {
	path string
	// gomlx is true for folders of GoMLX's installer. Like GoMLX, this package loads plugins from
	// there without verification.
	gomlx bool
}

// choosePlugin returns the path of the first plugin of the given name, "cpu" or "cuda", in the
// folders, and whether that folder is GoMLX's.
func choosePlugin(plugin string, folders []folder) (path string, gomlx bool, err error) {
	for _, f := range folders {
		if path = findPlugin(plugin, f.path); path != "" {
			gomlx = f.gomlx
			break
		}
	}
	if path == "" {
		return "", false, fmt.Errorf("no PJRT plugin pjrt_c_api_%s_plugin is installed: %s",
			plugin, adviceFor[plugin]+advice)
	}
	if strings.Contains(path, ",") {
		return "", false, fmt.Errorf("the plugin's path is %s; must have no comma for go-xla", path)
	}
	return path, gomlx, nil
}

// verify returns the SHA-256 of the plugin at path, and an error unless list, in the format of the
// command sha256sum, has it.
func verify(path, list string) (sum string, err error) {
	sum, err = cachedSum(path)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(list) {
		if listed, _, _ := strings.Cut(line, " "); listed == sum {
			return sum, nil
		}
	}
	return sum, fmt.Errorf("%w: %s has the SHA-256 %s, which this version doesn't know; "+
		"must be one that it knows, or be allowed by backend.AllowUnverified; "+
		"backend.Go needs none",
		ErrUnverified, path, sum)
}

// pluginFolders returns the folders to search for plugins, in order: those of
// PJRT_PLUGIN_LIBRARY_PATH, .setup/pjrt of this module's checkout and of the working directory and
// its parents, and those of GoMLX's installer.
func pluginFolders() []folder {
	var folders []folder
	for _, path := range filepath.SplitList(os.Getenv("PJRT_PLUGIN_LIBRARY_PATH")) {
		folders = append(folders, folder{path: path})
	}
	addCheckout := func(root string) {
		folders = append(folders, folder{path: filepath.Join(root, ".setup", "pjrt")})
	}
	// With -trimpath the path of this source file is relative, and no checkout is known.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		addCheckout(filepath.Dir(filepath.Dir(file)))
	}
	if working, err := os.Getwd(); err == nil {
		for ; ; working = filepath.Dir(working) {
			addCheckout(working)
			if working == filepath.Dir(working) {
				break
			}
		}
	}
	libraries := []string{"/usr/local/lib"}
	if home, err := installer.DefaultHomeLibPath(); err == nil {
		libraries = []string{home, "/usr/local/lib"}
	}
	for _, library := range libraries {
		folders = append(folders,
			folder{path: filepath.Join(library, "go-xla"), gomlx: true},
			folder{path: filepath.Join(library, "go-xla", "nvidia"), gomlx: true})
	}
	return folders
}

// findPlugin returns the absolute path of the first plugin of the given name in the folder, or "".
// The file name may have a version: pjrt_c_api_cpu_v0.114.0_plugin.so.
func findPlugin(plugin, folder string) string {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return ""
	}
	for _, entry := range entries {
		extension := filepath.Ext(entry.Name())
		name, isPlugin := strings.CutSuffix(strings.TrimSuffix(entry.Name(), extension), "_plugin")
		if !isPlugin || !slices.Contains([]string{".so", ".dylib", ".dll"}, extension) {
			continue
		}
		if name == "pjrt_c_api_"+plugin || strings.HasPrefix(name, "pjrt_c_api_"+plugin+"_v") {
			return filepath.Join(folder, entry.Name())
		}
	}
	return ""
}
