package datasets

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/datasets/internal/table"
	"github.com/seed-47b1e431/gosica/internal/unit"
)

// openCSV reads a text file of numbers up to its first row of numbers.
func openCSV(r io.Reader, o *openOptions) (*content, error) { return openTable(r, o, table.Open) }

// openEyeLink reads the text into which SR Research's edf2asc converts an EyeLink recording, up to
// its first sample.
func openEyeLink(r io.Reader, o *openOptions) (*content, error) {
	return openTable(r, o, table.OpenEyeLink)
}

// openTable reads a text with open up to its first row of numbers.
func openTable(
	r io.Reader, o *openOptions, open func(io.Reader, table.Options) (*table.Reader, error),
) (*content, error) {
	separator, decimal, err := o.signs()
	if err != nil {
		return nil, err
	}
	options := table.Options{
		Separator: separator, Decimal: decimal, FillMissing: o.Missing.isFilled(),
		IsLeftOut: o.isLeftOut, Without: o.Without, Numeric: o.numeric,
	}
	if !o.skipText {
		options.MaxText = maxAsideValues
	}
	t, err := open(r, options)
	if err != nil {
		return nil, err
	}
	about := Recording{Names: t.Names, Units: t.Units, Places: t.Places, Notes: t.Notes, Rate: t.Rate}
	if t.Rate > 0 {
		about.TimeColumn = "time"
	}
	// Times in seconds that were dates need a header to be read as times again.
	about.NoHeader = t.Names == nil && t.Rate == 0 && !t.Timed
	return &content{
		about: about, d: t.Columns(), n: unknownLength, read: inPieces(t.Next),
		times: timing{t.Timed, t.TimeUnit, t.FirstLine}, check: t.Check,
		complete: func(r *Recording) {
			for _, c := range t.Texts() {
				r.Aside = append(r.Aside, Column{
					Name: c.Name, Unit: c.Unit, Text: c.Cells, Reason: c.Reason, Place: c.Place,
				})
			}
			r.Notes = append(r.Notes, t.LateNotes()...)
		},
	}, nil
}

// createCSV writes a header, if any, and returns the function that writes the next positions of the
// signals.
func createCSV(w io.Writer, about *Recording, d, _ int) (func(*mat.Dense) error, error) {
	out, position := csv.NewWriter(w), 0
	columns := about.csvColumns(d)
	var err error
	if !about.NoHeader || about.Names != nil || about.hasClock() {
		if err := about.checkHeader(d); err != nil {
			return nil, err
		}
		err = out.Write(about.header(d))
	}
	return func(z *mat.Dense) error {
		_, n := z.Dims()
		var row []string
		for t := range n {
			row = row[:0]
			if about.hasClock() {
				scale, _ := column.TimeUnit(about.TimeColumn, "")
				seconds := about.Start + float64(position)/about.Rate
				row = append(row, formatTime(seconds/scale, about.Rate*scale))
			}
			for _, c := range columns {
				if c.aside != nil {
					row = append(row, c.aside.cell(position))
				} else {
					row = append(row, strconv.FormatFloat(z.At(c.signal, t), 'g', -1, 64))
				}
			}
			if err := out.Write(row); err != nil {
				return err
			}
			position++
		}
		out.Flush()
		return out.Error()
	}, err
}

// hasClock reports whether a CSV file has a column of times.
func (r *Recording) hasClock() bool { return r.TimeColumn != "" && r.Rate > 0 }

// A csvColumn is a column of a CSV file to write: a signal, or a column set aside.
type csvColumn struct {
	name   string
	signal int     // index of the signal
	aside  *Column // nil for a signal
	place  int
}

// name returns the name of signal i; s1, s2, … without Names.
func (r *Recording) name(i int) string {
	if r.Names == nil {
		return fmt.Sprintf("s%d", i+1)
	}
	return r.Names[i]
}

// csvColumns returns the columns of a CSV file of d signals, except times, in the order of Places.
func (r *Recording) csvColumns(d int) (all []csvColumn) {
	for i := range d {
		c := csvColumn{signal: i, name: r.name(i)}
		if r.Units != nil {
			c.name = unit.Join(c.name, r.Units[i])
		}
		if r.Places != nil {
			c.place = r.Places[i]
		}
		all = append(all, c)
	}
	for k := range r.Aside {
		a := &r.Aside[k]
		all = append(all, csvColumn{name: unit.Join(a.Name, a.Unit), aside: a, place: a.Place})
	}
	if r.Places != nil {
		slices.SortStableFunc(all, func(a, b csvColumn) int { return cmp.Compare(a.place, b.place) })
	}
	return all
}

// header returns the names of the columns of d signals.
func (r *Recording) header(d int) (names []string) {
	if r.hasClock() {
		names = append(names, r.TimeColumn)
	}
	for _, c := range r.csvColumns(d) {
		names = append(names, c.name)
	}
	return names
}

// checkHeader returns an error unless the header for d signals would be read as a header.
func (r *Recording) checkHeader(d int) error {
	for i, name := range r.header(d) {
		if !table.IsName(name) {
			return fmt.Errorf("the name %q can't head a column of CSV; must not be empty or a "+
				"number, nor have semicolons, tabs or spaces around it", name)
		}
		if i == 0 && table.IsComment(name) {
			return fmt.Errorf("the name %q can't head the first column of CSV: the header would be "+
				"a comment", name)
		}
	}
	return nil
}

// formatTime returns a time to a thousandth of a step at this rate, or to twelve digits if those
// are more, without an exponent. Times since 1970 need that many digits.
func formatTime(time, rate float64) string {
	steps := max(1, math.Abs(time)*rate)
	digits := max(12, int(math.Ceil(math.Log10(steps)))+4)
	if digits > 16 {
		digits = -1 // all digits of a float64
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(time, 'g', digits, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
