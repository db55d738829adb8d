package notebook

import (
	"bytes"
	"fmt"
	"html"
	"math"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

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
