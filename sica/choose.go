package sica

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/clipping"
	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/internal/network"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Candidate is a separation that a fit considered.
type Candidate struct {
	// Name is the name of a custom method; empty for others.
	Name string `json:"name,omitempty"`
	// Transforms were applied first, whitening included, and then Mode.
	Transforms []preprocess.Transform `json:"transforms,omitempty"`
	Mode       Mode                   `json:"method,omitempty"`
	// Score wasn't Compared if there was a single candidate, and for one that Failed.
	nonlinear.Score
	// Failed says why the candidate gave no signals; empty if it did.
	Failed string `json:"failed,omitempty"`
}

// String returns Name, or the transforms and the mode: "zca, linear" is one candidate.
func (c Candidate) String() string {
	var names []string
	if c.Name != "" {
		names = append(names, c.Name)
	}
	for _, t := range c.Transforms {
		names = append(names, string(t))
	}
	if c.Mode != TransformsOnly {
		names = append(names, string(c.Mode))
	}
	if names == nil {
		return "as given"
	}
	return strings.Join(names, ", ")
}

// A decision is the separation of a run by Config.Mode, and how it was chosen.
type decision struct {
	network.Separation
	// candidates are all separations that were considered.
	candidates []Candidate
	// outliers are the positions, from 0, that were excluded from fitting.
	outliers []int
	// sentences explain the choice, as in Result; there are none for TransformsOnly.
	sentences []string
	// cutShort is Result.CutShort.
	cutShort bool
}

// chosen returns the candidate that was chosen.
func (d *decision) chosen() Candidate { return candidateOf(d.Separation) }

// say adds sentences that aren't empty.
func (d *decision) say(sentences ...string) {
	for _, sentence := range sentences {
		if sentence = strings.TrimSpace(sentence); sentence != "" {
			d.sentences = append(d.sentences, sentence)
		}
	}
}

// A chooser makes the decision for the mended signals of a run.
type chooser struct {
	cfg      Config
	backend  compute.Backend
	run      *fitRun
	mended   *ica.Signals // the reduced ones, with outliers mended
	progress func(doing string, done float64)
}

// decide returns the separation of a run by Config.Mode. If the context ends, it returns without an
// error the state of the separation so far, or whitening.
func (f *fitting) decide(r *fitRun) (*decision, error) {
	if f.cfg.Mode == TransformsOnly {
		s, err := transformed(f.ctx, r.reduced, slices.Clone(f.cfg.Transforms))
		return &decision{Separation: s}, err
	}
	mended, outliers, err := f.setAside(r)
	if err != nil {
		return nil, err
	}
	c := &chooser{
		cfg: f.cfg, backend: f.backend, run: r, mended: mended,
		progress: func(string, float64) {},
	}
	c.cfg.Seed = r.seed
	if f.cfg.OnProgress != nil {
		c.progress = func(doing string, done float64) {
			guard.Callback("OnProgress", func() { f.cfg.OnProgress(r.place, doing, done) })
		}
	}
	d, err := c.choose(f.ctx)
	if err != nil {
		return nil, err
	}
	c.sayClipped(d)
	if d.byLinearRule() && len(d.Linear.Groups) > 1 {
		isImage := f.grid.Axes() > 1
		switch {
		case f.cfg.Mode == LinearOnly || isImage && !network.CanStraighten(mended):
			d.say(linearOnlySentence)
		case isImage:
			d.say(curvesOnlySentence)
		}
	}
	return d, d.putBack(r.reduced, outliers)
}

// transformed returns the signals after the transforms alone, without a separation.
func transformed(
	ctx context.Context, x *ica.Signals, transforms []preprocess.Transform,
) (network.Separation, error) {
	z, maps, names, err := mapping.Begin(ctx, x.X(), transforms)
	return network.Separation{Transforms: names, Maps: maps, Z: z}, err
}

// The reasons of a choice that was cut short.
const (
	noNetworkSentence = "Stopped before a network was fitted: the signals are whitened only."
	whitenedSentence  = "Stopped before the linear rule had ended: the signals are whitened only."
	stoppedSentence   = "Stopped before all nonlinear mixings were examined. Nothing is identified."
)

