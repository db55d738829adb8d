package provenance

import (
	"maps"
	"runtime"
	"runtime/debug"
	"testing"
)

// The version of this module is there both in its own programs and in a user's program, whose
// revision isn't this module's.
func TestVersions(t *testing.T) {
	revision := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "GOOS", Value: "linux"}}
	gomlx := &debug.Module{Path: "github.com/gomlx/gomlx", Version: "v0.28.6"}
	other := &debug.Module{Path: "example.com/other", Version: "v1.0.0"}
	user := debug.Module{Path: "example.com/user", Version: "v3.0.0"}
	asDependency := func(m debug.Module) *debug.BuildInfo {
		m.Path = Module
		return &debug.BuildInfo{Main: user, Settings: revision, Deps: []*debug.Module{gomlx, &m, other}}
	}
	for name, test := range map[string]struct {
		info *debug.BuildInfo
		want map[string]string
	}{
		"a release of this module": {
			&debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v0.2.0"}, Deps: []*debug.Module{gomlx, other}},
			map[string]string{Module: "v0.2.0", gomlx.Path: "v0.28.6"},
		},
		"a checkout of it": {
			&debug.BuildInfo{Main: debug.Module{Path: Module}, Settings: revision},
			map[string]string{Module: "(devel)", "vcs.revision": "abc"},
		},
		"a user's program": {
			asDependency(debug.Module{Version: "v0.2.0"}),
			map[string]string{Module: "v0.2.0", gomlx.Path: "v0.28.6"},
		},
		"with a folder in its place": {
			asDependency(debug.Module{Version: "v0.2.0", Replace: &debug.Module{Path: "../gosica"}}),
			map[string]string{Module: "(devel)", gomlx.Path: "v0.28.6"},
		},
		"with a fork in its place": {
			asDependency(debug.Module{Version: "v0.2.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v0.2.1"}}),
			map[string]string{Module: "example.com/fork@v0.2.1", gomlx.Path: "v0.28.6"},
		},
		"nothing known": {new(debug.BuildInfo), map[string]string{}},
	} {
		test.want["go"] = runtime.Version()
		if got := versions(test.info); !maps.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	if v := Versions()[Module]; v == "" {
		t.Error("this test's build doesn't name this module")
	}
}
