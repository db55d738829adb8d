package datasets

import (
	"fmt"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/datasets/internal/table"
)

// checkWide returns an error if the rows of r are in long form: if a column of text names the
// channel of each row. Then a column of numbers, such as times, is the same for each channel, and
// only one column may be a signal. The rows are sorted by channel or by time.
func (r *Recording) checkWide() error {
	_, n := r.Signals.Dims()
	for _, c := range r.Aside {
		if len(c.Text) != n {
			continue
		}
		if _, isTime := table.DateTime(c.Text[0]); isTime {
			continue
		}
		stay, again := staying(c.Text), period(c.Text)
		isLong := stay > 1 && stay < n && n%stay == 0 && r.repeatsEvery(stay) ||
			again > 1 && again < n && n%again == 0 && r.staysFor(again)
		if isLong && r.countSignals() < 2 {
			return fmt.Errorf("column %q says which channel a row is of; must have a row for each "+
				"position and a column for each channel, as pandas.DataFrame.pivot makes", c.Name)
		}
	}
	return nil
}

// countSignals returns how many columns of numbers may be signals. Times aren't signals, even if
// they start anew with each channel.
func (r *Recording) countSignals() (count int) {
	for i := range r.Signals.RawMatrix().Rows {
		c := column.StatsOf(r.Signals.RawRowView(i))
		if c.IsSignal(column.Name(r.Names, i)) {
			count++
		}
	}
	return count
}

// staying returns for how many rows a column has its first text, if all later texts stay for as
// many rows; 0 otherwise.
func staying(text []string) int {
	length := 1
	for length < len(text) && text[length] == text[0] {
		length++
	}
	for t := range text {
		if text[t] != text[t/length*length] {
			return 0
		}
	}
	return length
}

// period returns the number of rows after which a column of text repeats, with other texts in
// between; 0 if it doesn't.
func period(text []string) int {
	length := 1
	for length < len(text) && text[length] != text[0] {
		length++
	}
	for t := range text {
		if text[t] != text[t%length] {
			return 0
		}
	}
	return length
}

// repeatsEvery reports whether a column of numbers rises for length rows, and does so again and
// again in the same way.
func (r *Recording) repeatsEvery(length int) bool {
	return r.hasColumn(func(v []float64, t int) bool {
		return v[t] == v[t%length] && (t%length == 0 || v[t] > v[t-1])
	})
}

// staysFor reports whether a column of numbers rises after every length rows, and only then.
func (r *Recording) staysFor(length int) bool {
	return r.hasColumn(func(v []float64, t int) bool {
		if t%length == 0 {
			return t == 0 || v[t] > v[t-1]
		}
		return v[t] == v[t-1]
	})
}

// hasColumn reports whether a column of numbers satisfies is at every row.
func (r *Recording) hasColumn(is func(v []float64, t int) bool) bool {
	d, n := r.Signals.Dims()
	for i := range d {
		v, t := r.Signals.RawRowView(i), 0
		for t < n && is(v, t) {
			t++
		}
		if t == n {
			return true
		}
	}
	return false
}
