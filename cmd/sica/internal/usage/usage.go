// Package usage marks errors of the person who calls a command, as opposed to failures of its work,
// and words errors for that person.
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
	"blockwise", "brainvision", "datasets", "dependence", "edf", "filter", "flows", "ica",
	"inspect", "layers", "linear", "matlab", "methods", "metric", "network", "pca", "plot", "preprocess", "report", "sica",
}

// flags replaces the settings in Go, which errors of packages name, by the flags of the command.
var flags = strings.NewReplacer(
	"ReadOptions.Shape", "--shape",
	"ReadOptions.Variable", "--variable",
	"ReadOptions.Decimal", "--decimal",
	"ReadOptions.Separator", "--separator",
	"ReadOptions.Without", "--without",
	"ReadOptions.Transpose", "--transpose",
	"the n of blockwise.Fit", "--learn-on",
	"MissingInterpolate", "--missing interpolate",
	"MissingDrop", "--missing drop",
	"leave the clipped stretches out", "leave the clipped stretches out by --skip clipped",
	"report on all positions", "report on all positions by --learn-on all",
	"shorter pieces of the recording.", "shorter pieces of the recording: --skip the rest.",
	"Leave that stretch out and", "Leave that stretch out by --skip and",
	"the details show them", "--details shows them",
	"Config.Shape", "--shape",
	" shape: is [", " --shape: is [",
	" Shape: is [", " --shape: is [",
	"filter: high-pass is", "--highpass is",
	"filter: low-pass is", "--lowpass is",
	"filter: notch is", "--notch is",
	"Config.Components", "--components",
	" Components: is", " --components: is",
	"datasets.Filter.Notch", "--notch",
	"lower Flow.LearningRate or the steps, or", "use another --method, or",
	" (context canceled)", "",
	"use Transform, or fit with Config.Method LinearOnly", "use sica transform, or separate with "+
		"--method sica-linear",
	"Config.Flow.Iterations", "--iterations",
	"Flow.Iterations", "--iterations",
	"sica.Auto", "--method sica",
	"sica.LinearOnly", "--method sica-linear",
	"sica.NetworkOnly", "--method sica-direct",
	"sica.Direct", "--method sica-direct",
	"sica.Default", "--method sica",
	"Config.Refits", "--refits",
	"backend.AllowUnverified", "--allow-unverified-plugin",
	"backend.Go", "--backend go",
)

// shape and sequence match the advice of package sica to set the shape of images or of a sequence.
var (
	shape    = regexp.MustCompile(`Config\.Shape to \{(\d+), (\d+)\}`)
	sequence = regexp.MustCompile(`Config\.Shape to \{(\d+)\}`)
)

// inBraces matches a shape in Go, such as Shape {64, 64}.
var inBraces = regexp.MustCompile(`(?:ReadOptions\.)?Shape \{(\d+(?:, \d+)*)\}`)

// transposed matches the advice of packages to transpose a matrix. Files have rows of positions.
var transposed = regexp.MustCompile(`: a row is a signal, a column a position; transpose .* round`)

// UseTranspose is the advice for files.
const UseTranspose = "use --transpose if a row of the file is a signal"

// Transposed returns the message for a command that was called with --transpose.
func Transposed(message string) string {
	return strings.ReplaceAll(message, UseTranspose, "leave out --transpose if a column of the file is a signal")
}

// unparsed are what package strconv says of a value that isn't a number of a kind.
var unparsed = []struct {
	pattern *regexp.Regexp
	want    string
}{
	{regexp.MustCompile(`strconv\.ParseInt: parsing ".*": invalid syntax`), "must be a whole number"},
	{regexp.MustCompile(`strconv\.ParseUint: parsing ".*": invalid syntax`),
		"must be a whole number from 0 on"},
	{regexp.MustCompile(`strconv\.\w+: parsing ".*": invalid syntax`), "must be a number"},
	{regexp.MustCompile(`strconv\.\w+: parsing "-.*": value out of range`), "is too small"},
	{regexp.MustCompile(`strconv\.\w+: parsing ".*": value out of range`), "is too large"},
}

// Flags returns the text of a package with the flags of the command in the place of the settings
// that it names.
func Flags(text string) string {
	text = transposed.ReplaceAllString(text, "; "+UseTranspose)
	text = shape.ReplaceAllString(text, "--shape ${1}x$2")
	text = inBraces.ReplaceAllStringFunc(text, func(found string) string {
		axes := inBraces.FindStringSubmatch(found)[1]
		return "--shape " + strings.ReplaceAll(axes, ", ", "x")
	})
	return flags.Replace(sequence.ReplaceAllString(text, "--shape $1"))
}

// Message returns the error's message on one line, without the names of packages and with flags
// in the place of settings.
func Message(err error) string {
	line := " " + Flags(strings.Join(strings.Fields(err.Error()), " "))
	for _, name := range packages {
		line = strings.ReplaceAll(line, " "+name+": ", " ")
	}
	for _, u := range unparsed {
		line = u.pattern.ReplaceAllString(line, u.want)
	}
	// x is the argument of the mixed signals, which have the name of their file before it.
	return strings.ReplaceAll(line[1:], ": x: ", ": ")
}
