package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNotFinite   = 3
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// errUsage marks an error as the caller's: a wrong command, flag or value.
var errUsage = errors.New("usage")

// usageError is an error of the caller's, for which errors.Is(err, errUsage).
type usageError struct{ error }

func (usageError) Is(target error) bool { return target == errUsage }

// usagef returns a usageError with a formatted message.
func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// The flags for backend.AllowUnverified and backend.Portable.
const (
	allowUnverified = "allow-unverified-plugin"
	deterministic   = "deterministic"
)

// run executes the command line and returns the exit code. It writes results
// and progress to stdout, and to stderr a line if it fails.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	started := false
	root := &cobra.Command{
		Use:   "sica",
		Short: "Separate mixed signals with self-sufficient ICA",
		Long: `Sica recovers the sources of mixed signals by self-sufficient independent
component analysis: it looks for signals none of which tells anything about
another that the signal's own context doesn't tell already.`,
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(*cobra.Command, []string) { started = true },
	}
	root.PersistentFlags().Bool(allowUnverified, false, "load an XLA plugin whose SHA-256 this program doesn't know")
	root.PersistentFlags().Bool(deterministic, false, "use only what every x86-64 processor with AVX2 has, so that all of them give the same bits")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newGenerate(), newSeparate(), newTransform(), newRemove(), newInspect(), newScore(), newCompare(), newDemo(), newFigure(), newMerge(), newStatements(), newReport())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)

	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	message := oneLine(err)
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "sica:", strings.ReplaceAll(message, context.Canceled.Error(), "interrupted"))
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "sica:", message)
	if !started { // What fails before is cobra's reading of the line.
		return exitUsage
	}
	return exitCode(err)
}

// openBackend opens the backend of that name for a command.
func openBackend(cmd *cobra.Command, name string) (compute.Backend, error) {
	var options []backend.Option
	for flag, option := range map[string]backend.Option{allowUnverified: backend.AllowUnverified, deterministic: backend.Portable} {
		if given, err := cmd.Flags().GetBool(flag); err == nil && given {
			options = append(options, option)
		}
	}
	return backend.Open(name, options...)
}

// exitCode is the exit code for the error of a command that wasn't interrupted.
func exitCode(err error) int {
	switch {
	case errors.Is(err, errUsage):
		return exitUsage
	case errors.Is(err, sica.ErrNotFinite):
		return exitNotFinite
	}
	return exitFailure
}

// noArgs returns an error if there is what isn't a flag, as of --in a.png b.png.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%q belongs to no flag: give each file a flag of its own, as in --in a.png --in b.png", args[0])
	}
	return nil
}

// oneLine returns the error's message without line breaks and without the names
// of this project's packages, which only its programmers know.
func oneLine(err error) string {
	line := " " + strings.Join(strings.Fields(err.Error()), " ")
	for _, name := range []string{"baseline", "blockwise", "datasets", "dependence", "experiment", "flows", "layers", "linear", "metric", "plot", "preprocess", "report", "sica"} {
		line = strings.ReplaceAll(line, " "+name+": ", " ")
	}
	return line[1:]
}
