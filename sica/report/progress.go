package report

import (
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// progress reports the progress of a report to Config.OnProgress. The fraction never falls.
type progress struct {
	report   func(doing string, fraction float64) // nil for none
	doing    string
	from, to float64 // fractions at which the step begins and ends
	fraction float64
}

// begin begins a step that ends at the fraction to of the report.
func (p *progress) begin(doing string, to float64) {
	p.doing, p.from, p.to = doing, p.fraction, to
	p.advance(0)
}

// advance reports that a fraction of the step is done.
func (p *progress) advance(done float64) {
	p.fraction = max(p.fraction, p.from+done*(p.to-p.from))
	if p.report != nil {
		p.report(p.doing, p.fraction)
	}
}

// end ends the step.
func (p *progress) end() { p.fraction = p.to }

// follow makes the fits of cfg advance the step. The number of stages before a fit's iterations
// isn't known: each stage takes half of the rest for its run, and all stages take half of the step
// if iterations follow.
func (p *progress) follow(cfg *sica.Config, runs int) {
	from, to := p.from, p.to // of the stages
	if cfg.Iterations() > 0 {
		to = (from + to) / 2
	}
	end, run, stage := p.to, -1, ""
	cfg.OnProgress = func(r int, doing string, done float64) {
		if r != run || doing != stage {
			run, stage = r, doing
			p.begin(p.doing, (p.fraction+from+(to-from)*float64(r+1)/float64(runs))/2)
		}
		p.advance(done)
	}
	iterating := false
	*cfg = cfg.Watch(func(_ int, it klflow.Iteration) {
		if !iterating {
			iterating = true
			p.begin(p.doing, end)
		}
		p.advance(float64(it.J) / float64(cfg.Iterations()))
	})
}
