package html_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/report"
	"github.com/seed-47b1e431/gosica/sica/report/html"
)

// A separation with its diagnosis as a file to look at, or to send to somebody.
func ExampleWrite() {
	s, err := datasets.AR(rand.New(rand.NewPCG(1, 0)), 512,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1,
			Innovation: datasets.Normal},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1,
			Innovation: datasets.Normal})
	if err != nil {
		log.Fatal(err)
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 2})
	if err != nil {
		log.Fatal(err)
	}
	b, err := backend.Open(backend.Auto)
	if err != nil {
		log.Fatal(err)
	}
	result, err := sica.Fit(context.Background(), b, x, sica.Default())
	if err != nil {
		log.Fatal(err)
	}
	found, err := report.New(context.Background(), b, result, x, report.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var file strings.Builder // or a file
	if err := html.Write(&file, "two spectra", found, x, result.Z); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.HasPrefix(file.String(), "<!DOCTYPE html>"),
		strings.Contains(file.String(), "<h1>separated</h1>"))
	// Output: true true
}
