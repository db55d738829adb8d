// Package usage tells errors of the person who calls a command from failures of its work, and
// puts errors into words for that person.
package usage

import (
	"errors"
	"fmt"
	"strings"
)

// Err marks an error as the caller's: a wrong command, flag or value.
var Err = errors.New("usage")

// callerError is an error for which errors.Is(err, Err) is true.
type callerError struct{ error }

func (callerError) Is(target error) bool { return target == Err }

func (e callerError) Unwrap() error { return e.error }

// Errorf returns an error of the caller's with a formatted message.
func Errorf(format string, args ...any) error {
	return callerError{fmt.Errorf(format, args...)}
}

// Error marks an error as the caller's.
func Error(err error) error { return callerError{err} }

// packages are the prefixes of this module's errors. A user of the command doesn't know them.
var packages = []string{
	"blockwise", "brainvision", "datasets", "dependence", "edf", "experiment", "filter", "flows",
	"ica", "inspect", "layers", "linear", "matlab", "metric",
	"network", "plot", "preprocess", "report", "sica",
}

// Message returns the error's message on one line and without the names of packages.
func Message(err error) string {
	line := " " + strings.Join(strings.Fields(err.Error()), " ")
	for _, name := range packages {
		line = strings.ReplaceAll(line, " "+name+": ", " ")
	}
	return line[1:]
}
