package signal

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Rows are the rows of a matrix, for JSON: gonum's matrices don't support JSON and become {}
// without an error.
type Rows [][]float64

// RowsOf returns the rows of m, which share its memory; nil for nil.
func RowsOf(m *mat.Dense) Rows {
	if m == nil {
		return nil
	}
	rows := make(Rows, m.RawMatrix().Rows)
	for i := range rows {
		rows[i] = m.RawRowView(i)
	}
	return rows
}

// Matrix returns the matrix of the rows. It is an error if there are no values or if the rows
// differ in length.
func (r Rows) Matrix() (*mat.Dense, error) {
	if len(r) == 0 || len(r[0]) == 0 {
		return nil, errors.New("has no values; must have rows of at least one value")
	}
	for i, row := range r {
		if len(row) != len(r[0]) {
			return nil, fmt.Errorf("row %d: has %d values; must have %d, as row 1 has",
				i+1, len(row), len(r[0]))
		}
	}
	return r.Dense(), nil
}

// Dense returns the matrix of copies of the rows, which must be of one length.
func (r Rows) Dense() *mat.Dense {
	m := mat.NewDense(len(r), len(r[0]), nil)
	for i, row := range r {
		m.SetRow(i, row)
	}
	return m
}
