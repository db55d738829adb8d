package linear_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

func laplace(seed uint64, d, T int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := mat.NewDense(d, T, nil)
	s.Apply(func(int, int, float64) float64 { return datasets.Laplace(rng) }, s)
	return s
}

// processes are Gaussian with the given weights of their last value.
func processes(seed uint64, T int, weights ...float64) *mat.Dense {
	signals := make([]datasets.ARProcess, len(weights))
	for i, w := range weights {
		signals[i] = datasets.ARProcess{Coefficients: []float64{w}, Scale: 1, BurnIn: 200}
	}
	s, err := datasets.AR(rand.New(rand.NewPCG(seed, 2)), T, signals...)
	if err != nil {
		panic(err)
	}
	return s
}

// mixed is A·s with singular values of 1 to 5 of A.
func mixed(seed uint64, s *mat.Dense) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 3))
	d, _ := s.Dims()
	scale := mat.NewDiagDense(d, nil)
	for i := range d {
		scale.SetDiag(i, 1+4*rng.Float64())
	}
	var x mat.Dense
	x.Product(rotation.Random(rng, d), scale, rotation.Random(rng, d), s)
	return &x
}

func separate(t *testing.T, x *mat.Dense, opt linear.Config, shape ...int) *linear.Solution {
	t.Helper()
	signals, err := ica.New(x, shape...)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := linear.Separate(t.Context(), signals, opt)
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// recovered is B·(x − mean).
func recovered(sol *linear.Solution, x *mat.Dense) *mat.Dense {
	var z mat.Dense
	z.Apply(func(i, _ int, v float64) float64 { return v - sol.Mean[i] }, x)
	z.Mul(sol.Demixing, &z)
	return &z
}

func mcc(t *testing.T, z, s *mat.Dense) float64 {
	t.Helper()
	m, err := metric.MCC(z, s)
	if err != nil {
		t.Fatal(err)
	}
	return m.MCC
}

// Sources are separated by their densities, spectra and variances with the same rule.
func TestEachModelSeparatesItsSources(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	swelling := mat.NewDense(2, 2000, nil)
	swelling.Apply(func(i, t int, _ float64) float64 {
		return rng.NormFloat64() * math.Exp(math.Sin(float64(t)/float64(100+50*i)))
	}, swelling)
	for _, c := range []struct {
		name string
		s    *mat.Dense
		want float64
	}{
		{"densities", laplace(1, 4, 2000), 0.997},
		{"spectra", processes(1, 4000, 0.2, 0.9), 0.997},
		{"variances", swelling, 0.998},
		{"a sum of two and one more", laplace(2, 3, 300), 0.98},
	} {
		x := mixed(1, c.s)
		sol := separate(t, x, linear.Config{Noiseless: true}) // 300 positions don't exclude noise
		z := recovered(sol, x)
		if got := mcc(t, z, c.s); got < c.want {
			t.Errorf("%s: MCC %.4f, want %.3f", c.name, got, c.want)
		}
		d, n := z.Dims()
		if len(sol.Groups) != d {
			t.Errorf("%s: groups %v, want all told apart: %s", c.name, sol.Groups, sol.Why)
		}
		for _, p := range sol.Pairs {
			if !p.Identified || p.Evidence < 3 || !(p.AngleError > 0 && p.AngleError < 0.1) {
				t.Errorf("%s: pair %+v", c.name, p)
			}
		}
		for i := range d {
			power := mat.Dot(z.RowView(i), z.RowView(i)) / float64(n)
			if math.Abs(power-1) > 1e-9 {
				t.Errorf("%s: signal %d has variance %g, want 1", c.name, i, power)
			}
		}
		if !(sol.CodeLength < sol.Whitening) {
			t.Errorf("%s: %g nats per position, not less than whitening's %g", c.name, sol.CodeLength, sol.Whitening)
		}
	}
}

// A few hundred positions of signals without a past suffice, skewed ones too, whose
// density a monotone function of a Gaussian fits nearly as well: on average the rule is at
// least as near as FastICA, which always leaves whitening.
func TestShort(t *testing.T) {
	for name, draw := range map[string]func(rng *rand.Rand) float64{
		"exponential": func(rng *rand.Rand) float64 { return rng.ExpFloat64() },
		"log-normal":  func(rng *rand.Rand) float64 { return math.Exp(rng.NormFloat64()) },
		"uniform":     func(rng *rand.Rand) float64 { return rng.Float64() },
	} {
		var rule, rival float64
		const runs = 8
		for seed := range uint64(runs) {
			rng := rand.New(rand.NewPCG(seed, 8))
			s := mat.NewDense(3, 200, nil)
			s.Apply(func(int, int, float64) float64 { return draw(rng) }, s)
			x := mixed(seed, s)
			rule += mcc(t, recovered(separate(t, x, linear.Config{}), x), s) / runs
			m, err := ica.Separate(t.Context(), fastica.Default(), x)
			if err != nil {
				t.Fatal(err)
			}
			rival += mcc(t, m.Signals, s) / runs
		}
		if rule < 0.99 || rule < rival {
			t.Errorf("%s: MCC %.4f, want .99 and FastICA's %.4f", name, rule, rival)
		}
	}
}

// The recovered signals don't depend on how the sources were mixed, scaled and
// offset, but for their order, signs and the noise of the resolution.
func TestEquivariance(t *testing.T) {
	s := laplace(3, 3, 1500)
	x := mixed(2, s)
	z := recovered(separate(t, x, linear.Config{}), x)
	for name, y := range map[string]*mat.Dense{
		"another mixing": mixed(3, s),
		"scale and offset": func() *mat.Dense {
			var y mat.Dense
			y.Apply(func(i, _ int, v float64) float64 { return 1e6*v*float64(i+1) + 1e5*float64(i) }, x)
			return &y
		}(),
	} {
		if got := mcc(t, recovered(separate(t, y, linear.Config{}), y), z); got < 1-2e-4 {
			t.Errorf("%s: the signals correlate by %.6f with those without it", name, got)
		}
	}
}

// The same signals and seed give the same bits, however many processors there are.
func TestDeterministic(t *testing.T) {
	x := mixed(4, laplace(4, 3, 500))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a := separate(t, x, linear.Config{Seed: 7})
	runtime.GOMAXPROCS(3)
	b := separate(t, x, linear.Config{Seed: 7})
	if !mat.Equal(a.Demixing, b.Demixing) || a.CodeLength != b.CodeLength {
		t.Error("the same signals and seed give another demixing")
	}
}

// Whitening is kept, and said to be kept, where no rotation is identified: for white noise,
// processes with one spectrum, and the paper's AR(7), whose first values are ten times larger.
func TestWhiteningIsKeptWithoutEvidence(t *testing.T) {
	for seed := range uint64(5) {
		ar7, err := datasets.AR7(rand.New(rand.NewPCG(seed, 5)), 2, 1024)
		if err != nil {
			t.Fatal(err)
		}
		paper, err := datasets.Mix(ar7, datasets.MixOptions{Steps: 5})
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range map[string]*mat.Dense{
			"white":     mixed(seed, processes(seed, 1000, 0, 0, 0)),
			"AR(.9)":    mixed(seed, processes(seed, 1000, 0.9, 0.9)),
			"the paper": paper,
		} {
			sol := separate(t, x, linear.Config{})
			if d := len(sol.Mean); len(sol.Groups) != 1 || sol.ExpectedError[0] != 1 || sol.Leak.At(0, d-1) != 1 {
				t.Errorf("%s, seed %d: groups %v: %s", name, seed, sol.Groups, sol.Why)
			}
			if sol.Evidence > 3 || sol.Why == "" {
				t.Errorf("%s, seed %d: evidence %g: %s", name, seed, sol.Evidence, sol.Why)
			}
		}
		sol := separate(t, paper, linear.Config{})
		white, err := ica.Separate(t.Context(), zca.Whitening{}, paper)
		if err != nil {
			t.Fatal(err)
		}
		// Symmetric whitening of the innovations is nearer than that of the signals.
		if got, other := mcc(t, recovered(sol, paper), ar7), mcc(t, white.Signals, ar7); got < other-0.005 {
			t.Errorf("the paper's mixture, seed %d: MCC %.4f, and of whitening %.4f", seed, got, other)
		}
	}
}

// Random walks are not distinguishable from their rotations, although they are correlated by chance
// over their length, so that the noise of the resolution is not the same share of each. A walk and
// a stationary process are distinguishable.
func TestRandomWalksAreNotIdentified(t *testing.T) {
	const n = 2000
	for seed := range uint64(4) {
		walks := processes(seed+40, n, 0, 0)
		for i := range 2 {
			row := walks.RawRowView(i)
			floats.CumSum(row, row)
		}
		if sol := separate(t, mixed(seed, walks), linear.Config{}); len(sol.Groups) != 1 {
			t.Errorf("seed %d: walks: %s", seed, sol.Why)
		}
		walks.SetRow(1, processes(seed+50, n, .9).RawRowView(0))
		if sol := separate(t, mixed(seed, walks), linear.Config{}); len(sol.Groups) != 2 {
			t.Errorf("seed %d: a walk and a process of .9: %s", seed, sol.Why)
		}
	}
}

// A pair that is not distinguishable is found among distinguishable signals.
func TestIndistinguishablePairIsGrouped(t *testing.T) {
	var s mat.Dense
	s.Stack(laplace(5, 2, 2000), processes(5, 2000, 0, 0))
	x := mixed(5, &s)
	sol := separate(t, x, linear.Config{Noiseless: true}) // beside Gaussian signals noise isn't excluded
	if len(sol.Groups) != 3 || sol.Reason != linear.SameSpectrum {
		t.Fatalf("groups %v: %s", sol.Groups, sol.Why)
	}
	m, err := metric.MCC(recovered(sol, x), &s)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range sol.Groups {
		if len(g) == 1 {
			continue
		}
		// They are the recovered signals of the Gaussian sources.
		if got := map[int]bool{g[0]: true, g[1]: true}; !got[m.Assignment[2]] || !got[m.Assignment[3]] {
			t.Errorf("group %v, want %v", g, m.Assignment[2:])
		}
		if sol.ExpectedError[g[0]] != 1 || sol.Leak.At(g[0], g[1]) != 1 {
			t.Errorf("expected error %g, leak %g in the group, want 1", sol.ExpectedError[g[0]], sol.Leak.At(g[0], g[1]))
		}
	}
	for i := range 2 {
		if c := math.Abs(m.Correlation[i]); c < 0.997 {
			t.Errorf("source %d: correlation %.4f", i, c)
		}
	}
}

// Among many signals of one kind some seem different by chance: they stay in the group, and the
// others are not in it.
func TestManyIndistinguishableSignalsAreOneGroup(t *testing.T) {
	if testing.Short() {
		t.Skip("twelve signals, four times")
	}
	for seed := range uint64(4) {
		var s mat.Dense
		s.Stack(laplace(20+seed, 4, 1000), processes(20+seed, 1000, 0, 0, 0, 0, 0, 0, 0, 0))
		x := mixed(20+seed, &s)
		sol := separate(t, x, linear.Config{})
		m, err := metric.MCC(recovered(sol, x), &s)
		if err != nil {
			t.Fatal(err)
		}
		gaussian := make(map[int]bool)
		for _, j := range m.Assignment[4:] {
			gaussian[j] = true
		}
		for _, p := range sol.Pairs {
			if gaussian[p.I] && gaussian[p.J] && p.Identified {
				t.Errorf("seed %d: two of the Gaussian signals, %+v, groups %v", seed, p, sol.Groups)
			}
		}
		if len(sol.Groups) < 4 {
			t.Errorf("seed %d: groups %v, want that of the Gaussian signals and four others", seed, sol.Groups)
		}
	}
}

// Signals that depend on each other at each position aren't identified, unlike independent ones.
func TestDependentSignals(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	s := laplace(10, 2, 2000)
	if sol := separate(t, mixed(10, s), linear.Config{}); sol.Reason == linear.Dependence ||
		math.Abs(sol.Pairs[0].Dependence) > 4/math.Sqrt(2000) {
		t.Errorf("independent: dependence %.3f, %v", sol.Pairs[0].Dependence, sol.Reason)
	}
	for t := range 2000 { // one strength for both
		strength := math.Exp(rng.NormFloat64())
		s.Set(0, t, strength*s.At(0, t))
		s.Set(1, t, strength*s.At(1, t))
	}
	if sol := separate(t, mixed(10, s), linear.Config{}); len(sol.Groups) != 1 ||
		sol.Reason != linear.Dependence {
		t.Errorf("one strength for both: dependence %.3f, groups %v, %v", sol.Pairs[0].Dependence, sol.Groups,
			sol.Reason)
	}
}

// Images are separated by their textures, which only the two-dimensional past describes: noise
// smoothed along the rows and along the columns.
func TestImagesAreSeparatedByTextures(t *testing.T) {
	const side = 64
	rng := rand.New(rand.NewPCG(6, 6))
	s := mat.NewDense(2, side*side, nil)
	s.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, s)
	for t := side; t < side*side; t++ {
		s.Set(0, t, s.At(0, t)+0.7*s.At(0, t-side)+0.2*s.At(0, t-1))
		s.Set(1, t, s.At(1, t)+0.7*s.At(1, t-1)+0.2*s.At(1, t-side))
	}
	x := mixed(6, s)
	sol := separate(t, x, linear.Config{}, side, side)
	if got := mcc(t, recovered(sol, x), s); got < 0.998 || len(sol.Groups) != 2 {
		t.Errorf("MCC %.4f, groups %v: %s", got, sol.Groups, sol.Why)
	}
	for _, source := range sol.Sources {
		if source.Order < 2 || source.Density != "Gaussian" {
			t.Errorf("source %+v", source)
		}
	}
}

