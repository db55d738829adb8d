package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// A Baseline is a separation without a network. Networks are compared with baselines, and may be
// fitted behind them.
type Baseline struct {
	// Name is the name in sentences: "whitening".
	Name string
	// Signals are its signals z of the mixed signals x, d×n.
	Signals *mat.Dense
	// LogDet is log|det ∂z/∂x| at each position, or one number if it is the same everywhere, as for
	// a linear map.
	LogDet []float64
	// Network is whether a network is fitted behind it.
	Network bool

	separation Separation // in a comparison, the one that it is
	// place is that of the separation's own baseline. The linear rule has others, with other models of its
	// signals; see addNoisy and addLogarithms.
	place int
}

// A Candidate is a baseline, or a network behind it.
type Candidate struct {
	Baseline int // which
	Network  bool
	// CodeLength is the code length of x at the positions that the folds hold out, in nats per
	// position, including the log-Jacobian term. That of a network includes the cost of its choice
	// among the restarts and steps.
	CodeLength float64
	// Excess is by how much the code is longer than the shortest, without the last positions if
	// they don't fill a block of nonlinear.NewDifference. It may be below 0 for equally short codes.
	Excess nonlinear.Difference
	// Failed says why a network wasn't fitted to the end.
	Failed string

	futile bool      // whether it failed because its training was futile
	scores []float64 // minus the code length at each of those positions
	likelihoods
}

// A Choice is the result of Choose.
type Choice struct {
	// Candidates are the baselines in their order, then the networks that were fitted. Chosen is
	// the linear baseline with the shortest code, unless the code of a nonlinear baseline is
	// significantly shorter, or that of a network significantly shorter still.
	Candidates []Candidate
	Chosen     int
	// Model is the network with the shortest code, a map of the signals of its baseline; nil if
	// none was fitted.
	Model *Model
	// Why says in a sentence or two what was chosen, and why.
	Why string
}

// Network returns the model that was chosen, nil if a baseline was.
func (c *Choice) Network() *Model {
	if c.Candidates[c.Chosen].Network {
		return c.Model
	}
	return nil
}

// Failed says why networks weren't fitted to the end; it is empty if they were, if none was to be,
// or if their training was futile.
func (c *Choice) Failed() string {
	for _, k := range c.Candidates {
		if k.Failed != "" && !k.futile {
			return k.Failed
		}
	}
	return ""
}

// Choose compares baselines, and networks behind those that shall have one, by the code length of x
// at held-out positions. Screen tells whether there is reason to fit networks at all.
//
// If ctx ends, the choice is among the baselines, and the error is that of ctx. The choice is nil
// if not even they were compared.
func Choose(ctx context.Context, baselines []Baseline, o Options) (*Choice, error) {
	s, err := newSelection(ctx, baselines, o)
	if err != nil {
		return nil, err
	}
	if err := s.scoreBaselines(ctx); err != nil {
		return nil, err
	}
	err = s.fitNetworks(ctx)
	return s.choose(), err
}

// A selection is the state of Choose.
type selection struct {
	Choice
	baselines []Baseline
	signals   []*mat.Dense // of the baselines, with the noise of the resolution if positions repeat
	models    []*Model     // of the candidates after the baselines
	options   Options
	index     *index
	constant  bool // whether only the likelihoods of constant strength are needed
}

func newSelection(ctx context.Context, baselines []Baseline, o Options) (*selection, error) {
	s := &selection{baselines: baselines}
	for _, b := range baselines {
		if err := signal.CheckMixed(b.Signals); err != nil {
			return nil, fmt.Errorf("baseline %s: %w", b.Name, signal.AsErrSignals(err))
		}
		signals := b.Signals
		if hasRepeats(signals) {
			signals = mat.DenseCopyOf(signals)
			addResolutionNoise(signals, standardDeviations(signals), o.Seed)
		}
		s.signals = append(s.signals, signals)
	}
	s.options = o.withDefaults(baselines[0].Signals.Dims())
	var err error
	s.index, err = s.options.index(ctx, s.signals)
	return s, err
}

