// Command linear compares the rule of sica/linear with its rivals on kinds of
// sources under linear mixtures, and prints a table: mean correlation coefficients
// with their standard error, the worst, and median seconds.
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

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

var rivals = []baseline.Method{zca.Method{}, fastica.Method{Config: fastica.Default()}}

func main() {
	log.SetFlags(0)
	positions := flag.Int("t", 1024, "positions `T`")
	seeds := flag.Int("n", 8, "mixtures of each kind")
	first := flag.Uint64("seed", 1, "first seed")
	only := flag.String("kind", "", "only kinds whose name contains `text`")
	largest := flag.Int("d", 64, "only kinds with at most `d` signals")
	null := flag.Bool("null", false, "mixtures that nothing identifies")
	flag.Parse()
	if *null {
		for _, k := range nulls {
			if k.d <= *largest {
				if err := k.null(*first, *seeds, *positions); err != nil {
					log.Fatal(err)
				}
			}
		}
		return
	}
	for _, k := range kinds {
		if !strings.Contains(k.name, *only) || k.d > *largest {
			continue
		}
		if err := k.row(*first, *seeds, *positions); err != nil {
			log.Fatal(err)
		}
	}
}

type cell struct{ mcc, seconds []float64 }

func (c *cell) add(z, s *mat.Dense, begin time.Time) error {
	c.seconds = append(c.seconds, time.Since(begin).Seconds())
	m, err := sica.MCC(z, s)
	c.mcc = append(c.mcc, m.MCC)
	return err
}

func (c *cell) String() string {
	mean, sd := stat.MeanStdDev(c.mcc, nil)
	return fmt.Sprintf("%.4f ± %.4f (%.3f)", mean, sd/math.Sqrt(float64(len(c.mcc))), slices.Min(c.mcc))
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func (k kind) row(first uint64, seeds, positions int) error {
	others := make([]cell, len(rivals))
	var rule, best, null cell
	var groups []int
	least := math.Inf(1)
	for seed := range uint64(seeds) {
		s, x, err := k.draw(first+seed, positions)
		if err != nil {
			return err
		}
		for i, r := range rivals {
			begin := time.Now()
			m, err := r.Fit(context.Background(), x)
			if err != nil {
				return err
			}
			if err := others[i].add(m.Signals(), s, begin); err != nil {
				return err
			}
		}
		begin := time.Now()
		sol, err := linear.Separate(context.Background(), x, linear.Options{})
		if err != nil {
			return err
		}
		for _, c := range []struct {
			to *cell
			b  *mat.Dense
		}{{&rule, sol.Demixing}, {&best, sol.Best}, {&null, sol.Null}} {
			var z mat.Dense
			z.Mul(c.b, x)
			if err := c.to.add(&z, s, begin); err != nil {
				return err
			}
		}
		groups = append(groups, len(sol.Groups))
		for i := range k.d {
			for j := range i {
				least = min(least, sol.Evidence.At(i, j))
			}
		}
	}
	fmt.Printf("%-22s %2d ", k.name, k.d)
	for i, r := range rivals {
		fmt.Printf("| %s %v %.2f s ", r.Name(), &others[i], median(others[i].seconds))
	}
	fmt.Printf("| rule %v %.2f s | best %v null %.4f groups %v least %.1f\n", &rule, median(rule.seconds), &best, stat.Mean(null.mcc, nil), groups, least)
	return nil
}