// The standard errors are those that the truth shows, over separations of sources
// told apart by their densities, spectra and variances: within 1.96 of them lie
// 95 % of the shares of other sources, whose squares are those of the errors on average.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("60 separations")
	}
	inside, total := 0, 0
	square := 0. // of shares in standard errors
	for seed := range uint64(60) {
		s := laplace(100+seed, 2, 600)
		if seed%2 == 1 {
			s = processes(100+seed, 600, -0.3, 0.8)
		}
		x := mixed(100+seed, s)
		sol := separate(t, x, linear.Config{Noiseless: true}) // noise that may be hidden isn't sampling
		m, err := metric.MCC(recovered(sol, x), s)
		if err != nil {
			t.Fatal(err)
		}
		var shares, inverse mat.Dense // z = shares·s, the sources at variance 1
		var gram, cross mat.Dense
		for i := range 2 {
			row := s.RowView(i).(*mat.VecDense)
			row.ScaleVec(math.Sqrt(600)/row.Norm(2), row)
		}
		gram.Mul(s, s.T())
		cross.Mul(recovered(sol, x), s.T())
		if err := inverse.Inverse(&gram); err != nil {
			t.Fatal(err)
		}
		shares.Mul(&cross, &inverse)
		for i := range 2 {
			j := m.Assignment[i] // recovered from source i
			total++
			errors := shares.At(j, 1-i) / sol.Leak.At(j, 1-j)
			square += errors * errors
			if math.Abs(errors) < 1.96 {
				inside++
			}
		}
	}
	// 120 shares: .95 ± 3·.02, binomial; the two of a separation are correlated.
	if share := float64(inside) / float64(total); share < 0.89 {
		t.Errorf("%.3f of the shares lie within 1.96 standard errors, want .95", share)
	}
	// 1 ± 3·√(2/60): those of a separation count once.
	if mean := square / float64(total); math.Abs(mean-1) > 3*math.Sqrt(2./60) {
		t.Errorf("the mean square is %.2f standard errors², want 1", mean)
	}
}

