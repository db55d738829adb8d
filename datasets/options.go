package datasets

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed-47b1e431/gosica/internal/electrode"
)

// ReadOptions settle what a file of signals leaves open. The zero value reads what
// [ReadRecording] does.
type ReadOptions struct {
	// Missing is what happens to missing values; "" is MissingError.
	Missing Missing
	// Transpose reads a row for each signal and a column for each position.
	Transpose bool
	// Separator is what stands between the cells of a text file: one character, "tab" or
	// "space". Decimal is the decimal sign, "." or ",". For "" the text decides.
	Separator, Decimal string
	// Variable is the name of the matrix or vector of a MAT-file that holds the signals, such as
	// "x" or "recording.data". For "" there must be only one.
	Variable string
	// Shape is that of the positions of an NPY array of three axes or more, of which they are the
	// first ones or the last: {64, 64} reads [3, 64, 64] as three images, and [64, 64, 200] as 200.
	// The length of a sequence is their product, or that of epochs [epochs, d, n]: {600} reads
	// [600, 24, 28] as a movie, whose pixels are signals, as does {600, 24, 28}. For nil such an
	// array is epochs or an error.
	Shape []int
	// Signals are the names of the columns that are read as signals, in this order: the channels
	// of a separation to apply, for example. All other columns are set aside. A file without names
	// must have as many columns as Signals. For nil the values decide: counters and constants, for
	// example, are set aside.
	Signals []string
	// Without are the columns to set aside: names, or numbers from 1 on. Without a header these
	// count all columns of the file, with one those of signals.
	Without []string
}

// openOptions are ReadOptions with what a reader of this package asks for besides.
type openOptions struct {
	ReadOptions
	skipText bool  // columns of text aren't kept
	numeric  []int // columns of a text file that are channels, though its first rows have no numbers
}

// isLeftOut reports whether the column of a name is set aside by choice.
func (o *ReadOptions) isLeftOut(name string) bool {
	if len(o.Signals) > 0 {
		return electrode.Find(o.Signals, name) == nil
	}
	return slices.Contains(o.Without, name)
}

// errTranspose is the error of Transpose for formats that say which numbers are a signal's.
var errTranspose = errors.New("the file says which numbers are a signal's; " +
	"must not be transposed")

// Validate returns an error unless Separator, Decimal and Missing have one of their values.
func (o ReadOptions) Validate() error {
	if _, _, err := o.signs(); err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	return nil
}

// signs returns the separator and the decimal sign, 0 for one that the text decides. It is an error
// if one of them, or Missing, hasn't one of its values.
func (o *ReadOptions) signs() (separator, decimal rune, err error) {
	switch o.Separator {
	case "":
	case "tab":
		separator = '\t'
	case "space":
		separator = ' '
	default:
		var size int
		if separator, size = utf8.DecodeRuneInString(o.Separator); size != len(o.Separator) {
			return 0, 0, fmt.Errorf("separator %q; must be one character, tab or space", o.Separator)
		}
	}
	switch o.Decimal {
	case "":
	case ".", ",":
		decimal = rune(o.Decimal[0])
	default:
		return 0, 0, fmt.Errorf("decimal sign %q; must be . or ,", o.Decimal)
	}
	switch o.Missing {
	case "", MissingError, MissingInterpolate, MissingDrop:
	default:
		return 0, 0, fmt.Errorf("missing %q; must be %s, %s or %s",
			o.Missing, MissingError, MissingInterpolate, MissingDrop)
	}
	return separator, decimal, nil
}
