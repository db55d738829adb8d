package jade_test

import (
	"fmt"
	"testing"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	. "github.com/seed-47b1e431/gosica/sica/baseline/jade"
)

// reference holds the results of pyRiemann with the cumulant matrices of the articles, written by
// scripts/baselines/jade_oracle.py.
type reference struct {
	Cases []struct {
		D        int
		Unmixing [][]float64
	}
}

func TestUnmixingIsPyRiemanns(t *testing.T) {
	cases := baselinetest.ReadJSON[reference](t, "testdata/pyriemann.json").Cases
	if len(cases) != 4 {
		t.Fatalf("%d cases, want 4", len(cases))
	}
	for _, want := range cases {
		t.Run(fmt.Sprint(want.D), func(t *testing.T) {
			_, _, x := baselinetest.Problem(want.D, 2000, baselinetest.Odd)
			cfg := Default()
			cfg.Tolerance = 1e-13
			baselinetest.IsUnmixing(t, baselinetest.Fit(t, x, cfg), want.Unmixing)
		})
	}
}
