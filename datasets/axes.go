package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// A layout says which axes of an array of three or more axes are positions. The others are signals.
type layout struct {
	signals, positions int
	bySignal           bool // whether the numbers are ordered by signal
	epochs             int  // number of epochs, each ordered so; 0 for none
	shape              []int
	note               string
}

// layoutOf returns the layout of an array whose positions have the given shape. If the shape is
// nil, three axes that look like epochs are epochs.
func layoutOf(axes, shape []int) (layout, error) {
	for _, length := range axes {
		if length < 1 {
			return layout{}, fmt.Errorf("an array of shape %v; must have axes of at least 1", axes)
		}
	}
	if checkedProduct(axes) == math.MaxInt {
		return layout{}, fmt.Errorf("an array of shape %v, more than the limit of numbers", axes)
	}
	if len(shape) == 0 {
		return guessedLayout(axes)
	}
	var all []layout
	add := func(l layout, positions ...int) {
		isSame := slices.Equal(positions, shape) ||
			len(shape) == 1 && checkedProduct(positions) == shape[0]
		if isSame {
			all = append(all, l)
		}
	}
	for k := 1; k < len(axes); k++ {
		first, rest := checkedProduct(axes[:k]), checkedProduct(axes[k:])
		add(layout{signals: first, positions: rest, bySignal: true}, axes[k:]...)
		add(layout{signals: rest, positions: first}, axes[:k]...)
	}
	if len(axes) == 3 {
		epochs := epochsLayout(axes)
		add(epochs, epochs.positions)
		if slices.Equal(axes, shape) {
			pixels := axes[1] * axes[2]
			all = append(all, layout{signals: pixels, positions: axes[0], shape: axes[:1],
				note: fmt.Sprintf("a movie: each of its %d pixels is a signal at %d positions", pixels, axes[0])})
		}
	}
	all = slices.CompactFunc(all, func(a, b layout) bool { // with axes of 1
		return a.signals == b.signals && a.positions == b.positions && a.bySignal == b.bySignal
	})
	switch len(all) {
	case 1:
		return all[0], nil
	case 0:
		return layout{}, fmt.Errorf("an array of shape %v, which has no positions of Shape %s; must be of "+
			"its first or its last axes, or reshape the array to [n, d]%s", axes, inBraces(shape),
			choices3D(axes))
	}
	return layout{}, fmt.Errorf("an array of shape %v, in which Shape %s can be the first axes or the last; "+
		"must be reshaped to [n, d], as by x.reshape(%d, -1), for signals in rows .T after it", axes,
		inBraces(shape), grid.Product(shape))
}

// epochsLayout returns the layout of the axes [epochs, signals, positions per epoch].
func epochsLayout(axes []int) layout {
	return layout{signals: axes[1], positions: checkedProduct([]int{axes[0], axes[2]}), epochs: axes[0]}
}

// minEpoch is the least number of positions per signal of an epoch. The axes of images and movies
// have similar lengths.
const minEpoch = 2

// guessedLayout returns the layout of an array that looks like epochs.
func guessedLayout(axes []int) (layout, error) {
	if len(axes) != 3 {
		return layout{}, fmt.Errorf("an array of shape %s; must be [n, d], for one signal [n, 1], or "+
			"have the positions' ReadOptions.Shape, which are the first axes or the last",
			text.Shortened(fmt.Sprint(axes)))
	}
	a, b, c := axes[0], axes[1], axes[2]
	if l := epochsLayout(axes); a == 1 || a != b && c/minEpoch >= b {
		if a > 1 {
			l.note = fmt.Sprintf("read as %d epochs of %d signals at %d positions, one epoch after the other; "+
				"ReadOptions.Shape %s would be %d images, and Shape %s a movie", a, b, c, inBraces([]int{b, c}),
				a, inBraces([]int{a}))
		}
		return l, nil
	}
	return layout{}, fmt.Errorf("an array of shape %v, which may be images, a movie or epochs; must have "+
		"the positions' ReadOptions.Shape%s", axes, choices3D(axes))
}

// choices3D lists, for an error, the possible shapes of the positions of an array with three axes.
func choices3D(axes []int) string {
	if len(axes) != 3 {
		return ""
	}
	a, b, c := axes[0], axes[1], axes[2]
	return fmt.Sprintf(": Shape %s for %d images, Shape %s for %d images of the last axis, Shape %s for "+
		"a movie, whose pixels are signals, or Shape %s for %d epochs of %d signals", inBraces([]int{b, c}), a,
		inBraces([]int{a, b}), c, inBraces([]int{a}), inBraces([]int{checkedProduct([]int{a, c})}), a, b)
}

// inBraces returns a shape in Go's notation: {64, 64}.
func inBraces(shape []int) string {
	return "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]") + "}"
}

// checkedProduct returns the product of positive lengths; math.MaxInt if it overflows.
func checkedProduct(lengths []int) int {
	product := 1
	for _, length := range lengths {
		if length > math.MaxInt/product {
			return math.MaxInt
		}
		product *= length
	}
	return product
}

// openAxes returns the content of an array with three axes or more.
func openAxes(
	axes, shape []int, read func([]float64) (int, error), array *fixedArray,
) (*content, error) {
	l, err := layoutOf(axes, shape)
	if err != nil {
		return nil, err
	}
	about := Recording{Shape: l.shape}
	if l.note != "" {
		about.Notes = []string{l.note}
	}
	if l.epochs > 0 {
		c, err := openEpochs(l.epochs, l.signals, axes[2], read)
		if err == nil {
			c.about = about
		}
		return c, err
	}
	return &content{
		about: about, d: l.signals, n: l.positions, bySignal: l.bySignal, read: read, array: array,
	}, nil
}
