package methods_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Several methods separate the same signals, and are compared with the truth.
func Example() {
	s, err := datasets.LaplaceAR(rand.New(rand.NewPCG(1, 0)), 2, 2048, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	mixed, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{1, 0.6, 0.3, 1}), s)
	if err != nil {
		log.Fatal(err)
	}
	x, err := ica.New(mixed)
	if err != nil {
		log.Fatal(err)
	}
	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"sica-linear", "fastica", "mixed"} {
		m, err := methods.Named(name)
		if err != nil {
			log.Fatal(err)
		}
		r, err := m.Fit(context.Background(), methods.Task{
			Backend: b, Signals: x, Preset: m.Nearest(methods.Default), Seed: 1,
		})
		if err != nil {
			log.Fatal(err)
		}
		match, err := metric.MCC(r.Signals, s)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.2f\n", m.Label, match.MCC)
	}
	// Output:
	// SICA linear 1.00
	// FastICA 1.00
	// mixed 0.90
}
