// Package notes has phrases about a fit that both reports and the command use.
package notes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/text"
)

// MaxRows is the largest number of signals in a table, to fit a screen.
const MaxRows = 32

// MinNoise is the least share of noise in the channels' variance that is mentioned. With it a
// signal of average strength has a correlation of 0.9995 with its source.
const MinNoise = 0.001

// maxPairs is the largest number of pairs that OtherPairs names.
const maxPairs = 5

// OtherPairs names up to five pairs of signals, to follow a pair named before: "; 1 and 3 by 0.41;
// and 2 more pairs". It is empty without pairs.
func OtherPairs[P fmt.Stringer](pairs []P) string {
	var names strings.Builder
	for k, p := range pairs {
		if k == maxPairs {
			fmt.Fprintf(&names, "; and %s", text.Counted(len(pairs)-k, "more pair"))
			break
		}
		fmt.Fprintf(&names, "; %s", p)
	}
	return names.String()
}

// ErrorText returns an expected 1 − |correlation| in words: "0.0123" or "< 0.0001".
func ErrorText(e float64) string {
	if e < 0.00005 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", e)
}

// ExpectedError returns a clause about the causes that the expected errors of signals in the given
// groups include; "" if errors is nil or no signal is identified. noise has the channels' shares of
// noise. Undetected noise and surplus sources make the true error larger, often many times.
func ExpectedError(errors []float64, groups [][]int, noise, drift []float64) string {
	if errors == nil || len(groups) == 1 && len(errors) > 1 {
		return ""
	}
	causes := []string{"sampling"}
	if slices.ContainsFunc(noise, func(share float64) bool { return share > 0 }) {
		causes = append(causes, "the estimated noise of the channels")
	}
	if drift != nil {
		causes = append(causes, "the change with time")
	}
	if len(causes) == 1 {
		return "from sampling alone; noise, or more sources than channels, can make it far larger"
	}
	return "from " + text.List(causes)
}

// Drift returns a clause about the signal whose demixing changes most with time, and possible
// causes; "" if errors is nil.
func Drift(errors []float64) string {
	if errors == nil {
		return ""
	}
	most := floats.MaxIdx(errors)
	return fmt.Sprintf("significant, most in signal %d, with an error of about %.4f; the mixing drifts, a channel "+
		"clips or is flat for a part or, with noise, sources come and go", most+1, errors[most])
}

// Correlation returns a clause about the meaning of a large correlation of recovered signals and,
// for recordings, what to do.
func Correlation(isRecording bool) string {
	warning := "they share parts, so at least one is a mixture unless the sources are correlated, too"
	if isRecording {
		warning += ". If the recording was filtered before, separate the raw one " +
			"in its place, behind a high-pass filter of 1 Hz"
	}
	return warning
}

// Span describes a stretch of a recording by its first and last position, in seconds if the rate is
// known.
func Span(first, last int, rate, start float64) string {
	if rate == 0 {
		return fmt.Sprintf("from position %d to %d", first+1, last+1)
	}
	seconds := func(position int) float64 { return start + float64(position)/rate }
	if first == last {
		return fmt.Sprintf("at %.6g s", seconds(first))
	}
	return fmt.Sprintf("from %.6g s to %.6g s", seconds(first), seconds(last))
}

// Outliers names the positions that are outliers: by time if the rate of the recording is known,
// else counted from 1. It is "" if there are none.
func Outliers(positions []int, rate, start float64) string {
	if len(positions) == 0 {
		return ""
	}
	const maxNamed = 5
	named := positions[:min(len(positions), maxNamed)]
	more := len(positions) - len(named)
	var names []string
	for _, t := range named {
		if rate == 0 {
			names = append(names, fmt.Sprint(t+1))
			continue
		}
		milliseconds := math.Round(1000 * (start + float64(t)/rate))
		names = append(names, fmt.Sprint(milliseconds/1000))
	}
	noun, are, were := "Positions ", "are outliers", "were"
	if len(positions) == 1 {
		noun, are, were = "Position ", "is an outlier", "was"
	}
	where := noun + text.List(names)
	switch {
	case rate > 0 && more > 0:
		where = fmt.Sprintf("At %s s and at %d more times", strings.Join(names, ", "), more)
	case rate > 0:
		where = "At " + strings.Join(names, ", ") + " s"
	case more > 0:
		where = fmt.Sprintf("%s%s and %d more", noun, strings.Join(names, ", "), more)
	}
	return fmt.Sprintf("%s %s (sudden, as a click or an electrode's pop: in one channel only, or "+
		"unlike any other) and %s excluded from fitting.", where, are, were)
}
