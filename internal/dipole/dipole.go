// Package dipole computes the potentials of current dipoles in a spherical head at electrodes of
// the 10–10 system, and fits a dipole to potentials.
//
// The head is MNE-Python's sphere of four layers: brain, fluid, skull and scalp. Its potentials are
// those of three dipoles in a homogeneous sphere (P. Berg, M. Scherg, "A fast method for forward
// computation of multiple-shell spherical head models", Electroencephalography and Clinical
// Neurophysiology 90(1), 1994), for which there is a closed form (D. A. Brody, F. H. Terry, R. E.
// Ideker, "Eccentric dipole in a spherical medium", IEEE Trans. Biomedical Engineering 20(2),
// 1973).
package dipole

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r3"

	"github.com/seed-47b1e431/gosica/internal/electrode"
)

const (
	// HeadRadius is the radius of the scalp in m.
	HeadRadius = 0.09
	// BrainRadius is the radius of the innermost layer in m.
	BrainRadius = 0.9 * HeadRadius
	// conductivity is the conductivity of the scalp in S/m.
	conductivity = 0.33
)

// shells are the three dipoles that represent a dipole in the layered head: share scales its
// moment, and depth its distance from the centre (λ and μ of Berg and Scherg). The layers end at
// 0.90, 0.92, 0.97 and 1 of the radius and have 0.33, 1, 0.004 and 0.33 S/m. The values are
// MNE-Python's fit, which TestShellsAreTheLayers compares with the exact series.
var shells = [3]struct{ share, depth float64 }{
	{0.137180, 0.944706}, {0.683796, 0.667409}, {-0.0106159, -0.268065},
}

// A Montage is a set of electrodes on the head.
type Montage struct {
	// Channels are the indices of the electrodes' channels.
	Channels []int

	places []r3.Vec // of the electrodes, in m
}

// NewMontage returns the electrodes of the channels with names of the 10–10 system. If several
// channels have the same electrode, the first counts.
func NewMontage(channels []string) Montage {
	var m Montage
	used := map[electrode.Place]bool{}
	for i, name := range channels {
		if place, ok := electrode.PlaceOf(name); ok && !used[place] {
			used[place] = true
			m.Channels = append(m.Channels, i)
			m.places = append(m.places, r3.Scale(HeadRadius, place.Direction()))
		}
	}
	return m
}

// Potentials returns the potential in V at each electrode, relative to the mean of the electrodes,
// of a dipole in the brain with the given place, in m from the centre of the head, and moment, in
// A·m.
func (m Montage) Potentials(place, moment r3.Vec) []float64 {
	v := make([]float64, len(m.places))
	for i, at := range m.places {
		for _, s := range shells {
			v[i] += s.share * r3.Dot(leadVector(at, r3.Scale(s.depth, place)), moment)
		}
	}
	floats.AddConst(-floats.Sum(v)/float64(len(v)), v)
	return v
}

// leadVector returns the gradient, with respect to the moment of a dipole, of the potential at a
// place on the surface of the homogeneous sphere, in V/(A·m):
//
//	(2·d/|d|³ + (e + ((e·q)·e − R²·q)/(|d|·R + R² − e·q)) / (R²·|d|)) / 4πσ,  d = e − q
//
// for the electrode's place e, the dipole's place q and the radius R.
func leadVector(e, q r3.Vec) r3.Vec {
	const squared = HeadRadius * HeadRadius
	d := r3.Sub(e, q)
	distance, inner := r3.Norm(d), r3.Dot(e, q)
	image := r3.Sub(r3.Scale(inner, e), r3.Scale(squared, q))
	image = r3.Add(e, r3.Scale(1/(distance*HeadRadius+squared-inner), image))
	sum := r3.Add(r3.Scale(2/math.Pow(distance, 3), d), r3.Scale(1/(squared*distance), image))
	return r3.Scale(1/(4*math.Pi*conductivity), sum)
}

const (
	// gridStep is the spacing in m of the places that Residuals tries. For 43 dipoles between these
	// places the residual is at most 0.003; with half the spacing it is 0.0008, and with 9 mm
	// 0.011.
	gridStep = 0.006
	// gridRadius is the largest distance in m of the tried places from the centre: near the skull a
	// dipole fits the noise of single electrodes.
	gridRadius = BrainRadius - 0.002
)

// Residuals returns, for each column of patterns, which has a row for each channel, the share of
// the variance over the electrodes, 0 to 1, that the best dipole doesn't explain. The dipole has
// the best place on a grid in the brain, and the least-squares moment. The residual of a constant
// column is 1.
func (m Montage) Residuals(patterns mat.Matrix) []float64 {
	_, k := patterns.Dims()
	columns, residuals := make([][]float64, k), make([]float64, k)
	for j := range columns {
		column := make([]float64, len(m.Channels))
		for i, channel := range m.Channels {
			column[i] = patterns.At(channel, j)
		}
		floats.AddConst(-floats.Sum(column)/float64(len(column)), column)
		if norm := floats.Norm(column, 2); norm > 0 {
			floats.Scale(1/norm, column)
		}
		columns[j], residuals[j] = column, 1
	}
	for place := range gridPlaces {
		basis := m.basis(place)
		for j, column := range columns {
			left := 1.0
			for _, b := range basis {
				left -= math.Pow(floats.Dot(b, column), 2)
			}
			residuals[j] = min(residuals[j], max(left, 0))
		}
	}
	return residuals
}

// gridPlaces yields the places that Residuals tries.
func gridPlaces(yield func(r3.Vec) bool) {
	n := int(math.Floor(gridRadius / gridStep))
	for i := -n; i <= n; i++ {
		for j := -n; j <= n; j++ {
			for k := -n; k <= n; k++ {
				p := r3.Scale(gridStep, r3.Vec{X: float64(i), Y: float64(j), Z: float64(k)})
				if r3.Norm(p) <= gridRadius && !yield(p) {
					return
				}
			}
		}
	}
}

// basis returns an orthonormal basis of the potentials of all dipoles at a place.
func (m Montage) basis(place r3.Vec) [][]float64 {
	var basis [][]float64
	for _, axis := range []r3.Vec{{X: 1}, {Y: 1}, {Z: 1}} {
		v := m.Potentials(place, axis)
		size := floats.Norm(v, 2)
		for _, b := range basis {
			floats.AddScaled(v, -floats.Dot(b, v), b)
		}
		if norm := floats.Norm(v, 2); norm > 1e-9*size { // otherwise a combination of the others
			floats.Scale(1/norm, v)
			basis = append(basis, v)
		}
	}
	return basis
}
