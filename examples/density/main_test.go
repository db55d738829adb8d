package main

import "testing"

func TestDensity(t *testing.T) {
	dir := t.TempDir()
	learn(t.Context(), dir)
	if nats := score(dir); !(nats > -1.75) {
		t.Errorf("%.2f nats per point, want more than -1.75", nats)
	}
}
