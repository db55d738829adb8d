// Command rooms draws the rooms of this module, docs/rooms.svg and docs/rooms.png,
// from the imports of its packages: go run ./scripts/rooms. What the rooms are for
// is in docs/architecture.md.
package main

import (
	"bytes"
	"log"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("rooms: ")
	imports, err := readImports(".")
	if err != nil {
		log.Fatal(err)
	}
	if err := check(imports); err != nil {
		log.Fatal(err)
	}
	if err := write(imports, "docs"); err != nil {
		log.Fatal(err)
	}
}

// write draws the rooms into the folder dir.
func write(imports map[string][]string, dir string) error {
	p := newPicture(imports)
	png := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, p.height), vgimg.UseDPI(2*dpi))}
	for name, canvas := range map[string]vg.CanvasWriterTo{"rooms.svg": vgsvg.New(width, p.height), "rooms.png": png} {
		var drawn bytes.Buffer
		p.draw(canvas)
		if _, err := canvas.WriteTo(&drawn); err != nil {
			return err
		}
		// Readers without the font that the text was measured in take one as wide.
		text := bytes.ReplaceAll(drawn.Bytes(), []byte("Liberation Sans;"), []byte("Liberation Sans,Arial,sans-serif;"))
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
