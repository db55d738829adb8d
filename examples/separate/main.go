package main

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/report"
)

func main() {
	ctx := context.Background()
	x, err := datasets.ReadFile("mixed.csv") // d signals × T positions
	check(err)
	b, err := backend.Open(backend.Auto) // XLA if it is there, else pure Go
	check(err)
	result, err := sica.Fit(ctx, x, sica.Default().On(b))
	check(err)
	found, err := report.New(ctx, result, x, report.Default().On(b)) // without the truth
	check(err)
	fmt.Println(found.Verdict)
	check(datasets.WriteFile("recovered.csv", result.Z))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
