// Command sica separates mixed signals: it recovers the sources of a file of mixed signals, says
// how reliable they are, and applies the separation to other files. Run it with --help.
//
// Its exit code is 0 on success, 1 on a failure, 2 on a usage error, 3 if numbers became NaN or
// infinite, and 130 if it was interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
)

func main() {
	// Memory is mostly a few large arrays, which are cheap to collect: for 64 channels this takes a
	// third less memory in the same time.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the work in an orderly way, the second at once.
	context.AfterFunc(ctx, stop)
	// With a receiver, a closed pipe as in "sica … | head" is a write error, not the end.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNotFinite   = 3
	exitInterrupted = 130 // 128 + SIGINT, as in shells
)

// run executes the command line and returns the exit code. Results go to stdout, progress and a
// one-line error to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	begun := false
	root := newRoot(func() { begun = true })
	root.SetArgs(args)
	root.SetOut(closable{stdout})
	root.SetErr(closable{stderr})

	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	message := usage.Message(unknownCommand(err), givenPaths(cmd)...)
	if slices.Contains(args, "--transpose") {
		message = usage.Transposed(message)
	}
	if ctx.Err() != nil {
		message = strings.ReplaceAll(message, context.Canceled.Error(), "interrupted")
		fmt.Fprintln(stderr, "sica:", message)
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "sica:", message)
	if !begun { // then cobra refused the line
		return exitUsage
	}
	return exitCode(err)
}

// unknownCommand returns cobra's error for an unknown command in one sentence. It returns other
// errors unchanged.
func unknownCommand(err error) error {
	said, suggested, found := strings.Cut(err.Error(), ` for "sica"`)
	if !found || !strings.HasPrefix(said, "unknown command") {
		return err
	}
	_, names, _ := strings.Cut(suggested, "Did you mean this?")
	if names == "" {
		return fmt.Errorf("%s; see sica --help", said)
	}
	return fmt.Errorf("%s; did you mean %s?", said, strings.Join(strings.Fields(names), " or "))
}

// givenPaths returns the files and folders given to a command.
func givenPaths(cmd *cobra.Command) (paths []string) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		kind, _ := pflag.UnquoteUsage(flag)
		if kind != "FILE" && kind != "DIR" {
			return
		}
		if list, isList := flag.Value.(pflag.SliceValue); isList {
			paths = append(paths, list.GetSlice()...)
		} else {
			paths = append(paths, flag.Value.String())
		}
	})
	return paths
}

// closable is a writer whose reader may close it. Later output is lost without an error, so that a
// command still writes its files.
type closable struct{ io.Writer }

// Write implements io.Writer.
func (w closable) Write(text []byte) (int, error) {
	n, err := w.Writer.Write(text)
	if errors.Is(err, syscall.EPIPE) {
		return len(text), nil
	}
	return n, err
}

// exitCode returns the exit code for the error of a command that wasn't interrupted.
func exitCode(err error) int {
	switch {
	case errors.Is(err, usage.Err):
		return exitUsage
	case errors.Is(err, sica.ErrNotFinite):
		return exitNotFinite
	}
	return exitFailure
}

// commands are the constructors of the commands, in the order of the help.
var commands = []func() *cobra.Command{
	newSeparate, newInspect, newRemove, newReport, newCompare,
	newTransform, newScore, newGenerate, newDemo,
}

// newRoot returns the root command. It calls begin when a command begins its work.
func newRoot(begin func()) *cobra.Command {
	root := &cobra.Command{
		Use:   "sica",
		Short: "Separate mixed signals with self-sufficient ICA",
		Long: `Sica recovers the sources of mixed signals by self-sufficient independent
component analysis: it looks for signals that are independent of one another
given their own pasts (or, of images, their own surroundings).`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Version = "set" // without a version there is no --version
	root.SetVersionTemplate("{{versions}}")
	root.Flags().Bool("version", false, "print the versions of the command and of what it uses")
	root.PersistentFlags().Bool(allowUnverified, false,
		"load an XLA plugin whose SHA-256 this program doesn't know")
	root.PersistentFlags().Bool(deterministic, false,
		"give the same bits on all x86-64 processors with AVX2, by using only what all of them have; "+
			"on one machine's CPU, bits repeat without this, too")
	root.PersistentFlags().VisitAll(setOnce)
	root.SetFlagErrorFunc(suggestFlag)
	root.CompletionOptions.HiddenDefaultCmd = true
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("ownFlags", ownFlags)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(),
		".LocalFlags.FlagUsages", "ownFlags .LocalFlags", 1))
	for _, newCommand := range commands {
		cmd := newCommand()
		cmd.Flags().VisitAll(setOnce)
		cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
			err := checkRequired(cmd)
			if err == nil {
				begin()
			}
			return err
		}
		root.AddCommand(cmd)
	}
	root.AddCommand(newFilesTopic())
	return root
}

