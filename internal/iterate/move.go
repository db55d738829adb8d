package iterate

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// chunk returns how many of n samples one call evaluates.
func (f *networks) chunk(n int) int {
	if f.cfg.Context == klflow.WholeSequence {
		return WholeSamples(f.count, f.t, n)
	}
	return min(4096, n)
}

// trainSteps makes training steps, as flows.Trainer does, and returns each network's mean loss.
func (f *networks) trainSteps(
	ctx context.Context, data, batches []*tensors.Tensor, steps int,
) ([]float64, error) {
	losses, err := f.trainer.Train(ctx, data, batches, steps)
	if err != nil {
		return nil, err
	}
	mean := make([]float64, f.count)
	for _, step := range losses {
		for network, loss := range step {
			mean[network] += loss / float64(steps)
		}
	}
	return mean, nil
}

// moves returns the moves of the signals of every network by the flow, row-major [networks][d·T]:
// the velocity for the gradient flow, the displacement at τ = 1 for the rectified flow. If ctx
// ends, it returns the error of ctx.
func (f *networks) moves(
	ctx context.Context, data []*tensors.Tensor, values [][]float64,
) ([][]float64, error) {
	moves := make([][]float64, f.count)
	for network := range moves {
		moves[network] = make([]float64, f.d*f.t)
	}
	chunk := f.chunk(f.t)
	for first := 0; first < f.t; first += chunk {
		// The last chunk is shifted back to keep the shape, and so the program.
		from := min(first, f.t-chunk)
		y, at := f.samplesAt(values, from, chunk)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		outputs, err := f.flow.Call(arguments(data, y, at)...)
		if err != nil {
			return nil, fmt.Errorf("moving the signals: %w", err)
		}
		result, err := host.Values(outputs[0])
		if err != nil {
			return nil, fmt.Errorf("reading the moves: %w", err)
		}
		for network := range moves {
			f.setMoves(moves[network], result[network*chunk*f.d:], values[network], from, chunk)
		}
	}
	return moves, nil
}

// setMoves sets the moves of a network at a chunk of positions from the network's result there.
func (f *networks) setMoves(moves, result, values []float64, from, chunk int) {
	for c := range chunk {
		for i := range f.d {
			move := result[c*f.d+i]
			if f.cfg.Kind == klflow.RF {
				move -= values[i*f.t+from+c]
			}
			moves[i*f.t+from+c] = move
		}
	}
}

// samplesAt returns the values [networks, chunk, d] at chunk consecutive positions, and the
// positions [networks, chunk].
func (f *networks) samplesAt(values [][]float64, from, chunk int) (y, at *tensors.Tensor) {
	flat := make([]float64, 0, f.count*chunk*f.d)
	positions := make([]int32, 0, f.count*chunk)
	for network := range f.count {
		for c := range chunk {
			positions = append(positions, int32(from+c))
			for i := range f.d {
				flat = append(flat, values[network][i*f.t+from+c])
			}
		}
	}
	y = host.Tensor(flat, f.dtype, f.count, chunk, f.d)
	return y, tensors.FromFlatDataAndDimensions(positions, f.count, chunk)
}

// logits returns the log-ratios [networks][N] at the samples of idx, [networks][N·d]. If ctx ends,
// it returns the error of ctx.
func (f *networks) logits(
	ctx context.Context, data []*tensors.Tensor, idx [][]int32,
) ([][]float64, error) {
	n := len(idx[0]) / f.d
	chunk := f.chunk(n)
	logits := make([][]float64, f.count)
	for network := range logits {
		logits[network] = make([]float64, n)
	}
	for first := 0; first < n; first += chunk {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from := min(first, n-chunk)
		flat := make([]int32, 0, f.count*chunk*f.d)
		for network := range f.count {
			flat = append(flat, idx[network][from*f.d:(from+chunk)*f.d]...)
		}
		samples := tensors.FromFlatDataAndDimensions(flat, f.count, chunk, f.d)
		outputs, err := f.logit.Call(arguments(data, samples)...)
		if err != nil {
			return nil, fmt.Errorf("evaluating the log-ratio: %w", err)
		}
		values, err := host.Values(outputs[0])
		if err != nil {
			return nil, fmt.Errorf("reading the log-ratio: %w", err)
		}
		for network := range logits {
			copy(logits[network][from:from+chunk], values[network*chunk:(network+1)*chunk])
		}
	}
	return logits, nil
}

// arguments returns data and more in the form that Exec.Call takes.
func arguments(data []*tensors.Tensor, more ...*tensors.Tensor) []any {
	var args []any
	for _, x := range append(data[:len(data):len(data)], more...) {
		args = append(args, x)
	}
	return args
}
