package datasets

import (
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

// withAside returns a recording of n positions and its blocks with the columns of numbers in Aside
// among the signals, in the order of the file. Both are as they were without Places.
func withAside(
	about Recording, n int, blocks iter.Seq2[*mat.Dense, error],
) (Recording, iter.Seq2[*mat.Dense, error], error) {
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
		return about, nil, err
	}
	places := slices.Clone(about.Places)
	names, units := slices.Clone(about.Names), slices.Clone(about.Units)
	for _, c := range numbers {
		places = append(places, c.Place)
		if names != nil {
			names = append(names, c.Name)
		}
		if units != nil {
			units = append(units, "")
		}
	}
	order := grid.Range(len(places)) // the signals, then the columns of numbers
	slices.SortStableFunc(order, func(i, j int) int { return places[i] - places[j] })
	about.Names, about.Units = selected(names, order), selected(units, order)
	about.Places, about.Aside = selected(places, order), text
	position := 0
	return about, func(yield func(*mat.Dense, error) bool) {
		for x, err := range blocks {
			if err == nil {
				if rows, _ := x.Dims(); rows != d {
					err = fmt.Errorf("%d places of %d signals; must be one for each", d, rows)
				} else if position+x.RawMatrix().Cols > n {
					err = fmt.Errorf("blocks of more than %d positions; must be so many", n)
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			_, length := x.Dims()
			all := mat.NewDense(len(order), length, nil)
			for k, i := range order {
				if i < d {
					all.SetRow(k, x.RawRowView(i))
				} else {
					all.SetRow(k, numbers[i-d].Values[position:position+length])
				}
			}
			position += length
			if !yield(all, nil) {
				return
			}
		}
	}, nil
}