// ownFlags returns the help on a command's flags, with only the names of those for reading files.
func ownFlags(all *pflag.FlagSet) string {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	var reading []string
	all.VisitAll(func(flag *pflag.Flag) {
		if files.IsOfReading(flag) {
			reading = append(reading, "--"+flag.Name)
		} else {
			own.AddFlag(flag)
		}
	})
	help := own.FlagUsages()
	if len(reading) > 0 {
		help += "\n" + text.Wrap("", "Flags for reading files (sica help files explains them): "+
			strings.Join(reading, ", "))
	}
	return help
}

// newFilesTopic returns the help on files of signals and on the flags for reading them.
func newFilesTopic() *cobra.Command {
	topic := &cobra.Command{Use: "files", Short: "How signals are read from files, and the flags for it"}
	new(files.Reading).Add(topic)
	topic.Long = files.Formats + "\n\nFlags of the commands that read signals:\n" +
		strings.TrimRight(topic.Flags().FlagUsages(), "\n")
	return topic
}

// A onceValue is the value of a flag that may be given only once.
type onceValue struct {
	pflag.Value
	isSet bool
}

// Set implements pflag.Value.
func (v *onceValue) Set(text string) error {
	if v.isSet {
		return fmt.Errorf("it is given twice, before as %q; must be given once", v.String())
	}
	v.isSet = true
	return v.Value.Set(text)
}

// setOnce makes it an error to give a flag of one value twice. The values of others add up.
func setOnce(flag *pflag.Flag) {
	if _, isList := flag.Value.(pflag.SliceValue); !isList {
		flag.Value = &onceValue{Value: flag.Value}
	}
}

// invalidValue returns the error for a value that isn't a number of the flag's kind. It returns
// other errors unchanged.
func invalidValue(err *pflag.InvalidValueError) error {
	flag, value := err.GetFlag(), err.GetValue()
	kind := flag.Value.Type()
	if kind == "intSlice" {
		return fmt.Errorf("--%s %s: must be numbers with commas between, such as 2,6", flag.Name, value)
	}
	var unparsed *strconv.NumError
	if !errors.As(err, &unparsed) {
		return err
	}
	isOutside := errors.Is(unparsed, strconv.ErrRange)
	problem := "must be a number"
	switch {
	case isOutside && strings.HasPrefix(unparsed.Num, "-"):
		problem = "is too small"
	case isOutside:
		problem = "is too large"
	case kind == "uint64":
		problem = "must be a whole number from 0 on"
	case kind == "int":
		problem = "must be a whole number"
	case kind == "bool":
		problem = "must be true or false"
	}
	return fmt.Errorf("--%s %s: %s", flag.Name, value, problem)
}

// suggestFlag adds flags with a similar spelling to the error for an unknown flag, and says which
// values are valid.
func suggestFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return invalidValue(invalid)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	// Cobra only suggests commands, so the flags are passed as names of commands. In a short name,
	// half of the letters may differ.
	name := unknown.GetSpecifiedName()
	names := &cobra.Command{SuggestionsMinimumDistance: min(2, len(name)/2)}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: flag.Name, Run: func(*cobra.Command, []string) {}})
	})
	suggestions := names.SuggestionsFor(name)
	if len(suggestions) == 0 {
		return fmt.Errorf("%w; see sica %s --help", err, cmd.Name())
	}
	return fmt.Errorf("%w; did you mean --%s?", err, strings.Join(suggestions, " or --"))
}

// checkRequired returns an error unless all required flags were given with nonempty values.
func checkRequired(cmd *cobra.Command) (err error) {
	var lacking []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		switch isRequired := flag.Annotations[cobra.BashCompOneRequiredFlag] != nil; {
		case isRequired && !flag.Changed:
			kind, _ := pflag.UnquoteUsage(flag)
			lacking = append(lacking, "--"+flag.Name+" "+kind)
		case isRequired && flag.Value.String() == "":
			err = fmt.Errorf("--%s is empty; see sica %s --help", flag.Name, cmd.Name())
		}
	})
	if lacking == nil {
		return err
	}
	verb := "is"
	if len(lacking) > 1 {
		verb = "are"
	}
	return fmt.Errorf("%s %s missing; see sica %s --help", text.List(lacking), verb, cmd.Name())
}
