package experiment_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

// A figure of two methods that need no training, made twice: the second time
// nothing is missing.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	figure, err := experiment.FigureNamed("1")
	if err != nil {
		log.Fatal(err)
	}
	var plan experiment.Plan
	for _, c := range figure.Trials(methods.Paper, 2) {
		if c.Method == "mixed" || c.Method == "zca" {
			plan.Trials = append(plan.Trials, c)
		}
	}
	plan.Jobs = 1
	for range 2 {
		store, err := experiment.Open(dir, "outcomes")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(store.Missing(plan)), "missing")
		if err := experiment.Run(context.Background(), b, store, plan); err != nil {
			log.Fatal(err)
		}
		if err := store.Close(); err != nil {
			log.Fatal(err)
		}
	}
	results, err := experiment.Read(dir, "outcomes")
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range results.Outcomes() {
		fmt.Printf("%s %.3f\n", o.Trial, *o.MCC)
	}
	// Output:
	// 4 missing
	// 0 missing
	// heart-matrix-0-mixed-20001 0.894
	// heart-matrix-0-zca-20001 1.000
	// heart-matrix-0-mixed-20002 0.893
	// heart-matrix-0-zca-20002 1.000
}
