// Command nonlinear measures SICA on nonlinear mixtures whose sources are known: a row of
// a Markdown table for each problem, with the mean correlation coefficient of whitened
// signals, of rivals and of what SICA recovers, mean ± standard error over the seeds, and
// what SICA says of itself. A network may leave each source bent, and so the verdicts are
// held against the correlation of ranks: those of the networks on themselves and, with
// -reports, those of a report without refits.
//
// A problem is named sources-signals-mixing, for example laplace-2-leaky3:
//
//	laplace  AR(1), ρ = .7, Laplace innovations     leaky⟨L⟩   L leaky-ReLU layers
//	gauss    Gaussian AR(1), different ρ            bent⟨L⟩    L layers of .2u + tanh 2u
//	same     Gaussian AR(1), equal ρ                tanh       tanh(A·s)
//	iid      Laplace, white                         cubic      u + .2u³ of A·s
//	ar7      the paper's AR(7)                      gelu⟨J⟩    the paper's, J steps of 1
//	                                                small⟨J⟩   the same, steps of .1
//	digits   MNIST, as images (T = 1024)            turn⟨J⟩    the same with a rotating W
//	uniform  AR(1), different ρ, uniform            linear     A·s
//	garch    AR(1), innovations GARCH(1, 1)
//	white    uniform and Laplace, white
//	voice    voices of people who speak             noise⟨%⟩   A·s and white noise in each channel
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/experiment"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
	"github.com/seed-47b1e431/gosica/sica/report"
)

func main() {
	log.SetFlags(0)
	problems := flag.String("problems", "laplace-2-leaky1,laplace-2-leaky2,laplace-2-leaky3", "comma-separated `names`")
	rivals := flag.String("rivals", "fastica", "comma-separated `methods` that are measured beside")
	positions := flag.Int("t", 1024, "positions `T`")
	first := flag.Uint64("seed", 1, "first seed")
	seeds := flag.Int("n", 8, "mixtures of each problem")
	method := flag.String("method", "auto", "`method` of SICA: auto, network or linear")
	reports := flag.Bool("reports", false, "make a report on each fit: columns separated, and how many of these are")
	verbose := flag.Bool("v", false, "a line for each mixture")
	flag.Parse()
	b, err := backend.Open(backend.Auto)
	if err != nil {
		log.Fatal(err)
	}
	t := table{backend: b, positions: *positions, first: *first, seeds: *seeds, reports: *reports, verbose: *verbose, cfg: sica.Default()}
	if *method != sica.Auto.String() {
		t.cfg.Method = sica.Method(*method)
	}
	for name := range strings.SplitSeq(*rivals, ",") {
		if name == "" {
			continue
		}
		m, err := experiment.MethodNamed(name)
		if err != nil {
			log.Fatal(err)
		}
		t.rivals = append(t.rivals, m)
	}
	t.head()
	for name := range strings.SplitSeq(*problems, ",") {
		if err := t.row(context.Background(), name); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
}

// A table is what is measured of each problem.
type table struct {
	backend   compute.Backend
	positions int
	first     uint64
	seeds     int
	reports   bool
	verbose   bool
	cfg       sica.Config
	rivals    []experiment.Method
}

func (t *table) head() {
	names := []string{"problem", "T", "n", "whitened"}
	for _, m := range t.rivals {
		names = append(names, m.Name)
	}
	names = append(names, "SICA", "least", "ranks", "networks tried", "taken", "identified", "of ranks ≥ .9")
	if t.reports {
		names = append(names, "reported separated", "of ranks ≥ .9")
	}
	names = append(names, "median seconds")
	fmt.Printf("| %s |\n|%s\n", strings.Join(names, " | "), strings.Repeat(" --- |", len(names)))
}

// row measures a problem.
func (t *table) row(ctx context.Context, name string) error {
	var whitened, found, ranks, seconds []float64
	others := make([][]float64, len(t.rivals))
	tried, taken := 0, 0
	var identified, separated verdicts
	for k := range t.seeds {
		seed := t.first + uint64(k)
		s, x, err := draw(name, seed, t.positions)
		if err != nil {
			return err
		}
		cfg := t.cfg
		cfg.Seed = seed
		if strings.HasPrefix(name, "digits") {
			cfg.Shape = []int{datasets.MNISTSide, datasets.MNISTSide}
		}
		white, err := preprocess.Apply(x, preprocess.ZCA)
		if err != nil {
			return err
		}
		whitened = append(whitened, mcc(white, s))
		for i, m := range t.rivals {
			signals, err := ica.New(x, cfg.Shape...)
			if err != nil {
				return err
			}
			r, err := m.Fit(ctx, t.backend, signals, m.Settings(experiment.PaperPreset), seed)
			if err != nil {
				return err
			}
			others[i] = append(others[i], mcc(r.Signals, s))
		}
		begin := time.Now()
		r, err := sica.Fit(ctx, t.backend, x, cfg)
		if err != nil {
			return err
		}
		seconds = append(seconds, time.Since(begin).Seconds())
		of, err := metric.SpearmanMCC(r.Z, s)
		if err != nil {
			return err
		}
		found, ranks = append(found, mcc(r.Z, s)), append(ranks, of.MCC)
		if slices.ContainsFunc(r.Candidates, func(c sica.Candidate) bool { return c.Method == sica.NetworkOnly }) {
			tried++
		}
		if r.Network != nil {
			taken++
			identified.count(r.Network.Identified, of.MCC)
		}
		verdict := report.Verdict("")
		if t.reports {
			says, err := report.New(ctx, t.backend, r, x, report.Options{Shape: cfg.Shape})
			if err != nil {
				return err
			}
			verdict = says.Verdict
			separated.count(verdict == report.Separated, of.MCC)
		}
		if t.verbose {
			fmt.Printf("  seed %d: whitened %.4f, SICA %.4f, ranks %.4f, %s: %s\n", seed, whitened[k], found[k], ranks[k], cmp.Or(verdict, "not reported"), r.Why)
		}
	}
	fmt.Printf("| %s | %d | %d | %s |", name, t.positions, t.seeds, meanSE(whitened))
	for _, other := range others {
		fmt.Printf(" %s |", meanSE(other))
	}
	slices.Sort(seconds)
	fmt.Printf(" %s | %.4f | %s | %d | %d | %d | %d |", meanSE(found), slices.Min(found), meanSE(ranks),
		tried, taken, identified.yes, identified.right)
	if t.reports {
		fmt.Printf(" %d | %d |", separated.yes, separated.right)
	}
	fmt.Printf(" %.2f |\n", seconds[len(seconds)/2])
	return nil
}

// verdicts counts how often signals are said to be the sources, and are.
type verdicts struct{ yes, right int }

func (v *verdicts) count(yes bool, rankMCC float64) {
	if yes {
		v.yes++
		if rankMCC >= .9 {
			v.right++
		}
	}
}

// mcc is that of z, NaN if there is none.
func mcc(z, s *mat.Dense) float64 {
	m, err := metric.MCC(z, s)
	if err != nil {
		return math.NaN()
	}
	return m.MCC
}

func meanSE(v []float64) string {
	mean, std := stat.MeanStdDev(v, nil)
	return fmt.Sprintf("%.4f ± %.4f", mean, std/math.Sqrt(float64(len(v))))
}
