package signal

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	// fadeLength is the largest number of positions over which two stretches are crossfaded: five
	// times the 24 past values that predict a position. In two recordings of machines at 48 kHz
	// (65,536 positions in 8 blocks), signals were as independent as in a single stretch with 128,
	// 256 and 512.
	fadeLength = 128
	// maxFaded is the largest share of the positions that is lost by crossfading. It is a choice.
	maxFaded = 0.125
)

// Joints returns where, in a part of a sequence, new stretches begin: the index of the first
// position of each stretch except the first. positions are the positions of the part in the
// sequence, in order; their smallest distance, more than 1 in a thinned part, is the distance
// within stretches.
func Joints(positions []int) (joints []int) {
	if len(positions) < 2 {
		return nil
	}
	step := positions[1] - positions[0]
	for t := 1; t < len(positions); t++ {
		step = min(step, positions[t]-positions[t-1])
	}
	for t := 1; t < len(positions); t++ {
		if positions[t]-positions[t-1] > step {
			joints = append(joints, t)
		}
	}
	return joints
}

// CheckJoints returns an error unless the joints of n positions are in order and between them.
func CheckJoints(joints []int, n int) error {
	for k, t := range joints {
		if t < 1 || t >= n || k > 0 && t <= joints[k-1] {
			return fmt.Errorf("Joints: has %d at place %d; must be increasing positions from 1 to %d", t, k,
				n-1)
		}
	}
	return nil
}

// Crossfade returns sequences of mean 0, d×n, whose stretches begin at 0 and at the joints, without
// the jumps there. A jump is a simultaneous innovation of all signals, which looks like dependence,
// and its spectrum looks like noise. The last positions of a stretch fade out while the first
// positions of the next fade in, with weights whose squares add up to 1. So the signals become
// shorter, but keep their variance and mixing. Without joints it returns z itself.
func Crossfade(z *mat.Dense, joints []int) *mat.Dense {
	if len(joints) == 0 {
		return z
	}
	d, n := z.Dims()
	begins, ends := slices.Concat([]int{0}, joints), slices.Concat(joints, []int{n})
	fades := fadeLengths(begins, ends)
	m := n
	for _, fade := range fades {
		m -= fade
	}
	faded := mat.NewDense(d, m, nil)
	for i := range d {
		from, to := z.RawRowView(i), faded.RawRowView(i)
		fadeIn := 0 // of the stretch
		for k, begin := range begins {
			stretch := from[begin:ends[k]]
			for t, v := range stretch[:fadeIn] {
				to[t] += v * math.Sin(fadeAngle(t, fadeIn))
			}
			fadeOut := fades[k]
			rest := len(stretch) - fadeOut
			copy(to[fadeIn:rest], stretch[fadeIn:rest])
			for t, v := range stretch[rest:] {
				to[rest+t] = v * math.Cos(fadeAngle(t, fadeOut))
			}
			to, fadeIn = to[rest:], fadeOut
		}
	}
	return faded
}

// fadeAngle returns the angle, from 0 to π/2, whose cosine and sine are the weights of the two
// stretches at position t of a crossfade. Its slope is 0 at both ends.
func fadeAngle(t, length int) float64 {
	u := (float64(t) + 0.5) / float64(length)
	return math.Pi / 2 * u * u * (3 - 2*u)
}

// fadeLengths returns the number of positions over which each stretch is crossfaded with the next;
// 0 for the last. It is at most half of the shorter stretch, so that the crossfades of a stretch
// don't overlap.
func fadeLengths(begins, ends []int) []int {
	fades, sum := make([]int, len(begins)), 0
	for k := range len(begins) - 1 {
		fades[k] = min(fadeLength, (ends[k]-begins[k])/2, (ends[k+1]-begins[k+1])/2)
		sum += fades[k]
	}
	if limit := maxFaded * float64(ends[len(ends)-1]); float64(sum) > limit {
		for k := range fades {
			fades[k] = int(float64(fades[k]) * limit / float64(sum))
		}
	}
	return fades
}
