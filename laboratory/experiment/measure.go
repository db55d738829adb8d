package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/assignment"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// What a trial measures beyond the scores; see Trial.Measure. The tables give each to methods that
// have it.
const (
	// measureReport is the verdict of report.New with its refits, of SICA alone.
	measureReport = "report"
	// measureCoverage is how often the error bars of the linear rule contain the truth.
	measureCoverage = "coverage"
	// measureIterates is the MCC of the signals before the iterations and of each iterate.
	measureIterates = "iterates"
	// measureLeast is the lowest correlation of a signal with its source.
	measureLeast = "least"
	// measureOracle is, for the mixtures laplace-d-leakyL, the difference between the likelihoods
	// of a network and of the true inverse.
	measureOracle = "oracle"
)

// A Judgement is the verdict of report.New on a separation.
type Judgement struct {
	Verdict report.Verdict `json:"verdict"`
	Reasons []string       `json:"reasons"`
	Seconds float64        `json:"seconds"`
}

// The names of an Outcome's Numbers. Truth values are 0 or 1.
const (
	// Of SICA: whether all signals are called identified, by the linear rule, also of straightened
	// channels, or by a network.
	allIdentified = "all_identified"
	// Of SICA: whether a network was among the candidates, was chosen, and says that its signals
	// are identified.
	networkTried      = "network_tried"
	networkChosen     = "network_chosen"
	networkIdentified = "network_identified"
	// networkWrong is whether it says so and the least correlation is below wrongCorrelation.
	networkWrong = "network_wrong"

	// Of the linear rule: whether whitening was kept; the number of groups within which rotations
	// fit as well; in nats, the evidence for its rotation, and the lowest and the highest
	// evidence of a pair.
	whiteningKept    = "whitening_kept"
	groupCount       = "groups"
	rotationEvidence = "rotation_evidence"
	minPairEvidence  = "min_pair_evidence"
	maxPairEvidence  = "max_pair_evidence"

	// Of measureLeast and measureOracle: the lowest correlation of a signal with its source.
	minCorrelation = "min_correlation"
	// Of measureLeast: the number of signals that the linear rule calls identified, and that of those
	// among them with a correlation below wrongCorrelation.
	identifiedSignals      = "identified_signals"
	wrongIdentifiedSignals = "wrong_identified_signals"

	// Of measureOracle: how long all threads of the process have run during the separation, in
	// seconds.
	coreSeconds = "core_seconds"

	// Of measureCoverage: the numbers of pairs, of identified ones, and of shares of other sources
	// in the signals of these; of shares within 1.96 standard errors of 0, and above one half;
	// the sums of the squares of shares and of standard errors; and the expected 1 − MCC, where
	// all signals are identified.
	pairCount       = "pairs"
	identifiedPairs = "identified_pairs"
	shareCount      = "shares"
	coveredShares   = "covered_shares"
	wrongShares     = "wrong_shares"
	squaredShares   = "squared_shares"
	squaredErrors   = "squared_errors"
	expectedError   = "expected_error"
)

// measure adds to the outcome what the trial measures beyond the MCC. It is an error if the measure
// is unknown.
func (o *Outcome) measure(
	ctx context.Context, b compute.Backend, f *fitted, sources *mat.Dense, x *ica.Signals,
) error {
	ranks, err := metric.SpearmanMCC(f.Signals, sources)
	if err != nil {
		return err
	}
	rankMCC := roundDigits(ranks.MCC, mccDigits)
	o.RankMCC = &rankMCC
	switch details := f.Details.(type) {
	case *sica.Result:
		o.Loss = slices.Clone(details.Loss)
		if !slices.ContainsFunc(details.Divergence, math.IsNaN) {
			o.Divergence = details.Divergence
		}
		o.Best = details.Best
		o.Numbers = resultNumbers(details)
	case *linear.Solution:
		o.Numbers = linearNumbers(details)
	}
	switch o.Measure {
	case "":
		return nil
	case measureIterates:
		for _, z := range f.iterates {
			m, err := metric.MCC(z, sources)
			if err != nil {
				return err
			}
			o.Iterates = append(o.Iterates, roundDigits(m.MCC, mccDigits))
		}
		return nil
	case measureLeast:
		correlations, err := o.addMinCorrelation(f.Signals, sources)
		if r, ok := f.Details.(*sica.Result); err == nil && ok && r.Linear != nil {
			o.addGroups(r.Linear.Groups, correlations)
		}
		return err
	case measureOracle:
		if _, err := o.addMinCorrelation(f.Signals, sources); err != nil {
			return err
		}
		return o.addOracleGap(f.Details.(*sica.Result))
	case measureCoverage:
		return o.addCoverage(f.Details.(*linear.Solution), f.Signals, sources, x.X())
	case measureReport:
		return o.addReport(ctx, b, f.Details.(*sica.Result), x)
	}
	return fmt.Errorf("measure: unknown name (%q)", o.Measure)
}

// addMinCorrelation adds minCorrelation and, of a network that says that its signals are
// identified, networkWrong. It returns the absolute correlation of each signal with its source.
func (o *Outcome) addMinCorrelation(signals, sources *mat.Dense) ([]float64, error) {
	m, err := metric.MCC(signals, sources)
	if err != nil {
		return nil, err
	}
	correlations := make([]float64, len(m.Correlation))
	for i, r := range m.Correlation {
		correlations[m.Assignment[i]] = math.Abs(r)
	}
	lowest := slices.Min(correlations)
	if o.Numbers == nil {
		o.Numbers = make(map[string]float64)
	}
	o.Numbers[minCorrelation] = lowest
	if o.Numbers[networkIdentified] == 1 {
		o.Numbers[networkWrong] = indicator(lowest < wrongCorrelation)
	}
	return correlations, nil
}