// stopped marks d as cut short by the end of the context, with nothing identified, and returns it.
func (d *decision) stopped(why string) *decision {
	d.cutShort, d.sentences = true, []string{why}
	d.Linear = linear.Unidentified(d.Linear, linear.Stopped)
	return d
}

// byLinearRule reports whether the linear rule made the signals, without curves of the channels.
func (d *decision) byLinearRule() bool {
	return d.Linear != nil && d.Name == "" && !slices.Contains(d.Transforms, network.Curves)
}

// linearOnlySentence is added if LinearOnly identifies signals, and curvesOnlySentence if Auto
// identifies signals of images and videos with enough rows for curves.
const (
	linearOnlySentence = "No nonlinear mixing was looked for."
	curvesOnlySentence = "No nonlinear mixing but curves of the channels was looked for."
)

// choose returns the decision by Config.Mode, or its state when ctx ended.
func (c *chooser) choose(ctx context.Context) (*decision, error) {
	transforms := append(slices.Clone(c.cfg.Transforms), preprocess.ZCA)
	white, err := transformed(ctx, c.mended, transforms)
	if err != nil {
		return nil, err
	}
	if c.cfg.Mode == NetworkOnly {
		return c.network(ctx, white)
	}
	demixed, err := c.demix(ctx, white)
	switch {
	case network.IsEnd(ctx, err):
		return (&decision{Separation: white}).stopped(whitenedSentence), nil
	case err != nil:
		return nil, err
	}
	chosen := demixed
	if len(c.cfg.Candidates) > 0 {
		chosen, err = c.compareCustom(ctx, white, demixed)
		switch {
		case network.IsEnd(ctx, err) && c.cfg.Mode == LinearOnly:
			return demixed, nil // nothing but the comparison is missing
		case network.IsEnd(ctx, err):
			return demixed.stopped(stoppedSentence), nil
		case err != nil:
			return nil, err
		}
	}
	if chosen.Name != "" || c.cfg.Mode == LinearOnly || c.run.isClipped() {
		return chosen, nil
	}
	return c.improve(ctx, white, chosen)
}

// sayClipped adds sentences that name the clipped mixed signals, if any, and the comparisons
// omitted because of them.
func (c *chooser) sayClipped(d *decision) {
	if !c.run.isClipped() {
		return
	}
	_, n := c.mended.Dims()
	d.say(clippedSentence(c.run.clipped, n))
	if c.cfg.Mode == Auto && d.Name == "" && !d.cutShort {
		d.say("No network was fitted, as none can undo clipping.")
	}
}

// clippedSentence says which of the mixed signals are clipped at n positions.
func clippedSentence(c clipping.Clipping, n int) string {
	verb := "is"
	if len(c.Channels) > 1 {
		verb = "are"
	}
	return fmt.Sprintf("Mixed %s %s clipped, at %d of %d positions, which can look like more sources "+
		"than channels: leave those stretches out, unless they are what you take out.",
		text.Signals(c.Channels), verb, len(c.Positions), n)
}

// demix returns the decision for the linear rule.
func (c *chooser) demix(ctx context.Context, white network.Separation) (*decision, error) {
	c.progress("separating linearly", 0)
	o := linear.Config{Seed: c.cfg.Seed}
	if len(c.cfg.Transforms) == 0 { // which the principal components reach as they are
		o.PrincipalComponents, o.Noise = c.run.isReduced, c.run.leftOut
	}
	demixed, err := network.Demix(ctx, c.mended, white, o)
	if err != nil {
		return nil, err
	}
	return newDecision(demixed, network.Identified), nil
}

// newDecision returns the decision for a separation that was the only candidate.
func newDecision(s network.Separation, sentences ...string) *decision {
	d := &decision{Separation: s, candidates: []Candidate{candidateOf(s)}}
	d.say(sentences...)
	return d
}

// networkOptions are the settings of networks, and of code lengths.
func (c *chooser) networkOptions() network.Options {
	return network.Options{
		Backend: c.backend, Shape: c.mended.Shape(), Seed: c.cfg.Seed, Steps: c.cfg.NetworkSteps,
		OnProgress: c.progress,
	}
}

