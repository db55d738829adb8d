package iterate

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/npy"
	"github.com/seed-47b1e431/gosica/internal/sealed"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// state is the state of a loop after an iteration, in JSON.
type state struct {
	Iteration int           `json:"iteration"`
	Elapsed   time.Duration `json:"elapsed_ns"`
	Failed    *failure      `json:"failed,omitempty"`
	Runs      []runState    `json:"runs"`
	// Variables are the variables of the networks and the optimizer, for a warm start.
	Variables []Variable `json:"variables,omitempty"`
}

// runState is the state of a run, in JSON.
type runState struct {
	klflow.Trace
	Stages   []Record `json:"stages"`
	Kept     int      `json:"kept"`  // number of stages that made the output's signals
	Moved    bool     `json:"moved"` // whether the output's signals have a separate file
	Finished bool     `json:"finished"`
	Growth   growth   `json:"growth"`
}

const (
	stateFile     = "state.json"
	variablesFile = "variables.f64"
)

// writeState writes the state after iteration j to the checkpoint, if any, and removes the previous
// state.
func (l *loop) writeState(j int) error {
	if l.checkpoint == nil {
		return nil
	}
	return l.checkpoint.WriteState(j, func(dir string) error {
		s := state{Iteration: j, Elapsed: time.Since(l.begin), Failed: l.failed}
		for _, r := range l.runs {
			saved, err := r.writeState(dir)
			if err != nil {
				return err
			}
			s.Runs = append(s.Runs, saved)
		}
		if l.cfg.WarmStart {
			var err error
			if s.Variables, err = storeVariables(l.ensemble.store, ""); err != nil {
				return err
			}
			if err := writeVariables(filepath.Join(dir, variablesFile), s.Variables); err != nil {
				return err
			}
		}
		return sealed.WriteJSON(filepath.Join(dir, stateFile), s)
	})
}

// files returns the names of the files of a run's current signals and of the output's signals.
func (r *run) files() (current, best string) {
	return fmt.Sprintf("run-%03d-current.npy", r.place), fmt.Sprintf("run-%03d-best.npy", r.place)
}

// writeState writes the signals and the maps of a run, and returns the rest of its state.
func (r *run) writeState(dir string) (runState, error) {
	s := runState{
		Trace: r.output.Trace, Kept: len(r.output.Maps),
		Moved: r.output.Z != r.z, Finished: r.finished, Growth: r.growth,
	}
	var err error
	if s.Stages, err = r.maps.Write(dir, fmt.Sprintf("run-%03d-", r.place)); err != nil {
		return s, err
	}
	current, best := r.files()
	if err := npy.WriteFile(filepath.Join(dir, current), r.z); err != nil || !s.Moved {
		return s, err
	}
	return s, npy.WriteFile(filepath.Join(dir, best), r.output.Z)
}

// resume brings the loop to the last state of its checkpoint and returns the number of iterations
// made by then.
func (l *loop) resume() (made int, err error) {
	if l.checkpoint == nil {
		return 0, nil
	}
	dir, err := l.checkpoint.Last()
	if err != nil || dir == "" {
		return 0, err
	}
	var s state
	if err := sealed.ReadJSON(filepath.Join(dir, stateFile), &s); err != nil {
		return 0, err
	}
	if len(s.Runs) != len(l.runs) {
		return 0, fmt.Errorf("%s has %d runs; must have %d", dir, len(s.Runs), len(l.runs))
	}
	if s.Iteration < 1 || s.Iteration > l.cfg.Iterations {
		return 0, fmt.Errorf("%s is at iteration %d; must be at 1 to %d",
			dir, s.Iteration, l.cfg.Iterations)
	}
	for i, r := range l.runs {
		if err := r.readState(dir, &s.Runs[i]); err != nil {
			return 0, err
		}
	}
	if l.cfg.WarmStart {
		variables, err := readVariables(filepath.Join(dir, variablesFile), s.Variables)
		if err != nil {
			return 0, err
		}
		if err := setVariables(l.ensemble.store, variables); err != nil {
			return 0, err
		}
	}
	l.begin = l.begin.Add(-s.Elapsed)
	l.failed = s.Failed
	return s.Iteration, nil
}

// readState brings a run from its input to a state.
func (r *run) readState(dir string, s *runState) error {
	current, best := r.files()
	d, n := r.z.Dims()
	maps, err := ReadChain(dir, s.Stages, &r.loop.cfg, d, r.loop.grid.Shape())
	if err != nil {
		return err
	}
	if err := CheckTrace(&s.Trace); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if s.Kept < 0 || s.Kept > len(maps) {
		return fmt.Errorf("%s keeps %d stages of %d", dir, s.Kept, len(maps))
	}
	if r.z, err = mapping.ReadSignals(dir, current, d, n); err != nil {
		return err
	}
	if err := signal.Check(current, r.z); err != nil {
		return err
	}
	z := r.z
	if s.Best == 0 {
		z = r.input.Z
	} else if s.Moved {
		if z, err = mapping.ReadSignals(dir, best, d, n); err != nil {
			return err
		}
	}
	r.maps, r.growth, r.finished = maps, s.Growth, s.Finished
	r.output = &Output{Trace: s.Trace, Z: z, Maps: slices.Clip(maps[:s.Kept])}
	return nil
}
