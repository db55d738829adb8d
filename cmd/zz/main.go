// Scratch: linear rule beside textbook methods, normal matrices, noise.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/assignment"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/picard"
	"github.com/seed-47b1e431/gosica/sica/baseline/sobi"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

func draw(kind string, rng *rand.Rand, i, n int) []float64 {
	lap := func() float64 { return rng.ExpFloat64() * float64(2*rng.IntN(2)-1) }
	uni := func() float64 { return 2*rng.Float64() - 1 }
	gau := rng.NormFloat64
	expo := func() float64 { return rng.ExpFloat64() - 1 }
	var inn func() float64
	var a []float64
	switch kind {
	case "wlap":
		inn = lap
	case "wuni":
		inn = uni
	case "wmix":
		inn = []func() float64{lap, uni, expo}[i%3]
	case "arlap":
		inn, a = lap, []float64{0.2 + 0.7*rng.Float64()}
	case "ar7lap":
		inn, a = lap, []float64{0.7}
	case "ar9uni":
		inn, a = uni, []float64{0.5}
	case "aruni":
		inn, a = uni, []float64{0.2 + 0.7*rng.Float64()}
	case "argau":
		inn, a = gau, []float64{-0.9 + 1.8*rng.Float64()}
	case "ar2lap":
		r, f := 0.7+0.25*rng.Float64(), math.Pi*(0.05+0.4*rng.Float64())
		inn, a = lap, []float64{2 * r * math.Cos(f), -r * r}
	case "speechy": // modulated AR2
		r, f := 0.7+0.25*rng.Float64(), math.Pi*(0.05+0.4*rng.Float64())
		inn, a = gau, []float64{2 * r * math.Cos(f), -r * r}
		env, e := make([]float64, n), 0.0
		for t := range env {
			e = 0.99*e + 0.14*rng.NormFloat64()
			env[t] = math.Exp(e)
		}
		t := 0
		inn = func() float64 { v := env[min(t, n-1)] * rng.NormFloat64(); t++; return v }
	}
	s := make([]float64, n)
	p := make([]float64, len(a))
	burn := 200
	if kind == "speechy" {
		burn = 0
	}
	for t := -burn; t < n; t++ {
		v := inn()
		for k, w := range a {
			v += w * p[k]
		}
		for k := len(p) - 1; k > 0; k-- {
			p[k] = p[k-1]
		}
		if len(p) > 0 {
			p[0] = v
		}
		if t >= 0 {
			s[t] = v
		}
	}
	m, sd := stat.PopMeanStdDev(s, nil)
	for t := range s {
		s[t] = (s[t] - m) / sd
	}
	return s
}

func mcc(s, z *mat.Dense) (mean, least float64) {
	d, _ := s.Dims()
	all, _ := z.Dims()
	c := mat.NewDense(d, all, nil)
	for i := range d {
		for j := range all {
			c.Set(i, j, math.Abs(stat.Correlation(s.RawRowView(i), z.RawRowView(j), nil)))
		}
	}
	best := assignment.Max(c)
	least = 1
	for i, j := range best {
		mean += c.At(i, j) / float64(d)
		least = min(least, c.At(i, j))
	}
	return
}

func identity(d int) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	for i := range d {
		m.Set(i, i, 1)
	}
	return m
}

func main() {
	kinds := flag.String("kinds", "wlap,wuni,wmix,arlap,ar7lap,ar9uni,aruni,argau,ar2lap,speechy", "")
	noises := flag.String("noise", "0.1,0.2,0.3", "")
	ds := flag.String("d", "2,3,4,6", "")
	n := flag.Int("n", 2500, "")
	seeds := flag.Int("seeds", 8, "")
	first := flag.Int("first", 1, "")
	fewer := flag.Int("fewer", 0, "")
	rivals := flag.Bool("rivals", true, "")
	flag.Parse()
	fmt.Println("kind d noise seed cond rule rleast fast sobi pic ainv wien groups cand noiseest why")
	for _, kind := range strings.Split(*kinds, ",") {
		for _, dd := range strings.Split(*ds, ",") {
			for _, nn := range strings.Split(*noises, ",") {
				for seed := *first; seed < *first+*seeds; seed++ {
					var d int
					var noise float64
					fmt.Sscan(dd, &d)
					fmt.Sscan(nn, &noise)
					rng := rand.New(rand.NewPCG(uint64(seed), 77))
					ns := d - *fewer
					s := mat.NewDense(ns, *n, nil)
					for i := range ns {
						s.SetRow(i, draw(kind, rng, i, *n))
					}
					a := mat.NewDense(d, ns, nil)
					a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
					for j := range ns {
						col := mat.Col(nil, j, a)
						floats.Scale(1/floats.Norm(col, 2), col)
						a.SetCol(j, col)
					}
					x := new(mat.Dense)
					x.Mul(a, s)
					x.Apply(func(_, _ int, v float64) float64 { return v + noise*rng.NormFloat64() }, x)
					sig, err := ica.New(x)
					if err != nil {
						panic(err)
					}
					ctx := context.Background()
					sol, err := linear.Separate(ctx, sig, linear.Options{})
					if err != nil {
						panic(err)
					}
					apply := func(b mat.Matrix) *mat.Dense { z := new(mat.Dense); z.Mul(b, x); return z }
					rm, rl := mcc(s, apply(sol.Demixing))
					var inv, w mat.Dense
					inv.Solve(a, identity(d))
					am, _ := mcc(s, apply(&inv))
					var cov mat.Dense
					cov.Mul(a, a.T())
					for i := range d {
						cov.Set(i, i, cov.At(i, i)+noise*noise)
					}
					var ci mat.Dense
					ci.Inverse(&cov)
					w.Mul(a.T(), &ci)
					wm, _ := mcc(s, apply(&w))
					fm, sm, pm := math.NaN(), math.NaN(), math.NaN()
					if *rivals {
						for k, m := range []ica.Method{fastica.Default(), sobi.Default(), picard.Default()} {
							model, err := m.Fit(ctx, sig)
							if err != nil {
								continue
							}
							z, err := model.Signals, error(nil)
							if err != nil {
								continue
							}
							v, _ := mcc(s, z)
							*[]*float64{&fm, &sm, &pm}[k] = v
						}
					}
					amp := 0.0
					for i := range d {
						v := 0.0
						for j := range d {
							b := sol.Demixing.At(i, j)
							v += b * b * stat.PopVariance(x.RawRowView(j), nil)
						}
						amp = max(amp, v)
					}
					fmt.Printf("AMP %.5f ", sol.NoiseLimit)
					for _, q := range sol.Sources {
						fmt.Printf("%d,", q.Order)
					}
					fmt.Println()
					fmt.Printf("%s %d %g %d %.1f %.3f %.3f %.3f %.3f %.3f %.3f %.3f %d %s %.3f %s\n", kind, d, noise, seed, mat.Cond(a, 2), rm, rl, fm, sm, pm, am, wm, len(sol.Groups), strings.ReplaceAll(sol.Candidate, " ", "_"), floats.Max(append([]float64{0}, sol.Noise...)), strings.ReplaceAll(sol.Why, " ", "_"))
				}
			}
		}
	}
}
