package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/internal/direct"
)

func problem(name string, seed uint64, T int) (s, x *mat.Dense) {
	var src, mix string
	var d int
	fmt.Sscanf(strings.ReplaceAll(name, "-", " "), "%s %d %s", &src, &d, &mix)
	h := uint64(0)
	for _, c := range name {
		h = h*31 + uint64(c)
	}
	rng := rand.New(rand.NewPCG(seed, h))
	var err error
	switch src {
	case "lap":
		s, err = datasets.LaplaceAR(rng, d, T, .7)
	case "ar7":
		s, err = datasets.AR7(rng, d, T)
	case "iid":
		s, err = datasets.LaplaceAR(rng, d, T, 0)
	case "gauss":
		s, err = datasets.AR(rng, T, datasets.ARProcess{Coefficients: []float64{.9}, Scale: 1, BurnIn: 200}, datasets.ARProcess{Coefficients: []float64{.2}, Scale: 1, BurnIn: 200})
	case "same":
		s, err = datasets.AR(rng, T, datasets.ARProcess{Coefficients: []float64{.7}, Scale: 1, BurnIn: 200}, datasets.ARProcess{Coefficients: []float64{.7}, Scale: 1, BurnIn: 200})
	}
	if err != nil {
		panic(err)
	}
	n := 0
	switch {
	case mix[0] == 'L':
		fmt.Sscanf(mix, "L%d", &n)
		x, err = datasets.LayeredMix(rng, s, n, datasets.LeakyReLU(.2))
	case mix[0] == 'M':
		fmt.Sscanf(mix, "M%d", &n)
		x, err = datasets.LayeredMix(rng, s, n, func(u float64) float64 { return .2*u + math.Tanh(2*u) })
	case mix == "tanh":
		x, err = datasets.PostNonlinearMix(rng, s, math.Tanh)
	case mix == "cubic":
		x, err = datasets.PostNonlinearMix(rng, s, func(u float64) float64 { return u + .2*u*u*u })
	case mix[0] == 'g':
		fmt.Sscanf(mix, "g%d", &n)
		x, err = datasets.Mix(s, datasets.MixOptions{Steps: n, H: datasets.GELU})
	case mix[0] == 's':
		fmt.Sscanf(mix, "s%d", &n)
		x, err = datasets.Mix(s, datasets.MixOptions{Steps: n, H: datasets.GELU, StepSize: .1})
	case mix[0] == 'r':
		fmt.Sscanf(mix, "r%d", &n)
		x, err = datasets.Mix(s, datasets.MixOptions{Steps: n, H: datasets.GELU, W: mat.NewDense(2, 2, []float64{1, .7, -.7, 1})})
	}
	if err != nil {
		panic(err)
	}
	return s, x
}

func main() {
	names := flag.String("problems", "lap-2-L1,lap-2-L2,lap-2-L3", "")
	T := flag.Int("T", 1024, "")
	first := flag.Int("first", 1, "")
	n := flag.Int("n", 3, "")
	past := flag.Int("past", 2, "")
	steps := flag.Int("steps", 1200, "")
	lay := flag.Int("layers", 8, "")
	restarts := flag.Int("restarts", 4, "")
	lr := flag.Float64("lr", 1e-2, "")
	batch := flag.Int("batch", 512, "")
	verbose := flag.Bool("v", false, "")
	curve := flag.Bool("curve", false, "")
	be := flag.String("backend", "xla:cpu", "")
	flag.Parse()
	b, err := backend.Open(*be)
	if err != nil {
		panic(err)
	}
	for _, name := range strings.Split(*names, ",") {
		var ss, xs []*mat.Dense
		for i := range *n {
			s, x := problem(name, uint64(*first+i), *T)
			ss, xs = append(ss, s), append(xs, x)
		}
		begin := time.Now()
		var times []string
		raws, err := direct.FitRaw(context.Background(), b, xs, direct.Options{Seed: 1, Past: *past, Steps: *steps, Layers: *lay, Restarts: *restarts, LearningRate: *lr, Batch: *batch,
			OnProgress: func(step int, h []float64) {
				if step%300 == 0 {
					times = append(times, fmt.Sprintf("%.1f", time.Since(begin).Seconds()))
				}
			}})
		if err != nil {
			fmt.Printf("%+v\n", err)
			continue
		}
		el := time.Since(begin)
		var sum, worst float64 = 0, 1
		best := 0.
		for i, rs := range raws {
			pick, oracle := 0, 0.
			for k, r := range rs {
				m, _ := sica.MCC(r.Z, ss[i])
				if r.HeldOut-r.Base > rs[pick].HeldOut-rs[pick].Base {
					pick = k
				}
				oracle = max(oracle, m.MCC)
				if *verbose {
					fmt.Printf("    seed %d restart %d fold %d heldout %.4f gain %.4f step %d mcc %.4f\n", *first+i, r.Restart, r.Fold, r.HeldOut, r.HeldOut-r.Base, r.Step, m.MCC)
				}
				if *curve {
					for _, e := range r.Curve {
						fmt.Printf("       %d %.4f %.4f\n", e.Step, e.HeldOut, e.Train)
					}
				}
			}
			m, _ := sica.MCC(rs[pick].Z, ss[i])
			sum += m.MCC
			worst = min(worst, m.MCC)
			best += oracle
		}
		fmt.Printf("%s T=%d n=%d: mean %.4f worst %.4f best-of-runs %.4f  %.1fs %v\n", name, *T, *n, sum/float64(*n), worst, best/float64(*n), el.Seconds(), times)
	}
}
