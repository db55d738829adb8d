package experiment

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/laboratory/internal/jsonl"
)

// OutcomesFile is the usual name of the file of outcomes in a folder of results, without its
// ending.
const OutcomesFile = "outcomes"

// Results are the outcomes of trials, read from a folder. A file has a line of JSON for each
// outcome. The recovered signals of a trial, if they were saved, have a file of their own.
type Results struct {
	files    fs.FS // of the folder
	outcomes []Outcome
	index    map[Trial]int // in outcomes
}

// Read reads the results of a folder. The name is that of the file of outcomes, without its
// ending. Several such files of one folder share the saved signals. A last line that a crash has
// truncated is skipped.
func Read(dir, name string) (*Results, error) {
	outcomes, err := jsonl.Read(resultsPath(dir, name), (*Outcome).check)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return newResults(os.DirFS(dir), outcomes), nil
}

// ReadFS reads results as Read does, from the files of fsys, such as embedded ones.
func ReadFS(fsys fs.FS, name string) (*Results, error) {
	file, err := fsys.Open(name + ".jsonl")
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	defer file.Close()
	outcomes, err := jsonl.Decode(file, (*Outcome).check)
	if err != nil {
		return nil, fmt.Errorf("experiment: %s.jsonl: %w", name, err)
	}
	return newResults(fsys, outcomes), nil
}

func newResults(files fs.FS, outcomes []Outcome) *Results {
	r := &Results{files: files, index: make(map[Trial]int)}
	for _, o := range outcomes {
		r.put(o)
	}
	return r
}

func resultsPath(dir, name string) string { return filepath.Join(dir, name+".jsonl") }

// check returns an error unless o can be stored and drawn. The words of its trial must be such that
// they can name a file.
func (o *Outcome) check() error {
	words := []string{o.Data, o.Mixing, o.Method, string(o.Preset), o.Measure}
	for _, word := range words {
		if !plain.MatchString(word) {
			return fmt.Errorf("a trial: has the word %.40q; must have letters, digits, + and - only",
				word)
		}
	}
	if o.MCC != nil && !(*o.MCC >= 0 && *o.MCC < 1.01) { // 1, and rounding
		return fmt.Errorf("a trial: MCC is %g; must be 0 to 1", *o.MCC)
	}
	if o.StepSize < 0 {
		return fmt.Errorf("a trial: step size is %g; must be 0 or more", o.StepSize)
	}
	if o.Seconds < 0 {
		return fmt.Errorf("a trial: seconds are %g; must be 0 or more", o.Seconds)
	}
	return nil
}

// A word of a trial is plain: it becomes part of the name of a file. In the name of a mixture, what
// isn't plain becomes a dash there.
var (
	plain    = regexp.MustCompile("^[A-Za-z0-9+-]*$")
	notPlain = regexp.MustCompile("[^A-Za-z0-9+-]+")
)

// put adds an outcome, or replaces the earlier outcome of the same trial.
func (r *Results) put(o Outcome) {
	if i, ok := r.index[o.Trial]; ok {
		r.outcomes[i] = o
		return
	}
	r.index[o.Trial] = len(r.outcomes)
	r.outcomes = append(r.outcomes, o)
}

// Outcomes returns the outcomes, one for each trial, in the order in which the trials were first
// added. They must not be changed.
func (r *Results) Outcomes() []Outcome { return r.outcomes }

// find returns the outcome of a trial, and whether there is one.
func (r *Results) find(t Trial) (Outcome, bool) {
	i, ok := r.index[t]
	if !ok {
		return Outcome{}, false
	}
	return r.outcomes[i], true
}

// Signals reads the recovered signals of a trial, d×n, with 12 significant bits. The error wraps
// fs.ErrNotExist if they weren't saved.
func (r *Results) Signals(t Trial) (*mat.Dense, error) {
	file, err := r.files.Open(signalsFile(t))
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	defer file.Close()
	z, err := datasets.ReadNPY(file)
	if err != nil {
		return nil, fmt.Errorf("experiment: %s: %w", signalsFile(t), err)
	}
	return z, nil
}

// hasSignals reports whether the signals of a trial were saved.
func (r *Results) hasSignals(t Trial) bool {
	_, err := fs.Stat(r.files, signalsFile(t))
	return err == nil
}

// signalsFile returns the path of the signals of a trial in a folder of results.
func signalsFile(t Trial) string { return path.Join("signals", t.String()+".npy") }

// A Store is Results in a folder, to which outcomes can be added; each is on the disk at once. Its
// methods aren't safe for concurrent use.
type Store struct {
	*Results
	dir  string
	file *jsonl.File[Outcome]
}

// Open opens the store of a folder for this process alone; see Read for the name. It makes the
// folder and the file if they don't exist, and removes a truncated last line. It is an error if
// another process has the file open.
func Open(dir, name string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	file, outcomes, err := jsonl.Open(resultsPath(dir, name), (*Outcome).check)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return &Store{newResults(os.DirFS(dir), outcomes), dir, file}, nil
}

// checkpointPath returns the folder for the checkpoint of a trial that is running.
func (s *Store) checkpointPath(t Trial) string {
	return filepath.Join(s.dir, "checkpoint-"+t.String())
}

// Add writes an outcome, and the signals z unless they are nil, to the disk. It then removes the
// checkpoint of the trial.
func (s *Store) Add(o *Outcome, z *mat.Dense) error {
	if err := s.add(o, z); err != nil {
		return fmt.Errorf("experiment: keeping %s: %w", o.Trial, err)
	}
	s.put(*o)
	if err := os.RemoveAll(s.checkpointPath(o.Trial)); err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	return nil
}

// add is Add, without the memory and the checkpoint.
func (s *Store) add(o *Outcome, z *mat.Dense) error {
	if z != nil {
		if err := s.writeSignals(o.Trial, z); err != nil {
			return err
		}
	}
	return s.file.Add(*o)
}

// savedBits is the number of significant bits of saved signals, of 53. Pictures show 8, and
// correlations change by less than 1e-6. The committed signals, which whoever downloads the module
// gets, take less than a third of those with all bits, and 50 kB less than with 16.
const savedBits = 12

// writeSignals writes the signals of a trial, rounded to savedBits.
func (s *Store) writeSignals(t Trial, z *mat.Dense) error {
	path := filepath.Join(s.dir, filepath.FromSlash(signalsFile(t)))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	var rounded mat.Dense
	rounded.Apply(func(_, _ int, v float64) float64 { return roundBits(v, savedBits) }, z)
	return datasets.WriteFile(path, &rounded)
}

// roundBits rounds v to n significant bits.
func roundBits(v float64, bits int) float64 {
	fraction, exponent := math.Frexp(v) // 0.5 ≤ |fraction| < 1, or v is 0
	return math.Ldexp(math.RoundToEven(math.Ldexp(fraction, bits)), exponent-bits)
}

// Close lets other processes open the store.
func (s *Store) Close() error { return s.file.Close() }
