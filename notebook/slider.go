package notebook

import (
	"encoding/json"
	"fmt"
	"html"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/seed-47b1e431/gosica/sica/plot"
)

// A Slider is pictures to go through by hand, such as the iterations of a fit. They are
// part of the notebook, as HTML with a line of JavaScript; where that doesn't run, the
// last picture is shown.
type Slider struct {
	captions, frames []string
	last             []byte
}

// Add adds a picture with a caption, or ends the cell with the error.
func (s *Slider) Add(caption string, p *plot.Picture, err error) {
	s.last = smaller(Must(Must(p, err).Bytes(plot.PNG)))
	s.captions = append(s.captions, caption)
	s.frames = append(s.frames, dataURI("image/png", s.last))
}

// Show puts the slider below the cell, at its last picture. Without pictures it shows
// nothing.
func (s *Slider) Show() {
	if len(s.frames) == 0 {
		return
	}
	send("", bundle{protocol.MIMETextHTML: s.html(), protocol.MIMEImagePNG: s.last, protocol.MIMETextPlain: s.captions[len(s.captions)-1]})
}

// html has the pictures in an attribute, and not in elements of their own: a reader that
// removes scripts from a page then shows one of them and not all.
func (s *Slider) html() string {
	frames := make([][2]string, len(s.frames))
	for k := range frames {
		frames[k] = [2]string{s.captions[k], s.frames[k]}
	}
	data, _ := json.Marshal(frames) // strings
	end := len(frames) - 1
	return fmt.Sprintf(`<figure style="margin:0"><label><input type="range" min="0" max="%d" value="%d" style="width:60%%;vertical-align:middle" `+
		`oninput="const [c,p]=(this.frames??=JSON.parse(this.dataset.frames))[this.value],f=this.closest('figure');`+
		`f.querySelector('img').src=p;f.querySelector('output').textContent=c" data-frames="%s"> <output>%s</output></label>`+
		`%s</figure>`,
		end, end, html.EscapeString(string(data)), html.EscapeString(s.captions[end]), imageOf(s.last))
}
