package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

var nulls = []kind{
	{"white", 2, gaussian, 0},
	{"AR(.9)", 2, ar(datasets.Normal, .9), 0},
	{"AR(7), J=5", 2, nil, 5},
	{"AR(7), random", 2, nil, 0},
	{"white", 4, gaussian, 0},
	{"AR(.9)", 4, ar(datasets.Normal, .9), 0},
	{"AR(7), J=5", 4, nil, 5},
	{"white", 8, gaussian, 0},
	{"AR(.9)", 8, ar(datasets.Normal, .9), 0},
	{"AR(7), J=5", 8, nil, 5},
}

func (k kind) null(first uint64, seeds, positions int) error {
	var gain, gain2, least, most, al []float64
	for seed := range uint64(seeds) {
		_, x, err := k.draw(first+seed, positions)
		if err != nil {
			return err
		}
		sol, err := linear.Separate(context.Background(), x, linear.Options{})
		if err != nil {
			return err
		}
		lo, hi, a := math.Inf(1), math.Inf(-1), math.Inf(-1)
		for i := range k.d {
			for j := range i {
				lo, hi = min(lo, sol.Evidence.At(i, j)), max(hi, sol.Evidence.At(i, j))
				a = max(a, min(sol.Evidence.At(i, j), sol.Alike.At(i, j)))
			}
		}
		gain, gain2, least, most, al = append(gain, sol.Gain), append(gain2, sol.Gain2), append(least, lo), append(most, hi), append(al, a)
	}
	fmt.Printf("%-16s d=%d T=%d n=%d", k.name, k.d, positions, seeds)
	for _, c := range []struct {
		name string
		v    []float64
	}{{"gain", gain}, {"gain2", gain2}, {"least", least}, {"most", most}, {"alike", al}} {
		v := slices.Sorted(slices.Values(c.v))
		fmt.Printf(" | %s", c.name)
		for _, q := range []float64{.5, .9, .95, .98, 1} {
			fmt.Printf(" %.1f", v[min(int(q*float64(len(v))), len(v)-1)])
		}
	}
	fmt.Println()
	_ = mat.Dot
	return nil
}
