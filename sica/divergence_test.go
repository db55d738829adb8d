package sica

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// Errors of EstimateDivergence name z or the shape, say what would be valid, and are of a kind.
func TestEstimateDivergenceNamesWhatIsWrong(t *testing.T) {
	z := func(d, n int) *mat.Dense { return noise(rng(1), d, n, datasets.Laplace) }
	notFinite := z(2, 50)
	notFinite.Set(1, 3, math.NaN())
	for want, test := range map[string]struct {
		z     *mat.Dense
		shape []int
		kind  error
	}{
		"z: is empty; must have a row for each signal":    {nil, nil, ErrSignals},
		"z: has 1 signal; must have at least 2":           {z(1, 50), nil, ErrSignals},
		"z: has 30 positions of 30 signals; must have":    {z(30, 30), nil, ErrSignals},
		"z: signal 2: has the value NaN at position 4":    {notFinite, nil, ErrSignals},
		"z: has 20 positions; must have at least 21":      {z(2, 20), nil, ErrSignals},
		"z: has 4×9 positions; must have at least 5 on":   {z(2, 36), []int{4, 9}, ErrSignals},
		"z: has 3×2×9 positions; must have at least 3 on": {z(2, 54), []int{3, 2, 9}, ErrSignals},
		"Shape: is [7] for 50 positions; must have":       {z(2, 50), []int{7}, ErrConfig},
	} {
		_, err := EstimateDivergence(t.Context(), test.z, DivergenceOptions{Shape: test.shape, Seed: 1})
		if err == nil || !strings.Contains(err.Error(), "sica: EstimateDivergence: "+want) ||
			!errors.Is(err, test.kind) {
			t.Errorf("%v; want %q, of the kind %q", err, want, test.kind)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := EstimateDivergence(ended, z(2, 50), DivergenceOptions{Seed: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// The shortest axes that EstimateDivergence's documentation names suffice.
func TestEstimateDivergenceOfShortAxes(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	for _, shape := range [][]int{nil, {5, 5}, {3, 3, 3}} {
		n := 21
		if len(shape) > 0 {
			n = 1
			for _, length := range shape {
				n *= length
			}
		}
		z := noise(rng(1), 2, n, datasets.Laplace)
		if _, err := EstimateDivergence(t.Context(), z, DivergenceOptions{Shape: shape, Seed: 1}); err != nil {
			t.Errorf("%v: %v", shape, err)
		}
	}
}
