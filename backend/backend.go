// Package backend opens a compute backend by name: the pure-Go one, which every build has, or XLA
// on the CPU or on an NVIDIA GPU, which needs a PJRT plugin.
//
// Start with [Open], [Auto] and [NameOf]:
//
//	b, err := backend.Open(backend.Auto)
//
// # Plugins
//
// Open downloads nothing. It searches for a plugin, a file named pjrt_c_api_cpu_plugin.so or
// pjrt_c_api_cuda_plugin.so (.dylib on macOS, .dll on Windows), in
//
//  1. the folders of the environment variable PJRT_PLUGIN_LIBRARY_PATH,
//  2. the folder .setup/pjrt, where ./scripts/setup puts the CPU plugin, of the checkout that this
//     package was compiled from, and then of the working folder and those above it,
//  3. the folders where GoMLX installs plugins and looks for them itself: go-xla and go-xla/nvidia
//     in ~/.local/lib (on macOS, in ~/Library/Application Support, on Windows, in
//     ~/AppData/Local) and in /usr/local/lib.
//
// Open loads the first plugin found. In 1 and 2 its SHA-256 must be in plugins.sha256, so that a
// damaged or replaced file isn't loaded; see AllowUnverified. On Linux the SHA-256 of an unchanged
// file is cached in os.UserCacheDir: computing it for the CPU plugin of 260 MB takes 0.25 s on
// processors with SHA instructions, else a second. Plugins that GoMLX installed aren't checked, as
// in GoMLX, and neither are libraries that a CUDA plugin loads, such as cuDNN.
//
// Folder 2 serves other programs if their go.mod replaces this module by a checkout and they are
// built without -trimpath, or if they run in a checkout. Otherwise use the plugin that GoMLX
// installs (on the first use of its backends, or by go run
// github.com/gomlx/go-xla/cmd/pjrt_installer@latest -autoinstall), or set PJRT_PLUGIN_LIBRARY_PATH.
// A backend of GoMLX's compute.New works everywhere in this module, too.
//
// A build with the tag noxla, without cgo, or for a platform that go-xla doesn't support has only
// the pure-Go backend.
//
// # Concurrency
//
// All functions of this package may be called from several goroutines, which may share a backend. A
// model.Store, a flows.Trainer and a model.Exec whose graph changes variables are for one goroutine
// at a time. XLA on the CPU uses all cores for large operations regardless of GOMAXPROCS, so
// concurrent programs gain little.
//
// References: GoMLX, https://github.com/gomlx/gomlx, and go-xla, https://github.com/gomlx/go-xla.
package backend

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/internal/lazy"
	"github.com/seed-47b1e431/gosica/internal/purego"
)

// The names that Open takes.
const (
	// Auto is the first of CUDA, CPU and Go that opens.
	Auto = "auto"
	// CUDA is XLA on an NVIDIA GPU.
	CUDA = "xla:cuda"
	// CPU is XLA on the processor.
	CPU = "xla:cpu"
	// Go is the pure-Go backend.
	Go = "go"
)

// fastestFirst are the backends in the order in which Auto tries them.
var fastestFirst = []string{CUDA, CPU, Go}

// An Option changes the behaviour of Open.
type Option int

const (
	// AllowUnverified loads any plugin, even with an unknown SHA-256.
	AllowUnverified Option = iota
	// Portable limits CPU to instructions that every x86-64 processor with AVX2 has, so that all
	// these give the same bits. It sets xla_cpu_max_isa in XLA_FLAGS, for XLA's compiler, and
	// ONEDNN_MAX_CPU_ISA, for oneDNN's matrix products, which choose kernels at run time. Both
	// environment variables stay set in the process. Portable must be an option of the first Open
	// of CPU. Other backends are unaffected.
	Portable
	// Lazily lets Auto return a backend that opens only when package sica or flows first builds a
	// program for it, such as a network or a flow, since loading a plugin takes tens of
	// milliseconds. Open still finds and verifies the plugin. Until the backend is open, NameOf
	// returns the name that will be tried first. Custom GoMLX programs need a backend opened
	// without Lazily.
	Lazily
)

// ErrUnverified is wrapped by the error for a plugin of unknown SHA-256, which isn't loaded. The
// error names the file and its SHA-256.
var ErrUnverified = errors.New("unverified PJRT plugin")

// opened has one backend per name for the whole process: a second PJRT client would compete for the
// memory of the device.
var opened struct {
	sync.Mutex
	byName map[string]compute.Backend
	plugin map[compute.Backend]string // SHA-256 of the plugin, if there is one
	// waiting is the name of the backend that a lazy backend tries first.
	waiting string
}

