package processor

import (
	"math"
	"testing"
	"time"
)

// A busy loop counts, a pause does not.
func TestSecondsCountWorkNotPauses(t *testing.T) {
	before := Seconds()
	if math.IsNaN(before) {
		t.Skip("not measured here")
	}
	for begin := time.Now(); time.Since(begin) < 100*time.Millisecond; {
	}
	busy := Seconds() - before
	time.Sleep(300 * time.Millisecond)
	paused := Seconds() - before - busy
	if busy <= 0 || busy > 10 || paused > 0.2 {
		t.Errorf("%.3f s of a busy loop of 0.1 s, %.3f s of a pause of 0.3 s", busy, paused)
	}
}