// network returns the decision for NetworkOnly.
func (c *chooser) network(ctx context.Context, white network.Separation) (*decision, error) {
	var followed network.Separation
	m, err := network.Fit(ctx, white.Z, c.networkOptions())
	if err == nil {
		followed, err = network.WithNetwork(ctx, white, m, white.Z, c.networkOptions())
	}
	switch {
	case network.IsEnd(ctx, err):
		return (&decision{Separation: white}).stopped(noNetworkSentence), nil
	case err != nil:
		return nil, err
	}
	return newDecision(followed, gainOverWhitening(m.OverWhitening), m.Why()), nil
}

// gainOverWhitening returns a sentence about the gain of a network's code over that of whitening.
func gainOverWhitening(gain nonlinear.Difference) string {
	if gain.Mean >= 0 && !gain.Significant() {
		return fmt.Sprintf("An invertible network: its code isn't significantly shorter than that of "+
			"whitening, which may do as well (%.3f nats per position, SE %.3f).", gain.Mean, gain.SE)
	}
	compared := "shorter"
	if gain.Mean < 0 {
		compared = "longer"
	}
	return fmt.Sprintf("An invertible network: its code is %.3f nats per position %s than that of "+
		"whitening (SE %.3f).", math.Abs(gain.Mean), compared, gain.SE)
}

// improve returns the decision for the linear rule, demixed, or for a nonlinear separation that is
// better.
func (c *chooser) improve(
	ctx context.Context, white network.Separation, demixed *decision,
) (*decision, error) {
	better, err := network.Improve(ctx, c.mended, c.cfg.Transforms,
		white, demixed.Separation, c.networkOptions())
	switch {
	case network.IsEnd(ctx, err):
		return demixed.stopped(stoppedSentence), nil
	case err != nil:
		return nil, err
	case better == nil:
		return demixed, nil
	}
	d := &decision{Separation: better.Chosen, candidates: demixed.candidates}
	d.say(better.Why...)
	if better.All == nil {
		return d, nil
	}
	d.candidates = nil
	for _, s := range better.All {
		k := candidateOf(s)
		d.candidates = append(d.candidates, k)
		if k.isSame(d.chosen()) && k.Failed == "" {
			d.Score = k.Score
		}
	}
	custom := slices.DeleteFunc(demixed.candidates, func(k Candidate) bool { return k.Name == "" })
	d.candidates = append(d.candidates, custom...)
	return d, nil
}

// candidateOf returns the description of a separation as a Candidate.
func candidateOf(s network.Separation) Candidate {
	c := Candidate{
		Name: s.Name, Transforms: s.Transforms, Mode: TransformsOnly, Score: s.Score,
		Failed: s.Failed,
	}
	switch {
	case s.Name != "":
	case s.Network != nil:
		c.Mode = NetworkOnly
	case s.Linear != nil:
		c.Mode = LinearOnly
	}
	return c
}

// isSame reports whether the candidates are the same separation, regardless of code lengths.
func (c Candidate) isSame(other Candidate) bool {
	return c.Name == other.Name && c.Mode == other.Mode &&
		slices.Equal(c.Transforms, other.Transforms)
}

// isLinearRule reports whether the candidate is the linear rule's demixing of signals without
// transforms.
func (c Candidate) isLinearRule() bool {
	return c.isSame(Candidate{Transforms: []preprocess.Transform{preprocess.ZCA}, Mode: LinearOnly})
}

