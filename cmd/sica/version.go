package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/provenance"
)

func init() { cobra.AddTemplateFunc("versions", versions) }

// versions returns the versions on which a result can depend, as lines: those of the command with
// its revision, of Go and of GoMLX, and the backends that open here.
func versions() string {
	v := provenance.Versions()
	revision := ""
	switch r := v["vcs.revision"]; {
	case r == "" && v[provenance.Module] == "(devel)":
		revision = " of a checkout, built without its revision: git rev-parse HEAD prints it there"
	case r != "":
		revision = ", revision " + r
		if v["vcs.modified"] == "true" {
			revision += ", modified"
		}
	}
	lines := []string{
		"sica " + v[provenance.Module] + revision,
		fmt.Sprintf("%s %s/%s", v["go"], runtime.GOOS, runtime.GOARCH),
		fmt.Sprintf("GoMLX %s, compute %s, go-xla %s", v["github.com/gomlx/gomlx"],
			v["github.com/gomlx/compute"], v["github.com/gomlx/go-xla"]),
		"backends: " + strings.Join(backend.Available(), ", "),
	}
	return strings.Join(lines, "\n") + "\n"
}
