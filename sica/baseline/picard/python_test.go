package picard_test

import (
	"fmt"
	"testing"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
)

// reference holds the results of python-picard, written by scripts/baselines/picard_oracle.py.
type reference struct {
	Cases []struct {
		D        int
		Ortho    bool
		Unmixing [][]float64
	}
}

func TestUnmixingIsPythons(t *testing.T) {
	cases := baselinetest.ReadJSON[reference](t, "testdata/python-picard.json").Cases
	if len(cases) != 6 {
		t.Fatalf("%d cases, want 6", len(cases))
	}
	for _, want := range cases {
		t.Run(fmt.Sprintf("%d ortho=%t", want.D, want.Ortho), func(t *testing.T) {
			_, _, x := baselinetest.Problem(want.D, 2000, baselinetest.Odd)
			cfg := settings(want.Ortho)
			cfg.Start = baselinetest.Start(want.D, 0)
			cfg.Tolerance = 1e-10
			m := baselinetest.Fit(t, x, cfg)
			if c := m.Convergence; !c.Converged {
				t.Error(c.Warning)
			}
			baselinetest.IsUnmixing(t, m, want.Unmixing)
		})
	}
}
