// Package provenance says what a result was made with.
package provenance

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// modules are those whose version a result may depend on.
var modules = []string{
	"github.com/gomlx/gomlx", "github.com/gomlx/compute", "github.com/gomlx/go-xla", "gonum.org/v1/gonum",
}

// Versions returns the versions of what a result depends on, by name: "go", this
// module's and those of the libraries that compute, and "vcs.revision" and
// "vcs.modified" if the program was built in a checkout.
func Versions() map[string]string {
	v := map[string]string{"go": runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v[info.Main.Path] = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			v[s.Key] = s.Value
		}
	}
	for _, m := range info.Deps {
		if slices.Contains(modules, m.Path) {
			v[m.Path] = m.Version
		}
	}
	return v
}

// CPU returns the processor's name where the system tells it, as on Linux, and
// else the architecture. The last bits of a result can depend on it: a compiler
// uses the instructions that there are.
func CPU() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
