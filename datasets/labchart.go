package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/datasets/internal/matlab"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// isLabChart reports whether a MAT-file is one that LabChart of ADInstruments exports.
func isLabChart(f *matlab.File) bool {
	for _, name := range []string{"data", "datastart", "dataend", "samplerate"} {
		if v := f.Find(name); v == nil || !v.IsReal() {
			return false
		}
	}
	return f.Find("titles") != nil
}

// labChartRecording reads the signals of a MAT-file of LabChart. Its data are those of one channel
// after another, block by block; datastart and dataend say where they are, counted from 1, with a
// row for each channel and a column for each block. Channels that a block lacks have −1 there.
func labChartRecording(f *matlab.File) (*Recording, error) {
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
	var rows [][]float64
	for i := range d {
		row, err := labChartChannel(i, d, data, starts, ends)
		if err != nil {
			return nil, err
		}
		if differs || i > 0 && len(row) != len(rows[0]) {
			return nil, errors.New("channels of several rates in a file of LabChart; must have " +
				"one: export those of one rate")
		}
		rows = append(rows, row)
	}
	r := &Recording{Signals: signal.Rows(rows).Dense(), Notes: []string{"the MAT-file is one of LabChart"}}
	if blocks := len(starts) / d; blocks > 1 {
		r.Notes = append(r.Notes, oneByOne(fmt.Sprintf("%d blocks", blocks)))
	}
	r.Names = column.DistinctNames(textsOf(f, f.Find("titles"), d))
	if title := strings.TrimSpace(f.Find("titles").Text); d == 1 && title != "" {
		r.Names = []string{title}
	}
	if rates[0] > 0 && signal.Finite(rates[0]) {
		r.Rate, r.TimeColumn = column.RoundRate(rates[0]), "time"
	}
	return r, nil
}

// labChartChannel returns the data of channel i of d, which may have several blocks.
func labChartChannel(i, d int, data, starts, ends []float64) (row []float64, err error) {
	for at := i; at < len(starts); at += d {
		start, end := starts[at], ends[at]
		if !(start >= 1 && end >= start && end <= float64(len(data))) {
			return nil, fmt.Errorf("channel %d of LabChart lacks block %d; must be in each: "+
				"export a part that has all channels", i+1, at/d+1)
		}
		row = append(row, data[int(start)-1:int(end)]...)
		if len(row) > MaxEntries/d {
			return nil, signal.CheckSize(d, len(row))
		}
	}
	return row, nil
}
