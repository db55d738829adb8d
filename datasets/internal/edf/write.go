package edf

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Write writes a recording. A last data record that isn't full is filled with each signal's last
// value. Values that were read are written bit for bit, unless a signal has values beyond its
// physical range, or its four limits are 0. Then the physical range is that of the values, and the
// digital one that of the format.
//
// It is an error if a field doesn't fit into the format, or if a value isn't finite.
func Write(w io.Writer, f *File) error {
	if err := write(w, f); err != nil {
		return fmt.Errorf("edf: %w", err)
	}
	return nil
}

func write(w io.Writer, f *File) error {
	if err := f.check(); err != nil {
		return err
	}
	signals := slices.Clone(f.Signals) // those of f keep their ranges
	for i := range signals {
		if err := signals[i].chooseRange(f.Format); err != nil {
			return fmt.Errorf("signal %d (%s): %w", i+1, signals[i].Label, err)
		}
	}
	lists := f.annotationLists(signals[0].records())
	width := 0 // of the longest list, in values of the format
	for _, list := range lists {
		width = max(width, (len(list)+f.Format.bytes()-1)/f.Format.bytes())
	}
	out := bufio.NewWriter(w)
	if err := f.writeHeader(out, signals, width); err != nil {
		return err
	}
	for k := range signals[0].records() {
		for i := range signals {
			signals[i].writeRecord(out, k, f.Format.bytes())
		}
		if f.Format.plus() {
			out.Write(lists[k])
			out.Write(make([]byte, width*f.Format.bytes()-len(lists[k])))
		}
	}
	return out.Flush() // a write that failed before is returned here
}

// chooseRange sets the limits of s, if they don't hold its values.
func (s *Signal) chooseRange(format Format) error {
	low, high := math.Inf(1), math.Inf(-1)
	for t, v := range s.Values {
		if !isFinite(v) {
			return fmt.Errorf("the value at position %d is %g; must be finite", t+1, v)
		}
		low, high = min(low, v), max(high, v)
	}
	digitalLow, digitalHigh := format.limits()
	if s.DigitalMin < s.DigitalMax && s.DigitalMin >= digitalLow && s.DigitalMax <= digitalHigh &&
		s.PhysicalMin != s.PhysicalMax {
		scale, zero := s.calibration()
		a, b := math.Round((low-zero)/scale), math.Round((high-zero)/scale)
		if min(a, b) >= float64(s.DigitalMin) && max(a, b) <= float64(s.DigitalMax) {
			return nil
		}
	}
	if low == high {
		low, high = low-1, high+1
	}
	var err error
	if s.PhysicalMin, err = roundToField(low, math.Floor); err != nil {
		return err
	}
	if s.PhysicalMax, err = roundToField(high, math.Ceil); err != nil {
		return err
	}
	s.DigitalMin, s.DigitalMax = digitalLow, digitalHigh
	return nil
}

// roundToField rounds v, by math.Floor or math.Ceil, to as many digits after the point as a header
// field of eight characters has room for.
func roundToField(v float64, round func(float64) float64) (float64, error) {
	for digits := 6; digits >= 0; digits-- {
		unit := math.Pow(10, float64(digits))
		rounded := round(v*unit) / unit
		if len(number(rounded)) <= 8 && math.Abs(rounded) < 1e8 { // +Inf has four characters
			return rounded, nil
		}
	}
	return 0, fmt.Errorf("the value %g needs more than eight characters; must be within ±9999999: "+
		"choose a larger unit", v)
}

// number returns v in the fewest characters that keep it, without an exponent.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// writeRecord writes the values of data record k, each in size bytes, the lowest first.
func (s *Signal) writeRecord(w *bufio.Writer, k, size int) {
	scale, zero := s.calibration()
	for t := k * s.PerRecord; t < (k+1)*s.PerRecord; t++ {
		v := s.Values[min(t, len(s.Values)-1)]
		d := int32(math.Round((v - zero) / scale))
		w.WriteByte(byte(d))
		w.WriteByte(byte(d >> 8))
		if size == 3 {
			w.WriteByte(byte(d >> 16))
		}
	}
}

