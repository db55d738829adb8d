package sica

import (
	"fmt"
	"math"
)

// What counts as a flow that leads away. The held-out divergence is at most
// 2·log 2 and changes by a tenth or two where all is well, and the signals keep
// their size by and large.
const (
	grownDivergence = 0.5 // above twice the least
	grownSize       = 1e6 // times the size at the start
	grownPatience   = 3   // iterations in a row of either
)

// growth notices a flow that leads away from self-sufficient signals.
type growth struct {
	Size  float64 `json:"size"`  // of the start, 0 before the first iteration
	Least float64 `json:"least"` // divergence so far
	At    int     `json:"at"`    // the iterate that it is of
	Sound int     `json:"sound"` // the last iterate of ordinary size
	Since int     `json:"since"` // iterations in a row that have grown
}

// seen takes note of the divergence of iterate j−1, NaN for none, and the size of
// iterate j. It tells why the flow has to stop, "" if it hasn't, and which iterate
// was the last good one.
func (g *growth) seen(j int, divergence, size float64) (why string, good int) {
	grown := size > grownSize*g.Size
	if !grown {
		g.Sound = j
	}
	measured := !math.IsNaN(divergence)
	if measured && (j == 1 || divergence < g.Least) {
		g.Least, g.At = divergence, j-1
	}
	diverged := measured && divergence > 2*g.Least+grownDivergence
	if !grown && !diverged {
		g.Since = 0
		return "", 0
	}
	if g.Since++; g.Since < grownPatience {
		return "", 0
	}
	if diverged {
		return fmt.Sprintf("the held-out divergence has grown from %.3f to %.3f", g.Least, divergence), g.At
	}
	return fmt.Sprintf("the signals have grown by a factor of %.1g", size/g.Size), g.Sound
}

// plateau tells when the held-out divergence has stopped falling.
type plateau struct {
	Patience int     `json:"patience"` // 0 for never
	Lowest   float64 `json:"lowest"`
	Since    int     `json:"since"` // iterations since then
	Started  bool    `json:"started"`
}

func (p *plateau) reached(divergence float64) bool {
	if p.Patience == 0 {
		return false
	}
	if !p.Started || divergence < p.Lowest {
		p.Lowest, p.Since, p.Started = divergence, 0, true
		return false
	}
	p.Since++
	return p.Since >= p.Patience
}
