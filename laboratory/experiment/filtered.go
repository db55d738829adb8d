package experiment

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/dct"
	"github.com/seed-47b1e431/gosica/internal/filter"
)

const (
	// filteredPrefix begins the names of mixtures that were recorded through a filter or at a
	// higher rate; rows of the table leave it out.
	filteredPrefix = "filtered: "
	// filteredRate is the sampling rate in Hz of the filters, that of many EEGs.
	filteredRate = 250
	// filteredPositions is the length of the sequences: 40 seconds. Both are choices.
	filteredPositions = 10_000
)

// A recording is how sources and noise were recorded.
type recording struct {
	name string
	// times is the rate in units of one that suffices for the sources.
	times  int
	filter filter.Filter // at filteredRate
}

// filteredMixtures returns mixtures of the table of noise as they are at four times the rate,
// low-passed, and band-passed.
func filteredMixtures() []mixture {
	names := []string{
		"sine, square, saw, d=3, noise 0.2", "Laplace AR(1), d=4, noise 0.2",
		"Gaussian spectra, d=4, noise 0.1", "smooth AR(2), d=3, noise 0.2",
		"bursts, d=2, noise 0.2", "AR(1) of four kinds, d=8, noise 0.2",
		"hearts of mother and child, d=3, noise 0.1", "EEG, d=4, noise 0.01, 0 surplus sources",
		"EEG, d=4, noise 0.01, 4 surplus sources",
	}
	recordings := []recording{
		{", at 4 times the rate", 4, filter.Filter{}},
		{", below 40 Hz", 1, filter.Filter{Lowpass: 40}},
		{", 1 to 40 Hz", 1, filter.Filter{Highpass: 1, Lowpass: 40}},
	}
	var all []mixture
	for _, k := range noisyKinds() {
		if !slices.Contains(names, k.name) {
			continue
		}
		for _, r := range recordings {
			all = append(all, k.recorded(filteredPrefix, r))
		}
	}
	return all
}

// sources returns the sources s as recorded.
func (r recording) sources(s source) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		drawn, shape, err := s(rng, n/r.times)
		if err != nil || r.isPlain() {
			return drawn, shape, err
		}
		return r.record(drawn), nil, nil
	}
}

func (r recording) isPlain() bool { return r.times == 1 && r.filter.IsZero() }

// record returns the signals z as recorded: filtered, or at a higher rate, without anything above
// the frequencies that they had.
func (r recording) record(z *mat.Dense) *mat.Dense {
	if r.isPlain() {
		return z
	}
	d, n := z.Dims()
	recorded := mat.NewDense(d, r.times*n, nil)
	for i := range d {
		row := recorded.RawRowView(i)
		copy(row, z.RawRowView(i))
		if r.times > 1 { // a cosine series with more positions
			dct.New(n).Forward(row[:n], row[:n])
			dct.New(r.times*n).Inverse(row, row)
			floats.Scale(math.Sqrt(float64(r.times)), row)
		}
		r.filter.Apply(row, filteredRate)
	}
	return recorded
}
