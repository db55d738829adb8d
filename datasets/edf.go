package datasets

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/datasets/internal/edf"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// An Event is an annotation of a recording: a moment or a stretch with a text.
type Event struct {
	Onset    float64 `json:"onset"`    // seconds after the first position
	Duration float64 `json:"duration"` // in seconds; negative if none is given
	Text     string  `json:"text"`
}

// An EDFOrigin is the EDF or BDF file from which a Recording was read. A recording written in that
// format again takes from it all that a Recording doesn't hold.
type EDFOrigin struct {
	file  *edf.File
	names []string // distinct names of file.Signals
}

// readEDF reads an EDF or BDF file. The signals are those with the rate of most of its signals. The
// others are kept in the recording's Origin, to be written to EDF files again.
func readEDF(_ string, r io.Reader, _ *ReadOptions) (*Recording, error) {
	f, err := edf.Read(r)
	if err != nil {
		return nil, err
	}
	if len(f.Signals) == 0 {
		return nil, fmt.Errorf("the file has annotations and no signals; must have at least one")
	}
	origin := &EDFOrigin{f, uniqueNames(f.Signals)}
	perRecord := commonRate(f.Signals)
	out := &Recording{
		Rate: edfRecord{perRecord, f.RecordSeconds}.rate(), TimeColumn: "time",
		Notes: slices.Clone(f.Notes), Origin: origin,
	}
	var rows [][]float64
	var others []string
	for i := range f.Signals {
		s := &f.Signals[i]
		if s.PerRecord != perRecord {
			others = append(others, fmt.Sprintf("%s (%g Hz)", origin.names[i],
				edfRecord{s.PerRecord, f.RecordSeconds}.rate()))
			out.OtherRates = append(out.OtherRates, Column{
				Name: origin.names[i], Values: s.Values, Unit: s.Unit, Place: i,
				Reason: "has another rate",
			})
			continue
		}
		rows = append(rows, s.Values)
		out.Names = append(out.Names, origin.names[i])
		out.Units = append(out.Units, s.Unit)
	}
	if err := signal.CheckSize(len(rows), len(rows[0])); err != nil {
		return nil, err
	}
	out.Signals = signal.Rows(rows).Dense()
	for _, a := range f.Annotations {
		a.Onset = positionTime(f, a.Onset)
		out.Events = append(out.Events, Event(a))
	}
	if others != nil {
		out.Notes = append(out.Notes, fmt.Sprintf("most signals have %g Hz; those of another "+
			"rate, %s, are left out here: they may be a reference, and EDF files keep them",
			out.Rate, strings.Join(others, ", ")))
	}
	if f.RecordStarts != nil {
		out.Notes = append(out.Notes, "the recording has gaps: what follows one was put behind "+
			"what comes before it")
	}
	if begin, n := constantTail(out.Signals), len(rows[0]); n-begin >= minConstantTail {
		out.Notes = append(out.Notes, fmt.Sprintf("the last %.3g s is padding: no signal changes there",
			float64(n-begin)/out.Rate))
	}
	if len(out.Events) > 0 {
		out.Notes = append(out.Notes, text.Counted(len(out.Events), "annotation"))
	}
	return out, nil
}

// positionTime converts a time of a file to seconds after its first position, for data records
// without gaps, as the signals are here. A time in a gap becomes the beginning of the next record.
func positionTime(f *edf.File, time float64) float64 {
	starts := f.RecordStarts
	if len(starts) == 0 {
		return time
	}
	k, isStart := slices.BinarySearch(starts, time)
	if !isStart && k > 0 {
		k--
	}
	return float64(k)*f.RecordSeconds + min(time-starts[k], f.RecordSeconds)
}

// fileTime is the inverse of positionTime.
func fileTime(f *edf.File, time float64) float64 {
	starts := f.RecordStarts
	if len(starts) == 0 {
		return time
	}
	const rounding = 1e-9 // of times, in data records
	k := int(min(max(time/f.RecordSeconds+rounding, 0), float64(len(starts)-1)))
	return starts[k] + time - float64(k)*f.RecordSeconds
}

