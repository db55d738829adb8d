package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// A plugin that nobody knows is refused in one line, by --backend auto too, unless
// a flag says otherwise: then its own error ends the command, as it is no library.
func TestUnverifiedPlugin(t *testing.T) {
	dir := generate(t)
	plugin := write(t, t.TempDir(), "pjrt_c_api_cuda_plugin.so", "not a library")
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", filepath.Dir(plugin))
	separate := func(flags ...string) (code int, line string) {
		args := []string{"separate", "--in", filepath.Join(dir, "mixed.csv"), "--out",
			filepath.Join(dir, "out.csv"), "--preset", "smoke"}
		var out, stderr bytes.Buffer
		code = run(t.Context(), append(args, flags...), &out, &stderr)
		return code, stderr.String()
	}
	for _, name := range []string{"xla:cuda", "auto"} {
		code, line := separate("--backend", name)
		if strings.Contains(line, "without XLA") {
			t.Skip("this build has no XLA")
		}
		if code != exitFailure || strings.Count(line, "\n") != 1 ||
			!strings.Contains(line, plugin) || !strings.Contains(line, "--"+allowUnverified) {
			t.Errorf("--backend %s: exit %d, %q", name, code, line)
		}
	}
	if code, line := separate("--backend", "xla:cuda",
		"--"+allowUnverified); code != exitFailure || strings.Contains(line, "SHA-256") {
		t.Errorf("--%s: exit %d, %q", allowUnverified, code, line)
	}
}
