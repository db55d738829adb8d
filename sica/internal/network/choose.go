package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// Start is a demixing that networks are compared with, and may begin with.
type Start struct {
	// Name is for sentences: "whitening".
	Name string
	// Signals are what it makes of the mixed signals x, d×T.
	Signals *mat.Dense
	// LogDet is log|det ∂z/∂x| at each position, or one number if it is the same
	// everywhere.
	LogDet []float64
	// Network is whether a network is tried on it. Where nothing tells its signals
	// from their rotations, they are turned to the start's: whitened ones are right
	// if the mixing was symmetric.
	Network bool
}

// Candidate is a start, or a network on it.
type Candidate struct {
	Start   int  `json:"start"` // which
	Network bool `json:"network,omitempty"`
	// CodeLength is that of x at the positions that the folds hold out, in nats a
	// position, Jacobian included. A network pays for its choice among the
	// restarts and steps by what was held out.
	CodeLength float64 `json:"code_length"`
	// Longer is by how much that is more than the shortest.
	Longer Difference `json:"longer"`
	// Failed says why a network wasn't fitted to the end.
	Failed string `json:"failed,omitempty"`

	scores []float64 // minus the code length at each of those positions
	likelihoods
}

// Choice is the outcome of Choose.
type Choice struct {
	// Candidates are the starts in their order, then the networks that were fitted.
	// Chosen is the linear start with the shortest code, or the nonlinear one if its
	// code is significantly shorter, or the network if its is shorter still.
	Candidates []Candidate `json:"candidates"`
	Chosen     int         `json:"chosen"`
	// Start is what would have been chosen without networks.
	Start int `json:"start"`
	// Model is the network with the shortest code, a map of the signals of its
	// start; nil if none was fitted.
	Model *Model `json:"model,omitempty"`
	// Why says in a sentence or two what was chosen, and why.
	Why string `json:"why"`
}

// Network is the model that was chosen, nil if a start was.
func (c *Choice) Network() *Model {
	if c.Candidates[c.Chosen].Network {
		return c.Model
	}
	return nil
}

// Failed says why networks weren't fitted to the end, nothing if they were or none was tried.
func (c *Choice) Failed() string {
	for _, k := range c.Candidates {
		if k.Failed != "" {
			return k.Failed
		}
	}
	return ""
}

// Choose compares starts, and a network on each that shall have one, by the length of the
// code that each gives x at positions that it wasn't fitted to. Whether a network is
// called for at all, Called says.
//
// If ctx ends, the choice is among the starts, and the error is that of ctx; it is
// nil if not even they were compared.
func Choose(ctx context.Context, starts []Start, o Options) (*Choice, error) {
	if len(starts) == 0 {
		return nil, errors.New("no starts to choose from")
	}
	s, err := newSelection(starts, o)
	if err != nil {
		return nil, err
	}
	if err := s.compareStarts(ctx); err != nil {
		return nil, err
	}
	err = s.fitNetworks(ctx)
	return s.choose(), err
}

// selection is a Choice in the making.
type selection struct {
	Choice
	starts  []Start
	signals []*mat.Dense // of the starts, blurred where positions repeat
	models  []*Model     // of the candidates after the starts
	options Options
	index   *index
}

func newSelection(starts []Start, o Options) (*selection, error) {
	s := &selection{starts: starts}
	for _, start := range starts {
		if err := signal.CheckMixed(start.Signals); err != nil {
			return nil, fmt.Errorf("start %s: %w", start.Name, err)
		}
		d, T := start.Signals.Dims()
		if first, n := starts[0].Signals.Dims(); d != first || T != n {
			return nil, fmt.Errorf("start %s has %d signals of %d positions: want %d of %d", start.Name, d,
				T, first, n)
		}
		if n := len(start.LogDet); n != 1 && n != T {
			return nil, fmt.Errorf("start %s has %d log-determinants: want 1 or %d", start.Name, n, T)
		}
		signals := start.Signals
		if repeats(signals) {
			signals = mat.DenseCopyOf(signals)
			rng := rand.New(rand.NewPCG(o.Seed, blurDraws<<32))
			for i := range d {
				row := signals.RawRowView(i)
				std := stat.StdDev(row, nil)
				for t := range row {
					row[t] += std * blurStd * rng.NormFloat64()
				}
			}
		}
		s.signals = append(s.signals, signals)
	}
	d, T := starts[0].Signals.Dims()
	var err error
	if s.options, err = o.withDefaults(d, T); err != nil {
		return nil, err
	}
	s.index, err = s.options.index(s.signals)
	return s, err
}