// uniqueNames returns the labels of signals; repeated labels get numbers.
func uniqueNames(signals []edf.Signal) []string {
	names := make([]string, len(signals))
	for i, s := range signals {
		if names[i] = strings.TrimSpace(s.Label); names[i] == "" {
			names[i] = fmt.Sprintf("signal %d", i+1)
		}
	}
	return column.DistinctNames(names)
}

// commonRate returns the number of values per data record that most signals have; among equally
// frequent numbers, the largest.
func commonRate(signals []edf.Signal) int {
	count, best := map[int]int{}, 0
	for _, s := range signals {
		count[s.PerRecord]++
	}
	for rate, many := range count {
		if many > count[best] || many == count[best] && rate > best {
			best = rate
		}
	}
	return best
}

// writeEDF writes a recording as EDF+.
func writeEDF(w io.Writer, r *Recording) error { return r.writeEDF(w, edf.EDF, edf.EDFPlus) }

// writeBDF writes a recording as BDF+.
func writeBDF(w io.Writer, r *Recording) error { return r.writeEDF(w, edf.BDF, edf.BDFPlus) }

// writeEDF writes a recording in one of two formats: plain if it was read from a file in that
// format and has no annotations, otherwise plus.
func (r *Recording) writeEDF(w io.Writer, plain, plus edf.Format) error {
	if r.Rate == 0 {
		return fmt.Errorf("the rate is unknown; must be known for EDF: " +
			"write .csv or .npy, or give the recording a column of times")
	}
	_, n := r.Signals.Dims()
	f := &edf.File{Format: plus, Recording: "Startdate X X X X", Patient: "X X X X"}
	var record edfRecord
	if o := r.Origin; o != nil {
		head := o.file
		f.Patient, f.Recording, f.Start = head.Patient, head.Recording, head.Start
		if head.Format == plain && len(r.Events) == 0 {
			f.Format = plain
		}
		if per := int(math.Round(r.Rate * head.RecordSeconds)); per > 0 && n%per == 0 &&
			math.Abs(r.Rate*head.RecordSeconds-float64(per)) < 1e-6 {
			record = edfRecord{per, head.RecordSeconds}
			if n == len(head.RecordStarts)*per {
				f.RecordStarts = head.RecordStarts
			}
		}
	}
	if record.positions == 0 {
		record = r.chooseRecord(plain)
		if err := record.check(r.Rate); err != nil {
			return err
		}
	}
	f.RecordSeconds = record.seconds
	for _, e := range r.Events {
		e.Onset = fileTime(f, e.Onset)
		f.Annotations = append(f.Annotations, edf.Annotation(e))
	}
	old, used := r.originSignals(record)
	others := r.otherSignals(record, used)
	if slices.Contains(used, true) {
		f.Signals = append(old, others...)
	} else {
		f.Signals = append(others, old...)
	}
	return edf.Write(w, f)
}

// originSignals returns the signals of the file from which r was read, in file order, with the
// values of r where r has them, and which signals of r are among them.
func (r *Recording) originSignals(record edfRecord) (signals []edf.Signal, used []bool) {
	d, _ := r.Signals.Dims()
	used = make([]bool, d)
	o := r.Origin
	if o == nil {
		return nil, used
	}
	for i, name := range o.names {
		s := o.file.Signals[i]
		row := slices.Index(r.Names, name)
		if row >= 0 && !used[row] {
			used[row] = true
			s.Values, s.PerRecord = r.Signals.RawRowView(row), record.positions
			s.Prefilter = r.prefilter(s.Prefilter)
			signals = append(signals, s)
		} else if row < 0 && r.keeps(o, i, record.positions, record.seconds) {
			signals = append(signals, s)
		}
	}
	return signals, used
}

