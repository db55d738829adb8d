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

// A Code describes the mixed signals x, d×n, by the signals z of a separation without a network.
// Codes are compared with each other and with the codes of networks, which can be fitted to z.
type Code struct {
	name    string     // in sentences: "whitening"
	signals *mat.Dense // z, d×n
	// logDet is log|det ∂z/∂x| at each position, or one number for a linear map.
	logDet  []float64
	network bool // whether a network is to be fitted to z

	separation Separation // described by the code; only in a codeSet
	// place is the index of the separation's own code in the codeSet. The linear rule has further
	// codes, with other models of its signals; see addNoisy and addLogarithms.
	place int
}

// A ScoredCode is one of the codes that Choose compares, or that of a network fitted to its
// signals.
type ScoredCode struct {
	code            int // index of the code
	network         bool
	nonlinear.Score           // of x
	model           *Model    // the network, a map of the code's signals; nil if it wasn't fitted
	err             error     // why the network wasn't fitted to the end
	scores          []float64 // negative code lengths at each held-out position
	likelihoods
}

// A Choice is the result of Choose.
type Choice struct {
	// Scored are the codes in order, followed by the codes of the networks that were fitted. Chosen
	// is the index of the shortest linear code, unless a nonlinear code is significantly shorter,
	// or the code of a network is significantly shorter still.
	Scored []ScoredCode
	Chosen int
	// Why says in one or two sentences what was chosen, and why.
	Why string
}

// failed says why networks weren't fitted to the end. It is empty if they were, if none was to be
// fitted, or if their training was futile.
func (c *Choice) failed() string {
	for _, k := range c.Scored {
		if k.err != nil && !errors.Is(k.err, errFutile) {
			return k.err.Error()
		}
	}
	return ""
}

// Choose compares codes, and networks fitted to the signals of those marked for it, by their
// lengths at held-out positions. Screen tells whether there is reason to fit networks at all.
//
// If ctx ends, Choose returns the error of ctx.
func Choose(ctx context.Context, codes []Code, o Options) (*Choice, error) {
	s, err := newScorer(ctx, codes, o)
	if err != nil {
		return nil, err
	}
	for fold := range folds {
		if err := s.scoreFold(ctx, fold); err != nil {
			return nil, err
		}
	}
	if err := s.fitNetworks(ctx); err != nil {
		return nil, err
	}
	return s.choose(), nil
}

// A scorer scores codes and networks fitted to their signals, and chooses one, for Choose.
type scorer struct {
	Choice
	codes   []Code // with resolution noise in signals that repeat
	options Options
	index   *index
	kinds   []source.Kind // source models to use besides autoregressions
}

func newScorer(ctx context.Context, codes []Code, o Options) (*scorer, error) {
	s := &scorer{
		codes: slices.Clone(codes), options: o,
		kinds: []source.Kind{source.Varying, source.Jumping},
	}
	var all []*mat.Dense
	for k := range s.codes {
		c := &s.codes[k]
		if err := signal.CheckMixed(c.signals); err != nil {
			return nil, fmt.Errorf("code of %s: %w", c.name, signal.AsErrSignals(err))
		}
		if hasRepeats(c.signals) {
			c.signals = mat.DenseCopyOf(c.signals)
			addResolutionNoise(c.signals, standardDeviations(c.signals), o.Seed)
		}
		all = append(all, c.signals)
	}
	var err error
	s.index, err = o.index(ctx, all)
	return s, err
}

// scoreFold appends the likelihoods of the codes at the positions that a fold holds out. Folds must
// be scored in order.
func (s *scorer) scoreFold(ctx context.Context, fold int) error {
	for k, c := range s.codes {
		done := float64(k)/float64(len(s.codes)) + float64(fold)
		s.options.report(measuring, done/float64(folds))
		if fold == 0 {
			s.Scored = append(s.Scored, ScoredCode{code: k})
		}
		l, err := s.index.likelihoods(ctx, c.signals, fold, s.kinds...)
		if err != nil {
			return err
		}
		s.Scored[k].append(l.add(s.logDet(k, fold)))
	}
	return nil
}

// logDet returns the log-determinants of code k at the positions that a fold holds out.
func (s *scorer) logDet(k, fold int) []float64 {
	held := s.index.held[fold]
	if all := s.codes[k].logDet; len(all) > 1 {
		return valuesAt(all, held)
	}
	return slices.Repeat(s.codes[k].logDet, len(held))
}

// valuesAt returns the values at the positions.
func valuesAt(values []float64, positions []int) []float64 {
	selected := make([]float64, len(positions))
	for i, t := range positions {
		selected[i] = values[t]
	}
	return selected
}

