package inspect_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// recording is a train of beats with a period of 40, a Laplace signal and a uniform one, in three
// channels, and the patterns by which they were mixed.
func recording(n int) (s, x, a *mat.Dense) {
	rng := rand.New(rand.NewPCG(1, 0))
	s = mat.NewDense(3, n, nil)
	for t := range n {
		beat := math.Exp(-math.Pow(float64(t%40)-20, 2) / 8)
		s.SetCol(t,
			[]float64{beat + .02*rng.NormFloat64(), rng.ExpFloat64() * float64(1-2*rng.IntN(2)),
				rng.Float64()})
	}
	for i := range 3 {
		row := s.RawRowView(i)
		mean, sd := stat.PopMeanStdDev(row, nil)
		for t := range row {
			row[t] = (row[t] - mean) / sd
		}
	}
	a = mat.NewDense(3, 3, []float64{
		5, 1, 0,
		-3, 0, 2,
		1, 4, 1,
	})
	x = new(mat.Dense)
	x.Mul(a, s)
	return s, x, a
}

func separated(t *testing.T, x *mat.Dense) *sica.Result {
	t.Helper()
	b := backendtest.Open(t, backend.Go)
	r, err := sica.Fit(t.Context(), x, sica.Default().On(b))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The heartbeat is the component with the largest share. It has the pattern of its mixing, its
// period, its kurtosis, and a similarity of 1 to a reference that is a filtered version of it.
func TestComponents(t *testing.T) {
	const n = 4000
	s, x, a := recording(n)
	r := separated(t, x)
	all, err := inspect.Components(r, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	beats := all[0]
	sign := math.Copysign(1, stat.Correlation(r.Z.RawRowView(beats.Signal), s.RawRowView(0), nil))
	for j := range 3 {
		if math.Abs(sign*beats.Pattern[j]-a.At(j, 0)) > .1 {
			t.Errorf("pattern %.2f, want %v", beats.Pattern, mat.Col(nil, 0, a))
			break
		}
	}
	// Of channel 0 it makes up 25/26, of 1 9/13, of 2 1/18.
	if want := (25./26 + 9./13 + 1./18) / 3; math.Abs(beats.Share-want) > .02 ||
		beats.Channel != 0 {
		t.Errorf("share %.3f, want %.3f, most of channel %d", beats.Share, want, beats.Channel)
	}
	if math.Abs(beats.Period-40) > .1 || beats.Rhythm < .95 {
		t.Errorf("period %.2f with %.2f, want 40 with nearly 1", beats.Period, beats.Rhythm)
	}
	for _, c := range all[1:] {
		if c.Rhythm != 0 {
			t.Errorf("noise has a rhythm: %+v", c)
		}
	}
	sum := 0.0
	for _, c := range all {
		sum += c.Share
	}
	if math.Abs(sum-1) > .02 {
		t.Errorf("shares add up to %.3f", sum)
	}
	checkShares(t, r, x, all)
	demixing, err := r.Demixing()
	if err != nil {
		t.Fatal(err)
	}
	patterns, mixed := mat.NewDense(3, 3, nil), new(mat.Dense)
	for _, c := range all {
		patterns.SetCol(c.Signal, c.Pattern)
	}
	mixed.Mul(patterns, r.Z)
	mixed.Apply(func(i, _ int, v float64) float64 { return v + demixing.Mean[i] }, mixed)
	if !mat.EqualApprox(mixed, x, 1e-9) {
		t.Error("mean + Σ pattern·z isn't x")
	}

	late := make([]float64, n) // the Laplace signal, five positions later, with as much noise
	rng := rand.New(rand.NewPCG(2, 0))
	for k := range late {
		late[k] = rng.NormFloat64() + s.At(1, max(k-5, 0))
	}
	all, err = inspect.Components(r, x, late)
	if err != nil {
		t.Fatal(err)
	}
	if c := all[0]; math.Abs(c.Coherence-.5) > .08 || math.Abs(c.Correlation) > .06 ||
		math.Abs(c.Kurtosis-3) > 1.5 {
		t.Errorf("of the reference %+v, want a coherence of .5, no correlation and a kurtosis of "+
			"3", c)
	}
	if all[1].Coherence > .1 || all[2].Coherence > .1 {
		t.Errorf("of the others %.3f and %.3f", all[1].Coherence, all[2].Coherence)
	}
}

// checkShares checks that the shares of components are what their removal takes.
func checkShares(t *testing.T, r *sica.Result, x *mat.Dense, all []inspect.Component) {
	if !slices.IsSortedFunc(all, func(a, b inspect.Component) int { return a.Signal - b.Signal }) {
		t.Error("without a reference the components aren't in the order of the signals")
	}
	t.Helper()
	shares, err := inspect.Shares(r, x)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		clean, err := r.Remove(x, []int{c.Signal})
		if err != nil {
			t.Fatal(err)
		}
		var removal inspect.Removal
		if err := removal.Add(x, clean); err != nil {
			t.Fatal(err)
		}
		changes, err := removal.Changes()
		if err != nil {
			t.Fatal(err)
		}
		sum, most := 0.0, 0.0
		for _, change := range changes {
			sum += change.Share / float64(len(changes))
			most = max(most, change.Share)
		}
		if math.Abs(c.Share-sum) > 1e-9 || math.Abs(c.ChannelShare-most) > 1e-9 ||
			changes[c.Channel].Share != most || shares[c.Signal] != c.Share {
			t.Errorf("%+v: %.6f in Shares, removal takes %.6f, at most %.6f", c, shares[c.Signal], sum, most)
		}
	}
}

// A recording longer than a block has the moments and correlations that gonum computes from all of
// it, and the rhythm of its blocks.
func TestLongRecordingHasSameMoments(t *testing.T) {
	const n = 2*(1<<16) + 12345 // two of the blocks that are analysed together, and more
	s, x, _ := recording(n)
	r := separated(t, mat.DenseCopyOf(x.Slice(0, 3, 0, 4000)))
	reference := mat.DenseCopyOf(s.Slice(0, 1, 0, n))
	all, err := inspect.Recording(r, blockwise.InMemory{Dense: x},
		blockwise.InMemory{Dense: reference})
	if err != nil {
		t.Fatal(err)
	}
	z, err := r.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, c := range all {
		row := z.RawRowView(c.Signal)
		if want := stat.ExKurtosis(row, nil); math.Abs(c.Kurtosis-want) > 1e-3 {
			t.Errorf("signal %d: kurtosis %.5f, gonum's %.5f", c.Signal, c.Kurtosis, want)
		}
		if want := stat.Correlation(row, s.RawRowView(0),
			nil); math.Abs(c.Correlation-want) > 1e-9 {
			t.Errorf("signal %d: correlation %g, gonum's %g", c.Signal, c.Correlation, want)
		}
		pattern := 0.0 // the covariance with channel 0, of which the demixing's is an estimate
		for k, v := range row {
			pattern += v * x.At(0, k) / n
		}
		sum += c.Share
		if pattern /= stat.PopVariance(row, nil); math.Abs(pattern-c.Pattern[0]) > .1 {
			t.Errorf("signal %d: pattern %.3f in channel 0, regression %.3f", c.Signal,
				c.Pattern[0], pattern)
		}
	}
	if math.Abs(sum-1) > .02 {
		t.Errorf("shares add up to %.3f", sum)
	}
	beats := all[0]
	if math.Abs(beats.Period-40) > .01 || beats.Rhythm < .95 || beats.Coherence < .95 {
		t.Errorf("the beats are %+v, want a period of 40, and the reference", beats)
	}
	for _, c := range all[1:] {
		if c.Rhythm != 0 || c.Coherence > .05 {
			t.Errorf("noise has a rhythm or coherence: %+v", c)
		}
	}
	short := blockwise.InMemory{Dense: mat.NewDense(2, n, nil)}
	if _, err := inspect.Recording(r, blockwise.InMemory{Dense: x}, short); err == nil ||
		!strings.Contains(err.Error(), "2 signals") {
		t.Errorf("a reference of two signals: %v", err)
	}
}

func TestComponentsErrors(t *testing.T) {
	_, x, _ := recording(400)
	r := separated(t, x)
	for name, c := range map[string]struct {
		r         *sica.Result
		x         *mat.Dense
		reference []float64
	}{
		"as in the fit":                           {r, mat.NewDense(2, 400, nil), nil},
		"12 positions; must have at least 16":     {r, mat.DenseCopyOf(x.Slice(0, 3, 0, 12)), nil},
		"reference: has 3 positions; must have 4": {r, x, make([]float64, 3)},
		"must vary":                           {r, x, make([]float64, 400)},
		"result: must not be nil":             {nil, x, nil},
		" 0 positions; must have at least 16": {r, nil, nil},
	} {
		if _, err := inspect.Components(c.r, c.x, c.reference); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

// lagged is a custom transform that isn't pointwise: a value and half of the one before, to 3/2.
type lagged struct{}

func (lagged) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) { return lagged{}, nil }

func (lagged) Apply(x *mat.Dense) (*mat.Dense, error) {
	y := mat.DenseCopyOf(x)
	y.Apply(func(i, t int, v float64) float64 {
		v += x.At(i, max(t-1, 0)) / 2
		return v * math.Sqrt(math.Abs(v))
	}, y)
	return y, nil
}

// The pattern of a nonlinear result is the regression of the channels on all signals, and the shares are
// the mean squares of its standardised coefficients. A result that isn't pointwise needs a recording in
// memory.
func TestNonlinearComponents(t *testing.T) {
	const n = 70_000 // more than a block
	_, x, _ := recording(n)
	for i := range 3 {
		floats.AddConst(1000, x.RawRowView(i)) // so that means count
	}
	b := backendtest.Open(t, backend.Go)
	curves := sica.FastWGF()
	curves.Flow = nil
	prepared := curves
	curves.Transforms = []preprocess.Transform{preprocess.Gaussianise}
	prepared.Prepare = lagged{}
	for name, cfg := range map[string]sica.Config{"pointwise": curves, "not pointwise": prepared} {
		r, err := sica.Fit(t.Context(), x, cfg.On(b))
		if err != nil {
			t.Fatal(err)
		}
		all, err := inspect.Components(r, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		shares, err := inspect.Shares(r, x, n)
		if err != nil {
			t.Fatal(err)
		}
		z, _ := signal.Centred(r.Z)
		centred, _ := signal.Centred(x)
		var want mat.Dense
		if err := want.Solve(z.T(), centred.T()); err != nil { // least squares
			t.Fatal(err)
		}
		for _, c := range all {
			pattern, share := want.RawRowView(c.Signal), 0.0
			sd := stat.PopStdDev(z.RawRowView(c.Signal), nil)
			for k, v := range pattern {
				share += math.Pow(v*sd/stat.PopStdDev(centred.RawRowView(k), nil), 2) / 3
			}
			if !floats.EqualApprox(c.Pattern, pattern, 1e-6) || math.Abs(c.Share-share) > 1e-6 ||
				shares[c.Signal] != c.Share {
				t.Errorf("%s: pattern %v, want %v; share %v and %v, want %v", name, c.Pattern, pattern,
					c.Share, shares[c.Signal], share)
			}
		}
		_, err = inspect.Recording(r, struct{ blockwise.Source }{blockwise.InMemory{Dense: x}}, nil)
		if isPointwise := name == "pointwise"; isPointwise != (err == nil) ||
			!isPointwise && !errors.Is(err, sica.ErrNotPointwise) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// simulated is a recording of eight channels: seven autoregressive sources with Laplace
// innovations and blinks, a train of bumps at random times. The reference has the blinks, delayed
// by some positions, 0.3 of a mixture of the others, and noise, each beside blinks of deviation 1.
func simulated(seed uint64, delay int) (s, x *mat.Dense, reference []float64) {
	const d, n = 8, 4000
	rng := rand.New(rand.NewPCG(seed, 46))
	s = mat.NewDense(d, n, nil)
	for i := range d - 1 {
		last := 0.0
		for t := range n {
			last = (0.9-0.2*float64(i%5))*last + rng.ExpFloat64()*float64(1-2*rng.IntN(2))
			s.Set(i, t, last)
		}
	}
	for range n / 250 {
		at := rng.IntN(n - 60)
		for t := range 60 {
			s.Set(d-1, at+t, s.At(d-1, at+t)+1-math.Cos(2*math.Pi*float64(t)/60))
		}
	}
	weights := make([]float64, d-1)
	for i := range d {
		row := s.RawRowView(i)
		mean, sd := stat.PopMeanStdDev(row, nil)
		for t := range row {
			row[t] = (row[t] - mean) / sd
		}
		if i < d-1 {
			weights[i] = rng.NormFloat64()
		}
	}
	floats.Scale(0.3/floats.Norm(weights, 2), weights)
	a := mat.NewDense(d, d, nil)
	for k := range a.RawMatrix().Data {
		a.RawMatrix().Data[k] = rng.NormFloat64()
	}
	x = new(mat.Dense)
	x.Mul(a, s)
	reference = make([]float64, n)
	for t := range reference {
		reference[t] = s.At(d-1, max(t-delay, 0)) + 0.3*rng.NormFloat64()
		for i, w := range weights {
			reference[t] += w * s.At(i, t)
		}
	}
	return s, x, reference
}

// Only the component of the blinks is proposed, also if the reference is delayed: of ten
// recordings, of forty in a long proof.
func TestBlinksAreProposed(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	cfg := sica.Default()
	cfg.Mode = sica.LinearOnly
	missed, wrong := map[float64]int{}, map[float64]int{}
	recordings := uint64(10)
	if testing.Short() {
		recordings = 4
	} else if os.Getenv("SICA_LONG_TESTS") != "" {
		recordings = 40
	}
	for seed := range recordings {
		s, x, reference := simulated(seed, 40*int(seed%2))
		r, err := sica.Fit(t.Context(), x, cfg.On(b))
		if err != nil {
			t.Fatal(err)
		}
		all, err := inspect.Components(r, x, reference)
		if err != nil {
			t.Fatal(err)
		}
		blinks, best := 0, 0.0
		for i := range 8 {
			c := math.Abs(stat.Correlation(r.Z.RawRowView(i), s.RawRowView(7), nil))
			if c > best {
				blinks, best = i, c
			}
		}
		for _, c := range all {
			if want := c.Signal == blinks; c.Proposed != want {
				t.Errorf("seed %d: component %d, correlation %.2f, coherence %.2f: proposed %v, want %v",
					seed, c.Signal, c.Correlation, c.Coherence, c.Proposed, want)
			}
			for _, limit := range []float64{0.25, 0.5, 0.75, 0.9} {
				switch proposed := max(math.Abs(c.Correlation), c.Coherence) >= limit; {
				case proposed && c.Signal != blinks:
					wrong[limit]++
				case !proposed && c.Signal == blinks:
					missed[limit]++
				}
			}
		}
	}
	t.Logf("missed %v, wrong %v of %d recordings, by limit", missed, wrong, recordings)
}

// A click in one channel belongs to no component: they are those of the recording without it.
func TestClickIsInNoComponent(t *testing.T) {
	_, x, _ := recording(4000)
	r := separated(t, x)
	want, err := inspect.Components(r, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	x.Set(1, 1500, 500)
	is, err := inspect.Components(r, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range is {
		w := want[i]
		if c.Signal != w.Signal || math.Abs(c.Share-w.Share) > .01 ||
			math.Abs(c.Kurtosis-w.Kurtosis) > .1 {
			t.Errorf("component %d: signal %d, share %.3f, kurtosis %.2f; want %d, %.3f, %.2f",
				i+1, c.Signal, c.Share, c.Kurtosis, w.Signal, w.Share, w.Kurtosis)
		}
	}
	if x.At(1, 1500) != 500 {
		t.Error("the recording was changed")
	}
}

// pieces is a recording with a gap after every so many positions.
type pieces struct {
	blockwise.InMemory
	length int
}

func (p pieces) Blocks(int) blockwise.Blocks { return p.InMemory.Blocks(p.length) }

// Between many gaps a beat keeps its rhythm, and noise has none. What pieces are too short for is 0,
// never NaN.
func TestManyGaps(t *testing.T) {
	s, x, _ := recording(4000)
	r := separated(t, x)
	reference := mat.NewDense(1, 4000, s.RawRowView(0))
	for _, length := range []int{1, 3, 4, 16, 200, 230} {
		all, err := inspect.Recording(r, pieces{blockwise.InMemory{Dense: x}, length},
			pieces{blockwise.InMemory{Dense: reference}, length})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if sum := c.Period + c.Rhythm + c.Coherence + c.Kurtosis + floats.Sum(c.Spectrum); math.IsNaN(sum) {
				t.Errorf("pieces of %d: %+v", length, c)
			}
			isBeat := math.Abs(c.Correlation) > 0.9
			if length < 200 && c.Rhythm != 0 || length >= 200 && isBeat != (c.Rhythm > 0.9) ||
				isBeat && c.Rhythm > 0 && math.Abs(c.Period-40) > 0.1 || length >= 16 && isBeat != (c.Coherence > 0.9) {
				t.Errorf("pieces of %d: rhythm %.2f at %.1f, correlation %.2f, coherence %.2f", length,
					c.Rhythm, c.Period, c.Correlation, c.Coherence)
			}
		}
	}
}

// The spectrum has its peak at the rhythm, and its shares add up to 1.
func TestSpectrumHasPeakAtRhythm(t *testing.T) {
	const n, rate, hz = 5000, 250, 20
	_, x, _ := simulated(1, 0)
	row := mat.NewDense(2, n, nil)
	for k := range n {
		row.Set(0, k, math.Sin(2*math.Pi*hz*float64(k)/rate))
		row.Set(1, k, x.At(0, k%4000))
	}
	all, err := inspect.Components(separated(t, row), row, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range all {
		if sum := floats.Sum(c.Spectrum); len(c.Spectrum) != 129 || math.Abs(sum-1) > 1e-9 {
			t.Errorf("%d bands that add up to %g", len(c.Spectrum), sum)
		}
		peak := floats.MaxIdx(c.Spectrum)
		found = found || math.Abs(float64(peak)*rate/256-hz) < 1 && c.Spectrum[peak] > 0.3
	}
	if !found {
		t.Error("no component has the rhythm's spectrum")
	}
}
