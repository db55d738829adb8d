// Package usage marks errors of the person who calls a command, as opposed to failures of its work,
// and words errors for that person.
package usage

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/signal"
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

// packages are the prefixes of this module's errors: packages, and that of sica.Load, whose errors
// name the folder. A user of the command doesn't know them.
var packages = []string{
	"blockwise", "brainvision", "datasets", "dependence", "edf", "filter", "flows", "ica",
	"inspect", "layers", "linear", "load", "matlab", "methods", "metric", "network",
	"pca", "plot", "preprocess", "report", "sica",
}

// flags has the flags of the command for the settings in Go that texts of packages name.
var flags = map[string]string{
	"ReadOptions.Decimal":     "--decimal",
	"ReadOptions.Separator":   "--separator",
	"ReadOptions.Shape":       "--shape",
	"ReadOptions.Transpose":   "--transpose",
	"ReadOptions.Variable":    "--variable",
	"ReadOptions.Without":     "--without",
	"MissingDrop":             "--missing drop",
	"MissingInterpolate":      "--missing interpolate",
	"the n of blockwise.Fit":  "--learn-on",
	"Config.Components":       "--components",
	"Config.Refits":           "--refits",
	"Config.Shape":            "--shape",
	"Flow.Iterations":         "--iterations",
	"Result.Transform":        "sica transform",
	"WriteDetails":            "--details",
	"sica.Auto":               "--method sica",
	"sica.Default":            "--method sica",
	"sica.Direct":             "--method sica-direct",
	"sica.LinearOnly":         "--method sica-linear",
	"sica.NetworkOnly":        "--method sica-direct",
	"backend.AllowUnverified": "--allow-unverified-plugin",
	"backend.Go":              "--backend go",
}

// setting matches a setting of flags with the runes around it. Some of these, as in
// Config.Shape.csv, make it a part of another name.
var setting = func() *regexp.Regexp {
	var names []string
	for name := range flags {
		names = append(names, regexp.QuoteMeta(name))
	}
	const before, after = `(^|[^\pL\pN_./-])`, `($|[^\pL\pN_./-]|\.$|\.\s)`
	return regexp.MustCompile(before + "(" + strings.Join(names, "|") + ")" + after)
}()

// arguments replaces the arguments and fields that errors of packages begin with. That of the mixed
// signals, x, has the name of their file before it.
var arguments = strings.NewReplacer(
	" Components: ", " --components: ",
	" Highpass: ", " --highpass: ",
	" Lowpass: ", " --lowpass: ",
	" Notch: ", " --notch: ",
	" Shape: ", " --shape: ",
	" shape: ", " --shape: ",
	" x: ", " ",
)

// shape matches a shape in Go, such as Config.Shape to {64, 64}.
var shape = regexp.MustCompile(`(?:(?:Config|ReadOptions)\.)?Shape (?:to )?\{(\d+(?:, \d+)*)\}`)

// UseTranspose is the advice for files.
const UseTranspose = "use --transpose if a row of the file is a signal"

// Transposed returns the message for a command that was called with --transpose.
func Transposed(message string) string {
	return strings.ReplaceAll(message, UseTranspose, "leave out --transpose if a column of the file is a signal")
}

// Flags returns the text of a package with the flags of the command in the place of the settings
// that it names. Files have rows of positions, matrices rows of signals. What is quoted comes out
// as it is.
func Flags(text string) string {
	var kept keeper
	return kept.restored(withFlags(quoted.ReplaceAllStringFunc(text, kept.mark)))
}

func withFlags(text string) string {
	text = strings.ReplaceAll(text, signal.Transposed("x", true), "; "+UseTranspose)
	text = shape.ReplaceAllStringFunc(text, func(found string) string {
		return "--shape " + strings.ReplaceAll(shape.FindStringSubmatch(found)[1], ", ", "x")
	})
	return setting.ReplaceAllStringFunc(text, func(found string) string {
		parts := setting.FindStringSubmatch(found)
		return parts[1] + flags[parts[2]] + parts[3]
	})
}

// quoted matches what a file holds in a message, as %q writes it.
var quoted = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// A keeper has the parts of a text that come out as they are. Marks stand for them meanwhile.
type keeper []string

// mark keeps a part, and returns its mark.
func (k *keeper) mark(part string) string {
	*k = append(*k, part)
	return markOf(len(*k) - 1)
}

// restored returns a text with the parts in the place of their marks.
func (k keeper) restored(text string) string {
	for i, part := range slices.Backward(k) {
		text = strings.ReplaceAll(text, markOf(i), part)
	}
	return text
}

func markOf(i int) string { return fmt.Sprintf("\x00%d\x00", i) } // no path has the rune 0

// Message returns the error's message on one line, without the names of packages and with flags
// in the place of settings. What is quoted and the paths, those that the command was given, come out
// as they are, but for paths of several lines.
func Message(err error, paths ...string) string {
	var kept keeper
	line := err.Error()
	for _, path := range paths {
		named := path + ": is one"
		if reworded(named) != named && !strings.Contains(path, "\n") {
			line = strings.ReplaceAll(line, path, kept.mark(path))
		}
	}
	return kept.restored(reworded(quoted.ReplaceAllStringFunc(line, kept.mark)))
}

// reworded returns a message on one line, without the names of packages and with flags in the
// place of settings.
func reworded(message string) string {
	line := " " + withFlags(strings.Join(strings.Fields(message), " "))
	for _, name := range packages {
		line = strings.ReplaceAll(line, " "+name+": ", " ")
	}
	return strings.TrimPrefix(arguments.Replace(line), " ")
}
