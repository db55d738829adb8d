package datasets

import (
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// withAside returns a recording of n positions and its blocks with the numeric columns of Aside
// among the signals, in file order. Without Places it returns both unchanged.
func withAside(
	about *Recording, n int, blocks iter.Seq2[*mat.Dense, error],
) (*Recording, iter.Seq2[*mat.Dense, error], error) {
	var text, numbers []Column
	for _, c := range about.Aside {
		if len(c.Values) == n {
			numbers = append(numbers, c)
		} else {
			text = append(text, c)
		}
	}
	d := len(about.Places)
	if d == 0 || len(numbers) == 0 {
		return about, blocks, nil
	}
	if err := about.check(d); err != nil {
		return nil, nil, err
	}
	places := slices.Clone(about.Places)
	names, units := slices.Clone(about.Names), slices.Clone(about.Units)
	for _, c := range numbers {
		places = append(places, c.Place)
		if names != nil {
			names = append(names, c.Name)
		}
		if units != nil {
			units = append(units, c.Unit)
		}
	}
	order := grid.Range(len(places)) // the signals, then the columns of numbers
	slices.SortStableFunc(order, func(i, j int) int { return places[i] - places[j] })
	with := *about
	with.Names, with.Units = selected(names, order), selected(units, order)
	with.Places, with.Aside = selected(places, order), text
	return &with, insertColumns(blocks, d, n, numbers, order), nil
}

// insertColumns returns the blocks of d signals and n positions with the columns appended as
// signals, all in the given order.
func insertColumns(
	blocks iter.Seq2[*mat.Dense, error], d, n int, columns []Column, order []int,
) iter.Seq2[*mat.Dense, error] {
	position := 0
	insert := func(x *mat.Dense) (*mat.Dense, error) {
		rows, length := x.Dims()
		if rows != d {
			return nil, fmt.Errorf("Places: %d for %d signals; must be one for each", d, rows)
		}
		if position+length > n {
			return nil, fmt.Errorf("blocks of more than %d positions; must be so many", n)
		}
		all := signal.RowsOf(x)
		for _, c := range columns {
			all = append(all, c.Values[position:position+length])
		}
		position += length
		return signal.Rows(selected(all, order)).Dense(), nil
	}
	return func(yield func(*mat.Dense, error) bool) {
		for x, err := range blocks {
			var all *mat.Dense
			if err == nil && x != nil { // a nil block is an error later
				all, err = insert(x)
			}
			if !yield(all, err) || err != nil {
				return
			}
		}
	}
}
