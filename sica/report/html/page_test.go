package html

import (
	"bytes"
	"encoding/base64"
	"errors"
	"html"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// example is a report of d signals whose positions have the shape.
func example(d int, shape ...int) (r *report.Report, x, z *mat.Dense) {
	positions := 1
	for _, n := range shape {
		positions *= n
	}
	rng := rand.New(rand.NewPCG(1, 2))
	x, z = mat.NewDense(d, positions, nil), mat.NewDense(d, positions, nil)
	for _, m := range []*mat.Dense{x, z} {
		m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
	}
	judged := report.Interval{Estimate: 0.1, Low: 0.05, High: 0.2}
	r = &report.Report{
		Signals: d, Positions: positions, Shape: shape, Seed: 7,
		Verdict: report.NotIdentifiable, Reasons: []string{"Signals 1 & 2 fit as " +
			"well."}, Next: []string{"More positions."},
		Mixed: report.SelfSufficiency{Dependence: report.Interval{Estimate: 0.4, Low: 0.3,
			High: 0.5}, Classifier: &judged},
		Recovered: report.SelfSufficiency{Dependence: report.Interval{Estimate: 0.01, High: 0.07},
			Pair: [2]int{0, 1}, Classifier: &judged},
		Stability: &report.Stability{MCC: 0.9, Recoveries: [][]float64{{1, 0.9}, {0.9, 1}},
			LeftOut: positions / 5},
		Stopped: sica.StoppedMethod, Why: "no iterations were asked for",
	}
	for i := range d {
		r.Predictability = append(r.Predictability,
			report.Predictability{Own: 0.5, All: -0.01, SE: 0.02})
		r.Stability.Signals = append(r.Stability.Signals, 0.9)
		for j := range i {
			r.Linear.Pairs = append(r.Linear.Pairs,
				linear.Pair{I: i, J: j, Evidence: -2.5, Identified: i == 1, AngleError: 0.02})
		}
	}
	return r, x, z
}

func write(t *testing.T, title string, r *report.Report, x, z *mat.Dense) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, title, r, x, z); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page lists for each signal the agreement of the halves, its share and whether to rely on it.
func TestPageListsSignals(t *testing.T) {
	r, x, z := example(3, 200)
	r.Halves = &report.Halves{Agreement: .8, Signals: []float64{.99, .41, 1}}
	r.Shares, r.Doubts = []float64{.7, .004, .296}, [][]string{nil, {"unstable"}, nil}
	page := write(t, "mixed.csv", r, x, z)
	for _, want := range []string{"Halves of the recording", "0.410", "Below 0.95 for signal 2",
		"70.0 %", "no: unstable"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	r.Halves = nil
	if strings.Contains(write(t, "mixed.csv", r, x, z), "Halves of the recording") {
		t.Error("halves that weren't compared")
	}
}

// The page refers to no other file, and has no scripts.
func TestPageIsSelfContained(t *testing.T) {
	for _, shape := range [][]int{{200}, {12, 10}, {3, 8, 10}} {
		r, x, z := example(3, shape...)
		page := write(t, "mixed.csv", r, x, z)
		for _, forbidden := range []string{"http:", "https:", "//www", "<script", "<link",
			"@import", "url(", "onload", "file:"} {
			if strings.Contains(strings.ToLower(page), forbidden) {
				t.Errorf("shape %v: the page has %q", shape, forbidden)
			}
		}
		sources := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1)
		if len(sources) != 1 {
			t.Fatalf("shape %v: %d pictures", shape, len(sources))
		}
		for _, source := range sources {
			data, ok := strings.CutPrefix(html.UnescapeString(source[1]),
				"data:image/svg+xml;base64,")
			if svg, err := base64.StdEncoding.DecodeString(data); !ok || err != nil ||
				!bytes.Contains(svg, []byte("<svg")) {
				t.Errorf("shape %v: a picture is %.40q, %v", shape, source[1], err)
			}
		}
		if strings.Contains(page, "ZgotmplZ") {
			t.Errorf("shape %v: the template refused a value", shape)
		}
	}
}

