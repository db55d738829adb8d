// Package backend opens a compute backend by name: the pure-Go one, which every build has, or XLA
// on the CPU or on an NVIDIA GPU, which needs a PJRT plugin.
//
// Start with [Open], [Auto] and [NameOf]:
//
//	b, err := backend.Open(backend.Auto)
//
// # Plugins
//
// Open downloads nothing. It looks for a plugin, a file named pjrt_c_api_cpu_plugin.so or
// pjrt_c_api_cuda_plugin.so (.dylib on macOS, .dll on Windows), in
//
//  1. the folders of the environment variable PJRT_PLUGIN_LIBRARY_PATH,
//  2. the folder .setup/pjrt, where ./scripts/setup puts the CPU plugin, of the checkout that this
//     package was compiled from, and then of the working folder and those above it,
//  3. the folders where GoMLX installs plugins and looks for them itself: go-xla and go-xla/nvidia
//     in ~/.local/lib (on macOS, in ~/Library/Application Support, on Windows, in
//     ~/AppData/Local) and in /usr/local/lib.
//
// It loads the first. From 1 and 2 it does so only if the file's SHA-256 is in plugins.sha256, so
// that a damaged or exchanged file isn't loaded; see AllowUnverified. On Linux the user's cache
// folder (os.UserCacheDir) keeps the SHA-256 of a file that stays the same: for the CPU plugin of
// 260 MB it takes 0.25 s to compute where the processor has instructions for it, else a second.
// Plugins that GoMLX installed are loaded unchecked, as GoMLX does, and so are the libraries that a
// CUDA plugin loads itself, such as cuDNN.
//
// A program of your own has 2 if its go.mod replaces this module by a checkout and it is built
// without -trimpath, or if it runs in a checkout. Otherwise use the plugin that GoMLX installs for
// itself (its backends do so when they are first used, or go run
// github.com/gomlx/go-xla/cmd/pjrt_installer@latest -autoinstall), or set
// PJRT_PLUGIN_LIBRARY_PATH. A backend of GoMLX's own compute.New works everywhere in this module in
// place of one from Open.
//
// A build with the tag noxla, without cgo, or for a platform that go-xla doesn't know has the
// pure-Go backend alone.
//
// # Concurrency
//
// All functions of this package may be called from several goroutines, and several may use a
// backend at once. A model.Store, a flows.Trainer and a model.Exec whose graph changes variables
// are for one goroutine at a time. XLA on the CPU uses all cores for large operations whatever
// GOMAXPROCS is, so that concurrent programs mostly share them.
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
	// Auto is the first backend of CUDA, CPU and Go that opens.
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

// An Option changes what Open does.
type Option int

const (
	// AllowUnverified loads any plugin, also one of unknown SHA-256.
	AllowUnverified Option = iota
	// Portable limits CPU to the instructions of every x86-64 processor with AVX2, so that
	// such processors give the same bits. It sets XLA's flag xla_cpu_max_isa, for its compiler,
	// and ONEDNN_MAX_CPU_ISA, for the matrix products of oneDNN in it, which choose their
	// kernels when they run. Both are environment variables of the process and stay set. It
	// must come with the first Open of CPU. Other backends don't change.
	Portable
	// Lazily lets Auto return a backend that opens when package sica or flows first builds a
	// program for it, as for a network or a flow: a plugin takes tens of milliseconds to load.
	// Open still finds and verifies the plugin. NameOf returns the backend that will be tried
	// first until it is open. A custom program takes a backend that was opened without it.
	Lazily
)

// ErrUnverified is wrapped by the error for a plugin of unknown SHA-256, which isn't loaded. The
// error names the file and its SHA-256.
var ErrUnverified = errors.New("unverified PJRT plugin")

// opened has one backend per name for the whole process: a second PJRT client would compete with
// the first for the device's memory.
var opened struct {
	sync.Mutex
	byName map[string]compute.Backend
	plugin map[compute.Backend]string // SHA-256, of those that have one
	// waiting is the name of the backend that a lazy one tries first.
	waiting string
}

// Open returns the backend of that name: Auto, CUDA, CPU or Go. In a process a name has one
// backend, so don't Finalize it. That of Go is also what a nil backend stands for in this module.
// The error for a backend that can't be opened here says what is missing. Auto skips missing
// backends, but not a plugin with ErrUnverified, as the next backend would be many times slower. Open
// doesn't read GOMLX_BACKEND, as GoMLX's compute.New does.
//
// On CUDA, matrix products are computed in full float32 rather than TF32, so that every backend
// gives the same results to float32's precision. The same program may round otherwise each time
// there, unlike on the CPU.
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

// openLazily returns Auto's backend. It is open where that takes no plugin. The caller has locked
// opened.
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

// openAuto opens Auto's backend, or the pure-Go one if that doesn't open any more.
func openAuto(allowUnverified bool) compute.Backend {
	var options []Option
	if allowUnverified {
		options = append(options, AllowUnverified)
	}
	b, err := Open(Auto, options...)
	if err != nil { // the plugin was exchanged since
		b, err = Open(Go)
	}
	if err != nil {
		panic(err) // the pure-Go backend always opens
	}
	return b
}

// portableFlag and portableKernels are what Portable sets, in XLA_FLAGS and in
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

// Names returns every name that Open knows, Auto first. Not all of them open everywhere; see
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

// NameOf returns the name of a backend that Open returned, CUDA, CPU or Go also for Auto, and Go for
// nil, which stands for it. For any other backend it returns the backend's own name.
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

// PluginSHA256 returns the SHA-256, in hexadecimal digits, of the plugin of a backend that Open
// returned. It is "" for the pure-Go backend and for any other.
func PluginSHA256(b compute.Backend) string {
	b = lazy.Opened(b)
	opened.Lock()
	defer opened.Unlock()
	return opened.plugin[b]
}

// open returns the process's backend of that name. The caller has locked opened.
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
