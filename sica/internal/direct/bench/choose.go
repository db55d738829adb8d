package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica/internal/direct"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// linearStarts are whitening, on which a network is tried, and what the linear rule
// recovers.
func linearStarts(ctx context.Context, x *mat.Dense, shape []int) ([]direct.Start, error) {
	symmetric, err := preprocess.SymmetricOf(x)
	if err != nil {
		return nil, err
	}
	sol, err := linear.Separate(ctx, x, linear.Options{Shape: shape})
	if err != nil {
		return nil, err
	}
	var starts []direct.Start
	for _, m := range []struct {
		name    string
		by      *preprocess.Affine
		network bool
	}{{"whitening", symmetric.Affine(), true}, {"the linear rule", preprocess.LinearMap(sol.Demixing, sol.Mean), false}} {
		z, err := m.by.Apply(x)
		if err != nil {
			return nil, err
		}
		logDet, _ := mat.LogDet(m.by.Dense())
		starts = append(starts, direct.Start{Name: m.name, Signals: z, LogDet: []float64{logDet}, Network: m.network})
	}
	return starts, nil
}

// choose prints what Choose makes of each problem.
func choose(problems []string, T int, first uint64, n int, backendName string, verbose bool, o direct.Options) error {
	b, err := backend.Open(backendName)
	if err != nil {
		return err
	}
	fmt.Println("problem T n | MCC whitened, linear, chosen, worst | networks fitted, chosen, called separated, right if so | seconds")
	for _, name := range problems {
		mccs := make([][]float64, 3)
		fitted, chosen, called, right := 0, 0, 0, 0
		begin := time.Now()
		for seed := first; seed < first+uint64(n); seed++ {
			s, x, err := draw(name, seed, T)
			if err != nil {
				return err
			}
			o.Shape = nil
			if strings.HasPrefix(name, "digits") {
				o.Shape = []int{32, 32}
			}
			starts, err := linearStarts(context.Background(), x, o.Shape)
			if err != nil {
				return err
			}
			c, err := direct.Choose(context.Background(), b, starts, o)
			if err != nil {
				return err
			}
			z := starts[c.Candidates[c.Chosen].Start].Signals
			if c.Model != nil {
				fitted++
			}
			m := c.Network()
			if m != nil {
				chosen++
				if z, err = m.Map.Apply(z); err != nil {
					return err
				}
			}
			mcc := direct.MeanCorrelation(z, s)
			for k, y := range []*mat.Dense{starts[0].Signals, starts[1].Signals, z} {
				mccs[k] = append(mccs[k], direct.MeanCorrelation(y, s))
			}
			if m != nil && m.Identified() {
				called++
				if mcc >= .9 {
					right++
				}
			}
			if verbose {
				left, _ := direct.Worst(c.After)
				fmt.Printf("  seed %d: %.4f %.4f %.4f; dependence after %.3f ± %.3f; %s\n", seed, mccs[0][len(mccs[0])-1], mccs[1][len(mccs[1])-1], mcc, left.Nats, left.SE, c.Why)
			}
		}
		fmt.Printf("%s %d %d | %s %s %s %.4f | %d %d %d %d | %.1f\n", name, T, n,
			meanSE(mccs[0]), meanSE(mccs[1]), meanSE(mccs[2]), least(mccs[2]), fitted, chosen, called, right, time.Since(begin).Seconds()/float64(n))
	}
	return nil
}
