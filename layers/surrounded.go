package layers

// surroundedIndex tells where the positions of an index lie, row-major, in the
// one that has one more position on each end of every axis.
type surroundedIndex struct {
	shape   []int
	size    int
	inside  []int32   // [T]
	offsets []int32   // [taps]: from a position to what each tap of a kernel sees
	edges   []int32   // [E]: positions from which some tap sees outside the index
	outside []float64 // [E·taps]: one where that tap does, else zero
}

func newSurroundedIndex(shape []int) *surroundedIndex {
	const reach = kernelSize / 2
	x := &surroundedIndex{size: 1}
	positions := 1
	for _, n := range shape {
		x.shape = append(x.shape, n+2*reach)
		x.size *= n + 2*reach
		positions *= n
	}
	inward := make([]int, len(shape))
	for i := range inward {
		inward[i] = reach
	}
	taps := box(reach, len(shape))
	origin := make([]int, len(shape))
	first := flatten(origin, inward, x.shape, x.size)
	for _, tap := range taps {
		x.offsets = append(x.offsets, int32(flatten(inward, tap, x.shape, x.size)-first))
	}
	at := origin
	for range positions {
		p := int32(flatten(at, inward, x.shape, x.size))
		x.inside = append(x.inside, p)
		outside := make([]float64, len(taps))
		edge := false
		for k, tap := range taps {
			if flatten(at, tap, shape, positions) == positions {
				outside[k], edge = 1, true
			}
		}
		if edge {
			x.edges = append(x.edges, p)
			x.outside = append(x.outside, outside...)
		}
		nextPosition(at, shape)
	}
	return x
}
