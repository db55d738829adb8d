package datasets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/datasets/internal/matlab"
	"github.com/seed-47b1e431/gosica/internal/npy"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// rateNames are the lower-case names of variables with the number of positions per second.
var rateNames = []string{
	"fs", "sfreq", "srate", "samplerate", "sample_rate", "samplingrate", "sampling_rate",
	"samplingfrequency", "sampling_frequency", "sample_frequency", "freq_sampling", "rate",
}

// stepNames are the names of variables with the time between positions: in seconds, or in the unit
// given by a text whose name ends with _units.
var stepNames = []string{"interval", "isi", "dt", "sample_interval", "sampling_interval"}

// labelNames are the lower-case names of a cell, or a matrix of characters, with the names of the
// signals.
var labelNames = []string{
	"labels", "label", "names", "channels", "channel_names", "channelnames", "ch_names", "chnames",
	"chan_names", "electrodes", "leads", "lead_names", "clab", "titles",
}

// maxListedVariables is the largest number of variables in an error or a note: two or three lines.
const maxListedVariables = 8

// readMAT reads the signals in a MAT-file: a matrix or, without one, vectors of one length.
func readMAT(_ string, r io.Reader, o *ReadOptions) (*Recording, error) {
	f, err := matlab.Read(r)
	if err != nil {
		return nil, err
	}
	if kind := structOf(f); kind != nil && o.Variable == "" {
		if o.Transpose {
			return nil, errTranspose
		}
		return kind(f)
	}
	m, err := newMATRecording(f, o)
	if err != nil {
		return nil, err
	}
	out, used, err := m.recording(o)
	if err != nil {
		return nil, err
	}
	var rest []string
	for i := range f.Variables {
		v := &f.Variables[i]
		if isTopLevel(v) && !slices.ContainsFunc(used, func(name string) bool {
			return name == v.Name || strings.HasPrefix(name, v.Name+".")
		}) {
			rest = append(rest, v.String())
		}
	}
	if rest != nil {
		out.Notes = append(out.Notes, fmt.Sprintf("%s of the MAT-file was read, and not %s",
			quoted(used), listed(rest, maxListedVariables)))
	}
	return out, nil
}

// structOf returns the function that reads an EEGLAB or FieldTrip struct in a MAT-file; nil for
// none.
func structOf(f *matlab.File) func(f *matlab.File) (*Recording, error) {
	if data := f.Find("EEG.data"); data != nil && data.IsReal() && f.Find("EEG.nbchan") != nil &&
		f.Find("EEG.pnts") != nil && f.Find("EEG.srate") != nil {
		return func(f *matlab.File) (*Recording, error) { return eeglabRecording(f, "") }
	}
	if f.IsLabChart() {
		return labChartRecording
	}
	for i := range f.Variables {
		prefix, isTrial := strings.CutSuffix(f.Variables[i].Name, ".trial")
		label := f.Find(prefix + ".label")
		if isTrial && f.Variables[i].Class == "cell" && label != nil && label.Class == "cell" {
			return func(f *matlab.File) (*Recording, error) { return fieldTripRecording(f, prefix) }
		}
	}
	return nil
}

