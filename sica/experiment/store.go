package experiment

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/jsonl"
)

// OutcomesFile is the name of a folder's file of outcomes, where there is one.
const OutcomesFile = "outcomes"

// Results are outcomes in a folder: a line of JSON each in a file, and the signals
// that were kept as files of their own.
type Results struct {
	dir      string
	files    fs.FS // those of ReadFS, in place of the folder's; nil for Read and Open
	outcomes []Outcome
	place    map[Trial]int // in outcomes
}

// Read reads the results of a folder. Name is that of the file, without an
// ending: files of one folder share the kept signals. A last line that a crash
// has cut short is left out.
func Read(dir, name string) (*Results, error) {
	outcomes, err := jsonl.Read(resultsPath(dir, name), (*Outcome).check)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return newResults(dir, outcomes), nil
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
	r := newResults("", outcomes)
	r.files = fsys
	return r, nil
}

func newResults(dir string, outcomes []Outcome) *Results {
	r := &Results{dir: dir, place: make(map[Trial]int)}
	for _, o := range outcomes {
		r.put(o)
	}
	return r
}

func resultsPath(dir, name string) string { return filepath.Join(dir, name+".jsonl") }

// check returns an error unless o can be kept and drawn: its words must be such that
// they can name a file.
func (o *Outcome) check() error {
	words := []string{o.Data, o.Mixing, o.Method, string(o.Preset), o.Measure}
	for _, word := range words {
		if !plain.MatchString(word) {
			return fmt.Errorf("a trial: %.40q is no word of it; must be letters, digits, + and -",
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

// plain are the words of a trial, which become the name of a file. What isn't in the name of
// a mixture becomes a dash there.
var (
	plain    = regexp.MustCompile("^[A-Za-z0-9+-]*$")
	notPlain = regexp.MustCompile("[^A-Za-z0-9+-]+")
)

// put takes an outcome into memory; of two of a trial, the later one holds.
func (r *Results) put(o Outcome) {
	if i, ok := r.place[o.Trial]; ok {
		r.outcomes[i] = o
		return
	}
	r.place[o.Trial] = len(r.outcomes)
	r.outcomes = append(r.outcomes, o)
}

// Outcomes returns the outcomes, one a trial, in the order in which the trials were
// first made. They must not be changed.
func (r *Results) Outcomes() []Outcome { return r.outcomes }

// find returns the outcome of a trial, and whether there is one.
func (r *Results) find(c Trial) (Outcome, bool) {
	i, ok := r.place[c]
	if !ok {
		return Outcome{}, false
	}
	return r.outcomes[i], true
}

// Signals reads the recovered signals of a trial, d×T, with 16 significant bits. The error
// wraps fs.ErrNotExist if they weren't kept.
func (r *Results) Signals(c Trial) (*mat.Dense, error) {
	if r.files == nil {
		return datasets.ReadFile(r.signalsPath(c))
	}
	file, err := r.files.Open(signalsFile(c))
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	defer file.Close()
	z, err := datasets.ReadNPY(file)
	if err != nil {
		return nil, fmt.Errorf("experiment: %s: %w", signalsFile(c), err)
	}
	return z, nil
}

func (r *Results) hasSignals(c Trial) bool {
	if r.files != nil {
		_, err := fs.Stat(r.files, signalsFile(c))
		return err == nil
	}
	_, err := os.Stat(r.signalsPath(c))
	return err == nil
}

func (r *Results) signalsPath(c Trial) string {
	return filepath.Join(r.dir, filepath.FromSlash(signalsFile(c)))
}

// signalsFile is where a folder of results has the signals of a trial.
func signalsFile(c Trial) string { return path.Join("signals", c.String()+".npy") }

// checkpointPath is a folder for the state of a trial that is being made.
func (r *Results) checkpointPath(c Trial) string {
	return filepath.Join(r.dir, "checkpoint-"+c.String())
}

// A Store is Results that can be added to. What was added is on the disk. Its
// methods aren't safe for concurrent use.
type Store struct {
	*Results
	file *jsonl.File[Outcome]
}

// Open opens the store of a folder for this process alone; see Read for the name.
// The folder and the file are made if need be, and a torn last line is removed.
// It is an error if another process has the file open.
func Open(dir, name string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	file, outcomes, err := jsonl.Open(resultsPath(dir, name), (*Outcome).check)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return &Store{newResults(dir, outcomes), file}, nil
}

// Add writes an outcome, and the signals z unless they are nil, to the disk. The
// trial's checkpoint has then served and is removed.
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

func (s *Store) add(o *Outcome, z *mat.Dense) error {
	if z != nil {
		if err := s.keep(o.Trial, z); err != nil {
			return err
		}
	}
	return s.file.Add(*o)
}

// keptBits are the significant bits of kept signals, of 53. Pictures show 8, and correlations
// change by less than 1e-9. The committed signals, which whoever downloads the module gets, take
// 60 % less than with all bits.
const keptBits = 16

// keep writes the signals of a trial, rounded to keptBits.
func (s *Store) keep(c Trial, z *mat.Dense) error {
	path := s.signalsPath(c)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	var rounded mat.Dense
	rounded.Apply(func(_, _ int, v float64) float64 { return roundBits(v, keptBits) }, z)
	return datasets.WriteFile(path, &rounded)
}

// roundBits rounds v to so many significant bits.
func roundBits(v float64, bits int) float64 {
	fraction, exponent := math.Frexp(v) // 0.5 ≤ |fraction| < 1, or v is 0
	return math.Ldexp(math.RoundToEven(math.Ldexp(fraction, bits)), exponent-bits)
}

// Merge adds the outcomes that the store lacks, and returns how many there were. With
// them come their signals where they were kept; so they do for an outcome of the same
// signals that the store has without them.
func (s *Store) Merge(from *Results) (added int, err error) {
	for _, o := range from.Outcomes() {
		have, ok := s.find(o.Trial)
		keep := from.hasSignals(o.Trial)
		if ok && (!keep || s.hasSignals(o.Trial) || o.SHA256 != have.SHA256) {
			continue
		}
		var z *mat.Dense
		if keep {
			if z, err = from.Signals(o.Trial); err != nil {
				return added, fmt.Errorf("experiment: %w", err)
			}
		}
		if ok {
			if err := s.keep(o.Trial, z); err != nil {
				return added, fmt.Errorf("experiment: keeping %s: %w", o.Trial, err)
			}
			continue
		}
		if err := s.Add(&o, z); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

// Close lets other processes open the store.
func (s *Store) Close() error { return s.file.Close() }

// String is the trial in a few words with dashes, such as
// "ar7-gelu-20-sica-rf-paper-20001", or "ar7-gelu-20x0.1-sica-rf-paper-20001" with mixing
// steps of 0.1. It can name a file.
func (t Trial) String() string {
	words := []string{t.Data, t.Mixing, fmt.Sprint(t.Steps)}
	if t.StepSize != 0 {
		words[2] += fmt.Sprintf("x%g", t.StepSize)
	}
	if t.Mixture != "" {
		words = []string{strings.Trim(notPlain.ReplaceAllString(t.Mixture, "-"), "-")}
		if t.Positions != 0 {
			words = append(words, fmt.Sprint(t.Positions))
		}
	}
	words = append(words, t.Method)
	for _, word := range []string{string(t.Preset), t.Measure} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(append(words, fmt.Sprint(t.Seed)), "-")
}
