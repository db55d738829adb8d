package grid

import "fmt"

// Neighbours lists, for every position of an index of the given axes
// (row-major), the positions up to width away along each axis, itself left
// out, in row-major order of the offset: [T][(2·width+1)^axes − 1]. A
// neighbour beyond the edge is listed as T.
func Neighbours(width int, shape ...int) ([][]int32, error) {
	if width < 0 {
		return nil, fmt.Errorf("width %d: want 0 or more", width)
	}
	for _, n := range shape {
		if n < 1 {
			return nil, fmt.Errorf("shape %v: every axis must be at least 1", shape)
		}
	}
	return neighbours(width, shape), nil
}

func neighbours(width int, shape []int) [][]int32 {
	positions := Product(shape)
	offsets := boxOffsets(width, len(shape))
	table := make([][]int32, positions)
	at := make([]int, len(shape))
	for t := range table {
		row := make([]int32, len(offsets))
		for k, offset := range offsets {
			row[k] = int32(Flatten(at, offset, shape, positions))
		}
		table[t] = row
		Next(at, shape)
	}
	return table
}

// Reaches tells how far away along any axis each neighbour of Neighbours lies,
// for an index of the given number of axes.
func Reaches(width, axes int) []int {
	offsets := boxOffsets(width, axes)
	reaches := make([]int, len(offsets))
	for k, offset := range offsets {
		for _, step := range offset {
			reaches[k] = max(reaches[k], step, -step)
		}
	}
	return reaches
}

// Next moves at to the next position, row-major; after the last comes
// the first.
func Next(at, shape []int) {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < shape[i] {
			return
		}
		at[i] = 0
	}
}

// boxOffsets are the offsets of all neighbours up to width away along each
// axis, the centre left out.
func boxOffsets(width, axes int) [][]int {
	offsets := Box(width, axes)
	centre := len(offsets) / 2
	return append(offsets[:centre], offsets[centre+1:]...)
}

// Box are the offsets of up to width along each axis, in row-major order.
func Box(width, axes int) [][]int {
	var offsets [][]int
	digits := make([]int, axes)
	for {
		offset := make([]int, axes)
		for i, digit := range digits {
			offset[i] = digit - width
		}
		offsets = append(offsets, offset)
		if !nextInBox(digits, 2*width+1) {
			return offsets
		}
	}
}

// nextInBox counts digits up in row-major order, each from 0 to size-1, and
// reports whether there was a next one.
func nextInBox(digits []int, size int) bool {
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i]++
		if digits[i] < size {
			return true
		}
		digits[i] = 0
	}
	return false
}

// Flatten is the row-major position of at+offset, or outside beyond the edge.
func Flatten(at, offset, shape []int, outside int) int {
	flat := 0
	for i, n := range shape {
		p := at[i] + offset[i]
		if p < 0 || p >= n {
			return outside
		}
		flat = flat*n + p
	}
	return flat
}
