package lesson

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

var errNilRand = errors.New("lesson: rng: is nil; must be a *rand.Rand")

// Product returns samples of Π_i p(z_i), d×n, from samples z of p: the positions
// of each signal are shuffled by a permutation of its own (the paper's algorithm,
// the sets D′_i). Every signal keeps its values, and loses what it has in common
// with the others.
func Product(rng *rand.Rand, z *mat.Dense) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if err := check("z", z, 0); err != nil {
		return nil, err
	}
	product := mat.DenseCopyOf(z)
	d, n := z.Dims()
	for i := range d {
		row := product.RawRowView(i)
		rng.Shuffle(n, func(s, t int) { row[s], row[t] = row[t], row[s] })
	}
	return product, nil
}

// check returns an error unless z has finite values and d signals; 0 stands for any number. The
// error calls z by the name.
func check(name string, z *mat.Dense, d int) error {
	if z == nil || z.IsEmpty() {
		return fmt.Errorf("lesson: %s: is empty; must have a row for each signal and a column for "+
			"each position", name)
	}
	if rows, _ := z.Dims(); d > 0 && rows != d {
		return fmt.Errorf("lesson: %s: has %d signals; must have %d", name, rows, d)
	}
	if norm := mat.Norm(z, math.Inf(1)); math.IsNaN(norm) || math.IsInf(norm, 0) {
		return fmt.Errorf("lesson: %s: has a value that is infinite or not a number; must be "+
			"finite", name)
	}
	return nil
}