// compareCustom returns the decision for the linear rule or, without CompareOnly, for a custom
// method whose code at held-out positions is shorter; significantly shorter if its map isn't
// linear. A method that fails is a candidate with its error.
func (c *chooser) compareCustom(
	ctx context.Context, white network.Separation, demixed *decision,
) (*decision, error) {
	o := c.networkOptions()
	x, err := network.AddResolution(ctx, c.mended.X(), white.Z, white.Maps, o)
	if err != nil {
		return nil, err
	}
	all := []*decision{demixed}
	rule, err := network.NewCode(ctx, "the linear rule", x, demixed.Maps)
	if err != nil {
		return nil, err
	}
	codes, places := []network.Code{rule}, []int{0} // of the codes among all
	for _, method := range c.cfg.Candidates {
		custom, code, err := c.custom(ctx, method, x)
		switch {
		case network.IsEnd(ctx, err):
			return nil, err
		case err != nil:
			custom = &decision{Separation: network.Separation{Name: method.Name(), Failed: err.Error()}}
		default:
			codes, places = append(codes, code), append(places, len(all))
		}
		all = append(all, custom)
	}
	choice, err := network.Choose(ctx, codes, o)
	if err != nil {
		return nil, err
	}
	for k, code := range choice.Scored {
		all[places[k]].Score = code.Score
	}
	d := demixed
	if choice.Chosen > 0 && !c.cfg.CompareOnly {
		d = all[places[choice.Chosen]]
		d.sentences = slices.Insert(d.sentences, 0, choice.Why)
	}
	d.candidates = nil
	for _, each := range all {
		d.candidates = append(d.candidates, each.chosen())
	}
	return d, nil
}

// custom returns the decision for a custom method, and its code for the signals x, which must have
// the noise of the resolution if they need it.
func (c *chooser) custom(
	ctx context.Context, method ica.Method, x *mat.Dense,
) (*decision, network.Code, error) {
	own, err := c.mended.WithX(mat.DenseCopyOf(c.mended.X())) // which it may change
	if err != nil {
		return nil, network.Code{}, err
	}
	model, err := guard.Result(method.Name()+": Fit", func() (*ica.Model, error) {
		return method.Fit(ctx, own)
	})
	if err != nil {
		return nil, network.Code{}, err
	}
	if err := model.Validate(); err != nil {
		return nil, network.Code{}, fmt.Errorf("%s: %w", method.Name(), err)
	}
	d, n := c.mended.Dims()
	if k, m := model.Signals.Dims(); k != d || m != n {
		return nil, network.Code{}, fmt.Errorf("%s: made %d×%d signals of %d×%d; must be as many",
			method.Name(), k, m, d, n)
	}
	s := network.Separation{
		Name: method.Name(), Maps: mapping.Flatten(model.Map), Z: model.Signals,
	}
	if err := checkCustom(s, c.mended.X()); err != nil {
		return nil, network.Code{}, fmt.Errorf("%s: %w", method.Name(), err)
	}
	why := []string{model.Why}
	if solution, ok := model.Details.(*linear.Solution); ok {
		s.Linear = &solution.Findings
		if before, after, ok := strings.Cut(model.Why, s.Linear.Why); ok {
			why = []string{before, network.Identified, after}
		}
	}
	code, err := network.NewCode(ctx, method.Name(), x, s.Maps)
	if err == nil && !code.IsFinite() {
		err = fmt.Errorf("%s: Model.Map: is singular; must be invertible", method.Name())
	}
	return newDecision(s, append(why, model.Convergence.Warning)...), code, err
}

// maxFromMap is the largest distance between a custom method's signal and its map of the mixed
// signals, in L2 norms of the signal. It is a choice, far above the rounding of float32.
const maxFromMap = 1e-5

// checkCustom returns an error unless the signals of a custom method are valid and equal its map of
// the mixed signals x, up to maxFromMap.
func checkCustom(s network.Separation, x *mat.Dense) error {
	if err := signal.Check("Model.Signals", s.Z); err != nil {
		return err
	}
	mapped, err := mapping.ApplyAll(x, s.Maps)
	if err != nil {
		return fmt.Errorf("Model.Map: %w", err)
	}
	d, n := s.Z.Dims()
	if k, m := mapped.Dims(); k != d || m != n {
		return fmt.Errorf("Model.Map: made %d×%d signals; must make %d×%d", k, m, d, n)
	}
	for i := range d {
		z := s.Z.RawRowView(i)
		if floats.Distance(z, mapped.RawRowView(i), 2) > maxFromMap*floats.Norm(z, 2) {
			return fmt.Errorf("Model.Signals: signal %d isn't what Model.Map makes of the mixed "+
				"signals; must be the same", i+1)
		}
	}
	return nil
}
