// Linear separates by the linear rule alone, without a backend, a network or GoMLX, and maps new
// signals there and back.
package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// separate returns what the rule learns from the mixed signals x, d×n, and says.
func separate(ctx context.Context, x *mat.Dense) (*ica.Model, *linear.Solution) {
	model := must(ica.Separate(ctx, linear.Options{}, x))
	return model, model.Details.(*linear.Solution)
}

func main() {
	x, later, _ := mixture()
	model, found := separate(context.Background(), x)
	fmt.Println(found.Why)
	z := must(model.Transform(later)) // B·(x − mean)
	back := must(model.InverseTransform(z))
	fmt.Printf("there and back: %.1g away\n", distance(back, later))
}
