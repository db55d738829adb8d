package notebook

import (
	"fmt"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/plot"
)

// Live shows a fit while it runs: a bar, the signals as they are, and the divergence at
// its held-out positions. It is one output of the cell, redrawn at most twice a second,
// and keeps the last state.
//
//	live := notebook.NewLive(cfg.Iterations, draw)
//	cfg.OnIteration = func(_ int, it sica.Iteration) { live.Iteration(it.J, it.Divergence, it.Z) }
type Live struct {
	bar        *Bar
	iterations int
	draw       func(z *mat.Dense) (*plot.Picture, error)
	divergence []float64
}

// NewLive returns what shows a fit of so many iterations, whose signals are drawn by draw.
func NewLive(iterations int, draw func(z *mat.Dense) (*plot.Picture, error)) *Live {
	return &Live{bar: NewBar(), iterations: iterations, draw: draw}
}

// Iteration shows the signals after iteration j, which counts from 1, and the divergence
// that was measured in it, NaN for none. The last iteration is always shown.
func (l *Live) Iteration(j int, divergence float64, z *mat.Dense) {
	l.divergence = append(l.divergence, divergence)
	last := j >= l.iterations
	if !l.bar.due(last) {
		return
	}
	picture := Must(Must(l.draw(z)).Bytes(plot.PNG))
	if last { // which the notebook keeps
		picture = smaller(picture)
	}
	text := fmt.Sprintf("%d of %d iterations", j, l.iterations)
	page := l.bar.html(float64(j)/float64(max(l.iterations, 1)), text, 0) + imageOf(picture)
	if curve, err := plot.Progress(plot.History{Method: plot.SICA, Divergence: l.divergence}); err == nil { // there is one
		page += imageOf(Must(curve.Bytes(plot.PNG)))
	}
	send(l.bar.id, bundle{
		protocol.MIMETextHTML:  page,
		protocol.MIMEImagePNG:  picture, // where HTML isn't shown
		protocol.MIMETextPlain: text,
	})
}

// imageOf is a picture on a white ground, as its lines are dark, no wider than the page.
func imageOf(png []byte) string {
	return `<br><img style="background:#fff;max-width:100%" src="` + dataURI("image/png", png) + `">`
}
