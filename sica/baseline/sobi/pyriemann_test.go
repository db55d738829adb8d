package sobi_test

import (
	"fmt"
	"testing"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	. "github.com/seed-47b1e431/gosica/sica/baseline/sobi"
)

// reference holds the results of pyRiemann, written by scripts/baselines/sobi_oracle.py.
type reference struct {
	Cases []struct {
		D        int
		Lags     string
		Unmixing [][]float64
	}
}

func TestUnmixingIsPyRiemanns(t *testing.T) {
	few := Default()
	few.Lags = []int{1, 2, 3, 5, 8, 13, 21}
	settings := map[string]Config{"amuse": oneLag(), "few": few, "default": Default()}
	cases := baselinetest.ReadJSON[reference](t, "testdata/pyriemann.json").Cases
	if len(cases) != 9 {
		t.Fatalf("%d cases, want 9", len(cases))
	}
	for _, want := range cases {
		t.Run(fmt.Sprintf("%d %s", want.D, want.Lags), func(t *testing.T) {
			_, x := baselinetest.Autoregressive(want.D, 1000)
			cfg := settings[want.Lags]
			cfg.Tolerance = 1e-13
			baselinetest.IsUnmixing(t, baselinetest.Fit(t, x, cfg), want.Unmixing)
		})
	}
}
