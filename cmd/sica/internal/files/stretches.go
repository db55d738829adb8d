package files

import (
	"slices"

	"github.com/seed-47b1e431/gosica/datasets"
)

// stretch is short for a stretch of positions, from Begin to before End.
type stretch = datasets.Stretch

// merge returns the stretches in order, and joins those that touch.
func merge(all []stretch) (merged []stretch) {
	slices.SortFunc(all, func(a, b stretch) int { return a.Begin - b.Begin })
	for _, s := range all {
		if last := len(merged) - 1; last >= 0 && s.Begin <= merged[last].End {
			merged[last].End = max(merged[last].End, s.End)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// Pairs returns the first position of each stretch, from 0, and the one after its last.
func Pairs(all []datasets.Stretch) (pairs [][2]int) {
	for _, s := range all {
		pairs = append(pairs, [2]int{s.Begin, s.End})
	}
	return pairs
}

// count returns the number of positions in stretches that don't overlap.
func count(all []stretch) (n int) {
	for _, s := range all {
		n += s.End - s.Begin
	}
	return n
}

// within returns the parts of stretches from begin to before end, counted from begin.
func within(all []stretch, begin, end int) (parts []stretch) {
	for _, s := range all {
		if s.Begin < end && s.End > begin {
			parts = append(parts, stretch{Begin: max(s.Begin, begin) - begin, End: min(s.End, end) - begin})
		}
	}
	return parts
}

// joints returns the first position of each run of a recording except the first. Leaving it out
// shows that what is before it was recorded apart.
func joints(about *datasets.Recording) (first []stretch) {
	for _, t := range about.Joints {
		first = append(first, stretch{Begin: t, End: t + 1})
	}
	return first
}

// thinnedOut returns stretches in units of every k-th position, of which there are n.
func thinnedOut(all []stretch, k, n int) (thinned []stretch) {
	for _, s := range all {
		begin, end := (s.Begin+k-1)/k, min((s.End+k-1)/k, n)
		if begin < end {
			thinned = append(thinned, stretch{Begin: begin, End: end})
		}
	}
	return merge(thinned)
}

// complement returns the stretches of n positions that aren't skipped.
func complement(skipped []stretch, n int) (kept []stretch) { return Kept(skipped, 0, n) }

// Kept returns what is left, from begin to before end, of stretches that are skipped, in order.
func Kept(skipped []datasets.Stretch, begin, end int) (kept []datasets.Stretch) {
	for _, s := range skipped {
		if s.Begin > begin && begin < end {
			kept = append(kept, stretch{Begin: begin, End: min(s.Begin, end)})
		}
		begin = max(begin, s.End)
	}
	if begin < end {
		kept = append(kept, stretch{Begin: begin, End: end})
	}
	return kept
}