// fitNetworks fits a network to the signals of each code marked for it.
func (s *scorer) fitNetworks(ctx context.Context) error {
	var xs []*mat.Dense
	var places []int // indices of the codes of xs
	for k, c := range s.codes {
		if c.network {
			xs, places = append(xs, c.signals), append(places, k)
		}
	}
	if len(xs) == 0 {
		return nil
	}
	o := s.options
	o.past = s.index.reach
	models, err := fitAll(ctx, xs, s.linearScores(places), o)
	if IsEnd(ctx, err) {
		return err
	}
	if err != nil {
		s.Scored = append(s.Scored, ScoredCode{code: places[0], network: true, err: err})
		return nil
	}
	for i, m := range models {
		c := ScoredCode{code: places[i], network: true, model: m}
		for fold, l := range m.likelihoods {
			c.append(l.add(s.logDet(places[i], fold)))
		}
		s.Scored = append(s.Scored, c)
	}
	return nil
}

// linearScores returns, for each of these codes and each fold, the log-likelihoods of the code's
// signals at the held-out positions under the shortest linear code; nil if no code is linear.
func (s *scorer) linearScores(places []int) [][][]float64 {
	best, highest := -1, math.Inf(-1)
	for _, k := range s.levelCodes(0) {
		if mean := stat.Mean(s.Scored[k].constant, nil); mean > highest {
			best, highest = k, mean
		}
	}
	if best < 0 {
		return nil
	}
	all := make([][][]float64, len(places))
	for i, k := range places {
		rest := s.Scored[best].constant
		for fold, held := range s.index.held {
			scores := slices.Clone(rest[:len(held)])
			floats.Sub(scores, s.logDet(k, fold))
			all[i], rest = append(all[i], scores), rest[len(held):]
		}
	}
	return all
}

// score sets the scores and lengths of all codes with the same kind of source models, and returns
// the shortest code. The innovations of the models have constant strength, unless the strength
// varies significantly for the signals with the shortest code. Only these signals decide: the
// nonlinearity that a linear demixing leaves can look like a varying strength.
func (s *scorer) score() (best int) {
	set := func(scores func(l likelihoods) []float64) (best int) {
		for k := range s.Scored {
			if c := &s.Scored[k]; c.err == nil {
				c.scores = scores(c.likelihoods)
				c.CodeLength = -stat.Mean(c.scores, nil)
			}
		}
		return s.next(-1)
	}
	best = set(func(l likelihoods) []float64 { return l.varying })
	if c := s.Scored[best]; !newDifference(c.varying, c.constant).Significant() {
		best = set(func(l likelihoods) []float64 { return l.constant })
	}
	return best
}

// choose sets the choice and the evidence for it.
func (s *scorer) choose() *Choice {
	best := s.score()
	for k := range s.Scored {
		if c := &s.Scored[k]; c.err == nil {
			c.Compared, c.Excess = true, newDifference(s.Scored[best].scores, c.scores)
		}
	}
	s.Chosen = s.simplest()
	s.Why = s.why(best)
	return &s.Choice
}

// simplest returns the shortest code of the lowest level that no higher level beats.
func (s *scorer) simplest() int {
	chosen := -1
	for level := range networkLevel + 1 {
		best := s.shortestOf(s.levelCodes(level))
		if best >= 0 && (chosen < 0 || s.levelBeats(level, s.level(chosen))) {
			chosen = best
		}
	}
	return chosen
}

// levelBeats reports whether, for each code of the lower level, the level has a significantly
// shorter code. Beating only the shortest code of the lower level isn't enough: with few positions,
// the code of a correct demixing can be longer than the shortest, though not significantly.
func (s *scorer) levelBeats(level, lower int) bool {
	for _, below := range s.levelCodes(lower) {
		beats := func(k int) bool {
			return isSignificantlyShorter(s.Scored[k], s.Scored[below])
		}
		if !slices.ContainsFunc(s.levelCodes(level), beats) {
			return false
		}
	}
	return true
}

// levelCodes returns the codes of a level, without those that failed.
func (s *scorer) levelCodes(level int) []int {
	var codes []int
	for k, c := range s.Scored {
		if c.err == nil && s.level(k) == level {
			codes = append(codes, k)
		}
	}
	return codes
}

// betterSigmas is the number of standard errors by which a code must be shorter. It is small
// because networks are only fitted if the gate has found evidence for a nonlinear mixing, and their
// codes include the cost of their choice.
const betterSigmas = 2