// scoreBaselines computes the likelihoods of the baselines.
func (s *selection) scoreBaselines(ctx context.Context) error {
	for fold := range folds {
		if err := s.scoreFold(ctx, fold); err != nil {
			return err
		}
	}
	return nil
}

// scoreFold adds the likelihoods of the baselines at the positions that a fold holds out. Folds
// must be scored in order.
func (s *selection) scoreFold(ctx context.Context, fold int) error {
	train, held := s.index.split(fold)
	for k, z := range s.signals {
		done := float64(k)/float64(len(s.signals)) + float64(fold)
		s.options.report(measuring, done/float64(folds))
		if fold == 0 {
			s.Candidates = append(s.Candidates, Candidate{Baseline: k})
		}
		l, err := fitLikelihoods(ctx, z, s.index.lags, train, held,
			!s.constant, source.Autoregressive, source.Jumping)
		if err != nil {
			return err
		}
		s.Candidates[k].append(l.add(s.logDet(k, held)))
	}
	return nil
}

// logDet returns the log-determinants of baseline k at the given positions.
func (s *selection) logDet(k int, positions []int) []float64 {
	all := s.baselines[k].LogDet
	selected := make([]float64, len(positions))
	for i, t := range positions {
		if len(all) == 1 {
			t = 0
		}
		selected[i] = all[t]
	}
	return selected
}

// fitNetworks fits a network behind each baseline that shall have one.
func (s *selection) fitNetworks(ctx context.Context) error {
	var xs []*mat.Dense
	var places []int // of xs among the baselines
	for k, b := range s.baselines {
		if b.Network {
			xs, places = append(xs, s.signals[k]), append(places, k)
		}
	}
	if len(xs) == 0 {
		return nil
	}
	o := s.options
	if o.Past = s.index.reach; o.Past == 0 {
		o.Past = -1
	}
	models, err := fitAll(ctx, xs, s.rivals(places), o)
	if isEnd(ctx, err) {
		return err
	}
	if err != nil {
		s.Candidates = append(s.Candidates, Candidate{
			Baseline: places[0], Network: true, Failed: err.Error(), futile: errors.Is(err, errFutile),
		})
		return nil
	}
	s.models = models
	for i, m := range models {
		c := Candidate{Baseline: places[i], Network: true}
		for fold, l := range m.likelihoods {
			_, held := s.index.split(fold)
			c.append(l.add(s.logDet(places[i], held)))
		}
		s.Candidates = append(s.Candidates, c)
	}
	return nil
}

// rivals returns, for the given baselines and each fold, the log-likelihoods of the baseline's
// signals at the held-out positions under the best linear baseline; nil if no baseline is linear.
func (s *selection) rivals(baselines []int) [][][]float64 {
	best, highest := -1, math.Inf(-1)
	for _, k := range s.levelCandidates(0) {
		if mean := stat.Mean(s.Candidates[k].constant, nil); mean > highest {
			best, highest = k, mean
		}
	}
	if best < 0 {
		return nil
	}
	rivals := make([][][]float64, len(baselines))
	for i, k := range baselines {
		rest := s.Candidates[best].constant
		for fold := range folds {
			_, held := s.index.split(fold)
			rival := slices.Clone(rest[:len(held)])
			floats.Sub(rival, s.logDet(k, held))
			rivals[i], rest = append(rivals[i], rival), rest[len(held):]
		}
	}
	return rivals
}

