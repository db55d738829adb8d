package notebook

import (
	"fmt"
	"html"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/plot"
)

// period is the minimum time between two drawings. Half of it would double the output of a cell,
// twice of it looks jerky.
const period = time.Second / 2

// A Bar shows the progress of a computation and about how long it will take. It is one output of
// the cell, made by the first call and redrawn at most twice a second.
type Bar struct {
	id    string
	shown time.Time // last
	// began is the time of the first drawing, and first the share that was done then. The pace
	// is that since, as before it the program mostly compiles.
	began time.Time
	first float64
	now   func() time.Time
}

// NewBar returns a bar. It isn't shown before its first call.
func NewBar() *Bar { return &Bar{id: "bar" + gonbui.UniqueId(), now: time.Now} }

// Count shows that done of a total of units are done: "3 of 25 iterations, about 4 s left", for
// "iterations". The time left is the caller's, or follows from the pace so far if it is 0.
func (b *Bar) Count(done, total int, units string, left time.Duration) {
	last := done >= total
	if !b.due(last) {
		return
	}
	share := float64(done) / float64(max(total, 1))
	b.draw(share, fmt.Sprintf("%d of %d %s", done, total, units), left)
}

// Share shows that a share is done, 0 to 1, and the name of the current activity.
func (b *Bar) Share(done float64, activity string) {
	if b.due(done >= 1) {
		b.draw(done, activity, 0)
	}
}

// due reports whether it is time to draw again; the last time it always is.
func (b *Bar) due(last bool) bool {
	now := b.now()
	if !last && !b.shown.IsZero() && now.Sub(b.shown) < period {
		return false
	}
	b.shown = now
	return true
}

func (b *Bar) draw(share float64, text string, left time.Duration) {
	page := b.html(share, text, left)
	send(b.id, bundle{protocol.MIMETextHTML: page, protocol.MIMETextPlain: text})
}

// html returns the bar, with the time left if that is known and not 0.
func (b *Bar) html(share float64, text string, left time.Duration) string {
	switch {
	case b.began.IsZero():
		b.began, b.first = b.now(), share
	case left <= 0 && share > b.first:
		spent := float64(b.now().Sub(b.began))
		left = time.Duration(spent * (1 - share) / (share - b.first))
	}
	if share < 1 && left > 0 {
		text += fmt.Sprintf(", about %v left", max(left.Round(time.Second), time.Second))
	}
	return fmt.Sprintf(`<progress max="1" value="%.3f"></progress> %s`,
		min(share, 1), html.EscapeString(text))
}

// A Live shows a fit while it runs: a bar, the current signals, and the divergence at its held-out
// positions. It is one output of the cell, redrawn at most twice a second. The last state stays.
//
//	live := notebook.NewLive(cfg.Iterations(), draw)
//	cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) {
//		live.Iteration(it.J, it.Divergence, it.Z)
//	}
type Live struct {
	// Method is that of the divergence's line and label; see plot.HasStyle. NewLive sets
	// plot.SICAFast.
	Method string

	bar        *Bar
	iterations int
	draw       func(z *mat.Dense) (*plot.Picture, error)
	divergence []float64
}

// NewLive returns a Live of a fit of that many iterations; draw draws its signals.
func NewLive(iterations int, draw func(z *mat.Dense) (*plot.Picture, error)) *Live {
	return &Live{Method: plot.SICAFast, bar: NewBar(), iterations: iterations, draw: draw}
}

// Iteration shows the signals after iteration j, counted from 1, and the divergence that was
// measured in it, NaN for none. The last iteration is always shown.
func (l *Live) Iteration(j int, divergence float64, z *mat.Dense) {
	l.divergence = append(l.divergence, divergence)
	last := j >= l.iterations
	if !l.bar.due(last) {
		return
	}
	picture := Must(Must(l.draw(z)).Bytes(plot.PNG))
	if last { // the notebook keeps this one
		picture = smaller(picture)
	}
	text := fmt.Sprintf("%d of %d iterations", j, l.iterations)
	page := l.bar.html(float64(j)/float64(max(l.iterations, 1)), text, 0) + imageOf(picture)
	history := plot.History{Method: l.Method, Divergence: l.divergence}
	if curve, err := plot.Progress(history); err == nil { // there is a divergence
		page += imageOf(Must(curve.Bytes(plot.PNG)))
	}
	send(l.bar.id, bundle{
		protocol.MIMETextHTML:  page,
		protocol.MIMEImagePNG:  picture, // where HTML isn't shown
		protocol.MIMETextPlain: text,
	})
}

// imageOf returns HTML of a picture, on white as its lines are dark, and no wider than the page.
func imageOf(png []byte) string {
	const style = "background:#fff;max-width:100%"
	return `<br><img style="` + style + `" src="` + dataURI("image/png", png) + `">`
}
