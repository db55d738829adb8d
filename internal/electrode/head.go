package electrode

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// electrodes are the positions of the electrodes of the international 10–10 system, which has those
// of the 10–20 system, on a sphere: the angle from the vertex, positive to the right, and the
// longitude, both in degrees, as EASYCAP's equidistant list M1 and MNE-Python's montage
// easycap-M1 have them. T3, T4, T5 and T6 are the older names of T7, T8, P7 and P8.
var electrodes = map[string][2]float64{
	"fp1": {-92, -72}, "fp2": {92, 72}, "f3": {-60, -51}, "f4": {60, 51}, "c3": {-46, 0},
	"c4": {46, 0}, "p3": {-60, 51}, "p4": {60, -51}, "o1": {-92, 72}, "o2": {92, -72},
	"f7": {-92, -36}, "f8": {92, 36}, "t7": {-92, 0}, "t8": {92, 0}, "p7": {-92, 36},
	"p8": {92, -36}, "fz": {46, 90}, "cz": {0, 0}, "pz": {46, -90}, "f1": {-50, -68},
	"f2": {50, 68}, "fc1": {-32, -45}, "fc2": {32, 45}, "c1": {-23, 0}, "c2": {23, 0},
	"cp1": {-32, 45}, "cp2": {32, -45}, "p1": {-50, 68}, "p2": {50, -68}, "af3": {-74, -65},
	"af4": {74, 65}, "fc3": {-53, -33}, "fc4": {53, 33}, "cp3": {-52, 33}, "cp4": {52, -33},
	"po3": {-74, 65}, "po4": {74, -65}, "f5": {-75, -41}, "f6": {75, 41}, "fc5": {-72, -21},
	"fc6": {72, 21}, "c5": {-69, 0}, "c6": {69, 0}, "cp5": {-72, 21}, "cp6": {72, -21},
	"p5": {-75, 41}, "p6": {75, -41}, "af7": {-92, -54}, "af8": {92, 54}, "ft7": {-92, -18},
	"ft8": {92, 18}, "tp7": {-92, 18}, "tp8": {92, -18}, "po7": {-92, 54}, "po8": {92, -54},
	"f9": {-115, -36}, "f10": {115, 36}, "ft9": {-115, -18}, "ft10": {115, 18},
	"tp9": {-115, 18}, "tp10": {115, -18}, "p9": {-115, 36}, "p10": {115, -36},
	"po9": {-115, 54}, "po10": {115, -54}, "o9": {-115, 72}, "o10": {115, -72}, "fpz": {92, 90},
	"afz": {69, 90}, "fcz": {23, 90}, "cpz": {23, -90}, "poz": {69, -90}, "oz": {92, -90},
	"iz": {115, -90},
	"t3": {-92, 0}, "t4": {92, 0}, "t5": {-92, 36}, "t6": {92, -36},
}

const (
	// rim is the angle from the vertex, in degrees, that is the outline of a head: that of the
	// lowest ring of the 10–20 system. Lower electrodes are drawn outside.
	rim = 92
	// minSensors is the smallest number of electrodes for a map: with fewer it would show the
	// interpolation and not the pattern. It is a choice.
	minSensors = 6
)

// A Sensor is an electrode with its channel and its place on the head, seen from above: the outline
// has radius 1, and the nose is at the top, (0, 1).
type Sensor struct {
	Channel int     `json:"channel"`
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
}

// Sensors returns the channels that are electrodes, nil if there are too few for a map.
func Sensors(channels []string) []Sensor {
	var all []Sensor
	used := map[[2]float64]bool{}
	for i, name := range channels {
		angle, ok := electrodes[Name(name)]
		if !ok || used[angle] {
			continue
		}
		used[angle] = true
		r := angle[0] / rim // the azimuthal equidistant projection
		sin, cos := math.Sincos(angle[1] * math.Pi / 180)
		all = append(all, Sensor{i, r * cos, r * sin})
	}
	if len(all) < minSensors {
		return nil
	}
	return all
}

// Map returns the map of a pattern, which has an entry for each channel, over the head: the thin-plate
// spline through the entries (J. Duchon, Constructive Theory of Functions of Several Variables, 1977),
// with the largest size of an entry at 1.
func Map(all []Sensor, pattern []float64) func(x, y float64) float64 {
	values := make([]float64, len(all))
	for i, e := range all {
		values[i] = pattern[e.Channel]
	}
	if largest := floats.Norm(values, math.Inf(1)); largest > 0 {
		floats.Scale(1/largest, values)
	}
	return thinPlate(all, values)
}

// thinPlate returns the thin-plate spline through values at the electrodes, or their mean if all
// electrodes are in a line.
func thinPlate(all []Sensor, values []float64) func(x, y float64) float64 {
	basis := func(x, y float64) float64 { // r²·log r², the radial basis function of thin plates
		squared := x*x + y*y
		if squared == 0 {
			return 0
		}
		return squared * math.Log(squared)
	}
	n := len(all)
	system, right := mat.NewDense(n+3, n+3, nil), mat.NewVecDense(n+3, nil)
	for i, a := range all {
		right.SetVec(i, values[i])
		for j, b := range all {
			system.Set(i, j, basis(a.X-b.X, a.Y-b.Y))
		}
		for k, v := range []float64{1, a.X, a.Y} {
			system.Set(i, n+k, v)
			system.Set(n+k, i, v)
		}
	}
	var weights mat.VecDense
	if err := weights.SolveVec(system, right); err != nil {
		mean := floats.Sum(values) / float64(n)
		return func(x, y float64) float64 { return mean }
	}
	return func(x, y float64) float64 {
		v := weights.AtVec(n) + weights.AtVec(n+1)*x + weights.AtVec(n+2)*y
		for i, e := range all {
			v += weights.AtVec(i) * basis(x-e.X, y-e.Y)
		}
		return v
	}
}
