package html

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// shownPositions is how many positions of a sequence are shown: the middle ones.
const shownPositions = 300

// shownImages is how many images are shown of each of the mixed and the recovered
// signals, and shownTraces how many sequences.
const (
	shownImages = 8
	shownTraces = 4
)

// signals is a picture of the mixed and the recovered signals, and what of them it
// shows.
func signals(r *report.Report, x, z *mat.Dense) (template.URL, string, error) {
	if len(r.Shape) > 1 {
		return images(r, x, z)
	}
	from := max(0, (r.Positions-shownPositions)/2)
	to := min(r.Positions, from+shownPositions)
	shown := min(r.Signals, shownTraces)
	groups, err := groups(x, z, shown)
	if err != nil {
		return "", "", err
	}
	picture, err := plot.TraceGrid(from, to, nil, groups...)
	if err != nil {
		return "", "", err
	}
	note := fmt.Sprintf("Positions %d to %d of %d, each signal at mean 0 and variance 1.", from, to-1, r.Positions)
	url, err := embed(picture)
	return url, note + first(shown, r.Signals), err
}

// images shows signals as images, of a video the frame in the middle.
func images(r *report.Report, x, z *mat.Dense) (template.URL, string, error) {
	height, width := r.Shape[len(r.Shape)-2], r.Shape[len(r.Shape)-1]
	note := "Each from its smallest value, black, to its largest, white; a recovered signal's sign is arbitrary."
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
	return url, note + first(shown, r.Signals), err
}

func first(shown, of int) string {
	if shown == of {
		return ""
	}
	return fmt.Sprintf(" The first %d of %d signals.", shown, of)
}

// groups are the first signals of x and z, standardised.
func groups(x, z *mat.Dense, shown int) ([]plot.Group, error) {
	standard := func(m *mat.Dense) (*mat.Dense, error) {
		_, t := m.Dims()
		return preprocess.Apply(mat.DenseCopyOf(m.Slice(0, shown, 0, t)), preprocess.Standardise)
	}
	mixed, err := standard(x)
	if err != nil {
		return nil, fmt.Errorf("x: %w", err)
	}
	recovered, err := standard(z)
	if err != nil {
		return nil, fmt.Errorf("z: %w", err)
	}
	return []plot.Group{
		{Method: plot.Mixed, Signals: mixed},
		{Method: plot.SICA, Label: "recovered", Signals: recovered},
	}, nil
}

// progress is a picture of the fit's iterations, "" if none measured anything.
func progress(r *report.Report) (template.URL, error) {
	measured := false
	for _, v := range append(append([]float64(nil), r.Divergence...), r.Loss...) {
		measured = measured || !math.IsNaN(v)
	}
	if !measured {
		return "", nil
	}
	picture, err := plot.Progress(plot.History{Method: plot.SICA, Label: "this fit", Divergence: r.Divergence, Loss: r.Loss})
	if err != nil {
		return "", err
	}
	return embed(picture)
}

// embed is the picture as a URL that holds all of it.
func embed(picture *plot.Picture) (template.URL, error) {
	svg, err := picture.Bytes(plot.SVG)
	if err != nil {
		return "", err
	}
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)), nil
}
