package notebook

import (
	"fmt"
	"regexp"
	"strings"
)

// A Table is rows of text below a line of headings, in Markdown.
type Table struct {
	head string
	rows []string
}

// NewTable begins a table with its headings, such as "| method | MCC |".
func NewTable(head string) *Table { return &Table{head: head} }

// Row adds a row, formatted as by fmt.Sprintf, such as "| %s | %.3f |".
func (t *Table) Row(format string, values ...any) {
	t.rows = append(t.rows, fmt.Sprintf(format, values...))
}

// Show puts the table below the cell. Columns of numbers are aligned at the right.
func (t *Table) Show() { Markdown("%s", t) }

// number begins like a number; a dash stands for one that there isn't.
var number = regexp.MustCompile(`^([+-−–]?[0-9.]|[–-]?$)`)

// String returns the table in Markdown.
func (t *Table) String() string {
	var b strings.Builder
	b.WriteString(t.head + "\n|")
	for column := range cells(t.head) {
		line := " --- |"
		if t.numbers(column) {
			line = " ---: |"
		}
		b.WriteString(line)
	}
	for _, row := range t.rows {
		b.WriteString("\n" + row)
	}
	return b.String()
}

// numbers says whether all of a column are numbers, and one of them at least.
func (t *Table) numbers(column int) bool {
	any := false
	for _, row := range t.rows {
		if in := cells(row); column < len(in) {
			if !number.MatchString(in[column]) {
				return false
			}
			any = any || in[column] != ""
		}
	}
	return any
}

// cells are the texts between a row's bars.
func cells(row string) []string {
	in := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
	for i := range in {
		in[i] = strings.TrimSpace(in[i])
	}
	return in
}