// score sets the scores and code lengths of all candidates by one kind of source models, and returns
// the candidate with the shortest code. The innovations of the models are of constant strength, unless the
// strength of the signals with the shortest code varies significantly. Only these decide: the nonlinearity
// that a linear demixing leaves can look like a varying strength.
func (s *selection) score() (best int) {
	set := func(scores func(l likelihoods) []float64) (best int) {
		for k := range s.Candidates {
			if c := &s.Candidates[k]; c.Failed == "" {
				c.scores = scores(c.likelihoods)
				c.CodeLength = -stat.Mean(c.scores, nil)
			}
		}
		return s.next(-1)
	}
	best = set(func(l likelihoods) []float64 { return l.varying })
	if c := s.Candidates[best]; !nonlinear.NewDifference(c.varying, c.constant).Significant() {
		best = set(func(l likelihoods) []float64 { return l.constant })
	}
	return best
}

// choose sets the choice and its evidence.
func (s *selection) choose() *Choice {
	best := s.score()
	if s.models != nil {
		s.Model = s.models[s.shortestOf(s.levelCandidates(networkLevel))-len(s.baselines)]
	}
	for k := range s.Candidates {
		if c := &s.Candidates[k]; c.Failed == "" {
			c.Excess = nonlinear.NewDifference(s.Candidates[best].scores, c.scores)
		}
	}
	s.Chosen = s.simplest()
	s.Why = s.why(best)
	return &s.Choice
}

// simplest returns the candidate with the shortest code of the lowest level that no level above it
// beats.
func (s *selection) simplest() int {
	chosen := -1
	for level := range networkLevel + 1 {
		best := s.shortestOf(s.levelCandidates(level))
		if best >= 0 && (chosen < 0 || s.levelBeats(level, s.level(chosen))) {
			chosen = best
		}
	}
	return chosen
}

// levelBeats reports whether, for each candidate of the lower level, the level has one with a
// significantly shorter code. To beat the lower level's shortest code isn't enough: a few positions
// can give a correct demixing a code that is longer than that, though not significantly.
func (s *selection) levelBeats(level, lower int) bool {
	for _, below := range s.levelCandidates(lower) {
		beats := func(k int) bool {
			return isSignificantlyShorter(s.Candidates[k], s.Candidates[below])
		}
		if !slices.ContainsFunc(s.levelCandidates(level), beats) {
			return false
		}
	}
	return true
}

// levelCandidates returns the candidates of a level that didn't fail.
func (s *selection) levelCandidates(level int) []int {
	var candidates []int
	for k, c := range s.Candidates {
		if c.Failed == "" && s.level(k) == level {
			candidates = append(candidates, k)
		}
	}
	return candidates
}

// betterSigmas is the number of standard errors by which a code must be shorter. It is a choice. It
// is small because networks are only fitted where the gate has found evidence for a nonlinear
// mixture, and their codes include the cost of their choice.
const betterSigmas = 2

// isSignificantlyShorter reports whether the code of a is significantly shorter than that of b.
func isSignificantlyShorter(a, b Candidate) bool {
	gain := nonlinear.NewDifference(a.scores, b.scores)
	return gain.Mean > betterSigmas*gain.SE
}

// networkLevel is the level of networks.
const networkLevel = 2

// level returns 0 for a linear baseline, 1 for a nonlinear one and 2 for a network.
func (s *selection) level(k int) int {
	switch c := s.Candidates[k]; {
	case c.Network:
		return networkLevel
	case len(s.baselines[c.Baseline].LogDet) > 1:
		return 1
	}
	return 0
}

func (s *selection) name(k int) string {
	c := s.Candidates[k]
	if c.Network {
		return "a network on " + s.baselines[c.Baseline].Name
	}
	return s.baselines[c.Baseline].Name
}

