package main

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// separation is the JSON that separate --json writes. A number that wasn't measured, or isn't
// finite, is null.
type separation struct {
	Input     []string `json:"input"`
	Signals   int      `json:"signals"`
	Positions int      `json:"positions"`
	LearnedOn int      `json:"learned_on"` // number of positions
	Method    string   `json:"method"`
	Preset    string   `json:"preset"`
	Backend   string   `json:"backend"`
	Device    string   `json:"device"` // says so if nothing was computed on the backend

	Notes []string `json:"notes"` // what was unusual in the input
	// Clipped are the stretches of the recording in which a channel is clipped: the first position,
	// from 0, and the one after the last.
	Clipped [][2]int `json:"clipped_stretches,omitempty"`

	Iterations []iterationReport `json:"iterations"`
	Result     *sica.Result      `json:"result"` // without its signals and maps
	// Grades and Labels are those of the recovered signals; null if there are none.
	Grades   []report.Graded `json:"grades"`
	Labels   []inspect.Label `json:"labels"`
	Demixing *demixing       `json:"demixing"`
	// Like holds the absolute correlations of the recovered signals with their matches in --like.
	Like []float64 `json:"like,omitempty"`

	// The comparison with the truth; null if that wasn't given.
	MixedMCC *float64     `json:"mixed_mcc"`
	Match    *matchReport `json:"match"`

	computeBackend compute.Backend // finish adds its name and device
}

type iterationReport struct {
	J          int      `json:"j"`
	Loss       *float64 `json:"loss"`
	Divergence *float64 `json:"divergence"`
	Step       *float64 `json:"step"`
	MCC        *float64 `json:"mcc"`
	Seconds    float64  `json:"seconds"`
}

// demixing is a linear separation with the patterns by which signals are removed one at a time.
type demixing struct {
	linear   *ica.Demixing
	patterns *mat.Dense
}

// MarshalJSON returns the JSON of ica.Demixing with the rows of the patterns.
func (d demixing) MarshalJSON() ([]byte, error) {
	object, err := json.Marshal(d.linear)
	if err != nil {
		return nil, err
	}
	patterns, err := json.Marshal(signal.RowsOf(d.patterns))
	if err != nil {
		return nil, err
	}
	object = append(bytes.TrimSuffix(object, []byte("}")), `,"patterns":`...)
	return append(append(object, patterns...), '}'), nil
}

// newDemixing returns the demixing of a result; nil for a nonlinear result.
func newDemixing(res *sica.Result) *demixing {
	d, err := res.Demixing()
	if err != nil {
		return nil
	}
	patterns, err := res.Patterns()
	if err != nil {
		return nil
	}
	return &demixing{linear: d, patterns: patterns}
}

// add appends an iteration; mcc is NaN without a truth.
func (r *separation) add(it klflow.Iteration, mcc float64) {
	r.Iterations = append(r.Iterations, iterationReport{
		J:          it.J,
		Loss:       finite(it.Loss),
		Divergence: finite(it.Divergence),
		Step:       finite(it.Step),
		MCC:        finite(mcc),
		Seconds:    it.Elapsed.Seconds(),
	})
}

// describe adds the descriptions of the recovered signals.
func (r *separation) describe(all described) {
	r.Grades = all.grades
	for _, c := range all.components {
		r.Labels = append(r.Labels, c.Label)
	}
}

// finish adds the result, including its record of iterations made by an earlier process. The
// backend may have been opened since begin.
func (r *separation) finish(res *sica.Result) {
	r.Backend, r.Device = backend.NameOf(r.computeBackend), r.computeBackend.Description()
	r.Result, r.Demixing = res, newDemixing(res)
	_, r.LearnedOn = res.Z.Dims()
	earlier := []iterationReport{} // [] in JSON, not null
	for k := range res.Iterations - len(r.Iterations) {
		earlier = append(earlier, iterationReport{
			J: k + 1, Loss: finite(res.Loss[k]), Divergence: finite(res.Divergence[k]),
		})
	}
	r.Iterations = append(earlier, r.Iterations...)
}

// finite returns v, or nil if JSON has no such number.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
