package outlier

// jointReach is how many positions on either side of a joint of two stretches may deviate because
// of it: as many as a position is predicted from on either side.
const jointReach = 3

// Recorded returns where outliers of a part of a recording are in it, without those at a joint.
// Positions are those of the part in the recording, in order; all count from 0.
func Recorded(outliers, positions []int) (recorded []int) {
	isJoint := joints(positions)
	for _, p := range outliers {
		atJoint := false
		for t := max(p-jointReach+1, 1); t <= min(p+jointReach, len(positions)-1); t++ {
			atJoint = atJoint || isJoint(t)
		}
		if !atJoint {
			recorded = append(recorded, positions[p])
		}
	}
	return recorded
}

// joints returns whether something between positions t−1 and t of a part was left out. It isn't if
// they are as far apart as any two: of a part that was thinned, more than 1.
func joints(positions []int) func(t int) bool {
	step := 1
	if len(positions) > 1 {
		step = positions[1] - positions[0]
	}
	for t := 1; t < len(positions); t++ {
		step = min(step, positions[t]-positions[t-1])
	}
	return func(t int) bool { return positions[t]-positions[t-1] > step }
}
