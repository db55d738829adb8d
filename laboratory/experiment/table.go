package experiment

import (
	"io"
	"strings"
)

// A table is a Markdown table.
type table struct {
	head []string
	left int // columns that are aligned to the left; the others to the right
	rows [][]string
}

// newTable returns an empty table, all of whose columns are aligned to the left.
func newTable(head ...string) *table { return &table{head: head, left: len(head)} }

// numbersFrom aligns the columns from the given one on to the right.
func (t *table) numbersFrom(column int) *table {
	t.left = column
	return t
}

// add adds a row.
func (t *table) add(row ...string) { t.rows = append(t.rows, row) }

func (t *table) write(w io.Writer) error {
	var b strings.Builder
	line := func(row []string) { b.WriteString("| " + strings.Join(row, " | ") + " |\n") }
	line(t.head)
	rule := make([]string, len(t.head))
	for i := range rule {
		rule[i] = "---"
		if i >= t.left {
			rule[i] = "---:"
		}
	}
	line(rule)
	for _, row := range t.rows {
		line(row)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