// highpassText matches the high-pass filter of a signal in EDF files.
var highpassText = regexp.MustCompile(`HP:\s*(?:DC|([0-9.]+)\s*Hz)`)

// prefilter returns the text about filters for a signal whose text was before: with r's Highpass,
// unless an earlier filter is higher.
func (r *Recording) prefilter(before string) string {
	if r.Highpass == 0 {
		return before
	}
	own := fmt.Sprintf("HP:%gHz", r.Highpass)
	match := highpassText.FindStringSubmatch(before)
	if match == nil {
		return latinText(strings.TrimSpace(own+" "+before), 80)
	}
	if hz, err := strconv.ParseFloat(match[1], 64); err == nil && hz >= r.Highpass {
		return before
	}
	return latinText(strings.Replace(before, match[0], own, 1), 80)
}

// otherSignals returns the signals that no file had: the unused signals of r, and columns.
func (r *Recording) otherSignals(record edfRecord, used []bool) (others []edf.Signal) {
	d, n := r.Signals.Dims()
	perRecord := record.positions
	for i := range d {
		if used[i] {
			continue
		}
		s := edf.Signal{
			Label: latinLabel(r.name(i)), Values: r.Signals.RawRowView(i), PerRecord: perRecord,
			Prefilter: r.prefilter(""),
		}
		if r.Units != nil {
			s.Unit = latinUnit(r.Units[i])
		}
		others = append(others, s)
	}
	for _, c := range r.writtenColumns() {
		if per := len(c.Values) * perRecord; per%n == 0 { // in n values of the signals
			others = append(others, edf.Signal{
				Label: latinLabel(c.Name), Values: c.Values, Unit: latinUnit(c.Unit), PerRecord: per / n,
			})
		}
	}
	return others
}

// has reports whether the column is a signal of the file, of which nothing has been left out since.
func (o *EDFOrigin) has(c *Column) bool {
	i := slices.Index(o.names, c.Name)
	return i >= 0 && len(o.file.Signals[i].Values) == len(c.Values)
}

// writtenColumns returns the numeric columns to write beside the signals, except those of the EDF
// or BDF file from which r was read.
func (r *Recording) writtenColumns() (columns []Column) {
	_, n := r.Signals.Dims()
	add := func(c Column) {
		if r.Origin == nil || !r.Origin.has(&c) {
			columns = append(columns, c)
		}
	}
	for _, c := range r.Aside {
		if len(c.Values) == n {
			add(c)
		}
	}
	for _, c := range r.OtherRates {
		if len(c.Values) > 0 {
			add(c)
		}
	}
	return columns
}

// keeps reports whether signal i of the file from which r was read is written unchanged: if it was
// set aside or has another rate, and is as long as r.
func (r *Recording) keeps(o *EDFOrigin, i, perRecord int, recordSeconds float64) bool {
	s := &o.file.Signals[i]
	_, n := r.Signals.Dims()
	if o.file.RecordSeconds != recordSeconds || len(s.Values)*perRecord != n*s.PerRecord {
		return false
	}
	aside := slices.ContainsFunc(r.Aside, func(c Column) bool { return c.Name == o.names[i] })
	return aside || s.PerRecord != commonRate(o.file.Signals)
}

// latinLabel returns a name as a label of EDF: 16 characters of Latin-1.
func latinLabel(name string) string { return latinText(name, 16) }

// latinUnit returns a unit in the form of EDF: 8 characters of Latin-1, µV as uV.
func latinUnit(unit string) string {
	return latinText(strings.NewReplacer("µ", "u", "μ", "u").Replace(unit), 8)
}

// latinText returns at most length characters of a text, with question marks for characters that
// aren't printable Latin-1.
func latinText(text string, length int) string {
	var out []rune
	for _, c := range text {
		if len(out) == length {
			break
		}
		if c < ' ' || c > 255 {
			c = '?'
		}
		out = append(out, c)
	}
	return string(out)
}
