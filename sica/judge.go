package sica

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// Judgement is how far signals are from self-sufficient, in nats, each value
// 2·log 2 less a classifier's held-out logistic loss; see Judge.
type Judgement struct {
	// Joint is the divergence of (z_t, contexts) from independent signals.
	Joint float64 `json:"joint"`
	// Context is that of the contexts alone.
	Context float64 `json:"context"`
	// Conditional is Joint less Context, at least 0: what the signals at t say
	// of one another beyond what their own contexts do. It is the divergence
	// that SICA asks to vanish (paper, equation sica), and near 0 for true
	// sources even where those depend on each other through their contexts.
	Conditional float64 `json:"conditional"`
}

// The judge's networks train until the divergence can't be expected to grow,
// and are looked at every so often, so that one that begins to fit noise is
// caught at its best.
const (
	judgeSteps = 400
	judgeLooks = 8
	judgeNoise = 0.1
)

// judgeWindow is the reach of the prediction for an index of the given number
// of axes: as long as its coefficients stay few against the positions.
func judgeWindow(axes int) int {
	switch axes {
	case 2:
		return 2
	case 3:
		return 1
	}
	return 10
}

// judgeConfig are the settings of the judge's networks, for an index of the
// given shape.
func judgeConfig(shape []int) Config {
	cfg := Default()
	cfg.Shape, cfg.Start, cfg.Settled, cfg.Rotations, cfg.Alternatives, cfg.KeepBest = shape, nil, 0, 0, nil, false
	cfg.Windows, cfg.Noise, cfg.Steps = []int{judgeWindow(len(shape))}, judgeNoise, judgeSteps/judgeLooks
	cfg.judge = true
	return cfg
}

// Judge measures how far the d×T signals z, with a position index of the given
// shape (none for a sequence), are from self-sufficient. It needs no truth, and
// trains fresh networks on z, with z_t and the signals' own predictions of it
// as inputs: the number says nothing of how z came about. Held-out positions
// weigh the networks, so that it is about 0 where nothing can be learned.
func Judge(ctx context.Context, backend compute.Backend, z *mat.Dense, seed uint64, shape ...int) (Judgement, error) {
	cfg := judgeConfig(shape)
	runs := []Run{{X: z, Seed: seed}}
	if err := checkRuns(backend, runs, cfg); err != nil {
		return Judgement{}, err
	}
	judged, err := judgeRuns(ctx, backend, cfg, runs)
	if err != nil {
		return Judgement{}, err
	}
	return judged[0].Judgement, nil
}

// judgeRuns judges the signals of runs of one size in one program, with the
// settings of judgeConfig.
func judgeRuns(ctx context.Context, backend compute.Backend, cfg Config, runs []Run) ([]judged, error) {
	d, t := runs[0].X.Dims()
	s, err := newSeparation(backend, cfg, d, t, len(runs))
	if err != nil {
		return nil, err
	}
	defer s.field.close()
	return s.judge(ctx, runs)
}

// judged is a Judgement with what each position adds to it.
type judged struct {
	Judgement
	joint, context []float64 // each position's share, of mean Joint and Context
}

// judge measures the signals of every run, with the networks of judgeConfig.
func (s *separation) judge(ctx context.Context, runs []Run) ([]judged, error) {
	var z []*mat.Dense
	for _, run := range runs {
		standard, err := standardise(run.X)
		if err != nil {
			return nil, fmt.Errorf("sica: judging: %w", err)
		}
		z = append(z, standard)
	}
	s.runs = nil
	for r, run := range runs {
		s.runs = append(s.runs, &separationRun{seed: run.Seed, z: z[r]})
	}
	data := s.field.data(s.values())
	defer s.field.release(data)
	judgements := make([]judged, len(runs))
	for r := range judgements {
		judgements[r].joint, judgements[r].context = make([]float64, s.t), make([]float64, s.t)
	}
	if err := s.field.renew(s.streams(0, drawWeights)); err != nil {
		return nil, err
	}
	for look := range judgeLooks {
		if _, err := s.train(ctx, data, look); err != nil {
			return nil, err
		}
		calibrations, err := s.calibrate(ctx, data, look)
		if err != nil {
			return nil, err
		}
		for r, c := range calibrations {
			j := &judgements[r]
			if c.divergence > j.Joint {
				j.Joint, j.joint = c.divergence, c.shares
			}
			if c.context.divergence > j.Context {
				j.Context, j.context = c.context.divergence, c.context.shares
			}
		}
	}
	for r := range judgements {
		j := &judgements[r]
		j.Conditional = max(j.Joint-j.Context, 0)
	}
	return judgements, nil
}
