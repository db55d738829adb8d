package edf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// Read reads a recording. Its memory is proportional to the length of the file, whatever the header
// says. A file whose number of data records is −1, or whose last record is cut off, is read to its
// end, with a note. So is an EDF file that begins as BDF does, or the reverse, if its length says
// so.
//
// It is an error if the header is damaged, naming the field and what it must be.
func Read(r io.Reader) (*File, error) {
	f, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("edf: %w", err)
	}
	return f, nil
}

// A layout is the layout of the data records.
type layout struct {
	records int          // −1 if unknown
	parts   []signalPart // in the order of a record
	values  int          // in a record
}

// fits reports whether the data records take n bytes in a format.
func (l *layout) fits(n int, format Format) bool {
	return l.records > 0 && n == l.records*l.values*format.bytes()
}

// A signalPart is a signal's part of a data record.
type signalPart struct {
	signal int // in File.Signals; −1 for annotations
	count  int // values
}

func read(r io.Reader) (*File, error) {
	head := make([]byte, headerBytes)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, fmt.Errorf("the header is cut off: must be %d bytes", headerBytes)
	}
	f := &File{}
	n, records, err := f.readHead(head)
	if err != nil {
		return nil, err
	}
	fields, err := readFull(r, n*headerBytes)
	if err != nil {
		return nil, fmt.Errorf("the header of %d signals is cut off", n)
	}
	l, err := f.readSignals(fields, n)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if l.records = records; records == 0 && len(data) > 0 {
		l.records = -1 // by a recorder that was cut off
	}
	if other := f.Format.otherSize(); l.fits(len(data), other) && !l.fits(len(data), f.Format) {
		f.note("the file begins as %s does, and has as many bytes as %s: it was read as that",
			f.Format, other)
		f.Format = other
	}
	for i := range f.Signals {
		if s := &f.Signals[i]; s.hasNoRange() {
			f.note("signal %d (%s) has no range: its values are the digital ones", i+1, s.Label)
			continue
		}
		if err := f.Signals[i].checkRange(i, f.Format); err != nil {
			return nil, err
		}
	}
	if isTextCopy(data) {
		return nil, errTextCopy
	}
	return f, f.readRecords(data, l)
}

// readHead reads the fields of the whole file, and returns the numbers of signals and of
// data records.
func (f *File) readHead(head []byte) (signals, records int, err error) {
	text := func(from, to int) string { return strings.TrimRight(latin(head[from:to]), " \x00") }
	reserved := text(192, 236)
	switch {
	case head[0] == 0xff && string(head[1:8]) == "BIOSEMI":
		f.Format = BDF
		if strings.HasPrefix(reserved, "BDF+") {
			f.Format = BDFPlus
		}
	case text(0, 8) == "0":
		f.Format = EDF
		if strings.HasPrefix(reserved, "EDF+") {
			f.Format = EDFPlus
		}
	default:
		return 0, 0, fmt.Errorf("the file begins with %q; must be \"0\" (EDF) or 255 and "+
			"\"BIOSEMI\" (BDF)", head[:8])
	}
	f.Patient, f.Recording = text(8, 88), text(88, 168)
	f.Start = f.readStart(text(168, 176), text(176, 184))
	if records, err = readInt("number of data records", text(236, 244), -1,
		math.MaxInt32); err != nil {
		return 0, 0, err
	}
	if f.RecordSeconds, err = readFloat("duration of a data record", text(244, 252)); err != nil {
		return 0, 0, err
	}
	if f.RecordSeconds < 0 {
		return 0, 0, fmt.Errorf("the duration of a data record is %g s; must be positive",
			f.RecordSeconds)
	}
	if f.RecordSeconds == 0 { // EDF+ with annotations only
		f.RecordSeconds = 1
		f.note("the duration of a data record is 0 s: 1 s is assumed")
	}
	signals, err = readInt("number of signals", text(252, 256), 1, maxHeaderCount)
	if strings.HasPrefix(reserved, "EDF+D") || strings.HasPrefix(reserved, "BDF+D") {
		f.RecordStarts = []float64{}
	}
	return signals, records, err
}

func (f *File) note(format string, a ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, a...))
}

// readStart returns the time of the header's date (dd.mm.yy) and time (hh.mm.ss). Years
// from 85 on are of the last century. A damaged date is the zero time and a note.
func (f *File) readStart(date, clock string) time.Time {
	numbers := func(s string) (a [3]int, ok bool) {
		parts := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
		if len(parts) != 3 {
			return a, false
		}
		for k, p := range parts {
			a[k], _ = strconv.Atoi(p)
		}
		return a, true
	}
	d, okDate := numbers(date)
	c, okClock := numbers(clock)
	if !okDate || !okClock || d[0] < 1 || d[0] > 31 || d[1] < 1 || d[1] > 12 || c[0] > 23 ||
		c[1] > 59 || c[2] > 59 {
		f.note("the start %q %q is no date and time", date, clock)
		return time.Time{}
	}
	year := 2000 + d[2]%100
	if d[2]%100 >= 85 {
		year -= 100
	}
	return time.Date(year, time.Month(d[1]), d[0], c[0], c[1], c[2], 0, time.UTC)
}

