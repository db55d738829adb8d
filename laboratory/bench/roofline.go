package main

import (
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// work is arithmetic in 10⁹ operations, a multiplication and an addition being
// two, and traffic in 10⁹ bytes: of a problem, or a second of the machine.
type work struct{ gflop, gb float64 }

// roofline is what a problem needs in the folded form and what the machine
// does in a second.
type roofline struct {
	GFLOP      float64 `json:"gflop"`
	GB         float64 `json:"gb"`
	PeakGFLOPs float64 `json:"peak_gflops"`
	PeakGBs    float64 `json:"peak_gbs"`
}

// bounds returns the times in milliseconds that the problem's arithmetic and its traffic take at
// the peak.
func (r *roofline) bounds() (arithmetic, traffic float64) {
	return 1e3 * r.GFLOP / r.PeakGFLOPs, 1e3 * r.GB / r.PeakGBs
}

// requirements counts the arithmetic and the traffic of the folded form of the paper's network: for
// each sample at each position, and in each step once for the shared convolution and the fold. A
// training step computes each product three times: forward, and for the gradients in the inputs and
// the weights. It writes and reads the two hidden layers and their gradients, and reads the layers
// again for the gradients of the weights: ten passes. A refinement has the forward products and
// four passes only.
func (p problem) requirements() (work, bool) {
	samples, times, passes, outputs := float64(p.runs*p.settings().BatchSize), 3., 10., float64(p.d)
	switch p.kind {
	case rfTrainStep:
	case wgfTrainStep:
		samples, outputs = 2*samples, 1
	case refine:
		samples, times, passes = float64(p.runs*p.positions()), 1, 4
	default:
		return work{}, false
	}
	taps := 1.
	for range p.shape {
		taps *= 3
	}
	positions := float64(p.positions())
	everywhere := samples * positions * (taps*channels*channels + channels*outputs)
	once := float64(p.runs) * positions * (taps*float64(p.d)*channels +
		taps*channels*channels*outputs)
	return work{
		gflop: 2 * times * (everywhere + once) / 1e9,
		gb:    4 * passes * samples * positions * channels / 1e9,
	}, true
}

// machinePeak measures a product of two large matrices and a copy of an array
// beyond the caches, the best of a few.
func machinePeak(b compute.Backend) (work, error) {
	const n, length = 1024, 1 << 26
	square := func(x *Node) *Node { return ReduceAllMax(Einsum("ik,kj->ij", x, x)) }
	seconds, err := shortestTime(b, square, n, n)
	if err != nil {
		return work{}, err
	}
	copySeconds, err := shortestTime(b, func(x *Node) *Node { return AddScalar(x, 1) }, length)
	return work{gflop: 2 * n * n * n / seconds / 1e9, gb: 2 * 4 * length / copySeconds / 1e9}, err
}

// shortestTime returns the shortest of five times in seconds that a graph of one input takes.
func shortestTime(b compute.Backend, build func(x *Node) *Node, dims ...int) (float64, error) {
	exec, err := NewExec(b, func(x *Node) *Node { return build(x) })
	if err != nil {
		return 0, err
	}
	defer exec.Finalize()
	x := tensors.FromShape(shapes.Make(dtypes.Float32, dims...))
	defer x.FinalizeAll()
	shortest := 0.0
	for range 5 {
		begin := time.Now()
		out, err := exec.Call(x)
		if err != nil {
			return 0, err
		}
		if seconds := time.Since(begin).Seconds(); shortest == 0 || seconds < shortest {
			shortest = seconds
		}
		if err := out[0].FinalizeAll(); err != nil {
			return 0, err
		}
	}
	return shortest, nil
}
