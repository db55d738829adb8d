package progress

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/seed-47b1e431/gosica/sica/klflow"
)

func TestProgress(t *testing.T) {
	nan := math.NaN()
	first := klflow.Iteration{J: 1, Loss: 1.5, Divergence: nan}
	second := klflow.Iteration{J: 2, Loss: 1.25, Divergence: 0.5}
	for _, test := range []struct {
		name string
		mcc  float64
		want string
	}{
		{"no truth", nan,
			"iteration 1/2  loss 1.5000\niteration 2/2  loss 1.2500  divergence 0.5000\n"},
		{"truth", 0.75,
			"iteration 1/2  loss 1.5000  MCC 0.7500\niteration 2/2  loss 1.2500  divergence " +
				"0.5000  MCC 0.7500\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			p := NewIterations(&out, &out, 2)
			for _, it := range []klflow.Iteration{first, second} {
				p.Iteration(it, test.mcc)
			}
			p.Done()
			if out.String() != test.want {
				t.Errorf("printed\n%swant\n%s", out.String(), test.want)
			}
		})
	}
}

// The remaining time is estimated from the iterations, not from what came before the first
// of them.
func TestProgressTimeLeft(t *testing.T) {
	p := NewIterations(new(bytes.Buffer), nil, 10)
	for _, step := range []struct {
		j, elapsed int // elapsed in seconds
		left       int // −1 if it is unknown
	}{
		{1, 60, -1},
		{2, 63, 24},
		{4, 69, 18},
		{10, 87, 0},
	} {
		it := klflow.Iteration{J: step.j, Elapsed: time.Duration(step.elapsed) * time.Second}
		p.Iteration(it, math.NaN())
		left, ok := p.remaining(it)
		if ok != (step.left >= 0) || ok && left != time.Duration(step.left)*time.Second {
			t.Errorf("iteration %d: %v left (%v), want %d s", step.j, left, ok, step.left)
		}
	}
}

// In a log there is a line for each thing that is done, and for each tenth of it.
func TestParts(t *testing.T) {
	var out bytes.Buffer
	p := New(&out)
	for _, fraction := range []float64{0, .05, .12, .13, .31} {
		p.Part("measuring", fraction)
	}
	p.Part("fitting", .31)
	p.Done()
	const want = "measuring …\nmeasuring, 12 %\nmeasuring, 31 %\nfitting, 31 %\n"
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
}