// fieldTripRecording reads the signals of a FieldTrip struct: trials, one after another, with a row
// for each channel.
func fieldTripRecording(f *matlab.File, name string) (*Recording, error) {
	trials, labels := f.Find(name+".trial"), f.Find(name+".label")
	d, n := labels.Len(), 0
	var all []*matlab.Variable
	for k := range trials.Len() {
		trial := f.Find(fmt.Sprintf("%s.trial{%d}", name, k+1))
		if trial == nil || !trial.IsReal() || len(trial.Shape) != 2 || trial.Shape[0] != d {
			return nil, fmt.Errorf("trial %d of %q of FieldTrip; must have a row for each of the %d "+
				"labels", k+1, name, d)
		}
		all = append(all, trial)
		if n += trial.Shape[1]; n > MaxEntries {
			break
		}
	}
	if err := signal.CheckSize(d, n); err != nil {
		return nil, err
	}
	r := &Recording{Signals: mat.NewDense(d, n, nil)}
	at := 0
	for _, trial := range all {
		values, err := f.Values(trial)
		if err != nil {
			return nil, err
		}
		if length := trial.Shape[1]; length > 0 {
			r.Signals.Slice(0, d, at, at+length).(*mat.Dense).Copy(byPosition(values, d))
			at += length
		}
	}
	r.Names = column.DistinctNames(f.Texts(labels, d))
	rate := f.Find(name + ".fsample")
	if rate != nil && rate.IsReal() && rate.Len() == 1 && rate.Value > 0 && signal.Finite(rate.Value) {
		r.Rate, r.TimeColumn = rate.Value, "time"
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%q is a struct of FieldTrip", name))
	if len(all) > 1 {
		r.Notes = append(r.Notes, oneByOne(fmt.Sprintf("%d trials", len(all))))
	}
	return r, nil
}

// labChartRecording reads the signals of a file of LabChart.
func labChartRecording(f *matlab.File) (*Recording, error) {
	l, err := f.LabChart()
	if err != nil {
		return nil, err
	}
	r := &Recording{
		Signals: signal.Rows(l.Channels).Dense(), Names: column.DistinctNames(l.Names),
		Notes: []string{"the MAT-file is one of LabChart"},
	}
	if l.Blocks > 1 {
		r.Notes = append(r.Notes, oneByOne(fmt.Sprintf("%d blocks", l.Blocks)))
	}
	if signal.Positive(l.Rate) {
		r.Rate, r.TimeColumn = column.RoundRate(l.Rate), "time"
	}
	return r, nil
}

// isTopLevel reports whether a variable isn't in a struct or a cell.
func isTopLevel(v *matlab.Variable) bool { return !strings.ContainsAny(v.Name, ".{(") }

// A matRecording holds the variables of a MAT-file with signals.
type matRecording struct {
	file    *matlab.File
	matrix  *matlab.Variable   // nil for vectors
	vectors []*matlab.Variable // of one length
}

// newMATRecording chooses the variables with signals: the variable of the options, or the only
// matrix of numbers, preferably outside of structs, or else all vectors if they have the same
// length.
func newMATRecording(f *matlab.File, o *ReadOptions) (*matRecording, error) {
	if o.Variable != "" {
		return chosenMATRecording(f, o.Variable)
	}
	for _, inStructs := range []bool{false, true} {
		var matrices, vectors []*matlab.Variable
		for i := range f.Variables {
			v := &f.Variables[i]
			if !v.IsReal() || v.Len() < 2 || !inStructs && !isTopLevel(v) {
				continue
			}
			if isVector(v) {
				vectors = append(vectors, v)
			} else {
				matrices = append(matrices, v)
			}
		}
		switch {
		case len(matrices) == 1 && len(matrices[0].Shape) > 2:
			return nil, errAxes(matrices[0])
		case len(matrices) == 1:
			return &matRecording{file: f, matrix: matrices[0]}, nil
		case len(matrices) > 1:
			return nil, fmt.Errorf("several variables may hold the signals; must be chosen by "+
				"ReadOptions.Variable, from %s", candidates(f))
		case len(vectors) > 0 && haveOneLength(vectors):
			return &matRecording{file: f, vectors: vectors}, nil
		case len(vectors) > 0:
			return nil, fmt.Errorf("there is no matrix, and vectors of several lengths; must be a "+
				"matrix with a row for each position, or one of %s by ReadOptions.Variable", candidates(f))
		}
	}
	advice := ""
	for _, v := range f.Variables {
		if v.Class == "sparse" {
			advice = fmt.Sprintf(": save full(%s)", v.Name)
		}
	}
	return nil, fmt.Errorf("there is no array of real numbers among %s; must be one with a row "+
		"for each position%s", candidates(f), advice)
}

// chosenMATRecording returns the recording with the signals of one variable.
func chosenMATRecording(f *matlab.File, name string) (*matRecording, error) {
	v := f.Find(name)
	switch {
	case v == nil:
		return nil, fmt.Errorf("there is no variable %q; must be one of %s", text.Shortened(name),
			candidates(f))
	case !v.IsReal():
		return nil, fmt.Errorf("the variable %v; must be an array of real numbers, such as %s", v,
			candidates(f))
	case len(v.Shape) > 2:
		return nil, errAxes(v)
	case isVector(v):
		return &matRecording{file: f, vectors: []*matlab.Variable{v}}, nil
	}
	return &matRecording{file: f, matrix: v}, nil
}

// errAxes returns the error for an array with more than two axes.
func errAxes(v *matlab.Variable) error {
	return fmt.Errorf("the variable %v; must have two axes: write epochs one after the other, or "+
		"as NPY of [epochs, signals, positions]", v)
}

// candidates lists the arrays that may hold signals or, if there are none, all variables.
func candidates(f *matlab.File) string {
	var numeric, all []string
	for i := range f.Variables {
		v := &f.Variables[i]
		if all = append(all, v.String()); v.IsReal() && v.Len() > 1 {
			numeric = append(numeric, v.String())
		}
	}
	switch {
	case numeric != nil:
		return listed(numeric, maxListedVariables)
	case all != nil:
		return listed(all, maxListedVariables)
	}
	return "no variables"
}

// isVector reports whether an array has one row or one column.
func isVector(v *matlab.Variable) bool {
	return len(v.Shape) == 2 && (v.Shape[0] == 1 || v.Shape[1] == 1)
}

// haveOneLength reports whether all of the vectors have the same length.
func haveOneLength(vectors []*matlab.Variable) bool {
	return !slices.ContainsFunc(vectors, func(v *matlab.Variable) bool {
		return v.Len() != vectors[0].Len()
	})
}

// recording reads the signals, and returns the names of the variables it used.
func (m *matRecording) recording(o *ReadOptions) (*Recording, []string, error) {
	r := &Recording{TimeColumn: "time"}
	read := m.readVectors
	if m.matrix != nil {
		read = m.readMatrix
	}
	used, err := read(r, o)
	if err != nil {
		return nil, nil, err
	}
	more, err := m.describe(r)
	if r.Rate == 0 {
		r.TimeColumn = ""
	}
	return r, append(used, more...), err
}

// readMatrix reads the signals of r from the matrix, and returns its name.
func (m *matRecording) readMatrix(r *Recording, o *ReadOptions) (used []string, err error) {
	n, d := m.matrix.Shape[0], m.matrix.Shape[1]
	if err := signal.CheckSize(d, n); err != nil {
		return nil, err
	}
	values, err := m.file.Values(m.matrix)
	if err != nil {
		return nil, err
	}
	r.Signals = mat.NewDense(d, n, values)
	if o.Transpose {
		r.Signals = byPosition(values, n)
		r.Notes = append(r.Notes, transposedNote)
	}
	return []string{m.matrix.Name}, nil
}

// readVectors reads the signals of r, their names and the times from the vectors, and returns the
// names of these.
func (m *matRecording) readVectors(r *Recording, o *ReadOptions) (used []string, err error) {
	if o.Transpose {
		return nil, errTranspose
	}
	var rows [][]float64
	for _, v := range m.vectors {
		values, err := m.file.Values(v)
		if err != nil {
			return nil, err
		}
		used = append(used, v.Name)
		if isTimeVector(v.Name, values) && len(m.vectors) > 1 {
			r.setClock(values)
			continue
		}
		r.Names, rows = append(r.Names, m.title(v)), append(rows, values)
	}
	if err := signal.CheckSize(len(rows), m.vectors[0].Len()); err != nil {
		return nil, err
	}
	r.Names = column.DistinctNames(r.Names)
	r.Signals = signal.Rows(rows).Dense()
	return used, nil
}

// describe adds to r the rate and the names in other variables, and returns the names of these.
func (m *matRecording) describe(r *Recording) (used []string, err error) {
	for i := range m.file.Variables {
		v := &m.file.Variables[i]
		isUsed, err := m.describeBy(v, r)
		if err != nil {
			return nil, err
		}
		if isUsed {
			used = append(used, v.Name)
		}
	}
	return used, nil
}

// describeBy adds to r what a variable says about it, and reports whether it says anything.
func (m *matRecording) describeBy(v *matlab.Variable, r *Recording) (used bool, err error) {
	d, n := r.Signals.Dims()
	last := strings.ToLower(v.Name[strings.LastIndexByte(v.Name, '.')+1:]) // of a struct's
	isNumber := v.IsReal() && v.Len() == 1
	switch {
	case r.Rate == 0 && isNumber && v.Value > 0 && signal.Finite(v.Value) &&
		slices.Contains(rateNames, last):
		r.Rate = v.Value
		r.Notes = append(r.Notes, fmt.Sprintf("%q says %g positions a second", v.Name, v.Value))
		return true, nil
	case r.Rate == 0 && isNumber && slices.Contains(stepNames, last):
		rate := 1 / (v.Value * m.stepUnit(v))
		if !(rate > 0) || !signal.Finite(rate) {
			return false, nil
		}
		r.Rate = column.RoundRate(rate)
		r.Notes = append(r.Notes, fmt.Sprintf("%q gives the rate, %.6g Hz", v.Name, r.Rate))
		return true, nil
	case r.Names == nil && slices.Contains(labelNames, last):
		r.Names = column.DistinctNames(m.file.Texts(v, d))
		return r.Names != nil, nil
	case r.Units == nil && last == "units":
		r.Units = m.file.Texts(v, d)
		return r.Units != nil, nil
	case m.matrix != nil && r.Rate == 0 && (isTopLevel(v) || areFields(v, m.matrix)) &&
		v.IsReal() && isVector(v) && v.Len() == n && n > 1:
		if _, isTime := column.TimeUnit(last, ""); !isTime {
			return false, nil
		}
		values, err := m.file.Values(v)
		if err != nil || !isTimeVector(last, values) {
			return false, err
		}
		r.setClock(values)
		return true, nil
	}
	return false, nil
}

// stepUnit returns the unit, in seconds, of a time between positions; 0 if it is unknown.
func (m *matRecording) stepUnit(v *matlab.Variable) float64 {
	if unit := m.file.Find(v.Name + "_units"); unit != nil {
		return column.Seconds(strings.ToLower(unit.Text))
	}
	return 1
}

// title returns the name of a vector: its variable's or, in a struct, the text of its title.
func (m *matRecording) title(v *matlab.Variable) string {
	at := strings.LastIndexByte(v.Name, '.')
	if at < 0 {
		return v.Name
	}
	if title := m.file.Find(v.Name[:at] + ".title"); title != nil && strings.TrimSpace(
		title.Text) != "" {
		return strings.TrimSpace(title.Text)
	}
	return v.Name
}

// areFields reports whether two variables are fields of the same struct.
func areFields(a, b *matlab.Variable) bool {
	i, j := strings.LastIndexByte(a.Name, '.'), strings.LastIndexByte(b.Name, '.')
	return i > 0 && i == j && a.Name[:i] == b.Name[:j]
}

// isTimeVector reports whether the values of a variable with this name are times of positions.
func isTimeVector(name string, values []float64) bool {
	if _, isTime := column.TimeUnit(name, ""); !isTime || len(values) < 2 {
		return false
	}
	c := column.ClockOf(values)
	return c.Rises() && c.IsEven()
}

// setClock sets the rate and the start from evenly spaced times in seconds.
func (r *Recording) setClock(times []float64) {
	r.TimeColumn, r.Start, r.Rate = column.ClockOf(times).Describe("time", 1)
}

// readEEGLAB reads an EEGLAB data set, whose numbers may be in another file in its folder.
func readEEGLAB(path string, r io.Reader, _ *ReadOptions) (*Recording, error) {
	f, err := matlab.Read(r)
	if err != nil {
		return nil, err
	}
	return eeglabRecording(f, path)
}

// eeglabRecording reads the signals of a data set.
func eeglabRecording(f *matlab.File, path string) (*Recording, error) {
	prefix := ""
	if f.Find("EEG") != nil {
		prefix = "EEG."
	}
	count := func(name string) int {
		v := f.Find(prefix + name)
		if v == nil || !v.IsReal() || v.Len() != 1 || v.Value != math.Trunc(v.Value) ||
			v.Value < 1 || v.Value > MaxEntries {
			return 0
		}
		return int(v.Value)
	}
	d, points, epochs := count("nbchan"), count("pnts"), max(count("trials"), 1)
	data, rate := f.Find(prefix+"data"), f.Find(prefix+"srate")
	if d == 0 || points == 0 || data == nil || rate == nil || !(rate.Value > 0) ||
		!signal.Finite(rate.Value) {
		return nil, errors.New("not a data set of EEGLAB; must have nbchan, pnts, srate and data")
	}
	if points > MaxEntries/epochs {
		return nil, signal.CheckSize(d, MaxEntries)
	}
	n := points * epochs
	if err := signal.CheckSize(d, n); err != nil {
		return nil, err
	}
	var values []float64
	var err error
	if data.Class == "char" {
		values, err = readFDT(filepath.Dir(path), data.Text, path, d*n)
	} else if values, err = f.Values(data); err == nil && len(values) != d*n {
		err = fmt.Errorf("%d numbers; must be %d channels at %d positions", len(values), d, n)
	}
	if err != nil {
		return nil, err
	}
	r := &Recording{Signals: byPosition(values, d), Rate: rate.Value, TimeColumn: "time"}
	r.Names, r.Units = eeglabNames(f, prefix, d), slices.Repeat([]string{"uV"}, d)
	if epochs > 1 {
		r.Notes = append(r.Notes, oneByOne(fmt.Sprintf("%d epochs of %d positions", epochs, points)))
	} else {
		r.Events = eeglabEvents(f, prefix, rate.Value)
	}
	return r, nil
}

// eeglabNames returns the names of the d channels of a data set; nil if some are missing.
func eeglabNames(f *matlab.File, prefix string, d int) (names []string) {
	for i := range d {
		path := fmt.Sprintf("%schanlocs(%d).labels", prefix, i+1)
		if d == 1 {
			path = prefix + "chanlocs.labels"
		}
		v := f.Find(path)
		if v == nil || strings.TrimSpace(v.Text) == "" {
			return nil
		}
		names = append(names, strings.TrimSpace(v.Text))
	}
	return column.DistinctNames(names)
}

// readFDT reads n 32-bit floats from the file of numbers in a data set's folder. The file has the
// name in the data set or, if the files were renamed, the data set's own name.
func readFDT(folder, name, path string, n int) ([]float64, error) {
	name = filepath.Base(strings.ReplaceAll(name, `\`, "/"))
	numbers := filepath.Join(folder, name)
	if _, err := os.Stat(numbers); err != nil {
		numbers = strings.TrimSuffix(path, filepath.Ext(path)) + ".fdt"
	}
	file, err := os.Open(numbers)
	if err != nil {
		return nil, fmt.Errorf("the file of numbers %q isn't in its folder; must be there",
			text.Shortened(name))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != 4*int64(n) {
		return nil, fmt.Errorf("the file of numbers %s has %d bytes; must have 4 for each of %d "+
			"numbers", filepath.Base(numbers), info.Size(), n)
	}
	values := make([]float64, n)
	_, err = npy.Float32.Reader(file)(values)
	return values, err
}

// eeglabEvents returns the events of a data set without epochs.
func eeglabEvents(f *matlab.File, prefix string, rate float64) (events []Event) {
	byName := map[string]*matlab.Variable{}
	for i := range f.Variables {
		if v := &f.Variables[i]; strings.HasPrefix(v.Name, prefix+"event") {
			byName[v.Name] = v
		}
	}
	array := byName[prefix+"event"]
	if array == nil {
		return nil
	}
	for i := range array.Len() {
		element := array.Name
		if array.Len() > 1 {
			element = fmt.Sprintf("%s(%d)", array.Name, i+1)
		}
		latency, kind := byName[element+".latency"], byName[element+".type"]
		if latency == nil || kind == nil || !signal.Finite(latency.Value) {
			break // none, or more than are listed
		}
		e := Event{Onset: (latency.Value - 1) / rate, Duration: -1, Text: kind.Text}
		if kind.IsReal() {
			e.Text = fmt.Sprintf("%g", kind.Value)
		}
		if length := byName[element+".duration"]; length != nil && length.Value > 0 &&
			signal.Finite(length.Value) {
			e.Duration = length.Value / rate
		}
		events = append(events, e)
	}
	return events
}
