// Package provenance has the versions and the machine with which a result was made.
package provenance

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Module is the path of this module.
const Module = "github.com/seed-47b1e431/gosica"

// modules are the modules whose versions a result may depend on.
var modules = []string{
	Module, "github.com/gomlx/gomlx", "github.com/gomlx/compute", "github.com/gomlx/go-xla",
	"gonum.org/v1/gonum",
}

// Versions returns the versions that a result depends on, by name: "go", this module ("(devel)" for
// a checkout) and the libraries that compute, and "vcs.revision" and "vcs.modified" if the program
// itself was built in a checkout of this module.
func Versions() map[string]string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return versions(info)
}

func versions(info *debug.BuildInfo) map[string]string {
	v := map[string]string{"go": runtime.Version()}
	if info.Main.Path == Module {
		v[Module] = version(&info.Main)
		for _, s := range info.Settings { // of the checkout of the main module, whichever that is
			if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
				v[s.Key] = s.Value
			}
		}
	}
	for _, m := range info.Deps {
		if slices.Contains(modules, m.Path) {
			v[m.Path] = version(m)
		}
	}
	return v
}

// version returns the version of the module's code, with the path of a module that replaces it. A
// folder that replaces it has no version.
func version(m *debug.Module) string {
	switch {
	case m.Replace != nil && m.Replace.Version != "":
		return m.Replace.Path + "@" + m.Replace.Version
	case m.Replace != nil || m.Version == "":
		return "(devel)"
	}
	return m.Version
}

// CPU returns the processor's name if known, and otherwise the architecture. The last bits of a
// result can depend on the processor, since compilers use the available instructions.
func CPU() string { return cmp.Or(strings.TrimSpace(cpuid.CPU.BrandName), runtime.GOARCH) }
