package linear_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// pan moves a window of height×width over a photograph of the given side, for so many
// frames, between its pixels.
func pan(photograph []float64, side, frames, height, width int, rng *rand.Rand) []float64 {
	angle := 2 * math.Pi * rng.Float64()
	down, right := .8*math.Sin(angle), .8*math.Cos(angle) // a frame
	room := float64(frames)
	top := room + rng.Float64()*(float64(side-height-1)-2*room)
	left := room + rng.Float64()*(float64(side-width-1)-2*room)
	at := func(y, x float64) float64 {
		i, j := int(y), int(x)
		v, u := y-float64(i), x-float64(j)
		p := photograph[i*side+j:]
		return (1-v)*((1-u)*p[0]+u*p[1]) + v*((1-u)*p[side]+u*p[side+1])
	}
	var clip []float64
	for f := range frames {
		for i := range height {
			for j := range width {
				clip = append(clip, at(top+down*float64(f)+float64(i), left+right*float64(f)+float64(j)))
			}
		}
	}
	return clip
}

// Three photographs that a camera pans over, mixed: clips (frames, height, width). What
// tells them apart is how a pixel follows from its neighbours, in the frame and in the
// frame before: as a sequence of pixels they have less of that, and FastICA, which shuffled
// pixels would serve as well, none.
func TestVideo(t *testing.T) {
	const frames, height, width = 8, 20, 24
	const n = frames * height * width
	seeds := 4
	if os.Getenv("SICA_LONG_TESTS") != "" {
		seeds = 8
	}
	photographs, shape, err := datasets.Photographs()
	if err != nil {
		t.Fatal(err)
	}
	contexts := []struct {
		name  string
		shape []int
	}{{"1-D", []int{n}}, {"2-D", []int{frames * height, width}}, {"3-D", []int{frames, height, width}}}
	scores := make(map[string][]float64)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 22))
		s, a, x := mat.NewDense(3, n, nil), mat.NewDense(3, 3, nil), new(mat.Dense)
		for i := range 3 {
			s.SetRow(i, pan(photographs.RawRowView(i), shape[0], frames, height, width, rng))
		}
		for i := range a.RawMatrix().Data {
			a.RawMatrix().Data[i] = rng.NormFloat64()
		}
		x.Mul(a, s)
		score := func(name string, z *mat.Dense) {
			m, err := metric.MCC(z, s)
			if err != nil {
				t.Fatal(err)
			}
			scores[name] = append(scores[name], m.MCC)
		}
		for _, c := range contexts {
			found := separate(t, x, linear.Config{Seed: seed}, c.shape...)
			var z mat.Dense
			z.Mul(found.Demixing, x)
			score(c.name, &z)
		}
		cfg := fastica.Default()
		cfg.Seed = seed
		model, err := ica.Separate(t.Context(), cfg, x)
		if model == nil {
			t.Fatal(err)
		}
		score("FastICA", model.Signals)
		score("mixed", x)
	}
	var table strings.Builder
	mean := make(map[string]float64)
	for _, name := range []string{"mixed", "FastICA", "1-D", "2-D", "3-D"} {
		m, sd := stat.MeanStdDev(scores[name], nil)
		mean[name] = m
		fmt.Fprintf(&table, "%s %.4f (%.4f)  ", name, m, sd/math.Sqrt(float64(seeds)))
	}
	t.Log(table.String())
	if mean["3-D"] < mean["1-D"] || mean["3-D"] < mean["FastICA"] || mean["3-D"] < .95 {
		t.Errorf("the context of a clip is worse than less: %s", table.String())
	}
}
