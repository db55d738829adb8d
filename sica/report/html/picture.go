package html

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// What the picture shows of the mixed and of the recovered signals.
const (
	shownPositions = 300 // of a sequence, in the middle
	shownTraces    = 4
	shownImages    = 8
)

// signals returns a picture of the mixed and the recovered signals, and a note on which part of
// them it shows.
func signals(r *report.Report, x, z *mat.Dense) (template.URL, string, error) {
	if len(r.Shape) > 1 {
		return images(r, x, z)
	}
	positions := r.Recorded
	if positions == nil {
		positions = grid.Range(r.Positions)
	}
	from, to := window(positions)
	shown := min(r.Signals, shownTraces)
	groups, err := groups(x, z, shown)
	if err != nil {
		return "", "", err
	}
	picture, err := plot.RecordedTraceGrid(from, to, positions, nil, groups...)
	if err != nil {
		return "", "", err
	}
	of := fmt.Sprintf("%d", r.Positions)
	if r.Recorded != nil {
		of = "the recording"
	}
	note := fmt.Sprintf("Positions %d to %d of %s, each signal at mean 0 and variance 1.",
		positions[from], positions[to-1], of)
	url, err := embed(picture)
	return url, note + countNote(shown, r.Signals), err
}

// window returns which of the positions of a recording are shown, from ≤ t < to: those in the
// middle, without a place where two stretches are joined.
func window(positions []int) (from, to int) {
	n := len(positions)
	if n < 2 {
		return 0, n
	}
	middle := n / 2
	step := positions[middle] - positions[middle-1]
	isJoined := func(t int) bool { return positions[t]-positions[t-1] != step }
	from, to = middle-1, middle+1
	for from > 0 && !isJoined(from) && middle-from < shownPositions/2 {
		from--
	}
	for to < n && !isJoined(to) && to-from < shownPositions {
		to++
	}
	for from > 0 && !isJoined(from) && to-from < shownPositions {
		from--
	}
	return from, to
}

// images is signals for images, and for the frame in the middle of a video.
func images(r *report.Report, x, z *mat.Dense) (template.URL, string, error) {
	height, width := r.Shape[len(r.Shape)-2], r.Shape[len(r.Shape)-1]
	note := "Each from its smallest value, black, to its largest, white; a recovered signal's " +
		"sign is arbitrary."
	size := height * width
	from := 0
	if frames := r.Positions / size; frames > 1 {
		from = frames / 2 * size
		note = fmt.Sprintf("The frame in the middle of %d. ", frames) + note
	}
	shown := min(r.Signals, shownImages)
	groups, err := groups(x, z, shown)
	if err != nil {
		return "", "", err
	}
	for k := range groups {
		groups[k].Signals = mat.DenseCopyOf(groups[k].Signals.Slice(0, shown, from, from+size))
	}
	picture, err := plot.Images(height, width, groups...)
	if err != nil {
		return "", "", err
	}
	url, err := embed(picture)
	return url, note + countNote(shown, r.Signals), err
}

// countNote says how many of all signals are shown, if not all.
func countNote(shown, all int) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf(" The first %d of %d signals.", shown, all)
}

// groups returns the first signals of x and z, standardised.
func groups(x, z *mat.Dense, shown int) ([]plot.Group, error) {
	standardise := func(m *mat.Dense) (*mat.Dense, error) {
		_, n := m.Dims()
		return preprocess.Apply(mat.DenseCopyOf(m.Slice(0, shown, 0, n)), preprocess.Standardise)
	}
	mixed, err := standardise(x)
	if err != nil {
		return nil, fmt.Errorf("x: %w", err)
	}
	recovered, err := standardise(z)
	if err != nil {
		return nil, fmt.Errorf("z: %w", err)
	}
	return []plot.Group{
		{Method: plot.Mixed, Signals: mixed},
		{Method: plot.Default, Label: "recovered", Signals: recovered},
	}, nil
}

// progress returns a picture of the fit's iterations, "" if they measured nothing.
func progress(r *report.Report) (template.URL, error) {
	measured := false
	for _, v := range append(append([]float64(nil), r.Divergence...), r.Loss...) {
		measured = measured || !math.IsNaN(v)
	}
	if !measured {
		return "", nil
	}
	picture, err := plot.Progress(plot.History{
		Method: plot.Default, Label: "this fit", Divergence: r.Divergence, Loss: r.Loss,
	})
	if err != nil {
		return "", err
	}
	return embed(picture)
}

// embed returns a URL that holds the picture.
func embed(picture *plot.Picture) (template.URL, error) {
	svg, err := picture.Bytes(plot.SVG)
	if err != nil {
		return "", err
	}
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)), nil
}
