package main

import (
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/sica/report/html"
)

// writePage writes a page about a recording of n positions. The command cmd was given its files
// and, unless that is nil, the separation, by which components can be removed.
func writePage(
	path string, page html.Page, cmd *cobra.Command, in []string, n int, model *files.Model,
) error {
	page.Title = strings.Join(baseNames(in), ", ")
	if model != nil {
		of, err := newInspected(model, in, n)
		if err != nil {
			return err
		}
		page.Command = removeCommand(cmd, in, model.Folder, model.Highpass(),
			page.Units != nil && page.Rate > 0)
		page.Selection = selection{inspected: of}
	}
	return atomicfile.Write(path, func(w io.Writer) error { return html.Write(w, page) })
}

// removeCommand returns the sica remove command, without components, that reads the files like cmd.
// It writes the format of the first file or, if that can't be written, EDF with forEDF, else CSV.
func removeCommand(
	cmd *cobra.Command, in []string, model string, highpass float64, forEDF bool,
) string {
	name := filepath.Base(in[0])
	stem, ending := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
	if files.CheckSignalsName(name) != nil {
		ending = ".csv"
		if forEDF {
			ending = ".edf"
		}
	}
	words := slices.Concat([]string{"sica remove --model", quoted(model)}, inFlags(in),
		[]string{"--out", quoted(stem + "-clean" + ending)}, readingFlags(cmd))
	if highpass > 0 {
		words = append(words, "--highpass", strconv.FormatFloat(highpass, 'g', -1, 64))
	}
	return strings.Join(words, " ")
}

// inFlags returns the flags that name the files of a recording.
func inFlags(in []string) (words []string) {
	for _, path := range in {
		words = append(words, "--in", quoted(path))
	}
	return words
}

// readingFlags returns the flags of cmd that say how its files are read.
func readingFlags(cmd *cobra.Command) (words []string) {
	var reading files.Reading
	same := cobra.Command{}
	reading.Add(&same)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch value := f.Value.String(); {
		case same.Flags().Lookup(f.Name) == nil:
		case value == f.NoOptDefVal:
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+quoted(value))
		}
	})
	return words
}

// plainWord matches words that shells read unchanged.
var plainWord = regexp.MustCompile(`^[\pL\pN_./:=,+@%-]+$`)

// quoted returns a word quoted for shells.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
