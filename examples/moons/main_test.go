package main

import (
	"testing"

	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ui/commandline"
)

func TestMoons(t *testing.T) {
	before, after := run(t.Context(), func(loop *train.Loop) { commandline.AttachProgressBar(loop) })
	if before > .3 || after < .7 {
		t.Errorf("on the moons: %.2f of the cloud, %.2f after the flow, want less than .3 and more than .7", before, after)
	}
}
