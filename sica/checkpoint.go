package sica

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/internal/sealed"
)

// Errors of Running.Checkpoint.
var (
	// ErrCheckpointInUse is wrapped by the error of a fit whose checkpoint
	// another fit is using, of this process or another.
	ErrCheckpointInUse = sealed.ErrInUse
	// ErrCheckpoint is wrapped by the error of a fit whose checkpoint can't be
	// used: it is of another fit, in use, damaged or can't be written. If it could
	// be written before, the last good iterate comes with it.
	ErrCheckpoint = errors.New("checkpoint")
)

// The format of a checkpoint: what the runs began with, and the state after the last
// iteration.
const (
	checkpointFormat  = "sica checkpoint"
	checkpointVersion = 1
	stateFile         = "state.json"
)

// checkpoint is a fit's folder, locked for it.
type checkpoint struct {
	*sealed.Series
	key string // of the fit
}

// openCheckpoint locks the config's checkpoint for the fit.
func openCheckpoint(cfg Config, backend compute.Backend, runs []Run) (*checkpoint, error) {
	key, err := fitKey(cfg, backend, runs)
	if err != nil {
		return nil, err
	}
	series, err := sealed.OpenSeries(cfg.Checkpoint, checkpointFormat, checkpointVersion)
	if err != nil {
		return nil, err
	}
	return &checkpoint{series, key}, nil
}

// fitKey is the same for fits that go on from one another's state: it is made of
// the settings but for the budget, which one that used up its own may raise, the
// backend, and the seed and every bit of the signals of each run.
func fitKey(cfg Config, backend compute.Backend, runs []Run) (string, error) {
	cfg.Budget = 0
	settings, err := json.Marshal(cfg)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%d\n", settings, backend.Name(), len(runs))
	for _, run := range runs {
		d, t := run.X.Dims()
		fmt.Fprintf(h, "%d %d %d\n", run.Seed, d, t)
		for i := range d {
			if err := binary.Write(h, binary.LittleEndian, run.X.RawRowView(i)); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
