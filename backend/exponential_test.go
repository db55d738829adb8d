package backend_test

import (
	"math"
	"testing"
	"time"
)

// exponentialSlowdown returns the time of math.Exp after running for longer than
// preempted, divided by its time at first. Each is the minimum over short chunks, which
// other programs on the processor don't change. The first hundred take about 1 ms, so
// that some of them end before a preemption also where other programs run in between.
//
// Built with GOEXPERIMENT=simd, Go 1.26 leaves the upper halves of the vector registers
// dirty when it first preempts a goroutine, after about 10 ms. On Intel processors with
// AVX-512 each math.Exp then takes up to 150 times as long.
func exponentialSlowdown(preempted time.Duration) float64 {
	first, last := math.Inf(1), math.Inf(1)
	sum := 0.0
	chunks, lastChunks := 0, 0
	for begin := time.Now(); time.Since(begin) < preempted || lastChunks < 1000; chunks++ {
		chunk := time.Now()
		for i := range 1000 {
			sum += math.Exp(-float64(i) / 1000)
		}
		seconds := time.Since(chunk).Seconds()
		switch {
		case chunks < 100:
			first = min(first, seconds)
		case time.Since(begin) > preempted/2:
			last = min(last, seconds)
			lastChunks++
		}
	}
	if math.IsNaN(sum) {
		panic("the exponential of a number is not a number")
	}
	return last / first
}

// The ratio of the times was 100 with the fault and is 1 without it; the bound is far from both.
func TestExponentialStaysFast(t *testing.T) {
	if slowdown := exponentialSlowdown(200 * time.Millisecond); slowdown > 5 {
		t.Errorf("math.Exp became %.0f times slower; build without GOEXPERIMENT=simd", slowdown)
	}
}

func BenchmarkExponential(b *testing.B) {
	for range b.N {
		b.ReportMetric(exponentialSlowdown(time.Second), "slowdown")
	}
}