// isSignificantlyShorter reports whether the code of a is significantly shorter than that of b.
func isSignificantlyShorter(a, b ScoredCode) bool {
	gain := newDifference(a.scores, b.scores)
	return gain.Mean > betterSigmas*gain.SE
}

// networkLevel is the level of networks.
const networkLevel = 2

// level returns 0 for a linear code, 1 for a nonlinear one and 2 for a network.
func (s *scorer) level(k int) int {
	switch c := s.Scored[k]; {
	case c.network:
		return networkLevel
	case len(s.codes[c.code].logDet) > 1:
		return 1
	}
	return 0
}

func (s *scorer) name(k int) string {
	c := s.Scored[k]
	if c.network {
		return "a network on " + s.codes[c.code].name
	}
	return s.codes[c.code].name
}

// why explains the choice. best is the shortest code.
func (s *scorer) why(best int) string {
	var b strings.Builder
	chosen := s.Scored[s.Chosen]
	if s.level(s.Chosen) > 0 {
		b.WriteString("Nonlinear: ")
	}
	b.WriteString(s.name(s.Chosen))
	next := s.next(best)
	switch {
	case s.Chosen == best && next >= 0 && !chosen.network &&
		!isSignificantlyShorter(chosen, s.Scored[next]):
		longer := s.Scored[next].Excess
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
	if failed := s.failed(); failed != "" {
		fmt.Fprintf(&b, "Networks failed: %s. ", failed)
	}
	if chosen.network {
		b.WriteString(chosen.model.Why())
	}
	return strings.TrimSpace(b.String())
}

// advantage says by how much the best code is shorter than next. If the best code is nonlinear, it
// is first compared with the shortest linear code.
func (s *scorer) advantage(best, next int) string {
	say := func(k int, unit string) string {
		longer := s.Scored[k].Excess
		return fmt.Sprintf("%.3f%s shorter than %s, SE %.3f", longer.Mean, unit, s.name(k), longer.SE)
	}
	const unit = " nats per position"
	linearBest := -1
	if s.level(best) > 0 {
		linearBest = s.shortestOf(s.levelCodes(0))
	}
	if linearBest < 0 || linearBest == next {
		return say(next, unit)
	}
	return say(linearBest, unit) + "; " + say(next, "")
}

// next returns the shortest code except best; −1 if there is none. If best is −1, it returns the
// shortest of all codes.
func (s *scorer) next(best int) int {
	var others []int
	for k, c := range s.Scored {
		if k != best && c.err == nil {
			others = append(others, k)
		}
	}
	return s.shortestOf(others)
}

// shortestOf returns the shortest of the given codes; −1 if there are none.
func (s *scorer) shortestOf(codes []int) int {
	shortest := -1
	for _, k := range codes {
		if shortest < 0 || s.Scored[k].CodeLength < s.Scored[shortest].CodeLength {
			shortest = k
		}
	}
	return shortest
}

// likelihoods are log-likelihoods of signals at held-out positions under source models whose
// innovations have constant strength, and under models whose strength may vary.
type likelihoods struct{ constant, varying []float64 }

// likelihoods returns the likelihoods of the signals z at the positions that a fold holds out,
// under models fitted to the other positions: autoregressions and models of the given kinds. It is
// an error if ctx ends.
func (x *index) likelihoods(
	ctx context.Context, z *mat.Dense, fold int, kinds ...source.Kind,
) (likelihoods, error) {
	constant, varying, err := source.Scores(ctx, z, x.lags, x.train[fold], x.held[fold], kinds...)
	return likelihoods{constant, varying}, err
}

// add adds terms, one for each position, to both log-likelihoods.
func (l likelihoods) add(terms []float64) likelihoods {
	floats.Add(l.constant, terms)
	floats.Add(l.varying, terms)
	return l
}

// chargeChoice applies the function chargeChoice to both log-likelihoods.
func (l likelihoods) chargeChoice(choices int) likelihoods {
	return likelihoods{chargeChoice(l.constant, choices), chargeChoice(l.varying, choices)}
}

// chargeChoice returns the log-likelihoods, at the same positions by which their model was chosen,
// minus the code length of the choice: log(choices) nats, spread over the positions.
func chargeChoice(logLikelihoods []float64, choices int) []float64 {
	charged := slices.Clone(logLikelihoods)
	floats.AddConst(-math.Log(float64(choices))/float64(len(charged)), charged)
	return charged
}

// append appends the log-likelihoods at more positions.
func (l *likelihoods) append(more likelihoods) {
	l.constant = append(l.constant, more.constant...)
	l.varying = append(l.varying, more.varying...)
}
