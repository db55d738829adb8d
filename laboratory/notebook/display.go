package notebook

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// A bundle is one output in several types. A reader shows the first that it can.
type bundle map[protocol.MIMEType]any

// send shows a bundle below the cell, in place of the last one of the same id unless that is "".
// Tests replace it.
var send = func(id string, b bundle) {
	if !gonbui.IsNotebook {
		if text, ok := b[protocol.MIMETextMarkdown]; ok {
			fmt.Println(text)
		}
		return
	}
	gonbui.SendData(&protocol.DisplayData{Data: b, DisplayID: id})
	gonbui.Sync() // so that it comes before what the cell prints next
}

// Show shows a picture below the cell, or ends the cell with the error. It takes the results of
// package plot's functions.
func Show(p *plot.Picture, err error) {
	png, err := Must(p, err).Bytes(plot.PNG)
	ShowPNG(smaller(png), err)
}

// ShowPNG shows a PNG image below the cell, such as a file's from os.ReadFile, or ends the cell
// with the error.
func ShowPNG(png []byte, err error) {
	send("", bundle{protocol.MIMEImagePNG: Must(png, err)})
}

// Markdown shows text below the cell, formatted as by fmt.Sprintf if there are values.
func Markdown(format string, values ...any) {
	if len(values) > 0 {
		format = fmt.Sprintf(format, values...)
	}
	send("", bundle{protocol.MIMETextMarkdown: format})
}

// dataURI returns the content as an address, for HTML without files.
func dataURI(mediaType string, content []byte) string {
	return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(content)
}

// A Table is a table in Markdown.
type Table struct {
	head string
	rows []string
}

// NewTable returns a table with these headings, such as "| method | MCC |".
func NewTable(head string) *Table { return &Table{head: head} }

// Row adds a row, formatted as by fmt.Sprintf, such as "| %s | %.3f |".
func (t *Table) Row(format string, values ...any) {
	t.rows = append(t.rows, fmt.Sprintf(format, values...))
}

// Show shows the table below the cell. Columns of numbers are aligned at the right.
func (t *Table) Show() { Markdown("%s", t) }

// number matches the start of a number, or a dash for a missing one.
var number = regexp.MustCompile(`^([+-−–]?[0-9.]|[–-]?$)`)

// String returns the table in Markdown.
func (t *Table) String() string {
	var b strings.Builder
	b.WriteString(t.head + "\n|")
	for column := range cells(t.head) {
		line := " --- |"
		if t.numbers(column) {
			line = " ---: |"
		}
		b.WriteString(line)
	}
	for _, row := range t.rows {
		b.WriteString("\n" + row)
	}
	return b.String()
}

// numbers reports whether a column has numbers only, and at least one.
func (t *Table) numbers(column int) bool {
	any := false
	for _, row := range t.rows {
		if in := cells(row); column < len(in) {
			if !number.MatchString(in[column]) {
				return false
			}
			any = any || in[column] != ""
		}
	}
	return any
}

// cells returns the texts between a row's bars.
func cells(row string) []string {
	in := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
	for i := range in {
		in[i] = strings.TrimSpace(in[i])
	}
	return in
}

// Play shows a player of a sound below the cell, with its title: samples at the rate in Hz,
// as loud as possible without clipping.
func Play(title string, samples []float64, rate float64) {
	page := fmt.Sprintf(`<div>%s<br><audio controls src="%s"></audio></div>`,
		html.EscapeString(title), dataURI("audio/wav", Must(wav(samples, rate))))
	send("", bundle{protocol.MIMETextHTML: page, protocol.MIMETextPlain: title})
}

// wav returns a WAV file of one channel of 16 bits, whose loudest sample is ±1. Silence stays
// silent.
func wav(samples []float64, rate float64) ([]byte, error) {
	scaled := new(mat.Dense)
	if len(samples) > 0 {
		scaled = mat.NewDense(1, len(samples), append([]float64(nil), samples...))
		if loudest := max(mat.Max(scaled), -mat.Min(scaled)); loudest > 0 {
			scaled.Apply(func(_, _ int, v float64) float64 { return v / loudest }, scaled)
		}
	}
	var file bytes.Buffer
	err := datasets.EncodeWAV(&file, scaled, int(math.Round(rate)), 16)
	return file.Bytes(), err
}

