package sica

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/start"
)

// startState is what the runs of a fit began with, in JSON.
type startState struct {
	Key  string     `json:"fit"`
	Runs []runStart `json:"runs"`
}

type runStart struct {
	Taken      Candidate        `json:"taken"`
	Candidates []Candidate      `json:"candidates"`
	Linear     *linear.Findings `json:"linear,omitempty"`
	Network    *Network         `json:"network,omitempty"`
	Outliers   []int            `json:"outliers,omitempty"`
	Why        string           `json:"why,omitempty"`
	Stages     []iterate.Record `json:"stages"`
}

// startSignals is the file of what run r began with.
func startSignals(r int) string { return fmt.Sprintf("run-%03d.npy", r) }

func (c *checkpoint) writeStarts(choices []start.Start) error {
	return c.WriteFirst(func(dir string) error {
		state := startState{Key: c.key}
		for r, from := range choices {
			stages, err := iterate.ChainOf(from.Maps).Write(dir, fmt.Sprintf("run-%03d-", r))
			if err != nil {
				return err
			}
			if err := datasets.WriteFile(filepath.Join(dir, startSignals(r)), from.Z); err != nil {
				return err
			}
			state.Runs = append(state.Runs, runStart{from.Taken, from.Candidates, from.Linear, from.Network, from.Outliers, from.Why, stages})
		}
		return writeJSON(filepath.Join(dir, stateFile), state)
	})
}

// readStarts are what the runs of a fit began with, nil if that wasn't kept yet.
func (c *checkpoint) readStarts(cfg Config, runs []Run, g *grid.Grid) ([]start.Start, error) {
	dir, err := c.First()
	if err != nil || dir == "" {
		return nil, err
	}
	var state startState
	if err := readJSON(filepath.Join(dir, stateFile), &state); err != nil {
		return nil, err
	}
	if state.Key != c.key {
		return nil, fmt.Errorf("%s is of a fit of other signals, of other settings or on another backend: want those, or another folder", c.Dir)
	}
	if len(state.Runs) != len(runs) {
		return nil, fmt.Errorf("%s has %d runs, want %d", dir, len(state.Runs), len(runs))
	}
	d, t := runs[0].X.Dims()
	var choices []start.Start
	for r, run := range state.Runs {
		z, err := readSound(dir, startSignals(r), d, t)
		if err != nil {
			return nil, err
		}
		stages, err := iterate.ReadChain(dir, run.Stages, cfg.networks(), d, g.Shape())
		if err != nil {
			return nil, err
		}
		from := start.Start{Z: z, Taken: run.Taken, Candidates: run.Candidates, Linear: run.Linear, Network: run.Network, Outliers: run.Outliers, Why: run.Why}
		for _, s := range stages {
			if s.Learned != nil {
				return nil, fmt.Errorf("%s: a start that networks learned", dir)
			}
			from.Maps = append(from.Maps, s.Fixed)
		}
		choices = append(choices, from)
	}
	return choices, nil
}

// iterationState is a separation after an iteration, in JSON.
type iterationState struct {
	Iteration int           `json:"iteration"`
	Elapsed   time.Duration `json:"elapsed_ns"`
	Failed    *failure      `json:"failed,omitempty"`
	Runs      []runState    `json:"runs"`
	// Variables are the networks' and the optimizer's, for a warm start.
	Variables []iterate.Variable `json:"variables,omitempty"`
}

// runState is a run in JSON. Its Stages are those after the start.
type runState struct {
	savedResult
	Kept     int                   `json:"kept"` // stages that made the result's signals
	Finished bool                  `json:"finished"`
	Least    dependence.Dependence `json:"least"`
	Plateau  plateau               `json:"plateau"`
	Growth   growth                `json:"growth"`
}

const variablesFile = "variables.f64"

// keepState writes the state after iteration j to the checkpoint, if there is
// one, and removes the one before.
func (s *separation) keepState(j int) error {
	if s.kept == nil {
		return nil
	}
	return s.kept.WriteState(j, func(dir string) error {
		state := iterationState{Iteration: j, Elapsed: time.Since(s.begin), Failed: s.failed}
		for _, run := range s.runs {
			kept, err := run.writeState(dir)
			if err != nil {
				return err
			}
			state.Runs = append(state.Runs, kept)
		}
		if s.cfg.WarmStart {
			var err error
			if state.Variables, err = s.ensemble.Variables(); err != nil {
				return err
			}
			if err := iterate.WriteVariables(filepath.Join(dir, variablesFile), state.Variables); err != nil {
				return err
			}
		}
		return writeJSON(filepath.Join(dir, stateFile), state)
	})
}

