package sica

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	// minRow is the shortest row, in positions, that rowLength looks for: shorter ones are common
	// periods of sequences. Half finds rows of small thumbnails, twice misses the 28 of digits.
	minRow = 8
	// maxHintPositions is how many of the first positions rowLength looks at, for speed. It
	// holds a row length's decision to under a second for dozens of signals.
	maxHintPositions = 1 << 16
	// minJump is how many times the mean square step between neighbours a step from the end of a
	// row to the next must be: 1 in a sequence, 5 and more in photographs.
	minJump = 2
	// minPeak is by how much the autocorrelation at the row's length must be above those
	// minRow/4 and more positions away, on the scale of correlations.
	minPeak = 0.05
	// minDecay is by how much the autocorrelation at 2 to apartRows rows must be below that at one.
	// Rows of an image become less alike; the periods of a wave don't. Both are choices.
	minDecay, apartRows = 0.01, minRow / 2
)

// shapeHint returns a sentence if the signals x look like images in rows of another length than
// shape says, with a space before it; else nothing. A shape of one axis says that they are a
// sequence, whatever they look like.
func shapeHint(x *mat.Dense, shape []int) string {
	if len(shape) == 1 || len(shape) > 2 {
		return ""
	}
	w := rowLength(x)
	switch {
	case w == 0 || len(shape) == 2 && shape[1] == w:
		return ""
	case len(shape) == 2:
		return fmt.Sprintf(" But the signals look like rows of %d positions; Config.Shape has rows "+
			"of %d.", w, shape[1])
	}
	_, n := x.Dims()
	return fmt.Sprintf(" But the signals look like rows of %d positions: if they are images, none of "+
		"this holds; set Config.Shape to {%d, %d}.", w, n/w, w)
}

// rowLength returns the length of the rows of which the signals x seem to consist, 0 for none: a
// divisor of the number of positions where the mean autocorrelation of the signals has a peak that
// falls from row to row, and whose multiples are edges, with larger steps between neighbours than
// elsewhere.
func rowLength(x *mat.Dense) int {
	d, n := x.Dims()
	var rows [][]float64
	for i := range d {
		row := append([]float64(nil), x.RawRowView(i)[:min(n, maxHintPositions)]...)
		mean, std := stat.MeanStdDev(row, nil)
		if !(std > 0) {
			continue
		}
		for t := range row {
			row[t] = (row[t] - mean) / std
		}
		rows = append(rows, row)
	}
	for w := minRow; w <= n/minRow; w++ {
		if n%w == 0 && isRow(rows, w) {
			return w
		}
	}
	return 0
}

// isRow reports whether the standardised signals consist of rows of w positions.
func isRow(signals [][]float64, w int) bool {
	var peak, before, after, edge, inside float64
	edges, insides := 0, 0
	away := max(2, w/minRow)
	for _, row := range signals {
		if len(row) < minRow*w {
			return false
		}
		peak += correlation(row, w)
		before += correlation(row, w-away)
		after += correlation(row, w+away)
		for t := 1; t < len(row); t++ {
			step := row[t] - row[t-1]
			if t%w == 0 {
				edge += step * step
				edges++
			} else {
				inside += step * step
				insides++
			}
		}
	}
	k := float64(len(signals))
	return k > 0 && peak/k > max(before, after)/k+minPeak &&
		edge/float64(edges) > minJump*inside/float64(insides) && decays(signals, w)
}

// decays reports whether the autocorrelation of each signal falls from row to row. Of a wave whose
// period a row is, it doesn't.
func decays(signals [][]float64, w int) bool {
	for _, row := range signals {
		peak := correlation(row, w)
		for rows := 2; rows <= apartRows; rows++ {
			if correlation(row, rows*w) > peak-minDecay && peak > minPeak {
				return false
			}
		}
	}
	return true
}

// correlation returns the autocorrelation of a standardised signal at a lag.
func correlation(row []float64, lag int) float64 {
	sum := 0.0
	for t := lag; t < len(row); t++ {
		sum += row[t] * row[t-lag]
	}
	return sum / float64(len(row)-lag)
}