// A Slider is pictures to go through by hand, such as the iterations of a fit. It is HTML with a
// line of JavaScript; where that doesn't run, the last picture is shown.
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

// Show shows the slider below the cell, at its last picture; without pictures nothing.
func (s *Slider) Show() {
	if len(s.frames) == 0 {
		return
	}
	send("", bundle{
		protocol.MIMETextHTML:  s.html(),
		protocol.MIMEImagePNG:  s.last,
		protocol.MIMETextPlain: s.captions[len(s.captions)-1],
	})
}

// html returns the slider with its pictures in an attribute, not in elements of their own. So a
// reader that removes scripts from a page shows one of them and not all.
func (s *Slider) html() string {
	frames := make([][2]string, len(s.frames))
	for k := range frames {
		frames[k] = [2]string{s.captions[k], s.frames[k]}
	}
	data, _ := json.Marshal(frames) // strings
	end := len(frames) - 1
	return fmt.Sprintf(`<figure style="margin:0"><label><input type="range" `+
		`min="0" max="%d" value="%d" style="width:60%%;vertical-align:middle" `+
		`oninput="const [c,p]=(this.frames??=JSON.parse(this.dataset.frames))[this.value],`+
		`f=this.closest('figure');`+
		`f.querySelector('img').src=p;f.querySelector('output').textContent=c" `+
		`data-frames="%s"> <output>%s</output></label>%s</figure>`,
		end, end, html.EscapeString(string(data)), html.EscapeString(s.captions[end]), imageOf(s.last))
}

// smaller returns a PNG image with at most 256 colours, which takes about a third of the bytes. No
// pixel moves far from its colour, see paletteOf. An image that isn't smaller so is returned as it
// is, and so is anything else.
func smaller(original []byte) []byte {
	decoded, err := png.Decode(bytes.NewReader(original))
	if err != nil {
		return original
	}
	drawn := image.NewNRGBA(decoded.Bounds())
	draw.Draw(drawn, drawn.Rect, decoded, drawn.Rect.Min, draw.Src)
	pixel := func(k int) uint32 { return binary.BigEndian.Uint32(drawn.Pix[4*k:]) }

	count := make(map[uint32]int)
	for k := range len(drawn.Pix) / 4 {
		count[pixel(k)]++
	}
	var colors []uint32
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b uint32) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return int(int64(a) - int64(b)) // the same image gives the same bytes
	})

	palette := paletteOf(colors)
	index := make(map[uint32]uint8)
	for _, c := range colors {
		index[c] = uint8(palette.Index(colorOf(c)))
	}
	indexed := image.NewPaletted(drawn.Rect, palette)
	for k := range indexed.Pix {
		indexed.Pix[k] = index[pixel(k)]
	}
	var b bytes.Buffer
	if err := png.Encode(&b, indexed); err != nil || b.Len() >= len(original) {
		return original
	}
	return b.Bytes()
}

// paletteOf returns at most 256 of the colours, which are sorted by how often they occur. A colour is
// left out if a more frequent one is near, at a distance that is as short as 256 colours permit. So
// the many tints of one line's smoothed edges don't take the place of another line's colour.
func paletteOf(colors []uint32) color.Palette {
	for reach := 0; ; reach += 2 {
		var kept []color.NRGBA
		for _, c := range colors {
			exact := colorOf(c)
			near := func(k color.NRGBA) bool { return distance(k, exact) <= reach }
			if !slices.ContainsFunc(kept, near) {
				kept = append(kept, exact)
			}
			if len(kept) > 256 {
				break
			}
		}
		if len(kept) <= 256 {
			palette := make(color.Palette, len(kept))
			for i, k := range kept {
				palette[i] = k
			}
			return palette
		}
	}
}

// distance returns the largest difference of two colours in red, green, blue or opacity.
func distance(a, b color.NRGBA) int {
	apart := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(apart(a.R, b.R), apart(a.G, b.G), apart(a.B, b.B), apart(a.A, b.A))
}

// colorOf returns the colour of a pixel's four bytes.
func colorOf(pixel uint32) color.NRGBA {
	return color.NRGBA{uint8(pixel >> 24), uint8(pixel >> 16), uint8(pixel >> 8), uint8(pixel)}
}
