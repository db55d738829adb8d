// Package edf reads and writes recordings in the European Data Format and its relatives:
// EDF and EDF+ (16 bits a value) and BDF and BDF+ (24 bits), as EEG, ECG and sleep recorders
// write them.
//
// The names to know are Read, Write and File:
//
//	f, err := edf.Read(r)
//	for _, s := range f.Signals {
//		fmt.Println(s.Label, s.Unit, s.Rate(f), len(s.Values))
//	}
//	err = edf.Write(w, f)
//
// What Read returns, Write writes back: the values bit for bit, with labels, units, ranges,
// dates, identifications and annotations.
//
// References: B. Kemp, A. Värri, A. C. Rosa, K. D. Nielsen, J. Gade, "A simple format for
// exchange of digitized polygraphic recordings", Electroencephalography and Clinical
// Neurophysiology 82, 1992; B. Kemp, J. Olivan, "European data format 'plus' (EDF+)",
// Clinical Neurophysiology 114, 2003; BioSemi's description of BDF.
package edf

import (
	"fmt"
	"time"
)

// Format is one of the four relatives.
type Format string

const (
	EDF     Format = "EDF"  // 16 bits a value
	EDFPlus Format = "EDF+" // with annotations
	BDF     Format = "BDF"  // 24 bits a value
	BDFPlus Format = "BDF+" // with annotations
)

// bytes returns the size of a value.
func (f Format) bytes() int {
	if f == BDF || f == BDFPlus {
		return 3
	}
	return 2
}

// otherSize returns the format whose values have another size.
func (f Format) otherSize() Format {
	return map[Format]Format{EDF: BDF, EDFPlus: BDFPlus, BDF: EDF, BDFPlus: EDFPlus}[f]
}

// plus returns whether the format has annotations.
func (f Format) plus() bool { return f == EDFPlus || f == BDFPlus }

// limits returns the least and the greatest digital value.
func (f Format) limits() (low, high int) {
	if f.bytes() == 3 {
		return -1 << 23, 1<<23 - 1
	}
	return -1 << 15, 1<<15 - 1
}

// A File is a recording.
type File struct {
	Format Format
	// Patient and Recording identify them, at most 80 characters each. EDF+ says how they
	// are composed.
	Patient, Recording string
	// Start is the local time at which the recording began, to a second; the zone is UTC.
	Start time.Time
	// RecordSeconds is the duration of a data record. Each signal has a whole number of
	// values in it.
	RecordSeconds float64
	// Signals are in the order of the file, without the signals that hold annotations.
	Signals []Signal
	// Annotations are in the order of the file. A part of a second by which the first data record
	// begins after Start is taken off their onsets, unless there are RecordStarts.
	Annotations []Annotation
	// RecordStarts are the times of the data records in seconds after Start, where they
	// don't follow one another without a gap (EDF+D); otherwise nil.
	RecordStarts []float64
	// Notes say what was unusual in a file that was read, such as a last record that is cut
	// off. Write ignores them.
	Notes []string
}

// A Signal is one channel.
type Signal struct {
	Label      string    // at most 16 characters, such as "EEG Fp1"
	Unit       string    // at most 8 characters, such as "uV"
	Transducer string    // at most 80 characters
	Prefilter  string    // at most 80 characters, such as "HP:0.1Hz LP:75Hz"
	Values     []float64 // in Unit
	// PerRecord is the number of values in a data record, of RecordSeconds.
	PerRecord int
	// PhysicalMin and PhysicalMax are the values, in Unit, of DigitalMin and DigitalMax.
	// All four may be 0 for Write to choose them by the values.
	PhysicalMin, PhysicalMax float64
	DigitalMin, DigitalMax   int
}

// Rate returns the number of values a second of a signal of f.
func (s *Signal) Rate(f *File) float64 { return float64(s.PerRecord) / f.RecordSeconds }

// An Annotation is an event with a text. Times are in seconds after File.Start.
type Annotation struct {
	Onset    float64
	Duration float64 // negative if none is given
	Text     string
}

// The sizes of the fields of a header, in the order of the file.
const (
	headerBytes    = 256 // of the file, and of each signal
	maxHeaderCount = 4096
)

// fieldWidths are the widths of the fields that each signal has: label, transducer, unit, physical
// minimum and maximum, digital minimum and maximum, prefilter, values in a data record, reserved.
var fieldWidths = [...]int{16, 80, 8, 8, 8, 8, 8, 80, 8, 32}

// annotationLabel returns the label of the signals that hold annotations.
func (f Format) annotationLabel() string {
	if f.bytes() == 3 {
		return "BDF Annotations"
	}
	return "EDF Annotations"
}

// check returns an error unless f has signals and a duration of data records. The caller sees to it
// that signals have values for as many data records each, and plain formats no annotations or gaps.
func (f *File) check() error {
	if len(f.Signals) == 0 || len(f.Signals) > maxHeaderCount {
		return fmt.Errorf("there are %d signals; must be 1 to %d", len(f.Signals), maxHeaderCount)
	}
	if !(f.RecordSeconds > 0) {
		return fmt.Errorf("RecordSeconds is %g; must be positive", f.RecordSeconds)
	}
	return nil
}

// records returns the number of data records of s; the last may be filled up.
func (s *Signal) records() int {
	return (len(s.Values) + s.PerRecord - 1) / s.PerRecord
}