// readSignals reads the fields of n signals.
func (f *File) readSignals(fields []byte, n int) (*layout, error) {
	var columns [len(fieldWidths)][]string
	for k, width := range fieldWidths {
		for i := range n {
			text := latin(fields[i*width : (i+1)*width])
			columns[k] = append(columns[k], strings.TrimRight(text, " \x00"))
		}
		fields = fields[n*width:]
	}
	l := &layout{}
	low, high := BDF.limits() // until the format is known
	for i := range n {
		s := Signal{
			Label: columns[0][i], Transducer: columns[1][i], Unit: columns[2][i],
			Prefilter: columns[7][i],
		}
		name := fmt.Sprintf("of signal %d (%s)", i+1, s.Label)
		var err [5]error
		s.PhysicalMin, err[0] = readFloat("physical minimum "+name, columns[3][i])
		s.PhysicalMax, err[1] = readFloat("physical maximum "+name, columns[4][i])
		s.DigitalMin, err[2] = readInt("digital minimum "+name, columns[5][i], low, high)
		s.DigitalMax, err[3] = readInt("digital maximum "+name, columns[6][i], low, high)
		s.PerRecord, err[4] = readInt("number of values in a data record "+name, columns[8][i],
			1, 1<<24)
		if err[4] != nil {
			return nil, err[4]
		}
		part := signalPart{signal: -1, count: s.PerRecord}
		if l.values += s.PerRecord; l.values > 1<<27 {
			return nil, fmt.Errorf("a data record of more than %d values; must be less", 1<<27)
		}
		if s.Label == EDF.annotationLabel() || s.Label == BDF.annotationLabel() {
			l.parts = append(l.parts, part)
			continue
		}
		if e := cmp.Or(err[:4]...); e != nil { // which doesn't matter for annotations
			return nil, e
		}
		part.signal = len(f.Signals)
		l.parts = append(l.parts, part)
		f.Signals = append(f.Signals, s)
	}
	return l, nil
}

// errTextCopy is the error for a file that a program copied as if it were text.
var errTextCopy = errors.New("there is a carriage return before each line feed, as in a file that " +
	"was copied as text; must be copied as it is (in binary mode)")

// minLineFeeds is how many line feeds say that a file was copied as text. About one in 256 bytes is
// a line feed, and one in 256 of these has a carriage return before it by chance.
const minLineFeeds = 8

// isTextCopy reports whether each line feed has a carriage return before it.
func isTextCopy(data []byte) bool {
	count := bytes.Count(data, []byte("\n"))
	return count >= minLineFeeds && bytes.Count(data, []byte("\r\n")) == count
}

// hasNoRange reports whether the ranges of s are 0 to 0, as programs write for inputs that aren't
// used.
func (s *Signal) hasNoRange() bool {
	return s.DigitalMin == 0 && s.DigitalMax == 0 && s.PhysicalMin == 0 && s.PhysicalMax == 0
}

// calibration returns the value of a digital step and that of digital 0: a physical value is zero +
// scale·digital value.
func (s *Signal) calibration() (scale, zero float64) {
	if s.hasNoRange() {
		return 1, 0
	}
	scale = (s.PhysicalMax - s.PhysicalMin) / float64(s.DigitalMax-s.DigitalMin)
	return scale, s.PhysicalMax - scale*float64(s.DigitalMax)
}

// checkRange returns an error unless signal i has a range, whose digital limits the format has.
func (s *Signal) checkRange(i int, format Format) error {
	low, high := format.limits()
	for _, limit := range []struct {
		name  string
		value int
	}{{"minimum", s.DigitalMin}, {"maximum", s.DigitalMax}} {
		if limit.value < low || limit.value > high {
			return fmt.Errorf("the digital %s of signal %d (%s) is %d; must be a whole number from "+
				"%d to %d", limit.name, i+1, s.Label, limit.value, low, high)
		}
	}
	if s.DigitalMin >= s.DigitalMax || s.PhysicalMin == s.PhysicalMax {
		return fmt.Errorf("the ranges of signal %d (%s) are %d to %d and %g to %g; the digital one "+
			"must rise and the physical one mustn't be empty",
			i+1, s.Label, s.DigitalMin, s.DigitalMax, s.PhysicalMin, s.PhysicalMax)
	}
	return nil
}

