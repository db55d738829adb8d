package sica

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/npy"
	"github.com/seed-47b1e431/gosica/internal/sealed"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// The format of a saved result.
const (
	resultFormat  = "sica result"
	resultVersion = 2
)

// resultFile holds a savedResult, zFile and initialFile the signals.
const (
	resultFile  = "result.json"
	zFile       = "z.npy"
	initialFile = "initial.npy"
)

// savedResult is a Result in JSON, without its signals.
type savedResult struct {
	Signals   int `json:"signals"`
	Positions int `json:"positions"`
	Summary
	Moved     bool             `json:"moved"` // initial.npy isn't z.npy
	Stages    []iterate.Record `json:"stages"`
	Sentences []string         `json:"sentences"`
	// Covariance, row by row, Heavy, Cubes and ByCubes are Result.moments, without values for nil.
	// The last three are without values if there is no heavy-tailed signal.
	Covariance []float64 `json:"covariance,omitempty"`
	Heavy      int       `json:"heavy,omitempty"`
	Cubes      []float64 `json:"cubes,omitempty"`
	ByCubes    float64   `json:"by_cubes,omitempty"`
}

// Save writes the result into the folder dir, which must not exist yet; its parent must. It keeps
// all fields and what Transform needs, without Config.Checkpoint and the functions in Config. The
// folder appears, synced to the disk, only when all is written. An error leaves no file.
//
// The signals are NPY arrays of float64. The rest is JSON and, for the networks of the family Free,
// plain float64. A manifest has the SHA-256 of each file.
//
// It is an error if dir exists, which wraps fs.ErrExist, or if its parent doesn't, which wraps
// fs.ErrNotExist; if a custom transform's type isn't registered (preprocess.Register); or if a
// Flow.Network learned steps of the family Free.
func (r *Result) Save(dir string) error {
	if dir == "" {
		return errors.New("sica: save: the path is empty; must be that of a new folder")
	}
	err := r.save(dir)
	if errors.Is(err, fs.ErrExist) {
		err = signal.OfKind(fmt.Errorf("%s: must be a new folder, and is there already: delete it, or "+
			"choose a new name", dir), fs.ErrExist)
	}
	if err != nil {
		return fmt.Errorf("sica: save: %w", err)
	}
	return nil
}

func (r *Result) save(dir string) error {
	if r.maps == nil {
		return errNotFitted
	}
	learned := slices.ContainsFunc(r.maps, func(s iterate.Stage) bool { return s.Learned != nil })
	if learned && r.Config.Flow.Network != nil {
		return fmt.Errorf("Flow.Network: is set, and what it learned can't be saved; must be nil, "+
			"or Flow.Family must be %q", klflow.Linear)
	}
	if n := len(r.Z.RawMatrix().Data); n > signal.MaxEntries {
		return fmt.Errorf("signals of %d entries: at most %d can be loaded again", n,
			signal.MaxEntries)
	}
	return sealed.Write(dir, resultFormat, resultVersion, func(dir string) error {
		return r.write(dir)
	})
}

// write writes the result into a folder.
func (r *Result) write(dir string) error {
	saved := r.saved()
	saved.Moved = r.Initial != r.Z
	var err error
	if saved.Stages, err = r.maps.Write(dir, ""); err != nil {
		return err
	}
	if err := npy.WriteFile(filepath.Join(dir, zFile), r.Z); err != nil {
		return err
	}
	if saved.Moved {
		if err := npy.WriteFile(filepath.Join(dir, initialFile), r.Initial); err != nil {
			return err
		}
	}
	return sealed.WriteJSON(filepath.Join(dir, resultFile), saved)
}

// saved is what JSON holds of r, without its stages.
func (r *Result) saved() savedResult {
	d, n := r.Z.Dims()
	saved := savedResult{Signals: d, Positions: n, Summary: r.Summary, Sentences: r.sentences}
	if r.moments != nil {
		saved.Covariance = mat.DenseCopyOf(r.moments.Covariance).RawMatrix().Data
		if r.moments.Heavy >= 0 {
			saved.Heavy, saved.Cubes = r.moments.Heavy, r.moments.Cubes
			saved.ByCubes = r.moments.ByCubes
		}
	}
	return saved
}

