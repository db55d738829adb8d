package sica

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	// minRow is the shortest row, in positions, that rowLength considers: shorter rows are common
	// periods of sequences.
	minRow = 8
	// maxHintPositions is the number of initial positions that rowLength examines, for speed.
	maxHintPositions = 1 << 16
	// minJump is the least mean square step from the end of a row to the next row, relative to the
	// mean square step between neighbours. In a sequence the two are equal.
	minJump = 2
	// minPeak is the least difference between the autocorrelation at the row's length and the
	// autocorrelations a few positions (an eighth of a row) away.
	minPeak = 0.05
	// minRowShare is the autocorrelation at the row's length, as a share of that at one position,
	// that each signal must have: images are about as smooth from row to row as along them. Mixed
	// photographs have more; waves and voices, less.
	minRowShare = 0.8
	// minDecay is the least difference between the autocorrelation at one row and at 2 to apartRows
	// rows. Rows of an image become less similar; the periods of a wave don't.
	minDecay, apartRows = 0.01, minRow / 2
)

// recognise sets the shape if none is given and all runs look like images of one size, such as
// photographs in the columns of a text file, row after row. It applies to Auto and LinearOnly;
// networks and flows use only a given shape.
func (f *fitting) recognise(runs []Run) {
	linear := f.cfg.Mode == Auto || f.cfg.Mode == LinearOnly
	if f.cfg.Shape != nil || f.cfg.Flow != nil || !linear {
		return
	}
	var shape []int
	for _, run := range runs {
		if run.X == nil || run.X.IsEmpty() {
			return
		}
		w := f.rowLength(run.X)
		if w == 0 {
			return
		}
		_, n := run.X.Dims()
		if its := []int{n / w, w}; shape == nil {
			shape = its
		} else if !slices.Equal(its, shape) {
			return
		}
	}
	f.cfg.Shape, f.recognised = shape, true
}

// shapeHint returns a sentence if the signals x were recognised as images, or look like images in
// rows of another length than the settings' shape says; else nothing. A shape of one axis says that
// they are a sequence, whatever they look like.
func (f *fitting) shapeHint(x *mat.Dense) string {
	shape := f.cfg.Shape
	_, n := x.Dims()
	if f.recognised {
		return fmt.Sprintf("The signals look like images of %d×%d and were taken for such: set "+
			"Config.Shape to {%d} if they are sequences.", shape[0], shape[1], n)
	}
	if len(shape) == 1 || len(shape) > 2 {
		return ""
	}
	w := f.rowLength(x)
	switch {
	case w == 0 || len(shape) == 2 && shape[1] == w:
		return ""
	case len(shape) == 2:
		return fmt.Sprintf("But the signals look like rows of %d positions; Config.Shape has rows "+
			"of %d.", w, shape[1])
	}
	return fmt.Sprintf("But the signals look like rows of %d positions: if they are images, none of "+
		"this holds; set Config.Shape to {%d, %d}.", w, n/w, w)
}

// rowLength is the function rowLength, computed once for signals that are asked for again.
func (f *fitting) rowLength(x *mat.Dense) int {
	w, known := f.rowLengths[x]
	if !known {
		w = rowLength(x)
		if f.rowLengths == nil {
			f.rowLengths = map[*mat.Dense]int{}
		}
		f.rowLengths[x] = w
	}
	return w
}

// rowLength returns the length of the rows that the signals x seem to consist of; 0 for none. It is
// a divisor of the number of positions at which the mean autocorrelation of the signals has a peak
// that falls from row to row, and whose multiples are edges, with larger steps between neighbours
// than elsewhere.
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
	return len(signals) > 0 && len(signals[0]) >= minRow*w && isSmoothAcross(signals, w) &&
		hasPeak(signals, w) && hasEdges(signals, w) && decays(signals, w)
}

// isSmoothAcross reports whether each signal is about as smooth from row to row as along a row.
func isSmoothAcross(signals [][]float64, w int) bool {
	for _, row := range signals {
		if correlation(row, w) < minRowShare*correlation(row, 1) {
			return false
		}
	}
	return true
}

// hasPeak reports whether the mean autocorrelation of the signals at w is a peak.
func hasPeak(signals [][]float64, w int) bool {
	var before, peak, after float64
	away := max(2, w/minRow)
	for _, row := range signals {
		before += correlation(row, w-away)
		peak += correlation(row, w)
		after += correlation(row, w+away)
	}
	n := float64(len(signals))
	return peak/n > max(before, after)/n+minPeak
}

// hasEdges reports whether the mean square step between neighbours is larger from the end of a row
// to the next than within rows.
func hasEdges(signals [][]float64, w int) bool {
	var edge, inside float64
	edges, insides := 0, 0
	for _, row := range signals {
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
	return edge/float64(edges) > minJump*inside/float64(insides)
}

// decays reports whether the autocorrelation of each signal falls from row to row. It doesn't for a
// wave with the period of a row.
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
	n := len(row) - lag
	return floats.Dot(row[lag:], row[:n]) / float64(n)
}
