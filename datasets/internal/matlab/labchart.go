package matlab

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A LabChart is what LabChart of ADInstruments exports as a MAT-file: channels of one rate.
type LabChart struct {
	Channels [][]float64 // of one length
	Names    []string    // of the channels; nil if the file lacks one
	Rate     float64     // as the file says
	Blocks   int         // which follow one another in each channel
}

// IsLabChart reports whether LabChart exported the file.
func (f *File) IsLabChart() bool {
	for _, name := range []string{"data", "datastart", "dataend", "samplerate"} {
		if v := f.Find(name); v == nil || !v.IsReal() {
			return false
		}
	}
	return f.Find("titles") != nil
}

// LabChart reads a file that LabChart exported. Its data are those of one channel after another,
// block by block; datastart and dataend say where they are, counted from 1, with a row for each
// channel and a column for each block. Channels that a block lacks have −1 there.
func (f *File) LabChart() (*LabChart, error) {
	var arrays [4][]float64
	for k, name := range []string{"data", "datastart", "dataend", "samplerate"} {
		values, err := f.Values(f.Find(name))
		if err != nil {
			return nil, err
		}
		arrays[k] = values
	}
	data, starts, ends, rates := arrays[0], arrays[1], arrays[2], arrays[3]
	d := f.Find("datastart").Shape[0]
	if len(starts) == 0 || len(ends) != len(starts) || len(rates) != len(starts) {
		return nil, fmt.Errorf("%d of datastart, %d of dataend and %d of samplerate in a file of "+
			"LabChart; must be as many", len(starts), len(ends), len(rates))
	}
	differs := slices.ContainsFunc(rates, func(rate float64) bool { return rate != rates[0] })
	l := &LabChart{Rate: rates[0], Blocks: len(starts) / d}
	for i := range d {
		channel, err := labChartChannel(i, d, data, starts, ends)
		if err != nil {
			return nil, err
		}
		if differs || i > 0 && len(channel) != len(l.Channels[0]) {
			return nil, errors.New("channels of several rates in a file of LabChart; must have " +
				"one: export those of one rate")
		}
		l.Channels = append(l.Channels, channel)
	}
	titles := f.Find("titles")
	l.Names = f.Texts(titles, d)
	if title := strings.TrimSpace(titles.Text); d == 1 && title != "" {
		l.Names = []string{title}
	}
	return l, nil
}

// labChartChannel returns the data of channel i of d, which may have several blocks.
func labChartChannel(i, d int, data, starts, ends []float64) (channel []float64, err error) {
	for at := i; at < len(starts); at += d {
		start, end := starts[at], ends[at]
		if !(start >= 1 && end >= start && end <= float64(len(data))) {
			return nil, fmt.Errorf("channel %d of LabChart lacks block %d; must be in each: "+
				"export a part that has all channels", i+1, at/d+1)
		}
		channel = append(channel, data[int(start)-1:int(end)]...)
		if len(channel) > signal.MaxEntries/d {
			return nil, signal.CheckSize(d, len(channel))
		}
	}
	return channel, nil
}
