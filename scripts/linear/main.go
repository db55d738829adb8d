// Command linear measures the rule of sica/linear on kinds of sources under linear
// mixtures. Without flags it prints a table of mean correlation coefficients with
// their standard error, the worst and median seconds, beside those of the rivals;
// with -null what the rule says of mixtures that nothing identifies; with -cover how
// often the truth lies within its error bars; with -seconds how long the rule takes on a
// file of mixed signals (scripts/baselines/linear_speed.py has scikit-learn beside it). The
// sources may be given as files: WAV, or images of one shape.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/jade"
	"github.com/seed-47b1e431/gosica/sica/baseline/picard"
	"github.com/seed-47b1e431/gosica/sica/baseline/sobi"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

var rivals = []ica.Method{
	zca.Whitening{},
	fastica.Default(),
	picard.Default(),
	sobi.Default(),
	jade.Default(),
}

func main() {
	log.SetFlags(0)
	positions := flag.Int("t", 1024, "positions `T`")
	seeds := flag.Int("n", 8, "mixtures of each kind")
	first := flag.Uint64("seed", 1, "first seed")
	only := flag.String("kind", "", "only kinds whose name contains `text`")
	smallest := flag.Int("from", 1, "only kinds with at least `d` signals")
	largest := flag.Int("to", 64, "only kinds with at most `d` signals")
	null := flag.Bool("null", false, "mixtures that nothing identifies")
	cover := flag.Bool("cover", false, "coverage of the error bars")
	timed := flag.String("seconds", "", "print the seconds of -n separations of the mixed signals in `FILE`")
	flag.Parse()
	if *timed != "" {
		if err := seconds(*timed, *seeds); err != nil {
			log.Fatal(err)
		}
		return
	}
	table, row := kinds, kind.row
	switch {
	case flag.NArg() > 0:
		k, err := files(flag.Args())
		if err != nil {
			log.Fatal(err)
		}
		table = []kind{k}
	case *null:
		table, row = nulls, kind.null
	case *cover:
		row = kind.cover
	}
	for _, k := range table {
		if !strings.Contains(k.name, *only) || k.d < *smallest || k.d > *largest {
			continue
		}
		if err := row(k, *first, *seeds, *positions); err != nil {
			log.Fatal(err)
		}
	}
}

type cell struct{ mcc, seconds []float64 }

func (c *cell) add(z, s *mat.Dense, begin time.Time) error {
	c.seconds = append(c.seconds, time.Since(begin).Seconds())
	m, err := metric.MCC(z, s)
	c.mcc = append(c.mcc, m.MCC)
	return err
}

func (c *cell) String() string {
	mean, sd := stat.MeanStdDev(c.mcc, nil)
	return fmt.Sprintf("%.4f±%.4f (%.3f) %.2f s", mean, sd/math.Sqrt(float64(len(c.mcc))), slices.Min(c.mcc), quantile(c.seconds, 0.5))
}

func quantile(v []float64, q float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[min(int(q*float64(len(v))), len(v)-1)]
}

// row prints a row of the table.
func (k kind) row(first uint64, seeds, positions int) error {
	cells := make([]cell, len(rivals)+1)
	var groups []int
	best, least := 0.0, math.Inf(1)
	for seed := range uint64(seeds) {
		s, x, err := k.draw(first+seed, positions)
		if err != nil {
			return err
		}
		for i, r := range rivals {
			if k.d > 16 && r.Name() == "jade" {
				continue // minutes
			}
			begin := time.Now()
			m, err := ica.Separate(context.Background(), r, x)
			if err != nil {
				return err
			}
			if err := cells[i].add(m.Signals, s, begin); err != nil {
				return err
			}
		}
		begin := time.Now()
		sol, err := k.separate(x)
		if err != nil {
			return err
		}
		var z mat.Dense
		z.Mul(sol.Demixing, x)
		rule := &cells[len(rivals)]
		if err := rule.add(&z, s, begin); err != nil {
			return err
		}
		groups = append(groups, len(sol.Groups))
		for _, p := range sol.Pairs {
			least = min(least, p.Evidence)
		}
	}
	fmt.Printf("%-22s %2d ", k.name, k.d)
	for i, r := range rivals {
		if cells[i].mcc != nil {
			fmt.Printf("| %s %v ", r.Name(), &cells[i])
			best = max(best, stat.Mean(cells[i].mcc, nil))
		}
	}
	rule := &cells[len(rivals)]
	fmt.Printf("| rule %v | %+.4f | groups %v, least evidence %.1f\n", rule, stat.Mean(rule.mcc, nil)-best, groups, least)
	return nil
}