// why explains the choice. Best is the candidate with the shortest code.
func (s *selection) why(best int) string {
	var b strings.Builder
	chosen := s.Candidates[s.Chosen]
	if s.level(s.Chosen) > 0 {
		b.WriteString("Nonlinear: ")
	}
	b.WriteString(s.name(s.Chosen))
	next := s.next(best)
	switch {
	case s.Chosen == best && next >= 0 && !chosen.Network &&
		!isSignificantlyShorter(chosen, s.Candidates[next]):
		longer := s.Candidates[next].Excess
		fmt.Fprintf(&b, " was chosen, but %s describes the mixed signals equally well within two "+
			"standard errors (their codes differ by %.3f nats per position, SE %.3f)",
			s.name(next), math.Abs(longer.Mean), longer.SE)
	case s.Chosen == best:
		b.WriteString(" describes the mixed signals best")
		if next >= 0 {
			fmt.Fprintf(&b, " (%s)", s.advantage(best, next))
		}
	default:
		fmt.Fprintf(&b, " was chosen, as the code of %s is not significantly shorter "+
			"(%.3f nats per position, SE %.3f)", s.name(best), max(0, chosen.Excess.Mean),
			chosen.Excess.SE)
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

// advantage says by how much the code of best is shorter than that of the next candidate and,
// first, if best is nonlinear, than those of the linear ones.
func (s *selection) advantage(best, next int) string {
	say := func(k int, unit string) string {
		longer := s.Candidates[k].Excess
		return fmt.Sprintf("%.3f%s shorter than %s, SE %.3f", longer.Mean, unit, s.name(k), longer.SE)
	}
	const unit = " nats per position"
	linear := -1
	if s.level(best) > 0 {
		linear = s.shortestOf(s.levelCandidates(0))
	}
	if linear < 0 || linear == next {
		return say(next, unit)
	}
	return say(linear, unit) + "; " + say(next, "")
}

// next returns the candidate with the shortest code except best, the runner-up; −1 if there is none.
// Without best, −1, it is the shortest of all.
func (s *selection) next(best int) int {
	var others []int
	for k, c := range s.Candidates {
		if k != best && c.Failed == "" {
			others = append(others, k)
		}
	}
	return s.shortestOf(others)
}

// shortestOf returns the one of the candidates with the shortest code, −1 of none.
func (s *selection) shortestOf(candidates []int) int {
	shortest := -1
	for _, k := range candidates {
		if shortest < 0 || s.Candidates[k].CodeLength < s.Candidates[shortest].CodeLength {
			shortest = k
		}
	}
	return shortest
}

// likelihoods are log-likelihoods of signals at held-out positions under source models with
// innovations of constant strength, and under models whose strength may vary.
type likelihoods struct{ constant, varying []float64 }

// fitLikelihoods fits models of the given kinds to each signal of z at the training positions, and
// returns their log-likelihoods at the held-out positions. For varying, source.Varying is one of
// the kinds, too, if vary is true. It is an error if ctx ends.
func fitLikelihoods(
	ctx context.Context, z *mat.Dense, lags, train, held []int, vary bool,
	kinds ...source.Kind,
) (likelihoods, error) {
	constant, varying, err := source.Scores(ctx, z, lags, train, held, vary, kinds...)
	return likelihoods{constant, varying}, err
}

// add adds terms, one for each position, to both.
func (l likelihoods) add(terms []float64) likelihoods {
	floats.Add(l.constant, terms)
	floats.Add(l.varying, terms)
	return l
}

// chargeChoice adds the cost of a choice to both; see the function.
func (l likelihoods) chargeChoice(choices int) likelihoods {
	return likelihoods{chargeChoice(l.constant, choices), chargeChoice(l.varying, choices)}
}

// chargeChoice returns the log-likelihoods of a model that was chosen among others by these very
// positions, less the code length of the choice: log(choices) nats, spread over the positions.
func chargeChoice(logLikelihoods []float64, choices int) []float64 {
	charged := slices.Clone(logLikelihoods)
	floats.AddConst(-math.Log(float64(choices))/float64(len(charged)), charged)
	return charged
}

// append appends the log-likelihoods at other positions.
func (l *likelihoods) append(more likelihoods) {
	l.constant = append(l.constant, more.constant...)
	l.varying = append(l.varying, more.varying...)
}
