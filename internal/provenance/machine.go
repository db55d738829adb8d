package provenance

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// A Machine describes what the bits of a result can depend on besides the program and its input.
// XLA compiles for the instructions of the processor, and adds partial sums of several threads.
type Machine struct {
	Arch   string `json:"arch"`   // as GOARCH
	Vendor string `json:"vendor"` // of the processor
	Family int    `json:"family"`
	Model  int    `json:"model"`
	// Features are the vector instructions that the processor and the system have.
	Features []string `json:"features"`
	// Threads is the number of processors that the program may use.
	Threads int `json:"threads"`
	// Plugin is the SHA-256 of XLA's plugin, "" in pure Go.
	Plugin string `json:"plugin,omitempty"`
	// Environment has the variables, if set, that limit the instructions in use.
	Environment map[string]string `json:"environment,omitempty"`
}

// limiting are the environment variables that limit the instructions in use.
var limiting = []string{"GODEBUG", "XLA_FLAGS", "ONEDNN_MAX_CPU_ISA"}

// vectors are the beginnings of the names of vector features, as cpuid has them.
var vectors = []string{"SSE", "AVX", "FMA", "F16C", "AMX", "ASIMD", "SVE"}

// ThisMachine returns the machine that the program runs on, with the plugin of the given SHA-256.
func ThisMachine(plugin string) Machine {
	m := Machine{
		Arch:    runtime.GOARCH,
		Vendor:  cpuid.CPU.VendorString,
		Family:  cpuid.CPU.Family,
		Model:   cpuid.CPU.Model,
		Threads: runtime.GOMAXPROCS(0),
		Plugin:  plugin,
	}
	for _, feature := range cpuid.CPU.FeatureSet() {
		if slices.ContainsFunc(vectors, func(v string) bool { return strings.HasPrefix(feature, v) }) {
			m.Features = append(m.Features, feature)
		}
	}
	slices.Sort(m.Features)
	for _, name := range limiting {
		if value := os.Getenv(name); value != "" {
			if m.Environment == nil {
				m.Environment = make(map[string]string)
			}
			m.Environment[name] = value
		}
	}
	return m
}
