package notebook

import (
	"encoding/base64"
	"fmt"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/seed-47b1e431/gosica/sica/plot"
)

// A bundle is one output in several types, of which a reader shows the first that it can.
type bundle map[protocol.MIMEType]any

// send puts a bundle below the cell, in place of the last one of the same id unless that
// is "". Tests take its place.
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

// Show puts a picture below the cell, or ends the cell with the error, so that it takes
// what package plot's functions return.
func Show(p *plot.Picture, err error) {
	png, err := Must(p, err).Bytes(plot.PNG)
	ShowPNG(smaller(png), err)
}

// ShowPNG puts a PNG image below the cell, such as a file's that os.ReadFile returns, or
// ends the cell with the error.
func ShowPNG(png []byte, err error) {
	send("", bundle{protocol.MIMEImagePNG: Must(png, err)})
}

// Markdown puts text below the cell, formatted as by fmt.Sprintf if there are values.
func Markdown(format string, values ...any) {
	if len(values) > 0 {
		format = fmt.Sprintf(format, values...)
	}
	send("", bundle{protocol.MIMETextMarkdown: format})
}

// dataURI is the content as an address, for HTML that needs no file.
func dataURI(mediaType string, content []byte) string {
	return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(content)
}
