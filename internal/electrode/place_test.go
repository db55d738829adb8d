package electrode

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// Odd numbers are on the left, even ones on the right, z in the middle, and F before P.
func TestPlaces(t *testing.T) {
	for name := range places {
		p, ok := PlaceOf(name)
		d := p.Direction()
		isUnit := math.Abs(r3.Norm(d)-1) < 1e-12
		if !ok || math.Abs(p.Polar) > 115 || math.Abs(p.Longitude) > 90 || !isUnit {
			t.Errorf("%s is at %v, direction %v", name, p, d)
		}
		switch last := name[len(name)-1]; {
		case last == 'z' && math.Abs(d.X) > 1e-9,
			last >= '0' && last <= '9' && (last%2 == 1) != (d.X < 0):
			t.Errorf("%s is at %v", name, d)
		}
		first := name[0]
		if first == 'f' && d.Y < -1e-9 || first == 'p' && d.Y > 0 || first == 'o' && d.Y > -0.7 {
			t.Errorf("%s is at %v", name, d)
		}
	}
	if p, ok := PlaceOf("EEG Cz-REF"); !ok || r3.Norm(r3.Sub(p.Direction(), r3.Vec{Z: 1})) > 1e-12 {
		t.Errorf("Cz is at %v, %t; must be the vertex", p, ok)
	}
	if _, ok := PlaceOf("EOG1"); ok {
		t.Error("EOG1 has a place; must have none")
	}
}
