package stream_test

import (
	"testing"

	"github.com/seed-47b1e431/gosica/internal/stream"
)

// The first draws are those of the first version, on any machine: the meaning of a seed never
// changes.
func TestStreamsNeverChange(t *testing.T) {
	if got, want := stream.New(1, 2, 3, stream.Noise).Uint64(), uint64(0xe2c6c57779234752); got != want {
		t.Errorf("New draws %#x, want %#x", got, want)
	}
	if got, want := stream.Named(1, "fastica").Uint64(), uint64(0x8fd1e4abdee1150); got != want {
		t.Errorf("Named draws %#x, want %#x", got, want)
	}
	if stream.Bootstrap != 8 {
		t.Errorf("Bootstrap has number %d, want 8", stream.Bootstrap)
	}
}

// Streams that differ in any one of their arguments begin differently.
func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(3) {
		for network := range 3 {
			for iteration := range 3 {
				for p := range stream.Purpose(11) {
					seen[stream.New(seed, network, iteration, p).Uint64()] = true
				}
			}
		}
	}
	if want := 3 * 3 * 3 * 11; len(seen) != want {
		t.Errorf("%d different first draws of %d streams", len(seen), want)
	}
}
