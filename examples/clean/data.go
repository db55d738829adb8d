package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

const (
	rate = 100 // positions per second
	n    = 60 * rate
)

// sources returns what a recording of a minute is made of: three signals of the brain, and
// blinks of a third of a second, every two to three seconds.
func sources() (brain *mat.Dense, blinks []float64, err error) {
	rng := rand.New(rand.NewPCG(7, 0))
	if brain, err = datasets.LaplaceAR(rng, 3, n, 0.8); err != nil {
		return nil, nil, err
	}
	blinks = make([]float64, n)
	for start := 50; start+33 < len(blinks); start += 200 + rng.IntN(100) {
		for k := range 33 {
			blinks[start+k] = 8 * math.Sin(math.Pi*float64(k)/33)
		}
	}
	return brain, blinks, nil
}

// write writes a recording of four electrodes, and of an EOG, to a file.
func write(path string) error {
	brain, blinks, err := sources()
	if err != nil {
		return err
	}
	all := mat.NewDense(4, n, nil)
	all.SetRow(0, blinks)
	for i := range 3 {
		all.SetRow(i+1, brain.RawRowView(i))
	}
	mixing := mat.NewDense(5, 4, []float64{
		1.0, 0.6, 0.2, 0.3, // Fp1
		0.6, 1.0, 0.5, 0.1, // Fz
		0.3, 0.4, 1.0, 0.5, // Cz
		0.1, 0.2, 0.6, 1.0, // O1
		2.0, 0.3, 0.1, 0.1, // EOG
	})
	var x mat.Dense
	x.Mul(mixing, all)
	return datasets.WriteRecording(path, &datasets.Recording{
		Signals: &x, Names: []string{"Fp1", "Fz", "Cz", "O1", "EOG"}, Rate: rate, TimeColumn: "time",
	})
}
