package main

import "testing"

func TestConditional(t *testing.T) {
	for class, p := range points(t.Context(), 1000) {
		if right, wrong := near(p, class), near(p, 1-class); right < 0.8 || wrong > 0.3 {
			t.Errorf("label %d: %.2f near its half circle, %.2f near the other; want more than 0.8, less than 0.3",
				class, right, wrong)
		}
	}
}
