package notebook

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"html"
	"math"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Play puts a player of a sound below the cell, with its title: samples at the rate in
// Hz, as loud as can be without clipping.
func Play(title string, samples []float64, rate float64) {
	page := fmt.Sprintf(`<div>%s<br><audio controls src="%s"></audio></div>`,
		html.EscapeString(title), dataURI("audio/wav", wav(samples, rate)))
	send("", bundle{protocol.MIMETextHTML: page, protocol.MIMETextPlain: title})
}

// wav is a WAV file of one channel of 16 bits, half as long as the floats that package
// datasets writes. Silence stays silent.
func wav(samples []float64, rate float64) []byte {
	loudest := 0.0
	for _, v := range samples {
		loudest = max(loudest, math.Abs(v))
	}
	if loudest == 0 {
		loudest = 1
	}
	scaled := make([]int16, len(samples))
	for t, v := range samples {
		scaled[t] = int16(math.Round(v / loudest * math.MaxInt16))
	}
	size := uint32(2 * len(samples))
	var file bytes.Buffer // which no Write to fails
	binary.Write(&file, binary.LittleEndian, struct {
		RIFF        [4]byte
		Size        uint32
		WAVE, Fmt   [4]byte
		FmtSize     uint32
		Code        uint16 // 1 is integers
		Channels    uint16
		Rate, Bytes uint32
		Block, Bits uint16
		Data        [4]byte
		DataSize    uint32
	}{[4]byte([]byte("RIFF")), 36 + size, [4]byte([]byte("WAVE")), [4]byte([]byte("fmt ")), 16, 1, 1,
		uint32(rate), 2 * uint32(rate), 2, 16, [4]byte([]byte("data")), size})
	binary.Write(&file, binary.LittleEndian, scaled)
	return file.Bytes()
}