func TestErrors(t *testing.T) {
	good := laplace(7, 2, 100)
	twice := mat.DenseCopyOf(good)
	twice.SetRow(1, twice.RawRowView(0))
	dependent, err := ica.New(twice)
	if err != nil {
		t.Fatal(err)
	}
	_, err = linear.Separate(t.Context(), dependent, linear.Config{})
	if err == nil || !strings.Contains(err.Error(), "dependent") {
		t.Errorf("error %v, want one with dependent", err)
	}
	signals, err := ica.New(good)
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := linear.Separate(cancelled, signals, linear.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// The rule as a method has the solution's signals and map.
func TestMethod(t *testing.T) {
	x := mixed(3, laplace(3, 3, 2000))
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	var method ica.Method = linear.Config{Seed: 1}
	m, err := method.Fit(t.Context(), signals)
	if err != nil {
		t.Fatal(err)
	}
	sol, ok := m.Details.(*linear.Solution)
	if !ok || method.Name() != "linear" || m.Why != sol.Why || !m.Convergence.Converged {
		t.Fatalf("%s: %+v", method.Name(), m)
	}
	want := recovered(sol, x)
	z, err := m.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(m.Signals, want, 1e-10) || !mat.EqualApprox(z, want, 1e-10) {
		t.Error("the model's signals aren't the solution's")
	}
}

// Short signals, many signals and one signal give a result, no panic.
func TestExtremeSizesGiveAResult(t *testing.T) {
	for _, size := range [][2]int{{1, 50}, {1, 600}, {1, 20000}, {2, 4}, {2, 10}, {5, 12}, {16, 40}, {3, 64}} {
		x := laplace(8, size[0], size[1])
		sol := separate(t, x, linear.Config{})
		for i := range size[0] {
			for j := range size[0] {
				if v := sol.Demixing.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%d×%d: the demixing has %g", size[0], size[1], v)
				}
			}
		}
		if sol.Why == "" || len(sol.Sources) != size[0] {
			t.Errorf("%d×%d: %+v", size[0], size[1], sol)
		}
	}
	for _, shape := range [][]int{{1, 60}, {60, 1}, {2, 30}, {3, 4, 5}, {2, 2, 15}} {
		separate(t, laplace(9, 2, 60), linear.Config{}, shape...)
	}
}

// Triples of figure 4 whose digits' strokes lie in the same places are separated. The demixings
// with the shortest codes have MCCs of 0.92, 0.77 and 0.78.
func TestDigitsThatDepend(t *testing.T) {
	for _, seed := range []uint64{20006, 20008, 20017} {
		rng := rand.New(rand.NewPCG(seed, 0))
		s, _, err := datasets.MNIST(rng, 3)
		if err != nil {
			t.Fatal(err)
		}
		x, err := datasets.Mix(s, datasets.MixOptions{Steps: 5, StepSize: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		sol := separate(t, x, linear.Config{Seed: seed}, datasets.MNISTSide, datasets.MNISTSide)
		if got := mcc(t, recovered(sol, x), s); got < 0.98 {
			t.Errorf("triple %d: MCC %.3f, want at least .98", seed, got)
		}
	}
}

// TestErrorOfNearlyAlikeSignals holds the expected error of two Gaussian signals of
// nearly one spectrum against what it is over eight mixtures: a sum of eight squares of
// normal values, which is within a quarter and four times its mean in all but a few of
// ten thousand cases. For AR(1) with weights a and b the pair's curvature is
// κ_ij = 1 + (a−b)²/(1−b²), so that 1 − |correlation| is expected to be
// (1/T)·κ_ji/(κ_ij·κ_ji − 1)/2. A mixture in which such signals don't exclude noise of the channels isn't
// identified, and doesn't count.
func TestErrorOfNearlyAlikeSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("four mixtures of 65,536 positions")
	}
	const T, a, b, mixtures = 1 << 16, 0.5, 0.55, 4
	var observed, expected float64
	identified := 0
	for seed := uint64(0); identified < mixtures; seed++ {
		if seed == 2*mixtures {
			t.Fatalf("only %d of %d mixtures are identified", identified, seed)
		}
		s := processes(300+seed, T, a, b)
		x := mixed(300+seed, s)
		sol := separate(t, x, linear.Config{Seed: seed})
		if !sol.Identified(0) {
			continue
		}
		identified++
		observed += (1 - mcc(t, recovered(sol, x), s)) / mixtures
		expected += (sol.ExpectedError[0] + sol.ExpectedError[1]) / 2 / mixtures
	}
	if observed < expected/4 || observed > 4*expected {
		t.Errorf("1 − |correlation| is %.2g, expected to be %.2g", observed, expected)
	}
	kij, kji := 1+(a-b)*(a-b)/(1-b*b), 1+(a-b)*(a-b)/(1-a*a)
	closed := (kij + kji) / 2 / (kij*kji - 1) / T / 2
	if expected < closed/1.5 || expected > closed*1.5 {
		t.Errorf("the expected error is %.2g, in closed form %.2g", expected, closed)
	}
}

// A variance of noise that isn't one is an error that names the setting.
func TestNoiseOutOfRange(t *testing.T) {
	x := mat.NewDense(2, 64, nil)
	rng := rand.New(rand.NewPCG(1, 0))
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	for _, noise := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := ica.Separate(t.Context(), linear.Config{Noise: noise}, x)
		if !errors.Is(err, ica.ErrConfig) || !strings.HasPrefix(err.Error(), "linear: Noise: is ") {
			t.Errorf("noise %g: %v", noise, err)
		}
	}
	if _, err := ica.Separate(t.Context(), linear.Config{Noise: 9}, x); err == nil ||
		!strings.HasPrefix(err.Error(), "linear: Noise: is 9; must be below 1.") ||
		!strings.HasSuffix(err.Error(), ", the variance of channel 1") {
		t.Errorf("more noise than signal: %v", err)
	}
	if _, err := ica.Separate(t.Context(), linear.Config{Noise: 0.09, Noiseless: true}, x); err == nil ||
		err.Error() != "linear: Noise: is 0.09; must be 0 with Noiseless" {
		t.Errorf("noise and none: %v", err)
	}
	options := linear.Config{Noise: 9, PrincipalComponents: true} // of those left out
	if _, err := ica.Separate(t.Context(), options, x); err != nil {
		t.Error(err)
	}
}

