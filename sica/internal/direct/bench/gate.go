package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-47b1e431/gosica/sica/internal/direct"
)

// measure prints how often mixtures call for a network, and what linear demixings
// leave of dependence, in nats.
func measure(problems []string, T int, first uint64, n int, verbose bool, o direct.Options) error {
	ctx := context.Background()
	fmt.Println("problem T n | call for a network, dependence | MCC whitened, linear")
	for _, name := range problems {
		called := 0
		var dependence, white, linear []float64
		for seed := first; seed < first+uint64(n); seed++ {
			s, x, err := draw(name, seed, T)
			if err != nil {
				return err
			}
			o.Shape = nil
			if strings.HasPrefix(name, "digits") {
				o.Shape = []int{32, 32}
			}
			starts, err := linearStarts(ctx, x, o.Shape)
			if err != nil {
				return err
			}
			c, err := direct.Called(ctx, starts[1].Signals, o)
			if err != nil {
				return err
			}
			if c.Network {
				called++
			}
			worst, _ := direct.Worst(c.Pairs)
			dependence = append(dependence, worst.Nats)
			white = append(white, direct.MeanCorrelation(starts[0].Signals, s))
			linear = append(linear, direct.MeanCorrelation(starts[1].Signals, s))
			if verbose {
				fmt.Printf("  seed %d: called %t, dependence %.3f ± %.3f\n", seed, c.Network, worst.Nats, worst.SE)
			}
		}
		fmt.Printf("%s %d %d | %d/%d %s | %s %s\n", name, T, n, called, n, meanSE(dependence), meanSE(white), meanSE(linear))
	}
	return nil
}
