// Package usage tells errors of the person who calls a command from failures of its work, and
// puts errors into words for that person.
package usage

import (
	"errors"
	"fmt"
	"regexp"
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

// flags puts flags in the place of the settings in Go, by which packages name them.
var flags = strings.NewReplacer(
	"ReadOptions.Variable", "--variable",
	"ReadOptions.Decimal", "--decimal",
	"ReadOptions.Separator", "--separator",
	"MissingInterpolate", "--missing interpolate",
	"MissingDrop", "--missing drop",
	"Config.Shape", "--shape",
	"Config.Components", "--components",
	"Config.Flow.Iterations", "--iterations",
	"Flow.Iterations", "--iterations",
	"the method \"auto\"", "--method sica",
	"the method \"linear\"", "--method sica-linear",
	"the method \"network\"", "--method sica-direct",
	"sica.Direct", "--method sica-direct",
	"sica.Default", "--method sica",
	"backend.AllowUnverified", "--allow-unverified-plugin",
	"backend.Go", "--backend go",
)

// shape is that of images, as package sica proposes it.
var shape = regexp.MustCompile(`Config\.Shape to \{(\d+), (\d+)\}`)

// Flags returns the text of a package with the flags of the command in the place of the settings
// that it names.
func Flags(text string) string {
	return flags.Replace(shape.ReplaceAllString(text, "--shape ${1}x$2"))
}

// Message returns the error's message on one line, without the names of packages and with flags
// in the place of settings.
func Message(err error) string {
	line := " " + Flags(strings.Join(strings.Fields(err.Error()), " "))
	for _, name := range packages {
		line = strings.ReplaceAll(line, " "+name+": ", " ")
	}
	return strings.ReplaceAll(line[1:], ": x: ", ": ") // after the name of its file
}
