// Linear separates by the linear rule alone, without a backend, a network or GoMLX, maps new
// signals there and back, and saves what it has learned.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// separate returns what the rule learns from the mixed signals x, d×n, and says.
func separate(ctx context.Context, x *mat.Dense) (*ica.Model, *linear.Solution) {
	model := must(ica.Separate(ctx, linear.Default(), x))
	return model, model.Details.(*linear.Solution)
}

func main() {
	x, later, _ := mixture()
	model, found := separate(context.Background(), x)
	fmt.Println(found.Why)
	file := filepath.Join(os.TempDir(), "demixing.json")
	if err := model.SaveMap(file); err != nil {
		panic(err)
	}
	loaded := must(ica.LoadMap(file))
	z := must(loaded.Apply(later)) // the signals of model.Transform, which also refuses NaN
	back := must(loaded.Invert(z))
	fmt.Printf("there and back: %.1g away\n", distance(back, later))
}
