package electrode

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// A Place is the place of an electrode on a spherical head, in degrees. Polar is the angle from the
// vertex, and Longitude the angle around it, from the right ear towards the nose. A negative Polar
// is on the opposite side of the vertex.
type Place struct{ Polar, Longitude float64 }

// Direction returns the unit vector from the centre of the head to the electrode: x points to the
// right ear, y to the nose and z to the vertex.
func (p Place) Direction() r3.Vec {
	sinPolar, cosPolar := math.Sincos(p.Polar * math.Pi / 180)
	sin, cos := math.Sincos(p.Longitude * math.Pi / 180)
	return r3.Vec{X: sinPolar * cos, Y: sinPolar * sin, Z: cosPolar}
}

// PlaceOf returns the place of a channel's electrode. ok is false unless its [Name] belongs to the
// 10–10 system.
func PlaceOf(channel string) (p Place, ok bool) {
	angles, ok := places[Name(channel)]
	return Place{Polar: angles[0], Longitude: angles[1]}, ok
}

// places has [Place.Polar] and [Place.Longitude] of the electrodes of the international 10–10
// system, which includes the 10–20 system, from EASYCAP's equidistant list M1 and MNE-Python's
// montage easycap-M1. T3, T4, T5 and T6 are the older names of T7, T8, P7 and P8.
var places = map[string][2]float64{
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
