// Linear separates by the linear rule alone, without a backend, a network or GoMLX, maps new
// signals there and back, and saves what it has learned.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// separate returns what the rule learns from the mixed signals x, d×n, and says.
func separate(ctx context.Context, x *mat.Dense) (*ica.Model, *linear.Solution) {
	model := must(ica.Separate(ctx, linear.Default(), x))
	return model, model.Details.(*linear.Solution)
}

// save writes the linear map of a model to a file.
func save(model *ica.Model, file string) error {
	return os.WriteFile(file, must(json.Marshal(must(model.Demixing()))), 0o644)
}

// load returns the map that save wrote.
func load(file string) preprocess.Map {
	var saved ica.Demixing
	if err := json.Unmarshal(must(os.ReadFile(file)), &saved); err != nil {
		panic(err)
	}
	return preprocess.LinearMap(saved.Unmixing, saved.Mean)
}

func main() {
	x, later, _ := mixture()
	model, found := separate(context.Background(), x)
	fmt.Println(found.Why)
	file := filepath.Join(os.TempDir(), "demixing.json")
	if err := save(model, file); err != nil {
		panic(err)
	}
	loaded := load(file)
	z := must(loaded.Apply(later)) // the signals of model.Transform, which also refuses NaN
	back := must(loaded.Invert(z))
	fmt.Printf("there and back: %.1g away\n", distance(back, later))
}
