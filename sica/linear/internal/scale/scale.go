// Package scale estimates the scale of a signal's innovations around each position.
package scale

import "math"

// A window of the local scale has this many positions on each side, four times as
// many from one to the next. A resolution.
const (
	firstWindow  = 8
	windowFactor = 4
	lastWindow   = 2048
)

// Overall is the share of the local scale that is the signal's overall scale, so
// that it is never 0: about that of one value among the 8 nearest on either side.
const Overall = 0.1

// Windows are those worth trying where n positions are scored.
func Windows(n int) (all []int) {
	for h := firstWindow; h <= lastWindow && 8*h <= n; h *= windowFactor {
		all = append(all, h)
	}
	return all
}

// Local sets s, [n], to the scale of the prediction errors r around each position of an
// index with these sides: the mean of |r| over the window, the position itself left out.
// Along every side of an image the window has the width that makes it hold as many
// positions. space has room for n values.
func Local(s, r []float64, sides []int, window int, space []float64) {
	total := 0.0
	for t, v := range r {
		s[t] = math.Abs(v)
		total += s[t]
	}
	mean := total / float64(len(r))
	h := window
	if len(sides) > 1 {
		h = max(1, int(math.Round((math.Pow(float64(2*window+1), 1/float64(len(sides)))-1)/2)))
	}
	inner := 1
	for a := len(sides) - 1; a >= 0; a-- {
		boxSums(s, sides[a], inner, h, space)
		inner *= sides[a]
	}
	// The number of positions in a window is the product of those along each side.
	index := make([]int, len(sides))
	for first := 0; first < len(s); first += sides[len(sides)-1] {
		others := 1
		for a, i := range index[:len(sides)-1] {
			others *= within(i, sides[a], h)
		}
		for i := range sides[len(sides)-1] {
			t := first + i
			count := others * within(i, sides[len(sides)-1], h)
			s[t] = (1-Overall)*(s[t]-math.Abs(r[t]))/float64(count-1) + Overall*mean
		}
		for a := len(sides) - 2; a >= 0; a-- {
			if index[a]++; index[a] < sides[a] {
				break
			}
			index[a] = 0
		}
	}
}

// within is how many positions of a side are at most h from the i-th.
func within(i, side, h int) int { return min(i+h+1, side) - max(i-h, 0) }

// boxSums replaces the values by their sums over windows along one side, whose
// neighbours are inner apart.
func boxSums(s []float64, side, inner, h int, space []float64) {
	line := space[:side]
	for block := 0; block < len(s); block += side * inner {
		for at := block; at < block+inner; at++ {
			sum := 0.0
			for i := range line {
				line[i] = s[at+i*inner]
			}
			for _, v := range line[:min(h, side)] {
				sum += v
			}
			for i := range line {
				if i+h < side {
					sum += line[i+h]
				}
				if i > h {
					sum -= line[i-h-1]
				}
				s[at+i*inner] = sum
			}
		}
	}
}