// addGroups adds the number of groups, of the signals that are identified, since they are alone in theirs,
// and of those among them whose correlation is wrong.
func (o *Outcome) addGroups(groups [][]int, correlations []float64) {
	identified, wrong := 0, 0
	for _, g := range groups {
		if len(g) > 1 {
			continue
		}
		identified++
		if correlations[g[0]] < wrongCorrelation {
			wrong++
		}
	}
	o.Numbers[groupCount] = float64(len(groups))
	o.Numbers[identifiedSignals] = float64(identified)
	o.Numbers[wrongIdentifiedSignals] = float64(wrong)
}

// nearestSources returns the sources that the recovered signals match best, one each: those with the
// largest sum of absolute correlations. That is all of them if there are as many as signals.
func nearestSources(signals, sources *mat.Dense) *mat.Dense {
	d, _ := signals.Dims()
	m, n := sources.Dims()
	if m <= d {
		return sources
	}
	correlations := mat.NewDense(d, m, nil)
	correlations.Apply(func(i, j int, _ float64) float64 {
		r := stat.Correlation(signals.RawRowView(i), sources.RawRowView(j), nil)
		return math.Abs(r)
	}, correlations)
	nearest := mat.NewDense(d, n, nil)
	for i, j := range assignment.Max(correlations) {
		nearest.SetRow(i, sources.RawRowView(j))
	}
	return nearest
}

// indicator returns 1 for true and 0 for false.
func indicator(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

func resultNumbers(r *sica.Result) map[string]float64 {
	d, _ := r.Z.Dims()
	numbers := map[string]float64{allIdentified: indicator(
		r.Linear != nil && len(r.Linear.Groups) == d || r.Network != nil && r.Network.Identified)}
	tried := slices.ContainsFunc(r.Candidates, func(c sica.Candidate) bool {
		return c.Mode == sica.NetworkOnly
	})
	if !tried && r.Network == nil {
		return numbers
	}
	numbers[networkTried] = indicator(tried)
	numbers[networkChosen] = indicator(r.Network != nil)
	numbers[networkIdentified] = indicator(r.Network != nil && r.Network.Identified)
	return numbers
}

func linearNumbers(s *linear.Solution) map[string]float64 {
	numbers := map[string]float64{
		whiteningKept:    indicator(s.KeptWhitening),
		groupCount:       float64(len(s.Groups)),
		rotationEvidence: s.Evidence,
	}
	if len(s.Pairs) > 0 {
		least, most := math.Inf(1), math.Inf(-1)
		for _, p := range s.Pairs {
			least, most = min(least, p.Evidence), max(most, p.Evidence)
		}
		numbers[minPairEvidence], numbers[maxPairEvidence] = least, most
	}
	return numbers
}

// addReport adds the report on a separation.
func (o *Outcome) addReport(
	ctx context.Context, b compute.Backend, r *sica.Result, x *ica.Signals,
) error {
	opt := report.Config{Shape: grid.ImageShape(x.Shape()), Refits: report.Default().Refits}
	rep, err := report.New(ctx, r, x.X(), opt.On(b))
	if err != nil {
		return err
	}
	o.Report = &Judgement{rep.Verdict, rep.Reasons, rep.Elapsed.Seconds()}
	return nil
}

// addCoverage compares the shares of other sources in the recovered signals z with the standard
// errors that the rule gives, in pairs that are identified.
func (o *Outcome) addCoverage(s *linear.Solution, z, sources, x *mat.Dense) error {
	m, err := metric.MCC(z, sources)
	if err != nil {
		return err
	}
	shares, err := sourceShares(s, sources, x)
	if err != nil {
		return err
	}
	d, _ := sources.Dims()
	source := make([]int, d) // of each recovered signal
	for i, j := range m.Assignment {
		source[j] = i
	}
	n := o.Numbers
	for _, key := range []string{
		identifiedPairs, shareCount, coveredShares, wrongShares, squaredShares, squaredErrors,
	} {
		n[key] = 0
	}
	n[pairCount] = float64(len(s.Pairs))
	for _, p := range s.Pairs {
		if !p.Identified {
			continue
		}
		n[identifiedPairs]++
		for _, ij := range [][2]int{{p.I, p.J}, {p.J, p.I}} {
			share, se := shares.At(ij[0], source[ij[1]]), s.Leak.At(ij[0], ij[1])
			if se == 1 {
				continue // the rule has no estimate
			}
			n[shareCount]++
			n[coveredShares] += indicator(math.Abs(share) < 1.96*se)
			n[wrongShares] += indicator(math.Abs(share) > 0.5)
			n[squaredShares] += share * share
			n[squaredErrors] += se * se
		}
	}
	if len(s.Groups) == d {
		n[expectedError] = stat.Mean(s.ExpectedError, nil)
	}
	return nil
}

// sourceShares returns the shares of the sources, at variance 1, in the recovered signals.
func sourceShares(s *linear.Solution, sources, x *mat.Dense) (*mat.Dense, error) {
	var gram, cross, a, shares mat.Dense // x = aᵀ·sources
	gram.Mul(sources, sources.T())
	cross.Mul(x, sources.T())
	if err := a.Solve(&gram, cross.T()); err != nil {
		return nil, err
	}
	shares.Mul(s.Demixing, a.T())
	d, _ := sources.Dims()
	for j := range d {
		sd := math.Sqrt(stat.Variance(sources.RawRowView(j), nil))
		for i := range d {
			shares.Set(i, j, shares.At(i, j)*sd)
		}
	}
	return &shares, nil
}
