package experiment

import (
	"math"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed-47b1e431/gosica/sica/methods"
)

// The lines have the mean and the standard error of given scores: of 0.5, 0.7 and 0.9 these are 0.7
// and 0.2/√3.
func TestSummarise(t *testing.T) {
	f, err := FigureNamed("3b")
	if err != nil {
		t.Fatal(err)
	}
	trial := func(steps, run int) Trial {
		problem := Problem{Data: AR7, Mixing: LinearMixing, Steps: steps, StepSize: PaperStepSize,
			Seed: FirstSeed + uint64(run)}
		return Trial{Problem: problem, Method: "fastica", Preset: methods.Paper}
	}
	outcomes := []Outcome{{Trial: trial(10, 0), Error: "no"}}
	for i, mcc := range []float64{.5, .7, .9, .1} {
		outcomes = append(outcomes, Outcome{Trial: trial(5, i), MCC: &mcc, Seconds: float64(i)})
	}
	printed := outcomes[1]
	printed.StepSize, printed.MCC = 0, new(float64)
	r := newResults(fstest.MapFS{}, append(outcomes, printed))

	lines := f.summarise(r, methods.Paper, 3) // not the fourth
	if len(lines) != 1 || lines[0].method.Name != "fastica" || len(lines[0].points) != 4 {
		t.Fatalf("the lines are %+v", lines)
	}
	p := lines[0].points[0]
	if p.steps != 5 || p.n != 3 || math.Abs(p.mean-.7) > 1e-15 ||
		math.Abs(p.se-.2/math.Sqrt(3)) > 1e-15 || p.seconds != 1 {
		t.Errorf("the point at 5 steps is %+v", p)
	}
	if p := lines[0].points[1]; p.n != 0 || p.failed != 1 || p.String() != "fails" {
		t.Errorf("the point at 10 steps is %+v (%s)", p, p)
	}
	if p := lines[0].points[2]; p.n != 0 || !math.IsNaN(p.mean) || p.String() != "–" {
		t.Errorf("the point at 15 steps is %+v (%s)", p, p)
	}
	if p := f.summarise(r, PrintedPreset, 3)[0].points[0]; p.n != 1 || p.mean != 0 {
		t.Errorf("the point as printed is %+v", p)
	}
}

// With two quick trials of 1 s on average and a slow one of 10 s to make, 12 s are left for one job
// and 6 s for two.
func TestTimeIsEstimatedByKind(t *testing.T) {
	trial := func(method string, seed uint64) Trial {
		return Trial{Problem: Problem{Data: AR7, Steps: 5, Seed: seed}, Method: method}
	}
	r := newResults(fstest.MapFS{}, []Outcome{
		{Trial: trial("zca", 1), Seconds: 1.5}, {Trial: trial("zca", 2), Seconds: 0.5},
	})
	waiting := map[Trial]bool{trial("zca", 3): true, trial("zca", 4): true, trial("pcl", 2): true}
	if left, sure := r.timeOf(waiting, 1); sure || left != 2*time.Second {
		t.Errorf("%v left, though nothing is known of the slow trial", left)
	}
	r.put(Outcome{Trial: trial("pcl", 1), Seconds: 10})
	for jobs, want := range map[int]time.Duration{1: 12 * time.Second, 2: 6 * time.Second} {
		if left, sure := r.timeOf(waiting, jobs); left != want || !sure {
			t.Errorf("%d jobs: %v left, want %v", jobs, left, want)
		}
	}
}