// compareStarts scores the starts.
func (s *selection) compareStarts(ctx context.Context) error {
	for k, z := range s.signals {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.options.report(Measuring, float64(k)/float64(len(s.starts)), nil)
		c := Candidate{Start: k}
		for fold := range s.options.Folds {
			train, held := s.index.split(fold)
			l := likelihoodsOf(z, s.index.lags, train, held, s.options.Components, source.Autoregressive,
				source.Jumping)
			c.append(l.plus(s.logDet(k, held)))
		}
		s.Candidates = append(s.Candidates, c)
	}
	return nil
}

// logDet is that of start k at these positions.
func (s *selection) logDet(k int, positions []int) []float64 {
	all := s.starts[k].LogDet
	at := make([]float64, len(positions))
	for i, t := range positions {
		if len(all) == 1 {
			t = 0
		}
		at[i] = all[t]
	}
	return at
}

// fitNetworks fits a network to each start that shall have one.
func (s *selection) fitNetworks(ctx context.Context) error {
	var xs []*mat.Dense
	var of []int
	for k, start := range s.starts {
		if start.Network {
			xs, of = append(xs, s.signals[k]), append(of, k)
		}
	}
	if len(xs) == 0 {
		return nil
	}
	o := s.options
	if o.Past = s.index.reach; o.Past == 0 {
		o.Past = -1
	}
	models, err := fitAll(ctx, xs, s.rivals(of), o)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		s.Candidates = append(s.Candidates, Candidate{Start: of[0], Network: true, Failed: err.Error()})
		return nil
	}
	s.models = models
	for i, m := range models {
		c := Candidate{Start: of[i], Network: true}
		for fold, l := range m.likelihoods {
			_, held := s.index.split(fold)
			c.append(l.plus(s.logDet(of[i], held)))
		}
		s.Candidates = append(s.Candidates, c)
	}
	return nil
}

// rivals returns, for these starts and each fold, the log-likelihoods of the start's signals at the
// positions held out under the best linear start; nil if no start is linear.
func (s *selection) rivals(starts []int) [][][]float64 {
	best, highest := -1, math.Inf(-1)
	for _, k := range s.at(0) {
		if mean := stat.Mean(s.Candidates[k].constant, nil); mean > highest {
			best, highest = k, mean
		}
	}
	if best < 0 {
		return nil
	}
	rivals := make([][][]float64, len(starts))
	for i, start := range starts {
		rest := s.Candidates[best].constant
		for fold := range s.options.Folds {
			_, held := s.index.split(fold)
			rival := slices.Clone(rest[:len(held)])
			floats.Sub(rival, s.logDet(start, held))
			rivals[i], rest = append(rivals[i], rival), rest[len(held):]
		}
	}
	return rivals
}

// score takes the likelihoods of one kind of sources for all candidates: of constant strength,
// unless that of the shortest description's signals varies significantly. Others' may vary: what
// a linear demixing leaves of a nonlinearity can look like it.
func (s *selection) score() {
	for k := range s.Candidates {
		s.Candidates[k].scores = s.Candidates[k].varying
	}
	best := s.Candidates[s.shortest(0, len(s.Candidates))]
	if s.options.ConstantStrength ||
		!evidence.NewDifference(best.varying, best.constant).Significant() {
		for k := range s.Candidates {
			s.Candidates[k].scores = s.Candidates[k].constant
		}
	}
}

// shortest is which candidate has the shortest code, of those from begin to before
// end.
func (s *selection) shortest(begin, end int) int {
	best := begin
	for k := begin; k < end; k++ {
		if c := s.Candidates[k]; c.Failed == "" &&
			stat.Mean(c.scores, nil) > stat.Mean(s.Candidates[best].scores, nil) {
			best = k
		}
	}
	return best
}

// choose takes the simplest kind of candidate that isn't beaten, and of that the one
// with the shortest code.
func (s *selection) choose() *Choice {
	s.score()
	if s.models != nil {
		s.Model = s.models[s.shortest(len(s.starts), len(s.Candidates))-len(s.starts)]
	}
	best := s.shortest(0, len(s.Candidates))
	for k := range s.Candidates {
		if c := &s.Candidates[k]; c.Failed == "" {
			c.CodeLength = -stat.Mean(c.scores, nil)
			c.Longer = evidence.NewDifference(s.Candidates[best].scores, c.scores)
		}
	}
	s.Start, s.Chosen = s.simplest(networkLevel-1), s.simplest(networkLevel)
	s.Why = s.why(best)
	return &s.Choice
}

// simplest is the candidate with the shortest code of the lowest level that isn't beaten by
// a level above it, up to highest.
func (s *selection) simplest(highest int) int {
	chosen := -1
	for level := range highest + 1 {
		best := -1
		for _, k := range s.at(level) {
			if best < 0 || s.Candidates[k].CodeLength < s.Candidates[best].CodeLength {
				best = k
			}
		}
		if best >= 0 && (chosen < 0 || s.beats(level, s.level(chosen))) {
			chosen = best
		}
	}
	return chosen
}