// cover prints how often the true shares lie within 1.96 standard errors of none,
// in pairs that are identified, and the error that was to be expected.
func (k kind) cover(first uint64, seeds, positions int) error {
	inside, total, pairs, identified, wrong := 0, 0, 0, 0, 0
	var actual, expected, squares, nominal float64
	for seed := range uint64(seeds) {
		s, x, err := k.draw(first+seed, positions)
		if err != nil {
			return err
		}
		sol, err := k.separate(x)
		if err != nil {
			return err
		}
		var z mat.Dense
		z.Mul(sol.Demixing, x)
		m, err := metric.MCC(&z, s)
		if err != nil {
			return err
		}
		source := make([]int, k.d) // of each recovered signal
		for i, j := range m.Assignment {
			source[j] = i
		}
		shares := k.shares(sol, s, x)
		for _, p := range sol.Pairs {
			pairs++
			if !p.Identified {
				continue
			}
			identified++
			for _, ij := range [][2]int{{p.I, p.J}, {p.J, p.I}} {
				leak := shares.At(ij[0], source[ij[1]])
				se := sol.Leak.At(ij[0], ij[1])
				if se == 1 {
					continue
				}
				total++
				if math.Abs(leak) < 1.96*se {
					inside++
				}
				if math.Abs(leak) > 0.5 {
					wrong++
				}
				squares += leak * leak
				nominal += se * se
			}
		}
		if len(sol.Groups) == k.d {
			actual += 1 - m.MCC
			expected += stat.Mean(sol.ExpectedError, nil)
		}
	}
	n := float64(max(total, 1))
	fmt.Printf("%-22s %2d T=%d: %d fits, %d of %d pairs identified, coverage %.3f, wrong %d; leak %.4f, said %.4f; 1−MCC %.5f, said %.5f\n",
		k.name, k.d, positions, seeds, identified, pairs, float64(inside)/n, wrong, math.Sqrt(squares/n), math.Sqrt(nominal/n), actual/float64(seeds), expected/float64(seeds))
	return nil
}

// shares are those of the sources, at variance 1, in the recovered signals.
func (k kind) shares(sol *linear.Solution, s, x *mat.Dense) *mat.Dense {
	var gram, cross, a, shares mat.Dense // x = a·s
	gram.Mul(s, s.T())
	cross.Mul(x, s.T())
	if err := a.Solve(&gram, cross.T()); err != nil {
		log.Fatal(err)
	}
	shares.Mul(sol.Demixing, a.T())
	for j := range k.d {
		sd := math.Sqrt(stat.Variance(s.RawRowView(j), nil))
		for i := range k.d {
			shares.Set(i, j, shares.At(i, j)*sd)
		}
	}
	return &shares
}

// nulls are kinds that no rotation is identified of.
var nulls = []kind{
	{"white", 2, gaussian, 0, nil},
	{"white", 4, gaussian, 0, nil},
	{"white", 8, gaussian, 0, nil},
	{"AR(.9)", 2, red, 0, nil},
	{"AR(.9)", 4, red, 0, nil},
	{"AR(.9)", 8, red, 0, nil},
	{"AR(7), J=5", 2, nil, 5, nil},
	{"AR(7), J=5", 4, nil, 5, nil},
	{"AR(7), J=5", 8, nil, 5, nil},
	{"white", 16, gaussian, 0, nil},
	{"AR(.9)", 16, red, 0, nil},
	{"white", 32, gaussian, 0, nil},
	{"AR(7), J=5", 16, nil, 5, nil},
}

// null prints how often a pair is said to be identified, how often whitening is
// left, and quantiles of the evidence.
func (k kind) null(first uint64, seeds, positions int) error {
	var rotation, pair []float64
	left, identified := 0, 0
	for seed := range uint64(seeds) {
		_, x, err := k.draw(first+seed, positions)
		if err != nil {
			return err
		}
		sol, err := k.separate(x)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(sol.Why, "Whitening") {
			left++
		}
		if len(sol.Groups) > 1 {
			identified++
		}
		most := math.Inf(-1)
		for _, p := range sol.Pairs {
			most = max(most, p.Evidence)
		}
		rotation, pair = append(rotation, sol.Evidence), append(pair, most)
	}
	fmt.Printf("%-12s %2d T=%d: of %d identified %d, whitening left %d; evidence, 50 %% 95 %% 98 %% 100 %%: rotation %.1f %.1f %.1f %.1f, best pair %.1f %.1f %.1f %.1f\n", k.name, k.d, positions, seeds, identified, left,
		quantile(rotation, .5), quantile(rotation, .95), quantile(rotation, .98), quantile(rotation, 1),
		quantile(pair, .5), quantile(pair, .95), quantile(pair, .98), quantile(pair, 1))
	return nil
}
