package html_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/report/html"
)

// A separation as a file to look at, or to send to somebody.
func ExampleWrite() {
	s, err := datasets.AR(rand.New(rand.NewPCG(1, 0)), 512,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1, Innovation: datasets.Normal},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1, Innovation: datasets.Normal})
	if err != nil {
		log.Fatal(err)
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 2})
	if err != nil {
		log.Fatal(err)
	}
	result, err := sica.Fit(context.Background(), x, sica.Config{Mode: sica.LinearOnly})
	if err != nil {
		log.Fatal(err)
	}
	page := html.Page{
		Title: "two spectra", Result: result, X: blockwise.InMemory{Dense: x},
		Channels: []string{"left", "right"}, Rate: 100,
	}
	var file strings.Builder // or a file
	if err := html.Write(&file, page); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.HasPrefix(file.String(), "<!DOCTYPE html>"))
	// Output: true
}
