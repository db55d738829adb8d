package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

func newScore() *cobra.Command {
	var reading files.Reading
	var truth, recovered []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "score --truth a.csv --recovered b.csv",
		Short: "Compare recovered signals with the true sources",
		Long: `Score prints the mean correlation coefficient (MCC; 1 is perfect), and for each
source the recovered signal that it is paired with and the sign of their
correlation. Order, sign, scale and offset of the signals don't matter. If there are
more or fewer sources than signals, it prints the source that each signal is most like.
If one file has a row for each signal, and the other a column, both are read.

` + files.Formats,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, _, err := reading.Recording(truth)
			if err != nil {
				return err
			}
			z, _, err := reading.Recording(recovered)
			if err != nil {
				return err
			}
			if signals(s) == positions(z) && positions(s) == signals(z) && signals(s) != signals(z) {
				read, file := &s, truth
				if signals(z) > positions(z) {
					read, file = &z, recovered
				}
				other := reading
				other.Transpose = !reading.Transpose
				if *read, _, err = other.Recording(file); err != nil {
					return err
				}
				if !asJSON {
					files.Note(cmd.OutOrStdout(), []string{file[0] + " is transposed, and was read so"})
				}
			}
			if d, n := s.Signals.Dims(); n == positions(z) && d != signals(z) &&
				leftOut(s) == "" && leftOut(z) == "" {
				return printBest(cmd.OutOrStdout(), bestMatches(z.Signals, s.Signals), asJSON)
			}
			if err := checkSizes(truth[0], s, recovered[0], z); err != nil {
				return err
			}
			m, err := metric.MCC(z.Signals, s.Signals)
			if err != nil {
				return fmt.Errorf("%s against %s: %w", recovered[0], truth[0], err)
			}
			if asJSON {
				return files.PrintJSON(cmd.OutOrStdout(), newMatchReport(m))
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "MCC %.4f\n", m.MCC)
			for i, j := range m.Assignment {
				fmt.Fprintf(out, "source %d is recovered signal %d, correlation %+.4f\n", i+1, j+1,
					m.Correlation[i])
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&truth, "truth", nil, "`FILE` of the true sources (required)")
	cmd.Flags().StringArrayVar(&recovered, "recovered", nil,
		"`FILE` of the recovered signals (required)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, in which signals count from 0")
	reading.Add(cmd)
	require(cmd, "truth", "recovered")
	return cmd
}

func signals(r *datasets.Recording) int {
	d, _ := r.Signals.Dims()
	return d
}

func positions(r *datasets.Recording) int {
	_, n := r.Signals.Dims()
	return n
}

// A best is the source that a recovered signal correlates with most. Several signals may have the
// same.
type best struct {
	Source      int     `json:"source"`
	Correlation float64 `json:"correlation"`
}

// bestMatches returns the source of s that each signal of z correlates with most, where there are
// more or fewer sources than signals. A constant signal correlates with none.
func bestMatches(z, s *mat.Dense) []best {
	d, _ := z.Dims()
	sources, _ := s.Dims()
	matches := make([]best, d)
	for i := range matches {
		for k := range sources {
			c := stat.Correlation(z.RawRowView(i), s.RawRowView(k), nil)
			if math.Abs(c) > math.Abs(matches[i].Correlation) {
				matches[i] = best{k, c}
			}
		}
	}
	return matches
}

// printBest prints the matches of signals that aren't as many as the sources.
func printBest(out io.Writer, matches []best, asJSON bool) error {
	if asJSON {
		return files.PrintJSON(out, map[string]any{"best": matches})
	}
	sum := 0.0
	for _, m := range matches {
		sum += math.Abs(m.Correlation)
	}
	fmt.Fprintf(out, "no MCC, as there aren't as many sources as signals; mean of the signals' best "+
		"|correlations| %.4f\n", sum/float64(len(matches)))
	for i, m := range matches {
		fmt.Fprintf(out, "recovered signal %d is most like source %d, correlation %+.4f\n", i+1,
			m.Source+1, m.Correlation)
	}
	return nil
}

// checkSizes returns an error unless the truth has as many signals and positions as what is
// compared with it.
func checkSizes(
	truthFile string, truth *datasets.Recording, file string, x *datasets.Recording,
) error {
	sources, length := truth.Signals.Dims()
	d, n := x.Signals.Dims()
	if d == sources && n == length {
		return nil
	}
	return fmt.Errorf("the truth, %s, has %s%s, and %s %s%s; they must have the same size",
		truthFile, signalsAt(sources, length), leftOut(truth), file, signalsAt(d, n), leftOut(x))
}

// signalsAt returns such as "2 signals at 60 positions".
func signalsAt(d, n int) string {
	if d == 1 {
		return fmt.Sprintf("1 signal at %d positions", n)
	}
	return fmt.Sprintf("%d signals at %d positions", d, n)
}

// leftOut says in parentheses which columns of a recording aren't signals, by their reasons.
func leftOut(r *datasets.Recording) string {
	var reasons []string
	names := map[string][]string{}
	for _, c := range r.Aside {
		reason := cmp.Or(strings.Trim(c.Reason, ","), "was left out, as asked")
		if names[reason] == nil {
			reasons = append(reasons, reason)
		}
		names[reason] = append(names[reason], strconv.Quote(c.Name))
	}
	if reasons == nil {
		return ""
	}
	var parts []string
	for _, reason := range reasons {
		which := "which"
		if len(names[reason]) > 1 {
			which = "each of which"
		}
		parts = append(parts, fmt.Sprintf("%s, %s %s", text.List(names[reason]), which, reason))
	}
	return " (without " + strings.Join(parts, "; ") + ")"
}

// matchReport is the match as JSON.
type matchReport struct {
	metric.Match
	Signs []int `json:"signs"`
}

func newMatchReport(m metric.Match) *matchReport {
	r := &matchReport{Match: m, Signs: make([]int, len(m.Correlation))}
	for i, c := range m.Correlation {
		r.Signs[i] = 1
		if c < 0 {
			r.Signs[i] = -1
		}
	}
	return r
}
