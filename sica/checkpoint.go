package sica

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"path/filepath"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/npy"
	"github.com/seed-47b1e431/gosica/internal/sealed"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/network"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// ErrCheckpoint is wrapped by the error of a fit whose checkpoint belongs to another fit or
// version, is in use or damaged, or can't be written. In the last case, if it could be written
// before, Fit also returns the last good iterate.
var ErrCheckpoint = iterate.ErrCheckpoint

// The format of a checkpoint: what the runs began with, and the state after the last
// iteration.
const (
	checkpointFormat  = "sica checkpoint"
	checkpointVersion = 2
	beginFile         = "begin.json"
)

// beginState is what the runs of a fit begin with, in JSON. Settings and Backend are the fit's, to
// say what differs in another; a checkpoint of an earlier version lacks them.
type beginState struct {
	Key      string     `json:"fit"`
	Settings *Config    `json:"settings,omitempty"`
	Backend  string     `json:"backend,omitempty"`
	Runs     []runBegin `json:"runs"`
}

type runBegin struct {
	Chosen     Candidate           `json:"chosen"`
	Candidates []Candidate         `json:"candidates"`
	Linear     *linear.Findings    `json:"linear,omitempty"`
	Network    *nonlinear.Findings `json:"network,omitempty"`
	Outliers   []int               `json:"outliers,omitempty"`
	Sentences  []string            `json:"sentences,omitempty"`
	Stages     []iterate.Record    `json:"stages"`
}

// openCheckpoint locks the checkpoint for the fit.
func (f *fitting) openCheckpoint() (err error) {
	if f.key, err = f.checkpointKey(); err != nil {
		return err
	}
	f.checkpoint, err = sealed.OpenSeries(f.cfg.Checkpoint, checkpointFormat, checkpointVersion)
	return err
}

// checkpointKey returns a key that is equal for fits that may continue from each other's state. It
// depends on the settings except the budget, which may be raised when it is used up, on the
// backend, and on the seed and every bit of the signals of each run.
func (f *fitting) checkpointKey() (string, error) {
	settings, err := json.Marshal(f.checkpointSettings())
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%d\n", settings, f.backend.Name(), len(f.runs))
	for _, run := range f.runs {
		fmt.Fprintf(h, "%d ", run.seed)
		writeBits(h, run.reduced.X())
		if len(run.joints) > 0 { // so that a checkpoint of the last version continues without
			fmt.Fprintf(h, "joints %d\n", run.joints)
		}
		if run.prepared != run.mixed {
			writeBits(h, run.mixed)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// writeBits writes the size and every bit of x to a hash, which has no errors.
func writeBits(h hash.Hash, x *mat.Dense) {
	d, n := x.Dims()
	fmt.Fprintf(h, "%d %d\n", d, n)
	for i := range d {
		_ = binary.Write(h, binary.LittleEndian, x.RawRowView(i))
	}
}

// checkpointSettings returns the settings that the checkpoint's key is made of.
func (f *fitting) checkpointSettings() Config {
	cfg := f.cfg.Clone()
	if cfg.Flow != nil {
		cfg.Flow.Budget = 0
	}
	return cfg
}

// beginSignals returns the name of the file of what run r begins with.
func beginSignals(r int) string { return fmt.Sprintf("run-%03d.npy", r) }

// writeDecisions writes what the runs begin with.
func (f *fitting) writeDecisions(all []*decision) error {
	return f.checkpoint.WriteFirst(func(dir string) error {
		settings := f.checkpointSettings()
		state := beginState{Key: f.key, Settings: &settings, Backend: f.backend.Name()}
		for r, d := range all {
			stages, err := iterate.NewChain(d.Maps).Write(dir, fmt.Sprintf("run-%03d-", r))
			if err != nil {
				return err
			}
			if err := npy.WriteFile(filepath.Join(dir, beginSignals(r)), d.Z); err != nil {
				return err
			}
			state.Runs = append(state.Runs, runBegin{
				d.chosen(), d.candidates, d.Linear, d.Network, d.outliers, d.sentences, stages,
			})
		}
		return sealed.WriteJSON(filepath.Join(dir, beginFile), state)
	})
}

// readDecisions returns what the runs begin with, nil if that wasn't written yet.
func (f *fitting) readDecisions() ([]*decision, error) {
	dir, err := f.checkpoint.First()
	if err != nil || dir == "" {
		return nil, err
	}
	var state beginState
	if err := sealed.ReadJSON(filepath.Join(dir, beginFile), &state); err != nil {
		return nil, err
	}
	if state.Key != f.key {
		return nil, fmt.Errorf("%s was begun %s; must be continued so, or removed", f.cfg.Checkpoint,
			f.howOther(state))
	}
	if len(state.Runs) != len(f.runs) {
		return nil, fmt.Errorf("%s has %d runs; must have %d", dir, len(state.Runs), len(f.runs))
	}
	var all []*decision
	for r, run := range state.Runs {
		d, err := f.readDecision(dir, r, run)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

func (f *fitting) readDecision(dir string, r int, run runBegin) (*decision, error) {
	k, n := f.runs[r].reduced.Dims()
	z, err := mapping.ReadSignals(dir, beginSignals(r), k, n)
	if err == nil {
		err = signal.Check(beginSignals(r), z)
	}
	if err != nil {
		return nil, err
	}
	stages, err := iterate.ReadChain(dir, run.Stages, nil, k, f.grid.Shape())
	if err != nil {
		return nil, err
	}
	d := &decision{
		Separation: network.Separation{
			Name: run.Chosen.Name, Transforms: run.Chosen.Transforms, Z: z, Linear: run.Linear,
			Network: run.Network, Score: run.Chosen.Score,
		},
		candidates: run.Candidates, outliers: run.Outliers, sentences: run.Sentences,
	}
	for _, stage := range stages {
		d.Maps = append(d.Maps, stage.Fixed)
	}
	return d, nil
}

// howOther returns in words how the fit of a checkpoint differs from f.
func (f *fitting) howOther(begun beginState) string {
	if begun.Settings == nil {
		return "with other signals, joints or settings, or on another backend"
	}
	differences := differences("", reflect.ValueOf(*begun.Settings),
		reflect.ValueOf(f.checkpointSettings()))
	switch {
	case len(differences) > 0:
		return "with " + strings.Join(differences, ", ")
	case begun.Backend != f.backend.Name():
		return fmt.Sprintf("on the backend %s, not %s", begun.Backend, f.backend.Name())
	}
	return "with other signals, or with other seeds or joints of runs"
}

// differences returns in words the fields in JSON of two structures of settings that differ, with
// their values, such as "Flow.Iterations 30, not 40". Names begin with the prefix.
func differences(prefix string, was, is reflect.Value) (words []string) {
	for k := range was.NumField() {
		field := was.Type().Field(k)
		a, b := was.Field(k), is.Field(k)
		name := prefix + field.Name
		isEmptySlice := a.Kind() == reflect.Slice && a.Len()+b.Len() == 0
		switch {
		case field.Tag.Get("json") == "-" || isEmptySlice:
		case a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
			words = append(words, differences(name+".", a.Elem(), b.Elem())...)
		case a.Kind() == reflect.Pointer && a.IsNil() && !b.IsNil():
			words = append(words, "no "+name)
		case a.Kind() == reflect.Pointer && !a.IsNil() && b.IsNil():
			words = append(words, "a "+name)
		case !reflect.DeepEqual(a.Interface(), b.Interface()):
			words = append(words, fmt.Sprintf("%s %v, not %v", name, a.Interface(), b.Interface()))
		}
	}
	return words
}
