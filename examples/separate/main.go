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
	if err != nil {
		log.Fatal(err)
	}
	b, err := backend.Open(backend.Auto) // XLA if there is a plugin, else pure Go
	if err != nil {
		log.Fatal(err)
	}
	result, err := sica.Fit(ctx, b, x, sica.Default())
	if err != nil {
		log.Fatal(err)
	}
	found, err := report.New(ctx, b, result, x, report.Default()) // needs no truth
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Verdict)
	if err := datasets.WriteFile("recovered.csv", result.Z); err != nil {
		log.Fatal(err)
	}
}
