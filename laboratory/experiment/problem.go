package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// The names of a Problem's data.
const (
	// Heart is the paper's two dependent sources at 1000 positions in order,
	// see datasets.PaperHeart.
	Heart = "heart"
	// AR7 is two of the paper's autoregressive sources at 1024 positions.
	AR7 = "ar7"
	// MNIST is three digits of 32×32 pixels.
	MNIST = "mnist"
	// twoDigits are two of them, and resizedDigits three that were scaled to 32×32 pixels in
	// place of a border: readings of what the paper doesn't say.
	twoDigits     = "mnist-two"
	resizedDigits = "mnist-resized"
)

// The names of a Problem's mixing.
const (
	// MatrixMixing is datasets.HeartMixing, for Heart only.
	MatrixMixing = "matrix"
	// LinearMixing is the paper's steps x ← x + δ·W·x.
	LinearMixing = "linear"
	// GELUMixing is the paper's steps x ← x + δ·GELU(W·x).
	GELUMixing = "gelu"
	// innerMixing is x ← x + GELU(δ·W·x), another interpretation of the step
	// (laboratory/experiment/results/interpretations.md).
	innerMixing = "gelu-inner"
)

// The sizes of the paper's problems.
const (
	arSignals, arPositions = 2, 1024
	digits                 = 3
)

// A Problem is sources and their mixing: the paper's by Data and Mixing, or a Mixture.
type Problem struct {
	Data   string `json:"data,omitempty"`   // Heart, AR7 or MNIST
	Mixing string `json:"mixing,omitempty"` // MatrixMixing, LinearMixing or GELUMixing
	Steps  int    `json:"steps"`            // of the mixing; 0 for MatrixMixing
	// StepSize is δ of the mixing's steps x ← x + δ·h(W·x); 0 is 1, as the paper
	// prints them, and for MatrixMixing.
	StepSize float64 `json:"step_size,omitempty"`

	// Mixture names other sources with their mixing, in place of all of the above: a row of a
	// Table, as printed (laboratory/tables/results/quality.md); sources, number of signals and mixing
	// in a word such as laplace-2-leaky3 (docs/evaluation/nonlinear.md); or "files:" and paths with
	// commas between them, each with one source, the first signal of a recording or an image.
	Mixture string `json:"mixture,omitempty"`
	// Positions is the length of a mixture's sequences; 0 is 1024.
	Positions int `json:"positions,omitempty"`

	Seed uint64 `json:"seed"` // of the sources, and of the method
}

// label returns the problem in a row of a table.
func (p Problem) label() string {
	if p.Mixture != "" {
		name := p.Mixture
		for _, prefix := range []string{
			unseenPrefix, linearPrefix, nullPrefix, noisePrefix, filteredPrefix,
		} {
			name = strings.TrimPrefix(name, prefix)
		}
		return name
	}
	data := map[string]string{AR7: "AR(7)", MNIST: "MNIST d=3", Heart: "heart, u ordered"}[p.Data]
	kind := map[string]string{LinearMixing: "linear", GELUMixing: "GELU"}[p.Mixing]
	if kind == "" {
		return data
	}
	return fmt.Sprintf("%s, %s, J=%d", data, kind, p.Steps)
}

// resolved returns the problem of a table's row that Mixture names, or p if there is none.
func (p Problem) resolved() Problem {
	for _, row := range append(qualityProblems(), listed(listedMixtures()...)...) {
		if row.label() == p.Mixture {
			row.Positions, row.Seed = p.Positions, p.Seed
			return row
		}
	}
	return p
}

// signals returns the number of mixed signals of a mixture.
func (p Problem) signals() int {
	m, err := mixtureNamed(p.Mixture)
	if err != nil {
		return 0
	}
	return m.signals
}

// Draw returns the sources and the mixed signals. Some mixtures have more sources than mixed signals.
// It is an error if the data, the mixing or the mixture is unknown, or if they don't go together.
func (p Problem) Draw() (sources *mat.Dense, mixed *ica.Signals, err error) {
	if p = p.resolved(); p.Mixture != "" {
		m, err := mixtureNamed(p.Mixture)
		if err != nil {
			return nil, nil, err
		}
		return m.draw(p.Seed, p.Positions)
	}
	var shape []int
	rng := rand.New(rand.NewPCG(p.Seed, 0))
	switch p.Data {
	case Heart:
		sources, err = datasets.Heart(rng, datasets.PaperHeart())
	case AR7:
		sources, err = datasets.AR7(rng, arSignals, arPositions)
	case MNIST, twoDigits, resizedDigits:
		shape = []int{datasets.MNISTSide, datasets.MNISTSide}
		n := digits
		if p.Data == twoDigits {
			n = 2
		}
		sources, _, err = datasets.MNIST(rng, n)
		if err == nil && p.Data == resizedDigits {
			resize(sources)
		}
	default:
		err = fmt.Errorf("experiment: data: unknown name (%q); must be %s, %s or %s",
			p.Data, Heart, AR7, MNIST)
	}
	if err != nil {
		return nil, nil, err
	}
	x, err := p.mix(sources)
	if err != nil {
		return nil, nil, err
	}
	mixed, err = ica.New(x, shape...)
	return sources, mixed, err
}

func (p Problem) mix(s *mat.Dense) (*mat.Dense, error) {
	switch {
	case p.Mixing == MatrixMixing && p.Data == Heart && p.Steps == 0 && p.StepSize == 0:
		return datasets.LinearMix(datasets.HeartMixing(), s)
	case p.Mixing == LinearMixing && p.Data != Heart:
		return datasets.Mix(s, datasets.MixOptions{Steps: p.Steps, StepSize: p.StepSize})
	case p.Mixing == GELUMixing && p.Data != Heart:
		opt := datasets.MixOptions{Steps: p.Steps, StepSize: p.StepSize, H: datasets.GELU}
		return datasets.Mix(s, opt)
	case p.Mixing == innerMixing && p.Data != Heart:
		d, _ := s.Dims()
		w := datasets.PaperW(d)
		w.Scale(p.StepSize, w)
		return datasets.Mix(s, datasets.MixOptions{Steps: p.Steps, W: w, H: datasets.GELU})
	}
	return nil, fmt.Errorf("experiment: mixing: %d steps of %q don't suit %s; must be %s "+
		"without steps for %s, and %s or %s for the others",
		p.Steps, p.Mixing, p.Data, MatrixMixing, Heart, LinearMixing, GELUMixing)
}

// resize scales each digit of s to all of its 32×32 pixels: what lies within the border, by
// bilinear interpolation between the pixels' centres.
func resize(s *mat.Dense) {
	const side, border = datasets.MNISTSide, datasets.MNISTBorder
	const scale = float64(side-2*border) / side
	d, _ := s.Dims()
	for i := range d {
		digit := slices.Clone(s.RawRowView(i))
		at := func(row, col int) float64 {
			row, col = min(max(row, 0), side-2*border-1), min(max(col, 0), side-2*border-1)
			return digit[(row+border)*side+col+border]
		}
		for row := range side {
			for col := range side {
				y, dy := math.Modf((float64(row)+0.5)*scale + 0.5) // one further, to be above 0
				x, dx := math.Modf((float64(col)+0.5)*scale + 0.5)
				top, left := int(y)-1, int(x)-1
				s.Set(i, row*side+col,
					(1-dy)*((1-dx)*at(top, left)+dx*at(top, left+1))+
						dy*((1-dx)*at(top+1, left)+dx*at(top+1, left+1)))
			}
		}
	}
}
