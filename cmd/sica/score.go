package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

type scoreOptions struct {
	reading          files.Reading
	truth, recovered []string
	json             bool
}

func newScore() *cobra.Command {
	var opt scoreOptions
	cmd := &cobra.Command{
		Use:   "score --truth a.csv --recovered b.csv",
		Short: "Compare recovered signals with the true sources",
		Long: `Score prints the mean correlation coefficient (MCC; 1 is perfect), and for each
source the recovered signal that it is paired with and the sign of their
correlation. Order, sign, scale and offset of the signals don't matter. If there are
more or fewer sources than signals, it prints the source that each signal is most like.
If one file has a row for each signal, and the other a column, both are read.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opt.run(cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&opt.truth, "truth", nil, "`FILE` of the true sources (required)")
	f.StringArrayVar(&opt.recovered, "recovered", nil, "`FILE` of the recovered signals (required)")
	f.BoolVar(&opt.json, "json", false, "print JSON, in which signals count from 0")
	opt.reading.Add(cmd)
	require(cmd, "truth", "recovered")
	return cmd
}

func (opt *scoreOptions) run(out io.Writer) error {
	s, z, err := opt.read(out)
	if err != nil {
		return err
	}
	if positions(s) == positions(z) && signals(s) != signals(z) &&
		leftOut(s) == "" && leftOut(z) == "" {
		return printBest(out, bestMatches(z.Signals, s.Signals), s.Names, opt.json)
	}
	if err := checkSizes(opt.truth[0], s, opt.recovered[0], z); err != nil {
		return err
	}
	m, err := metric.MCC(z.Signals, s.Signals)
	if err != nil {
		return fmt.Errorf("%s against %s: %w", opt.recovered[0], opt.truth[0], err)
	}
	if opt.json {
		return files.PrintJSON(out, newMatchReport(m))
	}
	fmt.Fprintf(out, "MCC %.4f\n", m.MCC)
	for i, j := range m.Assignment {
		fmt.Fprintf(out, "source %s is recovered signal %s, correlation %+.4f\n", sourceLabel(i, s.Names),
			sourceLabel(j, z.Names), m.Correlation[i])
	}
	return nil
}

// read returns the true sources s and the recovered signals z. If by their sizes one file is the
// transpose of the other, the one with more signals than positions is read transposed, with a note.
func (opt *scoreOptions) read(out io.Writer) (s, z *datasets.Recording, err error) {
	if s, _, err = opt.reading.Recording(opt.truth); err != nil {
		return nil, nil, err
	}
	if z, _, err = opt.reading.Recording(opt.recovered); err != nil {
		return nil, nil, err
	}
	if signals(s) != positions(z) || positions(s) != signals(z) || signals(s) == signals(z) {
		return s, z, nil
	}
	transposed, file := &s, opt.truth
	if signals(z) > positions(z) {
		transposed, file = &z, opt.recovered
	}
	other := opt.reading
	other.Transpose = !other.Transpose
	if *transposed, _, err = other.Recording(file); err != nil {
		return nil, nil, err
	}
	if !opt.json {
		files.Note(out, file[0]+" is transposed, and was read so")
	}
	return s, z, nil
}

func signals(r *datasets.Recording) int {
	d, _ := r.Signals.Dims()
	return d
}

func positions(r *datasets.Recording) int {
	_, n := r.Signals.Dims()
	return n
}

// A best is the source with which a recovered signal correlates most. Several signals may have the
// same source.
type best struct {
	Source      int     `json:"source"`
	Correlation float64 `json:"correlation"`
}

// bestMatches returns the source of s with which each signal of z correlates most, for different
// numbers of sources and signals. A constant signal correlates with none.
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

// sourceLabel returns the number of a signal, from 1, followed by its name in parentheses unless
// the name ends with the number.
func sourceLabel(i int, names []string) string {
	number := strconv.Itoa(i + 1)
	if names == nil || strings.HasSuffix(names[i], number) {
		return number
	}
	return number + " (" + names[i] + ")"
}

// unlike is the correlation below which a signal is said to be like no source: they share less than
// a tenth of their variance.
const unlike = 0.3

// printBest prints the matches for different numbers of signals and sources, which may have names.
func printBest(out io.Writer, matches []best, names []string, asJSON bool) error {
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
		like := "most like source"
		if math.Abs(m.Correlation) < unlike {
			like = "like none, least unlike source"
		}
		fmt.Fprintf(out, "recovered signal %d is %s %s, correlation %+.4f\n", i+1, like,
			sourceLabel(m.Source, names), m.Correlation)
	}
	return nil
}

// checkSizes returns an error unless the truth has as many signals and positions as the signals
// compared with it.
func checkSizes(
	truthFile string, truth *datasets.Recording, file string, x *datasets.Recording,
) error {
	sources, length := truth.Signals.Dims()
	d, n := x.Signals.Dims()
	if d == sources && n == length {
		return nil
	}
	hint := ""
	if d == sources && n < length {
		hint = "; if positions with missing values were dropped, separate with --missing interpolate"
	}
	return fmt.Errorf("the truth, %s, has %s%s, and %s %s%s; they must have the same size%s", truthFile,
		signalsAt(sources, length), leftOut(truth), file, signalsAt(d, n), leftOut(x), hint)
}

// signalsAt returns a text such as "2 signals at 60 positions".
func signalsAt(d, n int) string {
	return fmt.Sprintf("%s at %d positions", text.Counted(d, "signal"), n)
}

// leftOut returns, in parentheses, which columns of a recording aren't signals, by their reasons.
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

// printScore prints and reports how well the recovered signals z agree with the truth, at the
// positions that are neither outliers nor interpolated.
func (in *mixture) printScore(
	out io.Writer, z *mat.Dense, outliers []int, rep *separation,
) error {
	truth, of := in.truth, ""
	leftOut := slices.Clone(outliers)
	for _, s := range in.About.Interpolated {
		for t := s.Begin; t < s.End; t++ {
			leftOut = append(leftOut, t)
		}
	}
	_, n := z.Dims()
	if kept := without(grid.Range(n), leftOut); len(kept) < n {
		z, truth = signal.Columns(z, kept), signal.Columns(truth, kept)
		of = fmt.Sprintf(" at %d of %d positions, without outliers and interpolated values", len(kept), n)
	}
	if !asManySignals(z, truth) {
		fmt.Fprint(out, "recovered: ")
		return printBest(out, bestMatches(z, truth), nil, false)
	}
	m, err := score(z, truth)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "recovered: MCC %.4f%s\n", m.MCC, of)
	rep.Match = newMatchReport(m)
	return nil
}

// score compares z with the truth. The MCC is NaN without a truth, or with a truth of as many
// positions but another number of signals.
func score(z, truth *mat.Dense) (metric.Match, error) {
	if truth == nil || asManyPositions(z, truth) && !asManySignals(z, truth) {
		return metric.Match{MCC: math.NaN()}, nil
	}
	return metric.MCC(z, truth)
}

func asManySignals(a, b *mat.Dense) bool { return a.RawMatrix().Rows == b.RawMatrix().Rows }

func asManyPositions(a, b *mat.Dense) bool { return a.RawMatrix().Cols == b.RawMatrix().Cols }
