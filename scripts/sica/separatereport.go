package main

import (
	"math"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// separation is what separate --json writes. A number that wasn't measured, or
// isn't finite, is null.
type separation struct {
	Input     []string          `json:"input"`
	Signals   int               `json:"signals"`
	Positions int               `json:"positions"`
	LearnedOn int               `json:"learned_on"` // so many of them
	Method    string            `json:"method"`
	Preset    string            `json:"preset"`
	Config    sica.Config       `json:"config"`
	Seed      uint64            `json:"seed"`
	Backend   string            `json:"backend"`
	Device    string            `json:"device"`
	Versions  map[string]string `json:"versions"`

	Iterations []iterationReport `json:"iterations"`
	// Start is the start that the recovered signals came from, Best the
	// iteration from it that they are of.
	Start   []preprocess.Transform `json:"start"`
	Rule    sica.Rule              `json:"rule"`
	Best    int                    `json:"best"`
	Stopped sica.Status            `json:"stopped"`
	Why     string                 `json:"why"`
	Seconds float64                `json:"seconds"`

	// The starts that were compared, null where the settings compare none, and what
	// the data say about the linear rule's, null if another was taken.
	Candidates []sica.Candidate `json:"candidates"`
	Linear     *linear.Findings `json:"linear"`
	// Outliers are positions, from 0, that nothing was learned from.
	Outliers []int `json:"outliers,omitempty"`

	// The truth's, if it was given.
	MixedMCC *float64     `json:"mixed_mcc"`
	Match    *scoreReport `json:"match"`
}

type iterationReport struct {
	J          int      `json:"j"`
	Loss       *float64 `json:"loss"`
	Divergence *float64 `json:"divergence"`
	Step       *float64 `json:"step"`
	MCC        *float64 `json:"mcc"`
	Seconds    float64  `json:"seconds"`
}

// finite returns v, or nil if JSON has no such number.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// add appends an iteration; mcc is NaN if the truth isn't known.
func (r *separation) add(it sica.Iteration, mcc float64) {
	r.Iterations = append(r.Iterations, iterationReport{
		J:          it.J,
		Loss:       finite(it.Loss),
		Divergence: finite(it.Divergence),
		Step:       finite(it.Step),
		MCC:        finite(mcc),
		Seconds:    it.Elapsed.Seconds(),
	})
}

// finish fills in how the fit ended; the match has an MCC of NaN if the truth
// isn't known.
func (r *separation) finish(res *sica.Result, m metric.Match) {
	r.addKept(res)
	r.Start, r.Rule, r.Best, r.Stopped, r.Why = res.Start, res.Rule, res.Best, res.Stopped, res.Why
	r.Seconds = res.Elapsed.Seconds()
	r.Candidates, r.Linear, r.Outliers = res.Candidates, res.Linear, res.Outliers
	if !math.IsNaN(m.MCC) {
		s := newScoreReport(m)
		r.Match = &s
	}
}

// addKept puts what is known of the iterations that a checkpoint had before those
// of this process.
func (r *separation) addKept(res *sica.Result) {
	kept := []iterationReport{} // none are [] in JSON
	for k := range res.Iterations - len(r.Iterations) {
		kept = append(kept, iterationReport{J: k + 1, Loss: finite(res.Loss[k]), Divergence: finite(res.Divergence[k])})
	}
	r.Iterations = append(kept, r.Iterations...)
}
