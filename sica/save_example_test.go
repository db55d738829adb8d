package sica_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// What one half of a recording taught is saved, loaded, and used on the other,
// and back.
func ExampleResult_Transform() {
	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 0)), 2, 1024)
	if err != nil {
		log.Fatal(err)
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 2}) // 2×1024
	if err != nil {
		log.Fatal(err)
	}
	first, second := mat.DenseCopyOf(x.Slice(0, 2, 0, 512)), mat.DenseCopyOf(x.Slice(0, 2, 512, 1024))
	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	result, err := sica.Fit(context.Background(), first, sica.Default().On(b))
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "sica")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := result.Save(filepath.Join(folder, "result")); err != nil {
		log.Fatal(err)
	}
	loaded, err := sica.Load(filepath.Join(folder, "result"))
	if err != nil {
		log.Fatal(err)
	}
	z, err := loaded.Transform(second)
	if err != nil {
		log.Fatal(err)
	}
	match, err := metric.MCC(z, mat.DenseCopyOf(s.Slice(0, 2, 512, 1024)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("separated:", match.MCC > 0.9)
	roundTrip, err := loaded.RoundTrip(z)
	fmt.Println("and back:", roundTrip < 1e-9, err)
	// Output:
	// separated: true
	// and back: true <nil>
}