// A solution's JSON has the rows of its matrices, which gonum alone would write as {}, and the fields of
// its findings.
func TestSolutionJSON(t *testing.T) {
	sol := separate(t, mixed(3, laplace(3, 2, 1000)), linear.Config{Seed: 1})
	text, err := json.Marshal(sol)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Mean                      []float64
		Demixing, Symmetric, Leak [][]float64
		FromWhite                 [][]float64 `json:"from_white"`
		Groups                    [][]int
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		rows [][]float64
		want *mat.Dense
	}{
		"demixing":   {got.Demixing, sol.Demixing},
		"from_white": {got.FromWhite, sol.FromWhite},
		"symmetric":  {got.Symmetric, sol.Symmetric},
		"leak":       {got.Leak, sol.Leak},
	} {
		if !slices.EqualFunc(test.rows, signal.RowsOf(test.want), slices.Equal[[]float64]) {
			t.Errorf("%s: %v, want %v", name, test.rows, signal.RowsOf(test.want))
		}
	}
	if !slices.Equal(got.Mean, sol.Mean) || !slices.EqualFunc(got.Groups, sol.Groups, slices.Equal[[]int]) {
		t.Errorf("mean %v and groups %v, want %v and %v", got.Mean, got.Groups, sol.Mean, sol.Groups)
	}
}

// A solution is read as it was written.
func TestSolutionFromJSON(t *testing.T) {
	sol := separate(t, mixed(3, laplace(3, 2, 300)), linear.Config{})
	text, err := json.Marshal(sol)
	if err != nil {
		t.Fatal(err)
	}
	var got linear.Solution
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&got)
	if err != nil || string(again) != string(text) || !mat.Equal(got.Leak, sol.Leak) {
		t.Errorf("error %v; read as\n%.300s, written as\n%.300s", err, again, text)
	}
	if err := json.Unmarshal([]byte(`{"demixing": [[1, 2], [3]]}`), &got); err == nil {
		t.Error("a matrix with rows of different lengths was read")
	}
}

// A Solution has the same JSON as a value, as in a struct, and behind a pointer.
func TestSolutionAsJSON(t *testing.T) {
	sol := separate(t, mixed(3, laplace(3, 2, 300)), linear.Config{})
	pointed, err := json.Marshal(sol)
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(*sol)
	if err != nil {
		t.Fatal(err)
	}
	if string(value) != string(pointed) || !strings.Contains(string(value), `"demixing":[[`) {
		t.Errorf("%.100s as a value, %.100s behind a pointer", value, pointed)
	}
}
