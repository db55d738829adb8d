package datasets

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed-47b1e431/gosica/internal/electrode"
)

// ReadOptions decide what a file of signals leaves open. The zero value reads like [ReadRecording].
type ReadOptions struct {
	// Missing says how missing values are treated; "" means MissingError.
	Missing Missing
	// Transpose reads each row as a signal and each column as a position.
	Transpose bool
	// Separator is the separator between the cells of a text file: one character, "tab" or "space".
	// Decimal is the decimal sign, "." or ",". If they are "", the text decides.
	Separator, Decimal string
	// Variable is the name of the matrix or vector of a MAT-file that holds the signals, such as
	// "x" or "recording.data". If it is "", there must be only one.
	Variable string
	// Shape is the shape of the positions of an NPY array with three axes or more, whose first or
	// last axes they are: {64, 64} reads [3, 64, 64] as three images, and [64, 64, 200] as 200. A
	// single number is the product of these axes, or the total length of epochs [epochs, d, n]:
	// {600} reads [600, 24, 28] as a movie whose pixels are signals, as does {600, 24, 28}. If it
	// is nil, such an array is epochs or an error.
	Shape []int
	// Signals are the names of the columns to read as signals, in this order: for example the
	// channels of a separation to apply. All other columns are set aside. A file without names must
	// have as many columns as Signals. If it is nil, the values decide: for example, counters and
	// constants are set aside.
	Signals []string
	// Without are the columns to set aside: names, or numbers from 1. Without a header the numbers
	// count all columns of the file, with a header only the signals.
	Without []string
}

// openOptions are ReadOptions with further requests of a reader of this package.
type openOptions struct {
	ReadOptions
	skipText bool  // whether to drop columns of text
	numeric  []int // columns of a text file that are channels even if its first rows lack numbers
}

// isLeftOut reports whether the column with this name is set aside by choice.
func (o *ReadOptions) isLeftOut(name string) bool {
	if len(o.Signals) > 0 {
		return electrode.Find(o.Signals, name) == nil
	}
	return slices.Contains(o.Without, name)
}

// errTranspose is the error for Transpose with formats that say which numbers belong to a signal.
var errTranspose = errors.New("the file says which numbers are a signal's; " +
	"must not be transposed")

// Validate returns an error unless Separator, Decimal and Missing are valid.
func (o ReadOptions) Validate() error {
	if _, _, err := o.signs(); err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	return nil
}

// signs returns the separator and the decimal sign; 0 if the text decides. It is an error if one of
// them, or Missing, is invalid.
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
