package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of an array of three axes or more, Shape says which are positions: each number is where its indices
// put it. Without Shape only long epochs are read, and where Shape fits the first axes and the last it is
// an error.
func TestArraysOfSeveralAxes(t *testing.T) {
	for _, c := range []struct {
		axes, shape []int
		d, n        int // 0 for an error
		at          func(signal, position int) []int
	}{
		{[]int{3, 8, 9}, []int{8, 9}, 3, 72, func(i, t int) []int { return []int{i, t / 9, t % 9} }},
		{[]int{8, 9, 4}, []int{8, 9}, 4, 72, func(i, t int) []int { return []int{t / 9, t % 9, i} }},
		{[]int{40, 3, 5}, []int{40}, 15, 40, func(i, t int) []int { return []int{t, i / 5, i % 5} }},
		{[]int{40, 3, 5}, []int{40, 3, 5}, 15, 40, func(i, t int) []int { return []int{t, i / 5, i % 5} }},
		{[]int{6, 4, 7}, []int{42}, 4, 42, func(i, t int) []int { return []int{t / 7, i, t % 7} }},
		{[]int{6, 4, 20}, nil, 4, 120, func(i, t int) []int { return []int{t / 20, i, t % 20} }},
		{[]int{6, 4, 20}, []int{20}, 24, 20, func(i, t int) []int { return []int{i / 4, i % 4, t} }},
		{[]int{2, 5, 3, 4}, []int{5, 3, 4}, 2, 60, func(i, t int) []int {
			return []int{i, t / 12, t / 4 % 3, t % 4}
		}},
		{[]int{5, 3, 4, 2}, []int{5, 3, 4}, 2, 60, func(i, t int) []int {
			return []int{t / 12, t / 4 % 3, t % 4, i}
		}},
		{[]int{32, 32, 200}, nil, 0, 0, nil},
		{[]int{60, 24, 28}, nil, 0, 0, nil},
		{[]int{3, 8, 8}, nil, 0, 0, nil},
		{[]int{5, 3, 4, 2}, nil, 0, 0, nil},
		{[]int{8, 8, 8}, []int{8, 8}, 0, 0, nil},
		{[]int{3, 8, 9}, []int{9, 8}, 0, 0, nil},
	} {
		size, text := 1, ""
		for _, length := range c.axes {
			size *= length
			text += fmt.Sprintf("%d, ", length)
		}
		numbers := make([]byte, 2*size)
		value := func(k int) int { return k*k%251 + 3*k%19 } // no counter
		for k := range size {
			numbers[2*k], numbers[2*k+1] = byte(value(k)), byte(value(k)>>8)
		}
		path := filepath.Join(t.TempDir(), "a.npy")
		if err := os.WriteFile(path, []byte(npyFile("<u2", "False", "("+text+")", string(numbers))), 0o600); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(c.axes, " by ", c.shape)
		o := ReadOptions{Shape: c.shape}
		r, err := o.Recording(path)
		if c.d == 0 {
			if err == nil || !strings.Contains(err.Error(), "Shape") {
				t.Errorf("%s: %v, %v", name, r, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d, n := r.Signals.Dims(); d != c.d || n != c.n {
			t.Errorf("%s: %d×%d, want %d×%d", name, d, n, c.d, c.n)
			continue
		}
		s, err := o.Stream(path)
		if err != nil {
			t.Fatal(err)
		}
		for block, err := range s.Blocks(c.n) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.d {
				for p := range c.n {
					k := 0
					for axis, index := range c.at(i, p) {
						k = k*c.axes[axis] + index
					}
					if want := float64(value(k)); r.Signals.At(i, p) != want || block.At(i, p) != want {
						t.Fatalf("%s: signal %d at %d is %g, want %g", name, i, p, r.Signals.At(i, p), want)
					}
				}
			}
		}
	}
}
