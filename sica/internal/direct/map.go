package direct

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/layers"
)

// Map is layers.Invertible for one run, in float64 on the host: a smooth
// one-to-one map of ℝᵈ onto itself. It applies to any number of positions, each
// for itself.
type Map struct {
	// Linear are the affine maps, one more than Bends.
	Linear []Affine `json:"linear"`
	// Bends hold the bend c of each signal's unit x + c·(√(x² + 1) − 1), after
	// each affine map but the last.
	Bends [][]float64 `json:"bends"`
}

// Affine is W·x + B.
type Affine struct {
	W [][]float64 `json:"w"`
	B []float64   `json:"b"`
}

func (a Affine) matrix() *mat.Dense {
	w := mat.NewDense(len(a.W), len(a.W), nil)
	for i, row := range a.W {
		w.SetRow(i, row)
	}
	return w
}

func newAffine(w *mat.Dense, b []float64) Affine {
	a := Affine{B: append([]float64(nil), b...)}
	for i := range b {
		a.W = append(a.W, mat.Row(nil, i, w))
	}
	return a
}

// after is the affine map a∘first.
func (a Affine) after(first Affine) Affine {
	var w mat.Dense
	w.Mul(a.matrix(), first.matrix())
	b := mat.NewVecDense(len(a.B), nil)
	b.MulVec(a.matrix(), mat.NewVecDense(len(first.B), first.B))
	b.AddVec(b, mat.NewVecDense(len(a.B), a.B))
	return newAffine(&w, b.RawVector().Data)
}

// apply is W·x + B for each column of x, d×T.
func (a Affine) apply(x *mat.Dense) *mat.Dense {
	_, T := x.Dims()
	y := mat.NewDense(len(a.B), T, nil)
	y.Mul(a.matrix(), x)
	for i, b := range a.B {
		row := y.RawRowView(i)
		for t := range row {
			row[t] += b
		}
	}
	return y
}

// parameters are the variables of layers.Invertible for one run, as they lie in
// the store.
type parameters struct {
	factors, permutations, biases, bends []float64
}

func newMap(d int, v parameters) *Map {
	m := &Map{}
	layer := func(values []float64, l, n int) []float64 { return values[l*n : (l+1)*n] }
	for l := range len(v.biases) / d {
		w, _ := layers.MultiplyPLU(layer(v.factors, l, d*d), layer(v.permutations, l, d*d), d)
		m.Linear = append(m.Linear, newAffine(w, layer(v.biases, l, d)))
	}
	for l := range len(v.bends) / d {
		bends := make([]float64, d)
		for i, b := range layer(v.bends, l, d) {
			bends[i] = math.Tanh(b)
		}
		m.Bends = append(m.Bends, bends)
	}
	return m
}

// followed is the map that ends with last.
func (m *Map) followed(last Affine) *Map {
	n := len(m.Linear) - 1
	linear := append(append([]Affine(nil), m.Linear[:n]...), last.after(m.Linear[n]))
	return &Map{Linear: linear, Bends: m.Bends}
}

// preceded is the map that begins with first.
func (m *Map) preceded(first Affine) *Map {
	linear := append([]Affine{m.Linear[0].after(first)}, m.Linear[1:]...)
	return &Map{Linear: linear, Bends: m.Bends}
}

// Signals is d.
func (m *Map) Signals() int { return len(m.Linear[0].B) }

// Apply returns z = g(x) for x, d×T.
func (m *Map) Apply(x *mat.Dense) (*mat.Dense, error) {
	if err := m.fits(x); err != nil {
		return nil, err
	}
	z, _ := m.forward(x)
	return z, nil
}

// LogDet returns log|det ∂g/∂x| at each position of x, d×T.
func (m *Map) LogDet(x *mat.Dense) ([]float64, error) {
	if err := m.fits(x); err != nil {
		return nil, err
	}
	_, logDet := m.forward(x)
	return logDet, nil
}

// Invert returns x = g⁻¹(z) for z, d×T.
func (m *Map) Invert(z *mat.Dense) (*mat.Dense, error) {
	if err := m.fits(z); err != nil {
		return nil, err
	}
	x := mat.DenseCopyOf(z)
	for l := len(m.Linear) - 1; l >= 0; l-- {
		if l < len(m.Bends) {
			for i, c := range m.Bends[l] {
				row := x.RawRowView(i)
				for t, v := range row {
					row[t] = unbend(c, v)
				}
			}
		}
		a := m.Linear[l]
		for i, b := range a.B {
			row := x.RawRowView(i)
			for t := range row {
				row[t] -= b
			}
		}
		if err := x.Solve(a.matrix(), mat.DenseCopyOf(x)); err != nil {
			return nil, fmt.Errorf("direct: inverting affine map %d: %w", l+1, err)
		}
	}
	return x, nil
}

func (m *Map) fits(x *mat.Dense) error {
	if x == nil || x.IsEmpty() {
		return errors.New("direct: no signals: want a d×T matrix")
	}
	if d, _ := x.Dims(); d != m.Signals() {
		return fmt.Errorf("direct: %d signals: want %d, as the map was fitted to", d, m.Signals())
	}
	return nil
}

func (m *Map) forward(x *mat.Dense) (z *mat.Dense, logDet []float64) {
	_, T := x.Dims()
	logDet = make([]float64, T)
	z = x
	for l, a := range m.Linear {
		z = a.apply(z)
		det, _ := mat.LogDet(a.matrix())
		for t := range logDet {
			logDet[t] += det
		}
		if l == len(m.Bends) {
			break
		}
		for i, c := range m.Bends[l] {
			row := z.RawRowView(i)
			for t, v := range row {
				y, slope := bend(c, v)
				row[t] = y
				logDet[t] += math.Log(slope)
			}
		}
	}
	return z, logDet
}

// bend is the unit of layers.Leaky and its slope.
func bend(c, x float64) (y, slope float64) {
	root := math.Sqrt(x*x + 1)
	return x + c*(root-1), 1 + c*x/root
}

// unbend is the inverse of bend.
func unbend(c, y float64) float64 {
	y += c
	rest := 1 - c*c
	return (y - c*math.Sqrt(y*y+rest)) / rest
}

// check reports what makes a map that was read from a file none.
func (m *Map) check() error {
	if len(m.Linear) != len(m.Bends)+1 {
		return fmt.Errorf("direct: a map of %d affine maps and %d layers of bends: want one more of the first", len(m.Linear), len(m.Bends))
	}
	d := len(m.Linear[0].B)
	if d == 0 {
		return errors.New("direct: a map of no signals")
	}
	for l, a := range m.Linear {
		if len(a.W) != d || len(a.B) != d {
			return fmt.Errorf("direct: affine map %d is of another size than %d", l+1, d)
		}
		for _, row := range a.W {
			if len(row) != d {
				return fmt.Errorf("direct: affine map %d isn't %d×%d", l+1, d, d)
			}
		}
		if det := mat.Det(a.matrix()); det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
			return fmt.Errorf("direct: affine map %d has no inverse", l+1)
		}
	}
	for l, bends := range m.Bends {
		if len(bends) != d {
			return fmt.Errorf("direct: layer %d has %d bends: want %d", l+1, len(bends), d)
		}
		for _, c := range bends {
			if !(math.Abs(c) < 1) {
				return fmt.Errorf("direct: a bend of %g in layer %d: want a number between -1 and 1", c, l+1)
			}
		}
	}
	return nil
}