// The picture of a part of a recording has the recording's positions, and no joint of stretches.
func TestPageShowsRecordedPositions(t *testing.T) {
	r, x, z := example(2, 800)
	r.Recorded = make([]int, 800)
	for k := range r.Recorded {
		r.Recorded[k] = 1000 + k
		if k >= 450 {
			r.Recorded[k] += 50
		}
	}
	page := write(t, "mixed.csv", r, x, z)
	if want := "Positions 1150 to 1449 of the recording"; !strings.Contains(page, want) {
		t.Errorf("the page doesn't say %q", want)
	}
	r.Recorded = r.Recorded[1:]
	if err := Write(new(bytes.Buffer), "", r, x, z); err == nil ||
		!strings.Contains(err.Error(), "Recorded") {
		t.Errorf("799 positions of 800: error %v", err)
	}
}

// The page has the content of the report.
func TestPageSaysWhatReportSays(t *testing.T) {
	r, x, z := example(2, 200)
	page := html.UnescapeString(write(t, "mixed.csv", r, x, z))
	for _, want := range []string{
		string(report.NotIdentifiable), "Signals 1 & 2 fit as well.", "More positions.", "2 " +
			"signals, 200 positions", "0.400 (0.300–0.500)",
		"0.100 (0.050–0.200)", "−0.010", "−2.5", "± 1.1°", `class="open"`, "The mean " +
			"|correlation| among the fit and its refit is 0.900.", "fitted to 160 of the 200 positions", "No iterations " +
			"were asked for.", "refit 1",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "training loss") || strings.Contains(page, "were made.") {
		t.Error("a picture or a number of no iterations")
	}
	r.Stability, r.Mixed.Classifier, r.Iterations = nil, nil, 2
	r.Divergence, r.Loss = []float64{math.NaN(), math.NaN()}, []float64{1.4, 1.3}
	if !strings.Contains(write(t, "mixed.csv", r, x, z), "The flow made 2 iterations.") {
		t.Error("the number of iterations is missing")
	}
	page = write(t, "mixed.csv", r, x, z)
	if strings.Contains(page, "Refits") || strings.Contains(page, "in nats</p>") ||
		strings.Count(page, "data:image") != 2 {
		t.Error("parts that the report doesn't have, or no picture of the iterations")
	}
}

// Names are escaped.
func TestNamesAreEscaped(t *testing.T) {
	r, x, z := example(2, 100)
	const name = `<script>alert("1")</script>&.csv`
	r.Why, r.Reasons, r.Next = name, []string{name}, []string{name}
	page := write(t, name, r, x, z)
	if strings.Contains(page, "<script") || strings.Contains(page, `alert("1")`) {
		t.Error("a name became markup")
	}
	if got := strings.Count(html.UnescapeString(page), name); got != 5 {
		t.Errorf("the name is shown %d times, want 5", got)
	}
}

// Of many signals some are shown.
func TestOnlySomeOfManySignals(t *testing.T) {
	r, x, z := example(80, 200)
	page := write(t, "mixed.csv", r, x, z)
	for _, want := range []string{"And 16 more signals: see the JSON of the report",
		"The pairs with the least evidence, of 3160.", "The first 4 of 80 signals."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if len(page) > 200_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

func TestErrors(t *testing.T) {
	r, x, z := example(2, 100)
	_, short, _ := example(2, 99)
	bad := mat.DenseCopyOf(z)
	bad.Set(0, 3, math.Inf(1))
	for _, test := range []struct {
		name string
		x, z *mat.Dense
		want string
	}{
		{"no x", nil, z, "x: is empty"},
		{"short z", x, short, "z: is 2×99; must be the 2×100"},
		{"infinite", x, bad, "z"},
	} {
		err := Write(new(bytes.Buffer), "t", r, test.x, test.z)
		if err == nil || !strings.HasPrefix(err.Error(), "report: ") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	if err := Write(new(bytes.Buffer), "t", nil, x, z); err == nil ||
		!strings.Contains(err.Error(), "report: must not be nil") {
		t.Errorf("no report: %v", err)
	}
	full := errors.New("full")
	if err := Write(failing{full}, "t", r, x, z); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
