// Package localscale estimates the scale of innovations around each position, from those on both
// sides, with a window whose width the code length decides.
package localscale

import (
	"math"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

const (
	// A window of the local scale has 8 positions on each side, or 32, 128, 512 or 2048. Code
	// length decides which; the factor is a choice.
	firstWindow, windowFactor, lastWindow = 8, 4, 2048
	// overallShare is the share of the overall scale in the local scale, which keeps the latter
	// above 0: about the share of one value among the 8 nearest on either side.
	overallShare = 0.1
)

// A Spread holds moments of u, the innovations divided by their local scale.
type Spread struct {
	Absolute, Square float64 // Σ|u| and Σu²
	LogScale         float64 // mean logarithm of the local scale
}

// Deviation returns the standard deviation of u for n innovations.
func (p Spread) Deviation(n int) float64 { return math.Sqrt(p.Square/float64(n)) + 1e-300 }

// Scale returns the scale that gives n innovations u the mean absolute value of a standard normal
// variable.
func (p Spread) Scale(n int) float64 {
	return p.Absolute/float64(n)*math.Sqrt(math.Pi/2) + 1e-300
}

// MeasureSpread returns the spread of u with LogScale 0.
func MeasureSpread(u []float64) (sp Spread) {
	for _, v := range u {
		sp.Absolute += math.Abs(v)
		sp.Square += v * v
	}
	return sp
}

// Sequence sets s to the local scale of the prediction errors r of a sequence, as Grid does with the
// window h, and u to r/s. It returns the spread of u. sums[k] is the sum of the first k absolute
// values of r.
func Sequence(u, s, r, sums []float64, h int) (sp Spread) {
	n := len(r)
	rest := overallShare * sums[n] / float64(n)
	scaleEdge := func(first, end int) { // where the window isn't whole
		for t := first; t < end; t++ {
			begin, last := max(t-h, 0), min(t+h+1, n)
			v := (1-overallShare)*(sums[last]-sums[begin]-math.Abs(r[t]))/float64(last-begin-1) + rest
			s[t], u[t] = v, r[t]/v
			sp.Absolute += math.Abs(u[t])
			sp.Square += u[t] * u[t]
		}
	}
	first, end := min(h, n), max(n-h, min(h, n)) // where it is whole
	scaleEdge(0, first)
	if first < end {
		share := (1 - overallShare) / float64(2*h)
		middle := r[first:end]
		count := len(middle) // a length that all slices share spares checks of their bounds
		begins, ends := sums[first-h:][:count], sums[first+h+1:][:count]
		scales, ratios := s[first:][:count], u[first:][:count]
		absolute, square := 0.0, 0.0
		for t, v := range middle {
			a := math.Abs(v)
			scale := share*(ends[t]-begins[t]-a) + rest
			ratio := v / scale
			scales[t], ratios[t] = scale, ratio
			absolute += math.Abs(ratio)
			square += ratio * ratio
		}
		sp.Absolute += absolute
		sp.Square += square
	}
	scaleEdge(end, n)
	sp.LogScale = MeanLog(s)
	return sp
}

// MeanLog returns the mean logarithm of positive numbers. It takes logarithms of products, for
// speed.
func MeanLog(s []float64) float64 {
	const low, high = 1e-100, 1e100 // of products, well within float64
	sum, product := 0.0, 1.0
	t := 0
	for ; t+4 <= len(s); t += 4 {
		v := s[t : t+4 : t+4]
		product *= (v[0] * v[1]) * (v[2] * v[3])
		if !(product > low && product < high) {
			sum += math.Log(product)
			product = 1
		}
	}
	for _, v := range s[t:] {
		product *= v
	}
	return (sum + math.Log(product)) / float64(len(s))
}

// Windows returns the windows to try with n scored positions.
func Windows(n int) (all []int) {
	for h := firstWindow; h <= lastWindow && 8*h <= n; h *= windowFactor {
		all = append(all, h)
	}
	return all
}

// MixedWindows returns the windows to try for mixtures of signals with the given windows: none if
// all signals have a constant scale, and otherwise all from the narrowest to the widest.
func MixedWindows(n int, windows ...int) []int {
	windows = slices.DeleteFunc(windows, func(w int) bool { return w == 0 })
	if len(windows) == 0 {
		return nil
	}
	narrowest, widest := slices.Min(windows), slices.Max(windows)
	return slices.DeleteFunc(Windows(n),
		func(w int) bool { return w < narrowest || w > widest })
}

// Grid sets s, [n], to the local scale of the prediction errors r at the positions of a grid
// with the given sides: the mean of |r| over the window around a position, without the position
// itself, plus the overallShare. In an image the window has the same width along each side and
// holds as many positions as the window of a sequence. space has room for n values.
func Grid(s, r []float64, sides []int, window int, space []float64) {
	total := 0.0
	for t, v := range r {
		s[t] = math.Abs(v)
		total += s[t]
	}
	mean := total / float64(len(r))
	width := math.Pow(float64(2*window+1), 1/float64(len(sides)))
	h := max(1, int(math.Round((width-1)/2)))
	inner := 1
	for a := len(sides) - 1; a >= 0; a-- {
		boxSums(s, sides[a], inner, h, space)
		inner *= sides[a]
	}
	// The number of positions in a window is the product of those along each side.
	last := len(sides) - 1
	line := make([]int, last) // the index of a line along the last axis
	for first := 0; first < len(s); first += sides[last] {
		others := 1
		for a, i := range line {
			others *= countWithin(i, sides[a], h)
		}
		for i := range sides[last] {
			t := first + i
			count := others * countWithin(i, sides[last], h)
			s[t] = (1-overallShare)*(s[t]-math.Abs(r[t]))/float64(count-1) + overallShare*mean
		}
		grid.Next(line, sides[:last])
	}
}

// countWithin returns the number of positions of a side that are at most h from the i-th.
func countWithin(i, side, h int) int { return min(i+h+1, side) - max(i-h, 0) }

// boxSums replaces the values of s by their sums over windows of h positions on either side along
// one axis, of length side. Neighbours along this axis are inner entries of s apart.
func boxSums(s []float64, side, inner, h int, space []float64) {
	line := space[:side]
	for block := 0; block < len(s); block += side * inner {
		for first := block; first < block+inner; first++ {
			for i := range line {
				line[i] = s[first+i*inner]
			}
			windowSums(s[first:], line, inner, h)
		}
	}
}

// windowSums sets every inner-th entry of sums to the sum of the line over the window of h
// positions on either side.
func windowSums(sums, line []float64, inner, h int) {
	sum := 0.0
	for _, v := range line[:min(h, len(line))] {
		sum += v
	}
	for i := range line {
		if i+h < len(line) {
			sum += line[i+h]
		}
		if i > h {
			sum -= line[i-h-1]
		}
		sums[i*inner] = sum
	}
}
