package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica"
)

// addEvent adds a decaying oscillation from a position on.
func addEvent(signal []float64, at int, size float64) {
	for k := range 60 {
		signal[at+k] += size * math.Exp(-float64(k)/6) * math.Cos(float64(k)/2)
	}
}

// A transient is a short stretch with more than half of a signal's variance. Signals that share one are
// named together. Other signals have none: Gaussian, sparse, of ten pulses, or too short.
func TestTransients(t *testing.T) {
	const n = 6000
	z := noise(rng(1), 5, n, datasets.Laplace)
	addEvent(z.RawRowView(0), 100, 120)
	addEvent(z.RawRowView(2), 103, 120)
	addEvent(z.RawRowView(3), 4000, 120)
	for k := range 10 {
		addEvent(z.RawRowView(4), 500+500*k, 60)
	}
	found := Transients(z)
	if len(found) != 2 || !slices.Equal(found[0].Signals, []int{0, 2}) ||
		!slices.Equal(found[1].Signals, []int{3}) {
		t.Fatalf("%+v, want one of signals 0 and 2, and one of signal 3", found)
	}
	for k, begin := range []int{100, 4000} {
		f := found[k] // values of the noise beside it may be as large as its tail
		if f.First > begin || f.First < begin-120 || f.Last < begin+10 || f.Last > begin+123 || f.Share < 0.5 || f.Share > 1 {
			t.Errorf("%+v, want it from %d on", f, begin)
		}
	}
	if short := Transients(mat.DenseCopyOf(z.Slice(0, 1, 90, 180))); short != nil {
		t.Errorf("in 90 positions: %+v", short)
	}
}

// The ends of a transient include what is loud beside it, and not the next ordinary event.
func TestTransientEnds(t *testing.T) {
	const n = 60000
	z := noise(rng(2), 1, n, datasets.Laplace)
	row := z.RawRowView(0)
	for k := 24000; k < 28000; k++ { // the electrode moves, and snaps back
		row[k] *= 5
	}
	addEvent(row, 28000, 2000)
	addEvent(row, 28400, 8)
	found := Transients(z)
	if len(found) != 1 || math.Abs(float64(found[0].First-24000)) > 120 || found[0].Last < 28010 || found[0].Last > 28130 {
		t.Errorf("%+v, want from 24000 on, to before 28400", found)
	}
}

// An event that several sources share makes them dependent, and decides their demixing. A report
// doesn't call the signals separated, and says when it was. Without the event it does.
func TestSharedTransientIsNotSeparated(t *testing.T) {
	const n = 4000
	b := backendtest.Open(t, backend.Auto)
	for _, test := range []struct {
		name    string
		sizes   [2]float64 // in units of a standard deviation of the sources
		verdict Verdict
		want    string
		rows    [2]string
	}{
		{"none", [2]float64{0, 0}, Separated, "", [2]string{"–", "–"}},
		{"of one source", [2]float64{40, 0}, Separated,
			"is in one short stretch, from 2", [2]string{"a transient", "–"}},
		{"of both", [2]float64{40, 40}, NoEvidence,
			"the variance of signals 1 and 2 is in one short stretch, from 2",
			[2]string{"a transient", "a transient"}},
	} {
		s, err := datasets.AR(rng(5), n,
			datasets.ARProcess{Coefficients: []float64{0.9}, Innovation: datasets.Laplace, Scale: 0.4, BurnIn: 100},
			datasets.ARProcess{Coefficients: []float64{0.3}, Innovation: datasets.Laplace, Scale: 0.9, BurnIn: 100})
		if err != nil {
			t.Fatal(err)
		}
		addEvent(s.RawRowView(0), 10, test.sizes[0])
		addEvent(s.RawRowView(1), 12, test.sizes[1])
		var x mat.Dense
		x.Mul(mat.NewDense(2, 2, []float64{1, 0.6, 0.3, 1}), s)
		cfg := sica.Default()
		cfg.Mode = sica.LinearOnly
		r := reportOn(t, b, fit(t, b, &x, cfg), &x, Config{Rate: 250, Start: 2})
		said := strings.Join(r.Reasons, " ")
		rows := []string{r.Row(0).Doubts, r.Row(1).Doubts}
		slices.Sort(rows)
		if r.Verdict != test.verdict || !strings.Contains(said, test.want) || !slices.Equal(rows, test.rows[:]) {
			t.Errorf("%s: %s, %q, rows %q", test.name, r.Verdict, said, rows)
		}
		if len(r.Transients) == 0 != (test.want == "") {
			t.Errorf("%s: %+v", test.name, r.Transients)
		}
	}
}

// Transients of a part have the positions of the recording.
func TestTransientsHaveRecordedPositions(t *testing.T) {
	result, x := reported(t, sica.Default())
	positions := make([]int, 120)
	for k := range positions {
		positions[k] = 1000 + 2*k
	}
	x.Set(0, 1, 1e4) // too near to the end to be an outlier
	rep := report(t, result, x, Config{Shape: []int{120}, Positions: positions})
	if len(rep.Transients) != 1 || rep.Transients[0].First > 1002 || rep.Transients[0].Last < 1002 || rep.Transients[0].Last > 1006 {
		t.Errorf("%+v", rep.Transients)
	}
	if images := report(t, result, x, Config{}).Transients; images != nil {
		t.Errorf("of an image: %+v", images)
	}
}
