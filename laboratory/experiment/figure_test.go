package experiment_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

// The printed figures have the paper preset's trials, except for the step size. The heart has no
// steps. Those trials differ in the step size only.
func TestPrintedTrials(t *testing.T) {
	for _, f := range experiment.Figures() {
		paper := f.Trials(methods.Paper, 2)
		for i, c := range f.Trials(experiment.PrintedPreset, 2) {
			if c.StepSize != 0 {
				t.Errorf("figure %s: %s has steps of %g as printed", f.Name, c, c.StepSize)
			}
			if c.Data != experiment.Heart {
				c.StepSize = experiment.PaperStepSize
			}
			if c != paper[i] {
				t.Errorf("figure %s: %+v, want %+v", f.Name, c, paper[i])
			}
			if f.Example != f.Keeps(c) && c.Seed == experiment.FirstSeed {
				t.Errorf("figure %s: keeps the signals of %s: %v", f.Name, c, f.Keeps(c))
			}
		}
	}
}

// The linear mixing is (I+W)ᴶ of sources that depend on the data and the seed only.
func TestLinearProblem(t *testing.T) {
	const steps = 3
	for data, d := range map[string]int{experiment.AR7: 2, experiment.MNIST: 3} {
		p := experiment.Problem{Data: data, Mixing: experiment.LinearMixing, Steps: steps, Seed: 7}
		s, x, err := p.Draw()
		if err != nil {
			t.Fatal(err)
		}
		step := mat.NewDense(d, d, nil)
		step.Add(datasets.PaperW(d), mat.NewDiagDense(d, slices.Repeat([]float64{1}, d)))
		var power, want mat.Dense
		power.Pow(step, steps)
		want.Mul(&power, s)
		if !mat.EqualApprox(x.X(), &want, 1e-12) {
			t.Errorf("%s: the mixed signals aren't (I+W)^%d of the sources", data, steps)
		}

		p.Mixing, p.Steps = experiment.GELUMixing, 20
		again, _, err := p.Draw()
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(again, s) {
			t.Errorf("%s: the sources depend on the mixing", data)
		}
	}
}

func TestUnknownProblem(t *testing.T) {
	for _, p := range []experiment.Problem{
		{Data: "cats", Mixing: experiment.LinearMixing, Steps: 5},
		{Data: experiment.AR7, Mixing: "sideways", Steps: 5},
		{Data: experiment.AR7, Mixing: experiment.MatrixMixing},
		{Data: experiment.Heart, Mixing: experiment.LinearMixing, Steps: 5},
		{Data: experiment.Heart, Mixing: experiment.MatrixMixing, Steps: 1},
		{Data: experiment.AR7, Mixing: experiment.GELUMixing, Steps: -1},
	} {
		if s, _, err := p.Draw(); err == nil {
			t.Errorf("%+v gave sources %v and no error", p, s)
		}
	}
}

// The trials of a figure are distinct, run by run, with existing methods and presets. With more
// runs the trials of fewer come first.
func TestTrialsAreDistinctAndInOrderOfRuns(t *testing.T) {
	for _, f := range experiment.Figures() {
		for _, preset := range []methods.Preset{methods.Paper, experiment.PrintedPreset,
			methods.Default, methods.Smoke} {
			trials := f.Trials(preset, 3)
			seen := make(map[experiment.Trial]bool)
			for i, c := range trials {
				if seen[c] {
					t.Errorf("figure %s, %s: %s is there twice", f.Name, preset, c)
				}
				seen[c] = true
				if i > 0 && c.Seed < trials[i-1].Seed {
					t.Errorf("figure %s, %s: %s comes after a later run", f.Name, preset, c)
				}
				if m, err := methods.Named(c.Method); err != nil || m.CheckPreset(c.Preset) != nil {
					t.Errorf("figure %s, %s: no method or preset of %s (%v)", f.Name, preset, c,
						err)
				}
			}
			if fewer := f.Trials(preset, 2); !slices.Equal(fewer, trials[:len(fewer)]) {
				t.Errorf("figure %s, %s: two runs don't begin three", f.Name, preset)
			}
		}
	}
}

// The paper's figures of scores have four numbers of steps and all methods; with the default
// settings they exclude the paper's flows.
func TestTrialsOfFigure3b(t *testing.T) {
	f, err := experiment.FigureNamed("3b")
	if err != nil {
		t.Fatal(err)
	}
	for preset, methods := range map[methods.Preset]int{methods.Paper: 10,
		methods.Default: 8, methods.Smoke: 10} {
		if n := len(f.Trials(preset, experiment.PaperRuns)); n != 4*methods*20 {
			t.Errorf("%s: %d trials, want 4 numbers of steps × %d methods × 20 runs", preset, n,
				methods)
		}
	}
}

func TestFigureNamed(t *testing.T) {
	if f, err := experiment.FigureNamed("5"); err == nil {
		t.Errorf("figure 5 is %v", f)
	}
}
