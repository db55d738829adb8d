package datasets_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// Two of the paper's autoregressive sources, mixed by five of its updates.
func Example() {
	rng := rand.New(rand.NewPCG(1, 0))
	s, err := datasets.AR7(rng, 2, 1024)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 5, H: datasets.GELU})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Dims())
	// Output: 2 1024
}

func ExampleAR7() {
	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 0)), 2, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", mat.Formatted(s))
	// Output:
	// ⎡-0.802   0.425  -0.499  -0.987   0.477⎤
	// ⎣-0.373   1.183  -0.807   0.103  -0.740⎦
}

// Two signals that differ only in their spectra: Gaussian noise, coloured two
// ways.
func ExampleAR() {
	slow := datasets.ARProcess{Coefficients: []float64{0.9}, Scale: 1, BurnIn: 100}
	fast := datasets.ARProcess{Coefficients: []float64{-0.9}, Scale: 1, BurnIn: 100}
	s, err := datasets.AR(rand.New(rand.NewPCG(1, 0)), 4, slow, fast)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", mat.Formatted(s))
	// Output:
	// ⎡ 5.66   5.06   4.28   5.19⎤
	// ⎣ 2.54  -2.26   0.74   1.53⎦
}

// The paper's heart, tilted by its mixing.
func ExampleHeart() {
	s, err := datasets.Heart(rand.New(rand.NewPCG(1, 0)), datasets.PaperHeart())
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := datasets.LinearMix(datasets.HeartMixing(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Dims())
	// Output: 2 1000
}

// One nonlinear update of one position of two signals.
func ExampleMix() {
	s := mat.NewDense(2, 1, []float64{1, 0})
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 1, H: datasets.GELU})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", mat.Formatted(x))
	// Output:
	// ⎡1.8413⎤
	// ⎣0.5306⎦
}

func ExampleMNIST() {
	s, labels, err := datasets.MNIST(rand.New(rand.NewPCG(1, 0)), 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Dims())
	fmt.Println(labels)
	for row := 10; row < 28; row += 2 {
		for col := range datasets.MNISTSide {
			if s.At(0, row*datasets.MNISTSide+col) > .5 {
				fmt.Print("#")
			} else {
				fmt.Print(".")
			}
		}
		fmt.Println()
	}
	// Output:
	// 3 1024
	// [7 5 6]
	// ....................#####.......
	// .............###########........
	// ......#########......##.........
	// .....###............##..........
	// ..................###...........
	// .................##.............
	// ...............###..............
	// ...............##...............
	// ..............##................
}

func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "signals")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "signals.csv")
	z := mat.NewDense(2, 3, []float64{1, 2, 3, 0.1, 0.2, 0.3})
	if err := datasets.WriteFile(path, z); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(text))
	// Output:
	// s1,s2
	// 1,0.1
	// 2,0.2
	// 3,0.3
}

// The benchmark of nonlinear ICA: autoregressive sources behind layers of leaky
// ReLUs.
func ExampleLayeredMix() {
	rng := rand.New(rand.NewPCG(1, 0))
	s, err := datasets.LaplaceAR(rng, 2, 1024, 0.7)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := datasets.LayeredMix(rng, s, 3, datasets.LeakyReLU(0.2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Dims())
	// Output: 2 1024
}

// An ECG of a mother and her child, with what is in it.
func ExampleSimulateFetalECG() {
	rng := rand.New(rand.NewPCG(1, 0))
	ecg, err := datasets.SimulateFetalECG(rng, datasets.DefaultFetalECG())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ecg.Kinds)
	fmt.Println(len(ecg.Mother), "and", len(ecg.Child), "beats in a minute")
	// Output:
	// [mother mother mother child breathing line uterus]
	// 80 and 133 beats in a minute
}
