package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/laboratory/internal/processor"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// The scoreboard measures sica.Default on sets of mixtures, with seeds of its own. Two versions of
// the code are compared by it.

// A CaseID names a case of the scoreboard.
type CaseID struct {
	Set     string `json:"set"`
	Mixture string `json:"mixture"`
	Seed    uint64 `json:"seed"`
	// Without are the rules that are off, with commas between them; see internal/ablation.
	Without string `json:"without,omitempty"`
}

// A Case is a mixture of the scoreboard with a seed.
type Case struct {
	CaseID
	// LinearOnly is whether no network is fitted.
	LinearOnly bool
	// Change is what is changed of the mixture or of its separation, which should matter little:
	// OtherSeed, OtherUnits or nothing.
	Change string
	draw   func(seed uint64) (sources *mat.Dense, mixed *ica.Signals, err error)
}

// OtherSeed is another seed of the separation, OtherUnits multiplies each channel by a power of two from
// 2⁻⁶ to 2⁶.
const (
	OtherSeed  = "seed"
	OtherUnits = "units"
)

// A Score says how well sica.Default separates a case, and what it says about that.
type Score struct {
	CaseID
	// MCC is the mean correlation coefficient with the sources that match best, Lowest the lowest
	// of the correlations. Both are 0 after an Error.
	MCC    float64 `json:"mcc"`
	Lowest float64 `json:"lowest"`
	// Identified is whether all signals are called identified, IdentifiedSignals how many are.
	// WrongSignals are those among them whose correlation is wrong, below 0.9.
	Identified        bool `json:"identified"`
	IdentifiedSignals int  `json:"identified_signals"`
	WrongSignals      int  `json:"wrong_signals"`
	// Seconds is how long all threads of the process ran during the separation.
	Seconds float64 `json:"seconds"`
	Signals int     `json:"signals"`
	// Candidate is the linear rule's Start, or the network. Scale is the linear rule's, 0 for a
	// network.
	Candidate string `json:"candidate"`
	Scale     int    `json:"scale,omitempty"`
	Why       string `json:"why"`
	Error     string `json:"error,omitempty"`
}

// IsRight reports whether each signal is its source: no correlation is below 0.9.
func (s Score) IsRight() bool { return s.Lowest >= wrongCorrelation }

// boardSeed is the seed of a mixture's first run. No seed from there on was used in development.
const boardSeed = 990001

// A boardMixture is a mixture of the scoreboard.
type boardMixture struct {
	name string
	runs int
	draw func(seed uint64) (*mat.Dense, *ica.Signals, error)
}

// A boardSet is a set of mixtures that the scoreboard sums up in a row.
type boardSet struct {
	name     string
	mixtures []boardMixture
}

// boards are the sets of each part of the scoreboard.
var boards = map[string]func() []boardSet{"A": developedSets, "B": sealedSets}

// SetNames returns the names of the sets of a part of the scoreboard, A or B; nil if there is none.
func SetNames(part string) []string {
	var names []string
	if build := boards[part]; build != nil {
		for _, s := range build() {
			names = append(names, s.name)
		}
	}
	return names
}

// Cases returns the cases of a part of the scoreboard, A or B: those of the named sets, or of all
// if there are no names, of mixtures whose names contain the text only. Of each there are so many
// seeds; 0 is as many as its set has. It is an error if there is no such part or set, if no case is
// left, or if seeds is below 0.
func Cases(part string, seeds int, only string, sets ...string) ([]Case, error) {
	build := boards[part]
	if build == nil {
		return nil, fmt.Errorf("experiment: part: unknown name (%q); must be A or B", part)
	}
	if seeds < 0 {
		return nil, fmt.Errorf("experiment: seeds: must be 0 or more (%d)", seeds)
	}
	all := build()
	for _, name := range sets {
		if _, err := byName("set", name, all, func(s boardSet) string { return s.name }); err != nil {
			return nil, err
		}
	}
	var cases []Case
	for _, s := range all {
		if len(sets) > 0 && !slices.Contains(sets, s.name) {
			continue
		}
		for _, m := range s.mixtures {
			if !strings.Contains(m.name, only) {
				continue
			}
			for run := range cmp.Or(seeds, m.runs) {
				id := CaseID{Set: s.name, Mixture: m.name, Seed: boardSeed + uint64(run)}
				cases = append(cases, Case{CaseID: id, draw: m.draw})
			}
		}
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("experiment: only: no mixture is left; must be one with %q in its name",
			only)
	}
	return cases, nil
}

// Separate separates the case by sica.Default, of images with their shape, and scores it. A
// separation that fails is a score with an Error. It is an error if the case can't be drawn or if
// ctx ends.
func (c Case) Separate(ctx context.Context, b compute.Backend) (Score, error) {
	score := Score{CaseID: c.CaseID}
	sources, x, err := c.draw(c.Seed)
	if err != nil {
		return score, fmt.Errorf("experiment: %s, %s: %w", c.Set, c.Mixture, err)
	}
	cfg := sica.Default()
	cfg.Shape, cfg.Seed = grid.ImageShape(x.Shape()), c.Seed
	if c.LinearOnly {
		cfg.Mode = sica.LinearOnly
	}
	mixed := x.X()
	switch c.Change {
	case OtherSeed:
		cfg.Seed++
	case OtherUnits:
		mixed = inOtherUnits(mixed, c.Seed)
	}
	before := processor.Seconds()
	r, err := sica.Fit(ctx, mixed, cfg.On(b))
	score.Seconds = roundDigits(max(processor.Seconds()-before, 0), mccDigits)
	if ctx.Err() != nil {
		return score, ctx.Err()
	}
	if err == nil {
		err = score.compare(r, sources)
	}
	if err != nil {
		score.Error = err.Error()
	}
	return score, nil
}

// inOtherUnits returns x with each channel multiplied by a power of two.
func inOtherUnits(x *mat.Dense, seed uint64) *mat.Dense {
	const most = 6
	rng := rand.New(rand.NewPCG(seed, 0x756e697473)) // "units"
	powers := make([]int, x.RawMatrix().Rows)
	for i := range powers {
		powers[i] = rng.IntN(2*most+1) - most
	}
	var scaled mat.Dense
	scaled.Apply(func(i, _ int, v float64) float64 { return math.Ldexp(v, powers[i]) }, x)
	return &scaled
}

// compare fills in what the result and the true sources say.
func (s *Score) compare(r *sica.Result, sources *mat.Dense) error {
	m, err := metric.MCC(r.Z, nearestSources(r.Z, sources))
	if err != nil {
		return err
	}
	s.Signals, s.MCC, s.Lowest = len(m.Correlation), roundDigits(m.MCC, mccDigits), 1
	s.Why, s.Candidate = r.Why, r.Chosen.String()
	if r.Linear != nil {
		s.Candidate, s.Scale = r.Linear.Start, r.Linear.Scale
	}
	for j, correlation := range m.Correlation {
		correlation = math.Abs(correlation)
		s.Lowest = min(s.Lowest, roundDigits(correlation, mccDigits))
		if r.Linear != nil && r.Linear.Identified(m.Assignment[j]) ||
			r.Network != nil && r.Network.Identified {
			s.IdentifiedSignals++
			if correlation < wrongCorrelation {
				s.WrongSignals++
			}
		}
	}
	s.Identified = s.IdentifiedSignals == s.Signals
	return nil
}