// Open returns the backend with the given name: Auto, CUDA, CPU or Go. The whole process shares one
// backend per name, so don't Finalize it. In this module a nil backend means Go. If a backend can't
// be opened, the error says what is missing. Auto skips missing backends, but not a plugin with
// ErrUnverified, since the next backend would be many times slower. Unlike GoMLX's compute.New,
// Open doesn't read GOMLX_BACKEND.
//
// On CUDA, matrix products use full float32 rather than TF32, so that all backends agree to the
// precision of float32. Unlike on the CPU, the rounding on CUDA may differ each time that a program
// is run.
func Open(name string, options ...Option) (compute.Backend, error) {
	opened.Lock()
	defer opened.Unlock()

	if slices.Contains(options, Portable) {
		if err := portable(); err != nil {
			return nil, fmt.Errorf("backend %s: %w", CPU, err)
		}
	}
	allowUnverified := slices.Contains(options, AllowUnverified)
	switch name {
	case Auto:
		if slices.Contains(options, Lazily) {
			return openLazily(allowUnverified)
		}
		for _, n := range fastestFirst {
			b, err := open(n, allowUnverified)
			if err == nil || n == Go || errors.Is(err, ErrUnverified) {
				return b, err
			}
		}
	case CUDA, CPU, Go:
		return open(name, allowUnverified)
	}
	return nil, fmt.Errorf("backend: name is %q; must be %s, %s (an NVIDIA GPU), %s or %s", name,
		Auto, CUDA, CPU, Go)
}

// openLazily returns the backend of Auto, which opens on first use unless it needs no plugin. The
// caller must have locked opened.
func openLazily(allowUnverified bool) (compute.Backend, error) {
	for _, n := range fastestFirst {
		plugin, ok := strings.CutPrefix(n, "xla:")
		if b := opened.byName[n]; b != nil && !b.IsFinalized() || !ok {
			return open(n, allowUnverified)
		}
		_, _, err := verifiedPlugin(plugin, allowUnverified)
		if errors.Is(err, ErrUnverified) {
			return nil, fmt.Errorf("backend %s: %w", n, err)
		}
		if err == nil {
			opened.waiting = n
			return lazy.New("xla", func() compute.Backend { return openAuto(allowUnverified) }), nil
		}
	}
	return nil, errors.New("backend: none opens")
}

// openAuto opens the backend of Auto, or the pure-Go backend if that fails now.
func openAuto(allowUnverified bool) compute.Backend {
	var options []Option
	if allowUnverified {
		options = append(options, AllowUnverified)
	}
	b, err := Open(Auto, options...)
	if err != nil { // the plugin was replaced since
		b, err = Open(Go)
	}
	if err != nil {
		panic(err) // the pure-Go backend always opens
	}
	return b
}

// portableFlag and portableKernels are the values that Portable sets in XLA_FLAGS and
// ONEDNN_MAX_CPU_ISA.
const (
	portableFlag    = "--xla_cpu_max_isa=AVX2"
	portableKernels = "AVX2"
)

// portable sets the environment variables of Portable, before the plugin reads them.
func portable() error {
	flags := os.Getenv("XLA_FLAGS")
	if strings.Contains(flags, portableFlag) && os.Getenv("ONEDNN_MAX_CPU_ISA") == portableKernels {
		return nil
	}
	if _, ok := opened.byName[CPU]; ok {
		return errors.New("it is open already; must be portable from the first Open on")
	}
	if err := os.Setenv("XLA_FLAGS", strings.TrimSpace(flags+" "+portableFlag)); err != nil {
		return err
	}
	return os.Setenv("ONEDNN_MAX_CPU_ISA", portableKernels)
}

// Names returns all names that Open accepts, Auto first. Not all of these open everywhere; see
// Available.
func Names() []string {
	return append([]string{Auto}, fastestFirst...)
}

// Available returns the names of the backends that open here without AllowUnverified, fastest
// first; the last is always Go. It opens them.
func Available() []string {
	opened.Lock()
	defer opened.Unlock()

	var names []string
	for _, n := range fastestFirst {
		if _, err := open(n, false); err == nil {
			names = append(names, n)
		}
	}
	return names
}

// NameOf returns the name of a backend that Open returned: CUDA, CPU or Go, even if it was opened
// as Auto. It returns Go for nil, and the backend's own name for any other backend.
func NameOf(b compute.Backend) string {
	if b == nil {
		return Go
	}
	isOpen := lazy.IsOpen(b)
	if isOpen {
		b = lazy.Opened(b)
	}
	opened.Lock()
	defer opened.Unlock()
	if !isOpen {
		return opened.waiting
	}

	for name, o := range opened.byName {
		if o == b {
			return name
		}
	}
	return b.Name()
}

// PluginSHA256 returns the SHA-256, in hexadecimal, of the plugin of a backend that Open returned;
// "" for the pure-Go backend and for other backends.
func PluginSHA256(b compute.Backend) string {
	b = lazy.Opened(b)
	opened.Lock()
	defer opened.Unlock()
	return opened.plugin[b]
}

// open returns the backend of the process with the given name. The caller must have locked opened.
func open(name string, allowUnverified bool) (compute.Backend, error) {
	if b, ok := opened.byName[name]; ok && !b.IsFinalized() {
		return b, nil
	}

	var b compute.Backend
	var sum string
	var err error
	if plugin, ok := strings.CutPrefix(name, "xla:"); ok {
		b, sum, err = openXLA(plugin, allowUnverified)
	} else {
		b, err = purego.Shared()
	}
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", name, err)
	}

	if opened.byName == nil {
		opened.byName = make(map[string]compute.Backend)
		opened.plugin = make(map[compute.Backend]string)
	}
	opened.byName[name] = b
	if sum != "" {
		opened.plugin[b] = sum
	}
	return b, nil
}
