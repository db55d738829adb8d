// Command bench measures package direct on nonlinear mixtures whose sources are
// known: one line a problem, with the mean correlation coefficient of the mixed
// signals' whitening and of what direct recovers, mean ± standard error over the
// seeds, the worst seed, and what the models say about themselves.
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
//
// With -choose it chooses between whitening, the linear rule and a network on that.
// With -gate it doesn't fit: it says how often linear demixings leave evidence that
// calls for a network.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica/internal/direct"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

func main() {
	problems := flag.String("problems", "laplace-2-leaky1,laplace-2-leaky2,laplace-2-leaky3", "comma-separated `names`")
	T := flag.Int("T", 1024, "positions")
	first := flag.Uint64("first", 101, "first seed")
	n := flag.Int("n", 8, "seeds of each problem")
	together := flag.Int("together", 8, "problems fitted in one program")
	name := flag.String("backend", backend.Auto, "backend")
	verbose := flag.Bool("v", false, "a line for each seed")
	gate := flag.Bool("gate", false, "measure the dependence that linear maps leave")
	choice := flag.Bool("choose", false, "choose between linear demixings and networks")
	var o direct.Options
	flag.IntVar(&o.Past, "past", 0, "Options.Past")
	flag.IntVar(&o.Steps, "steps", 0, "Options.Steps")
	flag.IntVar(&o.Restarts, "restarts", 0, "Options.Restarts")
	flag.IntVar(&o.Folds, "folds", 0, "Options.Folds")
	flag.IntVar(&o.Layers, "layers", 0, "Options.Layers")
	flag.IntVar(&o.Components, "components", 0, "Options.Components")
	flag.IntVar(&o.Batch, "batch", 0, "Options.Batch")
	flag.Float64Var(&o.LearningRate, "rate", 0, "Options.LearningRate")
	flag.Parse()
	var err error
	switch {
	case *choice:
		err = choose(strings.Split(*problems, ","), *T, *first, *n, *name, *verbose, o)
	case *gate:
		err = measure(strings.Split(*problems, ","), *T, *first, *n, *verbose, o)
	default:
		err = run(strings.Split(*problems, ","), *T, *first, *n, *together, *name, *verbose, o)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %+v\n", err)
		os.Exit(1)
	}
}

func run(problems []string, T int, first uint64, n, together int, backendName string, verbose bool, o direct.Options) error {
	b, err := backend.Open(backendName)
	if err != nil {
		return err
	}
	fmt.Println("problem T n | whitened direct worst | agreement | called separated | right if so | seconds a fit")
	for _, name := range problems {
		var whitened, found, agreement []float64
		called, right := 0, 0
		begin := time.Now()
		for done := 0; done < n; done += together {
			count := min(together, n-done)
			var sources, mixed []*mat.Dense
			for i := range count {
				s, x, err := draw(name, first+uint64(done+i), T)
				if err != nil {
					return err
				}
				sources, mixed = append(sources, s), append(mixed, x)
			}
			o.Shape = nil
			if strings.HasPrefix(name, "digits") {
				o.Shape = []int{32, 32}
			}
			models, err := direct.FitAll(context.Background(), b, mixed, o)
			if err != nil {
				return err
			}
			for i, m := range models {
				z, err := m.Map.Apply(mixed[i])
				if err != nil {
					return err
				}
				w, err := preprocess.Whitened(mixed[i])
				if err != nil {
					return err
				}
				mcc := direct.MeanCorrelation(z, sources[i])
				whitened = append(whitened, direct.MeanCorrelation(w, sources[i]))
				found = append(found, mcc)
				agreement = append(agreement, m.Agreement)
				if m.Identified() {
					called++
					if mcc >= .9 {
						right++
					}
				}
				if verbose {
					fmt.Printf("  seed %d: whitened %.4f direct %.4f; agreement %.4f of %d; over whitening %.4f ± %.4f, past %.3f, pairs %v, groups %v, step %d\n",
						first+uint64(done+i), whitened[len(whitened)-1], mcc, m.Agreement, m.Agreeing, m.OverWhitening.Mean, m.OverWhitening.SE,
						m.PastGain, m.Pairs, m.Groups, m.Runs[m.Chosen].Step)
					for _, r := range m.Runs {
						fmt.Printf("    restart %d fold %d: code length %.4f, over whitening %.4f, step %d\n", r.Restart, r.Fold, r.CodeLength, r.OverWhitening, r.Step)
					}
				}
			}
		}
		seconds := time.Since(begin).Seconds() / float64(n)
		fmt.Printf("%s %d %d | %s %s %.4f | %s | %d/%d | %d/%d | %.1f\n", name, T, n,
			meanSE(whitened), meanSE(found), least(found), meanSE(agreement), called, n, right, called, seconds)
	}
	return nil
}

func meanSE(v []float64) string {
	mean, std := stat.MeanStdDev(v, nil)
	return fmt.Sprintf("%.4f±%.4f", mean, std/math.Sqrt(float64(len(v))))
}

func least(v []float64) float64 {
	worst := math.Inf(1)
	for _, x := range v {
		worst = min(worst, x)
	}
	return worst
}
