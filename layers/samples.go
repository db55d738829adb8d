package layers

import . "github.com/gomlx/gomlx/core/graph"

// EverySignal repeats positions t shaped [R, B] for each of d signals: the
// result, shaped [R, B, d], is the idx of joint samples, which have all signals
// at one position (see WholeContext).
func EverySignal(t *Node, d int) *Node {
	return BroadcastToDims(InsertAxes(t, -1), t.Shape().Dim(0), t.Shape().Dim(1), d)
}

// WholeCNNSamples is the number of samples, of n for each run, to evaluate
// WholeCNN on at a time over an index of the given number of positions: as many
// as keep a hidden layer of 16 float32 channels within 2 MiB, about a core's
// cache, but at least 4. The memory that WholeCNN takes grows with both, the
// samples and the positions.
func WholeCNNSamples(runs, positions, n int) int {
	const values = 2 << 20 / 4
	return min(max(values/(16*positions*runs), 4), n)
}