// writeHeader writes the header of the file and of the signals. If the format has annotations, they
// are one more signal, of width values a record.
func (f *File) writeHeader(w *bufio.Writer, signals []Signal, width int) error {
	if f.Format.plus() {
		signals = append(slices.Clip(signals), Signal{
			Label: f.Format.annotationLabel(), PerRecord: width, PhysicalMin: -1, PhysicalMax: 1,
		})
		last := &signals[len(signals)-1]
		last.DigitalMin, last.DigitalMax = f.Format.limits()
	}
	var err error
	put := func(name, text string, width int) {
		field, e := latin1(text)
		if e == nil && len(field) > width {
			e = fmt.Errorf("%q has %d characters; must be at most %d", text, len(field), width)
		}
		if e != nil && err == nil {
			err = fmt.Errorf("%s: %w", name, e)
		}
		w.Write(field[:min(len(field), width)])
		w.WriteString(strings.Repeat(" ", max(width-len(field), 0)))
	}
	version, reserved := "0", ""
	if f.Format.bytes() == 3 {
		version, reserved = "\xffBIOSEMI", "24BIT"
	}
	if f.Format.plus() {
		reserved = string(f.Format) + "C"
		if f.RecordStarts != nil {
			reserved = string(f.Format) + "D"
		}
	}
	w.WriteString(version + strings.Repeat(" ", 8-len(version)))
	put("Patient", f.Patient, 80)
	put("Recording", f.Recording, 80)
	date, clock := "01.01.85", "00.00.00"
	if !f.Start.IsZero() {
		date, clock = f.Start.Format("02.01.06"), f.Start.Format("15.04.05")
	}
	put("Start", date, 8)
	put("Start", clock, 8)
	put("number of header bytes", strconv.Itoa(headerBytes*(1+len(signals))), 8)
	put("reserved", reserved, 44)
	put("number of data records", strconv.Itoa(f.Signals[0].records()), 8)
	put("RecordSeconds", number(f.RecordSeconds), 8)
	put("number of signals", strconv.Itoa(len(signals)), 4)
	for k, width := range fieldWidths {
		for i := range signals {
			s := &signals[i]
			field := [...]string{
				s.Label, s.Transducer, s.Unit, number(s.PhysicalMin), number(s.PhysicalMax),
				strconv.Itoa(s.DigitalMin), strconv.Itoa(s.DigitalMax), s.Prefilter,
				strconv.Itoa(s.PerRecord), "", // reserved
			}[k]
			put(fmt.Sprintf("signal %d (%s)", i+1, s.Label), field, width)
		}
	}
	return err
}

// annotationLists returns, for each data record, the bytes of its list of annotations: first the
// record's start, as an annotation without a text, then the annotations that begin in the record.
// An annotation is its onset, "\x15" and its duration if it has one, "\x14", its text and
// "\x14\x00".
func (f *File) annotationLists(records int) [][]byte {
	lists := make([][]byte, records)
	if !f.Format.plus() || records == 0 {
		return lists
	}
	start := func(k int) float64 {
		if f.RecordStarts != nil {
			return f.RecordStarts[k]
		}
		const digits = 1e9 // more than RecordSeconds has, without the errors of a product
		return math.Round(float64(k)*f.RecordSeconds*digits) / digits
	}
	for k := range lists {
		lists[k] = fmt.Appendf(nil, "+%s\x14\x14\x00", number(start(k)))
	}
	for _, a := range f.Annotations {
		k := 0
		for k+1 < records && start(k+1) <= a.Onset {
			k++
		}
		sign := "+"
		if a.Onset < 0 {
			sign = "" // number writes the minus
		}
		lists[k] = fmt.Appendf(lists[k], "%s%s", sign, number(a.Onset))
		if a.Duration >= 0 {
			lists[k] = fmt.Appendf(lists[k], "\x15%s", number(a.Duration))
		}
		text := strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, a.Text)
		lists[k] = fmt.Appendf(lists[k], "\x14%s\x14\x00", text)
	}
	return lists
}

// latin1 returns the Latin-1 bytes of a text. It is an error if it has other characters.
func latin1(text string) ([]byte, error) {
	var field []byte
	for _, r := range text {
		if r < ' ' || r > 255 {
			return nil, fmt.Errorf("%q has the character %q; must be of Latin-1", text, r)
		}
		field = append(field, byte(r))
	}
	return field, nil
}