// ErrSaved is wrapped by the error of Load for a folder that isn't a whole saved separation of this
// version.
var ErrSaved = errors.New("not a saved separation")

// Load reads a result that Save wrote. It verifies every file first: if one is missing, changed or
// of an unknown version, the error names it, and nothing is loaded. The error wraps ErrSaved or, if
// there is no such folder, fs.ErrNotExist. Transform then computes in pure Go; see SetBackend.
func Load(dir string) (*Result, error) {
	const must = "must be the folder of a saved separation"
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("sica: load: %s: %w; %s", dir, errors.Unwrap(err), must)
	}
	var r *Result
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: %s; this is a file", dir, must)
	} else if r, err = load(dir); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %s; this one lacks a file: %v", dir, must, err) // there is the folder
	}
	if err != nil {
		return nil, fmt.Errorf("sica: load: %w", signal.OfKind(err, ErrSaved))
	}
	return r, nil
}

func load(dir string) (*Result, error) {
	err := sealed.Check(dir, resultFormat, resultVersion)
	if version := new(sealed.VersionError); errors.As(err, &version) {
		return nil, fmt.Errorf("%w: fit anew and save", err)
	}
	if err != nil {
		return nil, err
	}
	return readResult(dir)
}

func readResult(dir string) (*Result, error) {
	var saved savedResult
	if err := sealed.ReadJSON(filepath.Join(dir, resultFile), &saved); err != nil {
		return nil, err
	}
	r := &Result{Summary: saved.Summary, sentences: saved.Sentences}
	var err error
	if r.Z, err = saved.signals(dir, zFile); err != nil {
		return nil, err
	}
	if err := saved.check(r.Z); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, resultFile), err)
	}
	if saved.Covariance != nil {
		r.moments = &Moments{Covariance: mat.NewSymDense(saved.Signals, saved.Covariance), Heavy: -1}
		if saved.Cubes != nil {
			r.moments.Heavy, r.moments.Cubes = saved.Heavy, saved.Cubes
			r.moments.ByCubes = saved.ByCubes
		}
	}
	r.Initial = r.Z
	if saved.Moved {
		if r.Initial, err = saved.signals(dir, initialFile); err != nil {
			return nil, err
		}
	}
	flow := (*iterate.Config)(saved.Config.Flow)
	r.maps, err = iterate.ReadChain(dir, saved.Stages, flow, saved.Signals, saved.Shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, resultFile), err)
	}
	if r.Prepared {
		if len(r.maps) == 0 || r.maps[0].Fixed == nil {
			return nil, fmt.Errorf("%s: prepared is true, but there is no map of a custom transform; "+
				"must have one", filepath.Join(dir, resultFile))
		}
		r.Config.Prepare = asFitted{r.maps[0].Fixed}
	}
	return r, nil
}

func (saved *savedResult) signals(dir, name string) (*mat.Dense, error) {
	return mapping.ReadSignals(dir, name, saved.Signals, saved.Positions)
}

// check returns an error unless saved is consistent with the signals z.
func (saved *savedResult) check(z *mat.Dense) error {
	d, n := z.Dims()
	cfg := saved.Config
	cfg.Rounding = nil // of the mixed signals, which may be more
	g, err := cfg.check(d, n)
	if err != nil {
		return err
	}
	if !slices.Equal(saved.Shape, g.Shape()) {
		return fmt.Errorf("shape: is %v; must be %v, that of the settings", saved.Shape, g.Shape())
	}
	if k := len(saved.Covariance); k != 0 && k != d*d {
		return fmt.Errorf("covariance: has %d entries; must have %d", k, d*d)
	}
	if k := len(saved.Cubes); k != 0 && (k != d || len(saved.Covariance) == 0) {
		return fmt.Errorf("cubes: has %d entries; must have %d, beside a covariance", k, d)
	}
	if saved.Heavy < 0 || saved.Heavy >= d {
		return fmt.Errorf("heavy: is %d; must be from 0 to %d", saved.Heavy, d-1)
	}
	return iterate.CheckTrace(&saved.Trace)
}
