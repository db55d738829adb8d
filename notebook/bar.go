package notebook

import (
	"fmt"
	"html"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// often is how often what is shown may change: twice a second.
const often = time.Second / 2

// A Bar says how far a computation is, and about how long it will take. It is one
// output of the cell, made with the first call and redrawn at most twice a second.
type Bar struct {
	id    string
	shown time.Time // when it was drawn last
	// began is when it was drawn first, and from the share that was done then: the pace
	// is that since, as what comes before is compiling, mostly.
	began time.Time
	from  float64
	now   func() time.Time
}

// NewBar returns a bar, which isn't shown before the first call.
func NewBar() *Bar { return &Bar{id: "bar" + gonbui.UniqueId(), now: time.Now} }

// Count says that so many of a total are done: "3 of 25 iterations, about 4 s left", for
// "iterations". What is left is as the caller knows it, or by the pace so far if it is 0.
func (b *Bar) Count(done, total int, what string, left time.Duration) {
	last := done >= total
	if !b.due(last) {
		return
	}
	share := float64(done) / float64(max(total, 1))
	b.draw(share, fmt.Sprintf("%d of %d %s", done, total, what), left)
}

// Share says that a share of it is done, 0 to 1, and what is being done.
func (b *Bar) Share(done float64, doing string) {
	if b.due(done >= 1) {
		b.draw(done, doing, 0)
	}
}

// due says whether it is time to draw again; the last time it always is.
func (b *Bar) due(last bool) bool {
	now := b.now()
	if !last && !b.shown.IsZero() && now.Sub(b.shown) < often {
		return false
	}
	b.shown = now
	return true
}

func (b *Bar) draw(share float64, text string, left time.Duration) {
	send(b.id, bundle{protocol.MIMETextHTML: b.html(share, text, left), protocol.MIMETextPlain: text})
}

// html is the bar, with the time that is left unless that is not known, or nothing.
func (b *Bar) html(share float64, text string, left time.Duration) string {
	switch {
	case b.began.IsZero():
		b.began, b.from = b.now(), share
	case left <= 0 && share > b.from:
		left = time.Duration(float64(b.now().Sub(b.began)) * (1 - share) / (share - b.from))
	}
	if share < 1 && left > 0 {
		text += fmt.Sprintf(", about %v left", max(left.Round(time.Second), time.Second))
	}
	return fmt.Sprintf(`<progress max="1" value="%.3f"></progress> %s`, min(share, 1), html.EscapeString(text))
}
