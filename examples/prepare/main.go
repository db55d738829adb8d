// Prepare separates prices with a preprocessing of its own, which the result keeps: saved
// and loaded, it maps prices that it hasn't seen, and back.
package main

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// logs takes prices to their logarithms, in units of the first: a preprocess.Map.
type logs struct{ First []float64 }

func (l *logs) Apply(x *mat.Dense) (*mat.Dense, error) {
	z := new(mat.Dense)
	z.Apply(func(i, _ int, v float64) float64 { return math.Log(v / l.First[i]) }, x)
	return z, nil
}

func (l *logs) Invert(z *mat.Dense) (*mat.Dense, error) {
	x := new(mat.Dense)
	x.Apply(func(i, _ int, v float64) float64 { return l.First[i] * math.Exp(v) }, z)
	return x, nil
}

// fitLogs is a preprocess.Fitter.
type fitLogs struct{}

func (fitLogs) Fit(_ context.Context, x *mat.Dense) (preprocess.Applier, error) {
	if mat.Min(x) <= 0 {
		return nil, fmt.Errorf("a price is %g; must be positive", mat.Min(x))
	}
	return &logs{mat.Col(nil, 0, x)}, nil
}

func init() {
	preprocess.Register("example.com/prices.logs", func() preprocess.Applier { return new(logs) })
}

// separate separates the prices x, saves the result in the folder, loads it and maps later
// prices to recovered signals z, and those back to prices.
func separate(ctx context.Context, folder string, x, later *mat.Dense) (z, back *mat.Dense) {
	cfg := sica.Default()
	cfg.Backend = must(backend.Open(backend.Auto))
	cfg.Prepare = fitLogs{}
	result := must(sica.Fit(ctx, x, cfg))
	check(result.Save(folder))
	loaded := must(sica.Load(folder))
	z = must(loaded.Transform(later))
	return z, must(loaded.InverseTransform(z))
}

func main() {
	folder, remove := newFolder()
	defer remove()
	early, late, _ := prices()
	z, back := separate(context.Background(), folder, early, late)
	_, n := z.Dims()
	fmt.Printf("%d later prices mapped, and back to within %.1g of them\n", n, furthest(back, late))
}
