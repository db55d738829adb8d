package report

import "github.com/seed-47b1e431/gosica/sica"

// progress tells Options.Progress how far a report is. The fraction never falls.
type progress struct {
	tell     func(doing string, fraction float64) // nil for nobody
	doing    string
	from, to float64 // the part's shares of the report
	fraction float64
}

// part begins a part that ends at the fraction to of the report.
func (p *progress) part(doing string, to float64) {
	p.doing, p.from, p.to = doing, p.fraction, to
	p.at(0)
}

// at tells that this much of the part is done, 0 to 1.
func (p *progress) at(done float64) {
	p.fraction = max(p.fraction, p.from+done*(p.to-p.from))
	if p.tell != nil {
		p.tell(p.doing, p.fraction)
	}
}

// done ends the part.
func (p *progress) done() { p.fraction = p.to }

// follow has the fits of cfg, so many, tell how far the part is. Nobody knows how many
// stages a start has: each takes half of what is left for its run, and all of them
// half of the part if iterations follow.
func (p *progress) follow(cfg *sica.Config, runs int) {
	from, to := p.from, p.to // of the starts
	if cfg.Iterations > 0 {
		to = (from + to) / 2
	}
	end, run, stage := p.to, -1, ""
	cfg.OnStart = func(r int, doing string, done float64) {
		if r != run || doing != stage {
			run, stage = r, doing
			p.part(p.doing, (p.fraction+from+(to-from)*float64(r+1)/float64(runs))/2)
		}
		p.at(done)
	}
	iterating := false
	cfg.OnIteration = func(_ int, it sica.Iteration) {
		if !iterating {
			iterating = true
			p.part(p.doing, end)
		}
		p.at(float64(it.J) / float64(cfg.Iterations))
	}
}
