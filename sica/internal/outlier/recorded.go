package outlier

import (
	"slices"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// jointReach is how many positions on either side of a joint of two stretches may deviate because
// of it: as many as a position is predicted from on either side.
const jointReach = 3

// Recorded returns where outliers of a part of a recording are in it, without those at a joint.
// Positions are those of the part in the recording, in order; all count from 0.
func Recorded(outliers, positions []int) (recorded []int) {
	joints := signal.Joints(positions)
	for _, p := range outliers {
		next, _ := slices.BinarySearch(joints, p-jointReach+1)
		if next == len(joints) || joints[next] > p+jointReach {
			recorded = append(recorded, positions[p])
		}
	}
	return recorded
}
