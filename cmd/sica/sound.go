package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/sica"
)

// isWAV reports whether a file is written as WAV.
func isWAV(path string) bool { return strings.ToLower(filepath.Ext(path)) == ".wav" }

// noteRate prints that the rate of a WAV file isn't that of the signals, if they have no sampling
// rate. remedy says how to give one.
func noteRate(out io.Writer, path string, rate float64, remedy string) {
	if isWAV(path) && rate == 0 {
		files.Note(out, "the recording has no sampling rate, and "+path+
			" says 44100 Hz, a guess: "+remedy)
	}
}

// noteRecovered prints what to know before listening to recovered signals in a WAV file.
func noteRecovered(out io.Writer, path string, res *sica.Result) {
	if !isWAV(path) {
		return
	}
	advice := "its signals have variance 1, and players cut what is beyond 1: scale them before you " +
		"listen"
	if _, err := res.Demixing(); err == nil { // sica remove needs a linear separation
		advice += ", or use sica remove, which keeps the recording's scale"
	}
	fmt.Fprintln(out, advice)
}

// noteCleaned prints that players clip a cleaned recording in a WAV file if peak, its largest
// absolute value, exceeds 1.
func noteCleaned(out io.Writer, path string, peak float64) {
	if isWAV(path) && peak > 1 {
		fmt.Fprintf(out, "its values are up to ±%.5g, and players cut what is beyond 1: scale them "+
			"before you listen\n", peak)
	}
}
