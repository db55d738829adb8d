package sica

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// checkNumbers returns an error that names what of an iteration isn't finite.
func (c Config) checkNumbers(loss, divergence float64, move *mat.Dense) error {
	switch {
	case !finite(loss):
		return fmt.Errorf("the loss is %g", loss)
	case c.Folds > 0 && !finite(divergence):
		return fmt.Errorf("the held-out divergence is %g", divergence)
	case !finite(mat.Sum(move)) && checkFinite(move) != nil:
		return errors.New("the velocity isn't finite")
	}
	return nil
}

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

// size is the root mean square of the signals.
func size(z *mat.Dense) float64 {
	return mat.Norm(z, 2) / math.Sqrt(float64(len(z.RawMatrix().Data)))
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

// retreat makes iterate good the result, unless an earlier one is kept as the
// least dependent.
func (s *separation) retreat(run *separationRun, good int) error {
	if run.neighbours != nil {
		return nil
	}
	r := run.result
	each := (len(run.flow) - run.started) / r.Iterations // stages of an iteration
	r.Best, r.Z, r.flow = 0, r.Initial, run.flow[:run.started:run.started]
	on, err := r.follower(r.Initial, nil)
	if err != nil {
		return err
	}
	defer on.close()
	to := run.started + good*each
	for _, stage := range run.flow[run.started:to] {
		if r.Z, err = stage.apply(r.Z, on); err != nil {
			return err
		}
	}
	r.Best, r.flow = good, run.flow[:to:to]
	return nil
}