// beats is whether each candidate of the lower level is beaten by one of this level. To beat
// that with the shortest code isn't enough: a few positions can make the code of a right one
// longer than that, though not significantly.
func (s *selection) beats(level, lower int) bool {
	for _, below := range s.at(lower) {
		beats := func(k int) bool { return better(s.Candidates[k], s.Candidates[below]) }
		if !slices.ContainsFunc(s.at(level), beats) {
			return false
		}
	}
	return true
}

// at are the candidates of a level that didn't fail.
func (s *selection) at(level int) []int {
	var at []int
	for k, c := range s.Candidates {
		if c.Failed == "" && s.level(k) == level {
			at = append(at, k)
		}
	}
	return at
}

// betterSigmas is how many standard errors a code must be shorter by. It is less than
// evidentSigmas, because a network is only asked where there was evidence before, and
// has paid for being chosen.
const betterSigmas = 2

func better(a, b Candidate) bool {
	gain := evidence.NewDifference(a.scores, b.scores)
	return gain.Mean > betterSigmas*gain.SE
}

// networkLevel is the level of networks.
const networkLevel = 2

// level is 0 for a linear start, 1 for another and 2 for a network.
func (s *selection) level(k int) int {
	switch c := s.Candidates[k]; {
	case c.Network:
		return networkLevel
	case len(s.starts[c.Start].LogDet) > 1:
		return 1
	}
	return 0
}

func (s *selection) name(k int) string {
	c := s.Candidates[k]
	if c.Network {
		return "a network on " + s.starts[c.Start].Name
	}
	return s.starts[c.Start].Name
}

func (s *selection) why(best int) string {
	var b strings.Builder
	chosen := s.Candidates[s.Chosen]
	if s.level(s.Chosen) > 0 {
		b.WriteString("Nonlinear: ")
	}
	b.WriteString(s.name(s.Chosen))
	if s.Chosen == best {
		b.WriteString(" describes the mixed signals best")
		if next := s.next(best); next >= 0 {
			longer := s.Candidates[next].Longer
			fmt.Fprintf(&b, " (%.3f nats per position shorter than %s, SE %.3f)",
				longer.Mean, s.name(next), longer.SE)
		}
	} else {
		fmt.Fprintf(&b, " was chosen, as the code of %s is not significantly shorter "+
			"(%.3f nats per position, SE %.3f)", s.name(best), chosen.Longer.Mean, chosen.Longer.SE)
	}
	b.WriteString(". ")
	if failed := s.Failed(); failed != "" {
		fmt.Fprintf(&b, "Networks failed: %s. ", failed)
	}
	if chosen.Network {
		b.WriteString(s.Model.Why())
	}
	return strings.TrimSpace(b.String())
}

// next is the candidate with the next longer code than best's, -1 if there is none.
func (s *selection) next(best int) int {
	next := -1
	for k, c := range s.Candidates {
		if k != best && c.Failed == "" && (next < 0 || c.CodeLength < s.Candidates[next].CodeLength) {
			next = k
		}
	}
	return next
}

// likelihoods are log-likelihoods of signals at positions held out: by sources whose innovations
// are of constant strength, and by any, which may vary.
type likelihoods struct{ constant, varying []float64 }

// likelihoodsOf fits models of these kinds, or of varying strength, to each signal of z on the
// train positions.
func likelihoodsOf(
	z *mat.Dense, lags, train, held []int, components int, kinds ...source.Kind,
) likelihoods {
	varying, vary := source.ScoresOf(z, lags, train, held, components,
		append(slices.Clip(kinds), source.Varying)...)
	if !vary {
		return likelihoods{slices.Clone(varying), varying}
	}
	constant, _ := source.ScoresOf(z, lags, train, held, components, kinds...)
	return likelihoods{constant, varying}
}

// plus adds terms, one a position, to both.
func (l likelihoods) plus(terms []float64) likelihoods {
	floats.Add(l.constant, terms)
	floats.Add(l.varying, terms)
	return l
}

// paid is likelihoods of what was chosen among so many by the same positions: to say which
// costs the logarithm of their number.
func (l likelihoods) paid(choices int) likelihoods {
	return likelihoods{paid(l.constant, choices), paid(l.varying, choices)}
}

func paid(logLikelihoods []float64, choices int) []float64 {
	rest := slices.Clone(logLikelihoods)
	floats.AddConst(-math.Log(float64(choices))/float64(len(rest)), rest)
	return rest
}

// append adds those of other positions.
func (l *likelihoods) append(more likelihoods) {
	l.constant = append(l.constant, more.constant...)
	l.varying = append(l.varying, more.varying...)
}
