package main

import "testing"

func TestCNN(t *testing.T) {
	if a := accuracy(); a < .9 {
		t.Errorf("accuracy %.2f, want .9 or more", a)
	}
}