// signalFiles are those of a run's current signals and of its result's.
func (run *separationRun) signalFiles() (current, best string) {
	return fmt.Sprintf("run-%03d-current.npy", run.place), fmt.Sprintf("run-%03d-best.npy", run.place)
}

func (run *separationRun) writeState(dir string) (runState, error) {
	state := runState{
		savedResult: run.result.saved(), Kept: len(run.result.flow), Finished: run.finished,
		Least: run.least, Plateau: run.plateau, Growth: run.growth,
	}
	var err error
	if state.Stages, err = run.flow[run.started:].Write(dir, fmt.Sprintf("run-%03d-", run.place)); err != nil {
		return state, err
	}
	current, best := run.signalFiles()
	if err := datasets.WriteFile(filepath.Join(dir, current), run.z); err != nil || run.result.Z == run.z {
		return state, err
	}
	state.Moved = true
	return state, datasets.WriteFile(filepath.Join(dir, best), run.result.Z)
}

// resume brings the separation to where its checkpoint is, and returns the number
// of iterations that were made by then.
func (s *separation) resume() (made int, err error) {
	if s.kept == nil {
		return 0, nil
	}
	dir, err := s.kept.Last()
	if err != nil || dir == "" {
		return 0, err
	}
	var state iterationState
	if err := readJSON(filepath.Join(dir, stateFile), &state); err != nil {
		return 0, err
	}
	if len(state.Runs) != len(s.runs) {
		return 0, fmt.Errorf("%s has %d runs, want %d", dir, len(state.Runs), len(s.runs))
	}
	if state.Iteration < 1 || state.Iteration > s.cfg.Iterations {
		return 0, fmt.Errorf("%s is of iteration %d of %d", dir, state.Iteration, s.cfg.Iterations)
	}
	for r, run := range s.runs {
		if err := run.readState(dir, &state.Runs[r]); err != nil {
			return 0, err
		}
	}
	if s.cfg.WarmStart {
		variables, err := iterate.ReadVariables(filepath.Join(dir, variablesFile), state.Variables)
		if err != nil {
			return 0, err
		}
		if err := s.ensemble.SetVariables(variables); err != nil {
			return 0, err
		}
	}
	s.begin = s.begin.Add(-state.Elapsed)
	s.failed = state.Failed
	return state.Iteration, nil
}

// readState brings a run from its start to a state.
func (run *separationRun) readState(dir string, state *runState) error {
	current, best := run.signalFiles()
	d, t := run.z.Dims()
	moved, err := iterate.ReadChain(dir, state.Stages, run.result.Config.networks(), d, run.result.Shape)
	if err != nil {
		return err
	}
	if err := state.checkIterations(); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	started := run.flow[:run.started:run.started]
	run.flow = append(started, moved...)
	if state.Kept < 0 || state.Kept > len(run.flow) {
		return fmt.Errorf("%s keeps %d stages of %d", dir, state.Kept, len(run.flow))
	}
	if run.z, err = readSound(dir, current, d, t); err != nil {
		return err
	}
	z := run.z
	if state.Best == 0 {
		z = run.result.Initial
	} else if state.Moved {
		if z, err = readSignals(dir, best, d, t); err != nil {
			return err
		}
	}
	run.finished, run.least, run.plateau, run.growth = state.Finished, state.Least, state.Plateau, state.Growth
	run.takeResult(state, z)
	return nil
}

// takeResult sets what the iterations so far have made of the result.
func (run *separationRun) takeResult(state *runState, z *mat.Dense) {
	saved, r := state.Summary, run.result
	r.Z, r.Loss, r.Divergence = z, saved.Loss, saved.Divergence
	r.Iterations, r.Best, r.Stopped, r.Why, r.Elapsed = saved.Iterations, saved.Best, saved.Stopped, saved.Why, saved.Elapsed
	r.flow = slices.Clip(run.flow[:state.Kept])
	if state.Finished {
		r.Versions = saved.Versions // this program adds nothing
	}
}
