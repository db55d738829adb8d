// Linear separates by the linear rule alone, without a backend, a network or GoMLX, maps new
// signals there and back, and saves what it has learned.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// separate returns what the rule learns from the mixed signals x, d×n, and says.
func separate(ctx context.Context, x *mat.Dense) (*ica.Model, *linear.Solution) {
	model := must(ica.Separate(ctx, linear.Options{}, x))
	return model, model.Details.(*linear.Solution)
}

// A saved is all of a linear model, z = Unmixing·(x − Mean), in JSON.
type saved struct {
	Unmixing []float64 `json:"unmixing"` // d×d, row by row
	Mean     []float64 `json:"mean"`
}

func save(model *ica.Model) []byte {
	w, mean, _ := model.Matrix()
	return must(json.Marshal(saved{w.RawMatrix().Data, mean}))
}

// load returns the map of a saved model.
func load(data []byte) preprocess.Map {
	var s saved
	if err := json.Unmarshal(data, &s); err != nil {
		panic(err)
	}
	d := len(s.Mean)
	return preprocess.LinearMap(mat.NewDense(d, d, s.Unmixing), s.Mean)
}

func main() {
	x, later, _ := mixture()
	model, found := separate(context.Background(), x)
	fmt.Println(found.Why)
	loaded := load(save(model))
	z := must(loaded.Apply(later)) // as model.Transform
	back := must(loaded.Invert(z))
	fmt.Printf("there and back: %.1g away\n", distance(back, later))
}
