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
package main

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/internal/direct"
)

func main() {
	problems := flag.String("problems", "laplace-2-leaky1,laplace-2-leaky2,laplace-2-leaky3", "comma-separated `names`")
	T := flag.Int("T", 1024, "positions")
	first := flag.Uint64("first", 101, "first seed")
	n := flag.Int("n", 8, "seeds of each problem")
	together := flag.Int("together", 8, "problems fitted in one program")
	name := flag.String("backend", backend.Auto, "backend")
	verbose := flag.Bool("v", false, "a line for each seed")
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
	if err := run(strings.Split(*problems, ","), *T, *first, *n, *together, *name, *verbose, o); err != nil {
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
				z, err := m.Apply(mixed[i])
				if err != nil {
					return err
				}
				w, err := direct.Whitened(mixed[i])
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

// draw draws the sources and mixed signals of a problem.
func draw(name string, seed uint64, T int) (s, x *mat.Dense, err error) {
	parts := strings.Split(name, "-")
	if len(parts) != 3 {
		return nil, nil, fmt.Errorf("problem %q: want sources-signals-mixing", name)
	}
	d, err := strconv.Atoi(parts[1])
	if err != nil {
		return nil, nil, fmt.Errorf("problem %q: %w", name, err)
	}
	hash := fnv.New64()
	hash.Write([]byte(name))
	rng := rand.New(rand.NewPCG(seed, hash.Sum64()))
	if s, err = drawSources(rng, parts[0], d, T); err != nil {
		return nil, nil, err
	}
	x, err = mix(rng, parts[2], s)
	return s, x, err
}

func drawSources(rng *rand.Rand, kind string, d, T int) (*mat.Dense, error) {
	gauss := func(rho func(i int) float64) (*mat.Dense, error) {
		var signals []datasets.ARProcess
		for i := range d {
			signals = append(signals, datasets.ARProcess{Coefficients: []float64{rho(i)}, Scale: 1, BurnIn: 200})
		}
		return datasets.AR(rng, T, signals...)
	}
	switch kind {
	case "laplace":
		return datasets.LaplaceAR(rng, d, T, .7)
	case "iid":
		return datasets.LaplaceAR(rng, d, T, 0)
	case "ar7":
		return datasets.AR7(rng, d, T)
	case "gauss":
		return gauss(func(i int) float64 { return .9 - .7*float64(i)/float64(d-1) })
	case "digits":
		if T != 1024 {
			return nil, fmt.Errorf("digits have 1024 positions, not %d", T)
		}
		s, _, err := datasets.MNIST(rng, d)
		return s, err
	case "same":
		return gauss(func(int) float64 { return .7 })
	}
	return nil, fmt.Errorf("unknown sources %q", kind)
}

func mix(rng *rand.Rand, kind string, s *mat.Dense) (*mat.Dense, error) {
	name := strings.TrimRight(kind, "0123456789")
	n, _ := strconv.Atoi(kind[len(name):])
	switch name {
	case "leaky":
		return datasets.LayeredMix(rng, s, n, datasets.LeakyReLU(.2))
	case "bent":
		return datasets.LayeredMix(rng, s, n, func(u float64) float64 { return .2*u + math.Tanh(2*u) })
	case "tanh":
		return datasets.PostNonlinearMix(rng, s, math.Tanh)
	case "cubic":
		return datasets.PostNonlinearMix(rng, s, func(u float64) float64 { return u + .2*u*u*u })
	case "gelu":
		return datasets.Mix(s, datasets.MixOptions{Steps: n, H: datasets.GELU})
	case "small":
		return datasets.Mix(s, datasets.MixOptions{Steps: n, StepSize: .1, H: datasets.GELU})
	case "turn":
		return datasets.Mix(s, datasets.MixOptions{Steps: n, W: mat.NewDense(2, 2, []float64{1, .7, -.7, 1}), H: datasets.GELU})
	}
	return nil, fmt.Errorf("unknown mixing %q", kind)
}