// readRecords reads the data records.
func (f *File) readRecords(data []byte, l *layout) error {
	size := f.Format.bytes()
	bytes := l.values * size // of a record
	count := len(data) / bytes
	if l.records >= 0 {
		count = min(count, l.records)
	}
	var starts []float64
	for k := range count {
		record, start := data[k*bytes:(k+1)*bytes], math.NaN()
		for _, part := range l.parts {
			values := record[:part.count*size]
			record = record[part.count*size:]
			if part.signal < 0 {
				start = f.readAnnotations(values, start)
				continue
			}
			s := &f.Signals[part.signal]
			scale, zero := s.calibration()
			for k := 0; k < len(values); k += size {
				s.Values = append(s.Values, zero+scale*float64(digital(values[k:k+size])))
			}
		}
		starts = append(starts, start)
	}
	switch rest := len(data) - count*bytes; {
	case rest > 0 && count == l.records:
		f.note("what follows the %d data records that the header gives, %d bytes, was left out",
			count, rest)
	case rest > 0:
		f.note("data record %d is cut off and left out", count+1)
	}
	switch {
	case l.records < 0:
		f.note("the number of data records isn't given: read %d to the end of the file", count)
	case count < l.records:
		f.note("the header says %d data records, the file has %d", l.records, count)
	}
	return f.setStarts(starts)
}

// setStarts sets what the starts of the data records, NaN where there is none, say of the file: of
// one with gaps RecordStarts, and of another from where on annotations count.
func (f *File) setStarts(starts []float64) error {
	if f.RecordStarts == nil {
		if len(starts) > 0 && math.Abs(starts[0]) < 1 {
			for i := range f.Annotations {
				f.Annotations[i].Onset -= starts[0]
			}
		}
		return nil
	}
	f.RecordStarts = starts
	for k, s := range starts {
		if math.IsNaN(s) {
			return fmt.Errorf("data record %d has no start; one of %s must have, as there are gaps",
				k+1, f.Format.annotationLabel())
		}
	}
	return nil
}

// digital returns a little-endian integer of two or three bytes.
func digital(b []byte) int {
	if len(b) == 3 {
		return int(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24) >> 8)
	}
	return int(int16(uint16(b[0]) | uint16(b[1])<<8))
}

// readAnnotations reads the lists of annotations of a data record: +onset, perhaps 21 and a
// duration, 20, texts that end with 20 each, 0. It returns the start of the record: the given one
// or, if that is NaN, the onset of the first list without a text.
func (f *File) readAnnotations(data []byte, start float64) float64 {
	for list := range bytes.SplitSeq(data, []byte{0}) {
		head, texts, ok := bytes.Cut(list, []byte{20})
		if !ok {
			continue
		}
		onset, duration, _ := bytes.Cut(head, []byte{21})
		a := Annotation{Duration: -1}
		if a.Onset, ok = parseTime(onset); !ok {
			f.note("an annotation's onset is %q, no number: left out", onset)
			continue
		}
		if seconds, ok := parseTime(duration); ok {
			a.Duration = seconds
		}
		for text := range bytes.SplitSeq(bytes.TrimSuffix(texts, []byte{20}), []byte{20}) {
			if len(text) == 0 {
				if math.IsNaN(start) {
					start = a.Onset
				}
				continue
			}
			a.Text = string(text)
			f.Annotations = append(f.Annotations, a)
		}
	}
	return start
}

// parseTime returns the time of an annotation; ok is false if it isn't finite or no number.
func parseTime(text []byte) (seconds float64, ok bool) {
	seconds, err := strconv.ParseFloat(string(text), 64)
	return seconds, err == nil && isFinite(seconds)
}

// readFull is io.ReadFull of n bytes, which allocates as they are read.
func readFull(r io.Reader, n int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && len(data) == 0 {
		err = io.EOF
	} else if err == nil && len(data) < n {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}

// latin returns the text of Latin-1 bytes, which some recorders write for µ and ä.
func latin(b []byte) string {
	runes := make([]rune, len(b))
	for k, c := range b {
		runes[k] = rune(c)
	}
	return string(runes)
}

func readInt(name, text string, low, high int) (int, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64) // some write 1.0
	if err != nil || v != math.Trunc(v) || v < float64(low) || v > float64(high) {
		return 0, fmt.Errorf("the %s is %q; must be a whole number from %d to %d",
			name, text, low, high)
	}
	return int(v), nil
}

func readFloat(name, text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(text), ",", "."), 64)
	if err != nil || !isFinite(v) {
		return 0, fmt.Errorf("the %s is %q; must be a number", name, text)
	}
	return v, nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
