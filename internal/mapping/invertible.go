package mapping

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// An Invertible is an invertible network of d signals: affine maps with a componentwise
// nonlinearity between each two. It evaluates layers.Invertible, for one run, in float64 without a
// backend. It is a smooth bijection of ℝᵈ whose inverse and Jacobian determinant have closed forms.
type Invertible struct {
	// Linear holds the affine maps, one more than there are layers of nonlinearities. Each has an
	// inverse.
	Linear []*Affine `json:"linear"`
	// Bends holds the parameters c of the nonlinearities, [layers][d]. The nonlinearity of signal i
	// after affine map l is v ↦ v + c·(√(v² + 1) − 1), with c = Bends[l][i] and −1 < c < 1.
	Bends [][]float64 `json:"bends"`
}

// maxLayers is the largest number of layers of a network read from a file. It is a choice, far
// above the 8 to 32 layers of this module's networks, that rejects damaged files early.
const maxLayers = 1 << 10

// Apply returns the network's output for x, d×n.
func (m *Invertible) Apply(x *mat.Dense) (*mat.Dense, error) {
	z, _, err := m.ApplyLogDet(x)
	return z, err
}

// LogDet returns log|det ∂z/∂x| at each of the n positions of x, d×n.
func (m *Invertible) LogDet(x *mat.Dense) ([]float64, error) {
	_, logDet, err := m.ApplyLogDet(x)
	return logDet, err
}

// ApplyLogDet returns the results of Apply and of LogDet, from one pass.
func (m *Invertible) ApplyLogDet(x *mat.Dense) (z *mat.Dense, logDet []float64, err error) {
	if err := m.fits(x); err != nil {
		return nil, nil, err
	}
	_, n := x.Dims()
	logDet = make([]float64, n)
	slopes := make([]float64, n)
	z = x
	for l, a := range m.Linear {
		if z, err = a.Apply(z); err != nil {
			return nil, nil, err
		}
		det, _ := mat.LogDet(a.Dense())
		for t := range logDet {
			logDet[t] += det
		}
		if l == len(m.Bends) {
			break
		}
		for t := range slopes {
			slopes[t] = 1
		}
		m.applyNonlinearities(l, z, slopes)
		for t, slope := range slopes { // one logarithm, which is slow, for d slopes
			logDet[t] += math.Log(slope)
		}
	}
	return z, logDet, nil
}

// applyNonlinearities applies the nonlinearities after affine map l to z in place. Unless slopes is
// nil, it multiplies slopes by theirs.
func (m *Invertible) applyNonlinearities(l int, z *mat.Dense, slopes []float64) {
	for i, c := range m.Bends[l] {
		row := z.RawRowView(i)
		for t, v := range row {
			y, slope := nonlinearity(c, v)
			row[t] = y
			if slopes != nil {
				slopes[t] *= slope
			}
		}
	}
}

// Outputs returns the output of each affine map for x, d×n, before the nonlinearity; the last is
// the output of the network.
func (m *Invertible) Outputs(x *mat.Dense) ([]*mat.Dense, error) {
	if err := m.fits(x); err != nil {
		return nil, err
	}
	var outputs []*mat.Dense
	for l, a := range m.Linear {
		y, err := a.Apply(x)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, y)
		if l == len(m.Bends) {
			break
		}
		x = mat.DenseCopyOf(y)
		m.applyNonlinearities(l, x, nil)
	}
	return outputs, nil
}

// Invert returns the x of Apply(x) = z; see preprocess.Map.
func (m *Invertible) Invert(z *mat.Dense) (*mat.Dense, error) {
	if err := m.fits(z); err != nil {
		return nil, err
	}
	x := mat.DenseCopyOf(z)
	for l := len(m.Linear) - 1; l >= 0; l-- {
		if l < len(m.Bends) {
			for i, c := range m.Bends[l] {
				row := x.RawRowView(i)
				for t, v := range row {
					row[t] = inverseNonlinearity(c, v)
				}
			}
		}
		var err error
		if x, err = m.Linear[l].Invert(x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// fits returns an error unless x has the number of signals of the network.
func (m *Invertible) fits(x *mat.Dense) error {
	if x == nil || x.IsEmpty() {
		return errors.New("x: is empty; must be a d×n matrix")
	}
	if d, _ := x.Dims(); d != len(m.Linear[0].Centre) {
		return fmt.Errorf("x: has %d signals; must have %d, as the network", d, len(m.Linear[0].Centre))
	}
	return nil
}

// nonlinearity returns the nonlinearity of layers.Invertible with parameter c, and its slope.
func nonlinearity(c, v float64) (y, slope float64) {
	root := math.Sqrt(v*v + 1)
	return v + c*v*v/(root+1), 1 + c*v/root
}

// inverseNonlinearity returns the v with nonlinearity(c, v) = y:
//
//	v = (s − c·√(s² + 1 − c²))/(1 − c²),  s = y + c
//
// If this would subtract nearly equal numbers, it uses the equivalent y·(y + 2c)/(s + c·√(s² + 1 −
// c²)).
func inverseNonlinearity(c, y float64) float64 {
	shifted := y + c
	rest := 1 - c*c
	root := math.Sqrt(shifted*shifted + rest)
	if shifted*c > 0 {
		return y * (y + 2*c) / (shifted + c*root)
	}
	return (shifted - c*root) / rest
}

// check returns an error unless m is an invertible network of d signals.
func (m *Invertible) check(d int) error {
	if m == nil || d < 1 {
		return fmt.Errorf("a network is missing; must be of %d signals", d)
	}
	if len(m.Linear) != len(m.Bends)+1 || len(m.Bends) > maxLayers {
		return fmt.Errorf("a network has %d affine maps and %d layers of nonlinearities; must "+
			"have one more of the first, and at most %d layers",
			len(m.Linear), len(m.Bends), maxLayers)
	}
	for l, a := range m.Linear {
		if err := a.check(d); err != nil {
			return fmt.Errorf("affine map %d of a network: %w", l+1, err)
		}
		if det, _ := mat.LogDet(a.Dense()); math.IsNaN(det) || math.IsInf(det, 0) {
			return fmt.Errorf("affine map %d of a network has no inverse", l+1)
		}
	}
	for l, bends := range m.Bends {
		if len(bends) != d {
			return fmt.Errorf("layer %d of a network has %d nonlinearities; must have %d",
				l+1, len(bends), d)
		}
		for _, c := range bends {
			if !(math.Abs(c) < 1) {
				return fmt.Errorf("layer %d of a network has the nonlinearity %g; must be between "+
					"-1 and 1", l+1, c)
			}
		}
	}
	return nil
}
