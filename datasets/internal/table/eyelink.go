package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/text"
)

// errNotEyeLink is the error for another text.
var errNotEyeLink = errors.New("the text isn't EyeLink's, as no line begins with SAMPLES; must " +
	"be made by edf2asc with events, or renamed to .txt if it is a table")

// OpenEyeLink reads the text that SR Research's edf2asc makes of an EyeLink recording up to its
// first sample. The rows are the samples; messages and events between them are left out. The signs
// of the options don't matter.
func OpenEyeLink(source io.Reader, o Options) (*Reader, error) {
	samples := &eyeLink{lines: bufio.NewScanner(source)}
	samples.lines.Buffer(nil, maxEyeLinkLine)
	if err := samples.begin(); err != nil {
		return nil, err
	}
	o.Separator, o.Decimal = ',', '.'
	r, err := Open(samples, o)
	if err != nil {
		return nil, err
	}
	r.eyeLink = samples
	return r, nil
}

// maxEyeLinkLine is the limit of a line in bytes; messages are at most a few hundred.
const maxEyeLinkLine = 1 << 16

// An eyeLink is a reader of the samples as CSV, below the names of their columns.
type eyeLink struct {
	lines   *bufio.Scanner
	eyes    []string // that the recording has
	width   int      // cells of a sample
	pending bytes.Buffer
	leftOut int // lines
}

// begin reads up to the first sample.
func (e *eyeLink) begin() error {
	cells, err := e.next()
	if errors.Is(err, io.EOF) || err == nil && e.eyes == nil {
		return errNotEyeLink
	}
	if err != nil {
		return err
	}
	names := []string{"time (ms)"}
	for _, eye := range e.eyes {
		for _, what := range []string{"x", "y", "pupil"} {
			names = append(names, eye+" "+what)
		}
	}
	for len(names) < len(cells) {
		names = append(names, fmt.Sprintf("column %d", len(names)+1))
	}
	e.width = len(cells)
	e.write(names[:e.width])
	e.write(cells)
	return nil
}

// next returns the cells of the next sample, without the flags at its end.
func (e *eyeLink) next() ([]string, error) {
	for e.lines.Scan() {
		cells := strings.Fields(e.lines.Text())
		if len(cells) == 0 {
			continue
		}
		if _, err := strconv.ParseFloat(cells[0], 64); err != nil || len(cells) < 2 {
			e.skip(cells)
			continue
		}
		for len(cells) > 2 && !isEyeLinkCell(cells[len(cells)-1]) {
			cells = cells[:len(cells)-1]
		}
		return cells, nil
	}
	if err := e.lines.Err(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// skip counts a line that is no sample. That of SAMPLES says which eyes these have.
func (e *eyeLink) skip(cells []string) {
	e.leftOut++
	if cells[0] != "SAMPLES" || e.eyes != nil {
		return
	}
	for _, eye := range []string{"LEFT", "RIGHT"} {
		if slices.Contains(cells, eye) {
			e.eyes = append(e.eyes, strings.ToLower(eye))
		}
	}
}

// isEyeLinkCell reports whether a cell is a number or missing.
func isEyeLinkCell(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil || cell == "."
}

func (e *eyeLink) write(cells []string) {
	e.pending.WriteString(strings.Join(cells, ","))
	e.pending.WriteByte('\n')
}

// Read implements io.Reader.
func (e *eyeLink) Read(p []byte) (int, error) {
	for e.pending.Len() == 0 {
		cells, err := e.next()
		if err != nil {
			return 0, err
		}
		if len(cells) != e.width {
			return 0, fmt.Errorf("the sample at %s has %d values; must have %d, like those before it",
				text.Shortened(cells[0]), len(cells)-1, e.width-1)
		}
		e.write(cells)
	}
	return e.pending.Read(p)
}
