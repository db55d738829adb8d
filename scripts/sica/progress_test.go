package main

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/seed-47b1e431/gosica/sica"
)

func TestProgress(t *testing.T) {
	nan := math.NaN()
	two := sica.Config{Iterations: 2, Start: []sica.Transform{sica.ZCA}, Alternatives: [][]sica.Transform{{sica.Conditional, sica.Standardise}, nil}}
	one := sica.Config{Iterations: 2}
	first := sica.Iteration{J: 1, Loss: 1.5, Divergence: nan}
	second := sica.Iteration{J: 2, Loss: 1.25, Divergence: 0.5}
	another := sica.Iteration{Start: 1, J: 1, Loss: 1, Divergence: 0.25}
	last := sica.Iteration{Start: 2, J: 1, Loss: 1, Divergence: 0.25}
	for _, test := range []struct {
		name       string
		cfg        sica.Config
		iterations []sica.Iteration
		mcc        float64
		want       string
	}{
		{"one start", one, []sica.Iteration{first, second}, nan,
			"iteration 1/2  loss 1.5000\n" +
				"iteration 2/2  loss 1.2500  divergence 0.5000\n"},
		{"several starts", two, []sica.Iteration{first, second, another, last}, 0.75,
			"start 1 of 3: zca\n" +
				"start 1, iteration 1/2  loss 1.5000  MCC 0.7500\n" +
				"start 1, iteration 2/2  loss 1.2500  divergence 0.5000  MCC 0.7500\n" +
				"start 2 of 3: conditional+standardise\n" +
				"start 2, iteration 1/2  loss 1.0000  divergence 0.2500  MCC 0.7500\n" +
				"start 3 of 3: as given\n" +
				"start 3, iteration 1/2  loss 1.0000  divergence 0.2500  MCC 0.7500\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			p := newProgress(&out, &out, test.cfg)
			for _, it := range test.iterations {
				p.iteration(it, test.mcc)
			}
			p.done()
			if out.String() != test.want {
				t.Errorf("printed\n%swant\n%s", out.String(), test.want)
			}
		})
	}
}

// The time left goes by the start's own iterations, neither by what came before
// the first of them nor by another start's.
func TestProgressTimeLeft(t *testing.T) {
	p := newProgress(new(bytes.Buffer), nil, sica.Config{Iterations: 10, Alternatives: [][]sica.Transform{nil}})
	for _, step := range []struct {
		start, j, elapsed int // elapsed in seconds
		left              int // −1 if it can't be told
	}{
		{0, 1, 60, -1},
		{0, 2, 63, 24},
		{0, 4, 69, 18},
		{0, 10, 87, 0},
		{1, 1, 200, -1},
		{1, 3, 202, 7},
	} {
		it := sica.Iteration{Start: step.start, J: step.j, Elapsed: time.Duration(step.elapsed) * time.Second}
		p.iteration(it, math.NaN())
		left, ok := p.left(it)
		if ok != (step.left >= 0) || ok && left != time.Duration(step.left)*time.Second {
			t.Errorf("start %d, iteration %d: %v left (%v), want %d s", step.start, step.j, left, ok, step.left)
		}
	}
}
