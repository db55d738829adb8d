package electrode

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// rim is the angle from the vertex, in degrees, of the outline of a head: the lowest ring of
	// the 10–20 system. Lower electrodes are drawn outside.
	rim = 92
	// minSensors is the least number of electrodes for a map: with fewer it would show the
	// interpolation, not the pattern. It is a choice.
	minSensors = 6
)

// A Sensor is an electrode with the index of its channel and its place on the head, seen from
// above: the outline has radius 1, and the nose is at the top, (0, 1).
type Sensor struct {
	Channel int     `json:"channel"`
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
}

// Sensors returns the electrodes among the channels; nil if there are too few for a map.
func Sensors(channels []string) []Sensor {
	var all []Sensor
	used := map[Place]bool{}
	for i, name := range channels {
		place, ok := PlaceOf(name)
		if !ok || used[place] {
			continue
		}
		used[place] = true
		r := place.Polar / rim // the azimuthal equidistant projection
		sin, cos := math.Sincos(place.Longitude * math.Pi / 180)
		all = append(all, Sensor{i, r * cos, r * sin})
	}
	if len(all) < minSensors {
		return nil
	}
	return all
}

// Map returns the map over the head of a pattern, which has an entry for each channel: the
// thin-plate spline through the entries (J. Duchon, Constructive Theory of Functions of Several
// Variables, 1977), scaled to a largest absolute entry of 1.
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
